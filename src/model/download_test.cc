#include "model/download.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/file.h"
#include "base/hash.h"
#include "model/model_test_support.h"

namespace beleg {
namespace {

/// A small HTTP server on the loopback interface, on a port the system chooses. One connection at a
/// time, closed after each reply.
class HttpServer {
 public:
  struct Behaviour {
    bool ranges = true;                ///< Answers "Range: bytes=N-" with 206.
    std::size_t cut_after = SIZE_MAX;  ///< Closes after this many bytes of a body …
    int cuts = 0;                      ///< … in so many replies.
    int errors = 0;                    ///< So many replies of status 503 before all others.
  };

  HttpServer(std::string content, Behaviour behaviour)
      : content_(std::move(content)), behaviour_(behaviour) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(listener_, 8), 0);
    socklen_t size = sizeof address;
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::jthread([this](const std::stop_token& stop) { serve(stop); });
  }
  ~HttpServer() {
    thread_.request_stop();
    thread_.join();
    ::close(listener_);
  }
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  [[nodiscard]] std::string url(const std::string& path) const {
    return "http://127.0.0.1:" + std::to_string(port_) + path;
  }
  /// The Range header of each request, or "-".
  std::vector<std::string> ranges() {
    const std::lock_guard lock(mutex_);
    return ranges_;
  }

 private:
  void serve(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      pollfd wait{listener_, POLLIN, 0};
      if (::poll(&wait, 1, 20) <= 0) continue;
      const int connection = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (connection < 0) continue;
      answer(connection);
      ::close(connection);
    }
  }

  void answer(int connection) {
    std::string request;
    std::array<char, 2048> buffer{};
    while (request.find("\r\n\r\n") == std::string::npos) {
      const ssize_t n = ::recv(connection, buffer.data(), buffer.size(), 0);
      if (n <= 0) return;
      request.append(buffer.data(), static_cast<std::size_t>(n));
    }
    const std::string path = request.substr(4, request.find(' ', 4) - 4);
    std::string range = "-";
    if (const std::size_t at = request.find("Range: "); at != std::string::npos) {
      range = request.substr(at + 7, request.find("\r\n", at) - at - 7);
    }
    {
      const std::lock_guard lock(mutex_);
      ranges_.push_back(range);
    }
    std::size_t cut = SIZE_MAX;
    const std::string reply = reply_to(path, range, cut);
    send_all(connection, std::string_view(reply).substr(0, cut));
  }

  std::string reply_to(const std::string& path, const std::string& range, std::size_t& cut) {
    const auto simple = [](const std::string& status, const std::string& header = {}) {
      return "HTTP/1.1 " + status + "\r\n" + header +
             "Content-Length: 0\r\nConnection: close\r\n\r\n";
    };
    if (path.starts_with("/moved")) return simple("302 Found", "Location: /model.onnx\r\n");
    if (path.starts_with("/loop")) return simple("302 Found", "Location: /loop\r\n");
    if (path.starts_with("/to-file"))
      return simple("302 Found", "Location: file:///etc/passwd\r\n");
    if (path.starts_with("/secret")) return simple("403 Forbidden");
    if (!path.starts_with("/model.onnx")) return simple("404 Not Found");
    if (behaviour_.errors-- > 0) return simple("503 Service Unavailable");
    std::size_t start = 0;
    std::string head = "HTTP/1.1 200 OK\r\n";
    if (behaviour_.ranges && range.starts_with("bytes=")) {
      start = static_cast<std::size_t>(std::atoll(range.c_str() + 6));
      if (start >= content_.size()) {
        return simple("416 Range Not Satisfiable",
                      "Content-Range: bytes */" + std::to_string(content_.size()) + "\r\n");
      }
      head = "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes " + std::to_string(start) + "-" +
             std::to_string(content_.size() - 1) + "/" + std::to_string(content_.size()) + "\r\n";
    }
    head += "Content-Length: " + std::to_string(content_.size() - start) +
            "\r\nConnection: close\r\n\r\n";
    if (behaviour_.cuts-- > 0) cut = head.size() + behaviour_.cut_after;
    return head + content_.substr(start);
  }

  static void send_all(int connection, std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t n = ::send(connection, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n <= 0) return;
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
  }

  std::string content_;
  Behaviour behaviour_;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::mutex mutex_;
  std::vector<std::string> ranges_;  // Guarded by mutex_.
  std::jthread thread_;
};

