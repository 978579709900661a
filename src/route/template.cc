#include "route/template.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include "base/file.h"

namespace beleg {
namespace {

constexpr std::uint64_t kMaxTemplateBytes = 1U << 20;
constexpr std::string_view kFence = "---";
constexpr std::string_view kRemedy =
    "begin with front matter (id, intent, language, owner, examples) between two lines \"---\"";

std::unexpected<Error> corrupt(const std::filesystem::path& path, const std::string& what,
                               std::string remedy) {
  return fail(ErrorCode::kCorrupt, "template " + printable_path(path) + ": " + what,
              std::move(remedy));
}

/// Removes and returns the first line, without its end.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

struct Halves {
  std::string_view front;
  std::string_view body;
};

Result<Halves> split_front_matter(std::string_view bytes, const std::filesystem::path& path) {
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
  std::string_view rest = bytes;
  if (take_line(rest) != kFence)
    return corrupt(path, "does not start with a line \"---\"", std::string(kRemedy));
  const char* const begin = rest.data();
  while (!rest.empty()) {
    const std::string_view before = rest;
    if (take_line(rest) == kFence)
      return Halves{{begin, static_cast<std::size_t>(before.data() - begin)}, rest};
  }
  return corrupt(path, "the front matter is not closed", "end it with a line \"---\"");
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

bool is_plain_id(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  });
}

/// "2027-06-30": valid through that day, so the first second of the day after.
std::optional<UnixSeconds> end_of_day(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
  std::array<int, 3> parts{};
  const std::array<std::string_view, 3> fields = {text.substr(0, 4), text.substr(5, 2),
                                                  text.substr(8, 2)};
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const char* const end = fields[i].data() + fields[i].size();
    const auto [rest, error] =
        std::from_chars(fields[i].data(), fields[i].data() + fields[i].size(), parts[i]);
    if (error != std::errc() || rest != end || parts[i] < 0) return std::nullopt;
  }
  const std::chrono::year_month_day day{std::chrono::year{parts[0]},
                                        std::chrono::month{static_cast<unsigned>(parts[1])},
                                        std::chrono::day{static_cast<unsigned>(parts[2])}};
  if (!day.ok()) return std::nullopt;
  const auto next = std::chrono::sys_days{day} + std::chrono::days{1};
  return std::chrono::duration_cast<std::chrono::seconds>(next.time_since_epoch()).count();
}

/// Reads the fields of one front matter. yaml-cpp throws; parse_template catches.
class FrontMatter {
 public:
  FrontMatter(const YAML::Node& root, const std::filesystem::path& path)
      : root_(root), path_(path) {}

  Result<void> check_names() const {
    static const std::set<std::string> kKnown = {"id",      "intent", "language",    "examples",
                                                 "sources", "owner",  "valid_until", "answer"};
    std::set<std::string> seen;
    for (const auto& entry : root_) {
      const std::string name = entry.first.IsScalar() ? entry.first.Scalar() : "(not a name)";
      if (!kKnown.contains(name))
        return error(name, entry.first, "is not a field of a template",
                     "fields: id, intent, language, examples, sources, owner, valid_until");
      if (name == "answer")
        return error(name, entry.first, "does not belong into the front matter",
                     "write the answer below the second \"---\"");
      if (!seen.insert(name).second) return error(name, entry.first, "is there twice", "keep one");
    }
    return {};
  }

  Result<std::string> text(const char* name, bool required) const {
    const YAML::Node node = root_[name];
    if (!node || node.IsNull()) {
      if (!required) return std::string();
      return corrupt(path_, "field \"" + std::string(name) + "\" is missing",
                     "add it to the front matter");
    }
    if (!node.IsScalar()) return error(name, node, "must be a text", "write it as one line");
    std::string value(trimmed(node.Scalar()));
    if (value.empty() && required) return error(name, node, "is empty", "fill it in");
    return value;
  }

  Result<std::vector<std::string>> examples() const {
    const YAML::Node node = root_["examples"];
    std::vector<std::string> out;
    if (!node || !node.IsSequence() || node.size() == 0)
      return corrupt(path_, "field \"examples\" must be a list of at least one utterance",
                     "add questions as people ask them");
    for (const auto& item : node) {
      if (!item.IsScalar() || trimmed(item.Scalar()).empty())
        return error("examples", item, "has an entry that is not a text",
                     "quote texts that contain \": \"");
      out.emplace_back(trimmed(item.Scalar()));
    }
    return out;
  }

  Result<std::vector<TemplateSource>> sources() const {
    const YAML::Node node = root_["sources"];
    std::vector<TemplateSource> out;
    if (!node || node.IsNull()) return out;
    if (!node.IsSequence())
      return error("sources", node, "must be a list", "write \"- {document: ID, sha256: HASH}\"");
    for (const auto& item : node) {
      const bool complete = item.IsMap() && item["document"] && item["document"].IsScalar() &&
                            item["sha256"] && item["sha256"].IsScalar() && item.size() == 2 &&
                            !trimmed(item["document"].Scalar()).empty();
      if (!complete)
        return error("sources", item, "has an entry without exactly document and sha256",
                     "write \"- {document: ID, sha256: HASH}\"");
      Result<Sha256> hash = Sha256::from_hex(trimmed(item["sha256"].Scalar()));
      if (!hash)
        return error("sources", item, "has a sha256 that is not 64 hexadecimal digits",
                     "copy the document's content hash");
      out.push_back({std::string(trimmed(item["document"].Scalar())), hash.take()});
    }
    return out;
  }