class Download : public ::testing::Test {
 protected:
  void SetUp() override {
    // The machine's proxy must not see requests to the machine itself.
    ::setenv("no_proxy", "127.0.0.1", 1);
    ::setenv("NO_PROXY", "127.0.0.1", 1);
    for (int i = 0; i < 300'000; ++i) content_.push_back(static_cast<char>(i * 7 % 251));
    options_.sha256 = sha256(content_).hex();
    options_.max_bytes = 1'000'000;
    options_.pause_ms = 1;
    target_ = folder_.path() / "part";
  }
  Result<void> get(const std::string& url) const {
    return download_file(url, target_, options_, [](std::string_view) {});
  }
  void expect_whole() const { EXPECT_TRUE(MUST(read_file(target_, 1'000'000)) == content_); }

  std::string content_;
  DownloadOptions options_;
  TemporaryFolder folder_;
  std::filesystem::path target_;
};

TEST_F(Download, GetsAFileAndFollowsRedirects) {
  HttpServer server(content_, {});
  MUST(get(server.url("/model.onnx")));
  expect_whole();
  std::filesystem::remove(target_);
  MUST(get(server.url("/moved")));
  expect_whole();
  // What is there already is not asked for again.
  const std::size_t requests = server.ranges().size();
  MUST(get(server.url("/model.onnx")));
  EXPECT_EQ(server.ranges().size(), requests);
}

TEST_F(Download, ContinuesAfterTheConnectionBroke) {
  HttpServer server(content_, {.cut_after = 100'000, .cuts = 2});
  MUST(get(server.url("/model.onnx")));
  expect_whole();
  EXPECT_EQ(server.ranges(), (std::vector<std::string>{"-", "bytes=100000-", "bytes=200000-"}));
}

TEST_F(Download, ContinuesInTheNextCall) {
  options_.attempts = 1;
  {
    HttpServer server(content_, {.cut_after = 100'000, .cuts = 1});
    const auto result = get(server.url("/model.onnx"));
    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(result.error().code, ErrorCode::kUnavailable);
    EXPECT_EQ(std::filesystem::file_size(target_), 100'000U);
  }
  HttpServer server(content_, {});
  MUST(get(server.url("/model.onnx")));
  expect_whole();
  EXPECT_EQ(server.ranges(), (std::vector<std::string>{"bytes=100000-"}));
}

TEST_F(Download, StartsAgainWhereRangesAreUnknown) {
  HttpServer server(content_, {.ranges = false, .cut_after = 100'000, .cuts = 1});
  MUST(get(server.url("/model.onnx")));
  expect_whole();
}

TEST_F(Download, StartsAgainWhenThePartIsOfSomethingElse) {
  HttpServer server(content_, {});
  folder_.write("part", std::string(50'000, 'z'));
  MUST(get(server.url("/model.onnx")));
  expect_whole();
  folder_.write("part", std::string(400'000, 'z'));  // Longer than the whole file.
  MUST(get(server.url("/model.onnx")));
  expect_whole();
}

TEST_F(Download, WaitsForAServerThatIsBusy) {
  HttpServer server(content_, {.errors = 2});
  MUST(get(server.url("/model.onnx")));
  expect_whole();
}

TEST_F(Download, RefusesTheWrongContent) {
  HttpServer server(content_ + "x", {});
  const auto result = get(server.url("/model.onnx"));
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, ErrorCode::kCorrupt);
  EXPECT_FALSE(std::filesystem::exists(target_));
}

TEST_F(Download, RefusesMoreThanTheLimit) {
  HttpServer server(content_, {});
  options_.max_bytes = 200'000;
  const auto result = get(server.url("/model.onnx"));
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, ErrorCode::kLimit);
  EXPECT_LE(std::filesystem::file_size(target_), 200'000U);
}

TEST_F(Download, NamesTheReasonWithoutSecrets) {
  HttpServer server(content_, {});
  const auto expect = [&](const std::string& url, ErrorCode code) {
    const auto result = get(url);
    ASSERT_FALSE(result.has_value()) << url;
    EXPECT_EQ(result.error().code, code) << result.error().to_line();
    EXPECT_EQ(result.error().to_line().find("hunter2"), std::string::npos)
        << result.error().to_line();
  };
  std::string with_password = server.url("/nothing?token=hunter2");
  with_password.insert(7, "user:hunter2@");
  expect(with_password, ErrorCode::kNotFound);
  expect(server.url("/secret/model.onnx"), ErrorCode::kPermission);
  options_.attempts = 1;
  expect(server.url("/loop"), ErrorCode::kUnavailable);
  expect(server.url("/to-file"), ErrorCode::kUnavailable);
  expect("http://user:hunter2@127.0.0.1:1/model.onnx", ErrorCode::kUnavailable);
  expect("ftp://127.0.0.1/model.onnx", ErrorCode::kInvalidArgument);
  expect("file://" + (folder_.path() / "nothing").string(), ErrorCode::kNotFound);
}

TEST_F(Download, ReadsFileUrls) {
  const auto source = folder_.write("model.onnx", content_);
  MUST(get("file://" + source.string()));
  expect_whole();
  folder_.write("part", content_.substr(0, 1000));
  MUST(get("file://" + source.string()));
  expect_whole();
}

TEST(Url, PublicPartAndFileName) {
  EXPECT_EQ(public_url("https://u:p@host/a/b.onnx?sig=1#x"), "https://host/a/b.onnx");
  EXPECT_EQ(public_url("https://host"), "https://host");
  EXPECT_EQ(public_url("https://host/a@b"), "https://host/a@b");
  EXPECT_EQ(url_file_name("https://host/a/my%20model.onnx?x=/y"), "my model.onnx");
  EXPECT_EQ(url_file_name("https://host"), "");
  EXPECT_EQ(url_file_name("https://host/"), "");
  EXPECT_EQ(url_file_name("https://host/a%2f..%2fb"), "a/../b");  // Its user must check it.
}

}  // namespace
}  // namespace beleg