 private:
  std::unexpected<Error> error(const std::string& name, const YAML::Node& node,
                               const std::string& what, std::string remedy) const {
    // Lines count from the line after "---", which is line 2 of the file.
    const std::string line =
        node.Mark().is_null() ? "" : ", line " + std::to_string(node.Mark().line + 2);
    return corrupt(path_, "field \"" + name + "\"" + line + ": " + what, std::move(remedy));
  }

  const YAML::Node& root_;
  const std::filesystem::path& path_;
};

Result<Template> read_fields(const YAML::Node& root, std::string_view body,
                             const std::filesystem::path& path) {
  if (!root.IsMap())
    return corrupt(path, "the front matter is not a list of fields", std::string(kRemedy));
  const FrontMatter front(root, path);
  TRY(front.check_names());
  Template out;
  out.path = path;
  out.id = TRY(front.text("id", true));
  if (!is_plain_id(out.id))
    return corrupt(path, "field \"id\" must consist of letters, digits, \".\", \"_\" and \"-\"",
                   "rename it");
  out.intent = TRY(front.text("intent", true));
  out.language = TRY(front.text("language", true));
  out.owner = TRY(front.text("owner", true));
  out.examples = TRY(front.examples());
  out.sources = TRY(front.sources());
  const std::string valid_until = TRY(front.text("valid_until", false));
  if (!valid_until.empty()) {
    out.valid_until = end_of_day(valid_until);
    if (!out.valid_until)
      return corrupt(path, "field \"valid_until\" must be a date like 2027-06-30",
                     "correct the date");
  }
  out.answer = trimmed(body);
  if (out.answer.empty())
    return corrupt(path, "has no answer", "write it below the second \"---\"");
  return out;
}

Result<std::vector<std::filesystem::path>> markdown_files(const std::filesystem::path& folder) {
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error))
    return fail(ErrorCode::kNotFound,
                "template folder " + printable_path(folder) + " does not exist",
                "create it, or set the path of the templates");
  std::vector<std::filesystem::path> out;
  std::filesystem::recursive_directory_iterator walk(folder, error);
  for (const std::filesystem::recursive_directory_iterator end; !error && walk != end;
       walk.increment(error)) {
    std::error_code ignored;
    const std::filesystem::path& path = walk->path();
    if (path.extension() == ".md" && path.filename() != "README.md" &&
        walk->is_regular_file(ignored))
      out.push_back(path);
  }
  if (error)
    return fail(error == std::errc::permission_denied ? ErrorCode::kPermission : ErrorCode::kIo,
                "template folder " + printable_path(folder) + ": " + error.message(),
                "check that it can be read");
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

Result<Template> parse_template(std::string_view bytes, const std::filesystem::path& path) {
  const Halves halves = TRY(split_front_matter(bytes, path));
  try {
    return read_fields(YAML::Load(std::string(halves.front)), halves.body, path);
  } catch (const YAML::Exception& exception) {
    const std::string line =
        exception.mark.is_null() ? "" : ", line " + std::to_string(exception.mark.line + 2);
    return corrupt(path, "front matter" + line + ": " + exception.msg, "correct the YAML");
  }
}

Result<TemplateFolder> load_templates(const std::filesystem::path& folder) {
  TemplateFolder out;
  std::map<std::string, std::filesystem::path> owners;
  for (const std::filesystem::path& path : TRY(markdown_files(folder))) {
    Result<std::string> bytes = read_file(path, kMaxTemplateBytes);
    Result<Template> entry = bytes ? parse_template(*bytes, path)
                                   : Result<Template>(std::unexpected<Error>(bytes.error()));
    if (!entry) {
      out.errors.push_back(std::move(entry.error()));
      continue;
    }
    const auto [first, added] = owners.emplace(entry->id, path);
    if (!added) {
      out.errors.push_back(
          corrupt(path, "id \"" + entry->id + "\" is taken by " + printable_path(first->second),
                  "give each template an id of its own")
              .error());
      continue;
    }
    out.templates.push_back(entry.take());
  }
  return out;
}

std::optional<std::string> suspension_reason(const Template& entry, UnixSeconds now,
                                             const ContentHashLookup& current_hash) {
  if (entry.valid_until && now >= *entry.valid_until)
    return "valid until " + format_utc(*entry.valid_until - 1).substr(0, 10) + ", which has passed";
  for (const TemplateSource& source : entry.sources) {
    const std::optional<Sha256> current =
        current_hash ? current_hash(source.document) : std::nullopt;
    if (!current) return "source document \"" + source.document + "\" is not in the corpus";
    if (*current != source.sha256)
      return "source document \"" + source.document + "\" changed since the review";
  }
  return std::nullopt;
}

}  // namespace beleg
