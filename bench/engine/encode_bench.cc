// Measures an encoder: cold start, passages per second, latency of one and of four questions
// together, memory, and how close its vectors are to those of a reference. Prints one line of JSON.
//
//   encode_bench --models DIR --corpus FILE.jsonl --queries FILE.jsonl [--model NAME]
//                [--threads N] [--n N] [--nq N] [--call N] [--arithmetic bytes|floats]
//                [--reference FILE.npy] [--save FILE.npy]
//
// The files have one object with "text" a line. --n passages are taken evenly from the corpus and
// given to the encoder --call at a time (0: all at once). Times of the wall and of the processor
// stand side by side: on a machine that does other work too, only the second can be compared.

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "model/encoder.h"
#include "model/manifest.h"
#include "vector_file.h"

namespace beleg {
namespace {

using Arguments = std::map<std::string, std::string>;

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

struct Seconds {
  double wall = 0;
  double processor = 0;
};

template <class Function>
Seconds measure(const Function& function) {
  const double wall = wall_seconds();
  const double processor = processor_seconds();
  function();
  return {wall_seconds() - wall, processor_seconds() - processor};
}

double percentile(std::vector<double> values, double part) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const double at = part * static_cast<double>(values.size() - 1);
  const auto low = static_cast<std::size_t>(at);
  const std::size_t high = std::min(low + 1, values.size() - 1);
  return values[low] + (values[high] - values[low]) * (at - static_cast<double>(low));
}

nlohmann::json percentiles(const std::vector<Seconds>& times) {
  std::vector<double> wall;
  std::vector<double> processor;
  for (const Seconds& time : times) {
    wall.push_back(time.wall * 1e3);
    processor.push_back(time.processor * 1e3);
  }
  return {{"wall_p50", percentile(wall, 0.5)},
          {"wall_p95", percentile(wall, 0.95)},
          {"cpu_p50", percentile(processor, 0.5)},
          {"cpu_p95", percentile(processor, 0.95)}};
}

double resident_megabytes() {
  std::ifstream file("/proc/self/statm");
  double pages = 0;
  file >> pages >> pages;
  return pages * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
}

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024 / 1e6;
}

/// `count` texts, evenly spread over the lines of the file; all when count is 0.
std::vector<std::string> read_texts(const std::string& path, std::size_t count) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty()) lines.push_back(std::move(line));
  }
  std::vector<std::string> texts;
  if (count == 0) count = lines.size();
  const std::size_t step = std::max<std::size_t>(1, lines.size() / std::max<std::size_t>(1, count));
  for (std::size_t i = 0; i < lines.size() && texts.size() < count; i += step) {
    texts.push_back(nlohmann::json::parse(lines[i]).at("text").get<std::string>());
  }
  return texts;
}

std::vector<EncoderInput> inputs_of(std::span<const std::string> texts, InputRole role) {
  std::vector<EncoderInput> inputs;
  for (const std::string& text : texts)
    inputs.push_back({.role = role, .context = {}, .text = text});
  return inputs;
}

/// Lets the program end with the message of a failure: nothing can be measured without the result.
template <class T>
T need(Result<T> result) {
  if (!result) {
    std::cerr << "encode_bench: " << result.error().message << "\n";
    std::exit(1);
  }
  return std::move(*result);
}

std::vector<EncodedText> encode_in_calls(const Encoder& encoder, std::span<const std::string> texts,
                                         std::size_t call) {
  if (call == 0) call = std::max<std::size_t>(1, texts.size());
  std::vector<EncodedText> all;
  for (std::size_t i = 0; i < texts.size(); i += call) {
    const auto some = texts.subspan(i, std::min(call, texts.size() - i));
    for (EncodedText& text : need(encoder.encode(inputs_of(some, InputRole::kPassage)))) {
      text.token_vectors = {};
      all.push_back(std::move(text));
    }
  }
  return all;
}

void write_npy(const std::string& path, const std::vector<EncodedText>& texts, std::size_t dims) {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" +
                       std::to_string(texts.size()) + ", " + std::to_string(dims) + "), }";
  header.resize((10 + header.size() + 64) / 64 * 64 - 11, ' ');
  header += '\n';
  std::ofstream file(path, std::ios::binary);
  file.write("\x93NUMPY\1\0", 8);
  file.put(static_cast<char>(header.size() & 255U));
  file.put(static_cast<char>(header.size() >> 8U));
  file << header;
  for (const EncodedText& text : texts) {
    file.write(reinterpret_cast<const char*>(text.dense.data()),
               static_cast<std::streamsize>(dims * sizeof(float)));
  }
}

nlohmann::json cosines(const std::vector<EncodedText>& texts, const std::vector<float>& reference) {
  double least = 1;
  double sum = 0;
  std::size_t at = 0;
  for (const EncodedText& text : texts) {
    if (at + text.dense.size() > reference.size()) return "the reference has fewer rows";
    double cosine = 0;
    for (const float value : text.dense) {
      cosine += static_cast<double>(value) * static_cast<double>(reference[at++]);
    }
    least = std::min(least, cosine);
    sum += cosine;
  }
  return {{"min", least}, {"mean", sum / static_cast<double>(texts.size())}};
}

std::vector<Seconds> time_questions(const Encoder& encoder, std::span<const std::string> questions,
                                    std::size_t together) {
  std::vector<Seconds> times;
  for (std::size_t i = 0; i + together <= questions.size(); i += together) {
    const auto inputs = inputs_of(questions.subspan(i, together), InputRole::kQuery);
    times.push_back(measure([&] { need(encoder.encode(inputs)); }));
  }
  return times;
}

int run(const Arguments& arguments) {
  const auto get = [&](const std::string& name, const std::string& otherwise) {
    const auto found = arguments.find(name);
    return found == arguments.end() ? otherwise : found->second;
  };
  const std::string name = get("--model", "all-minilm-l6-v2");
  const auto threads = static_cast<std::uint32_t>(std::stoul(get("--threads", "1")));
  const Arithmetic arithmetic =
      get("--arithmetic", "bytes") == "floats" ? Arithmetic::kFloats : Arithmetic::kBytes;
  const std::vector<std::string> questions =
      read_texts(get("--queries", ""), std::stoul(get("--nq", "200")));
  const std::vector<std::string> passages =
      read_texts(get("--corpus", ""), std::stoul(get("--n", "256")));
  if (questions.empty() || passages.empty()) {
    std::cerr << "encode_bench: give --models, --corpus and --queries\n";
    return 2;
  }
  const double before = resident_megabytes();
  std::unique_ptr<Encoder> encoder;
  const Seconds open = measure([&] {
    encoder = need(open_installed_encoder(ModelStore(get("--models", "")), name,
                                          {.threads = threads, .arithmetic = arithmetic}));
  });
  const double opened = resident_megabytes();
  const std::span<const std::string> all(questions);
  const Seconds first = time_questions(*encoder, all.first(1), 1).front();

  time_questions(*encoder, all.first(std::min<std::size_t>(20, all.size())), 1);
  const std::vector<Seconds> one = time_questions(*encoder, all, 1);
  time_questions(*encoder, all.first(std::min<std::size_t>(20, all.size())), 4);
  const std::vector<Seconds> four = time_questions(*encoder, all, 4);
  const double after_questions = resident_megabytes();

  std::size_t tokens = 0;
  const Seconds tokenizing = measure([&] {
    for (const std::string& text : passages) {
      tokens += std::min<std::size_t>(encoder->max_tokens(),
                                      encoder->tokenizer().tokenize(text).size() + 2);
    }
  });
  const std::size_t call = std::stoul(get("--call", "64"));
  encode_in_calls(*encoder, std::span(passages).first(std::min<std::size_t>(16, passages.size())),
                  call);
  std::vector<EncodedText> encoded;
  const Seconds bulk = measure([&] { encoded = encode_in_calls(*encoder, passages, call); });

  const auto n = static_cast<double>(passages.size());
  const auto all_tokens = static_cast<double>(tokens);
  nlohmann::ordered_json metrics = {
      {"cold_s", open.wall + first.wall},
      {"cold_cpu_s", open.processor + first.processor},
      {"open_cpu_s", open.processor},
      {"first_query_cpu_ms", first.processor * 1e3},
      {"n", passages.size()},
      {"tokens", tokens},
      {"tokens_per_chunk", all_tokens / n},
      {"chunks_per_s", n / bulk.wall},
      {"chunks_per_cpu_s", n / bulk.processor},
      {"tokens_per_s", all_tokens / bulk.wall},
      {"tokens_per_cpu_s", all_tokens / bulk.processor},
      {"tokenize_tokens_per_cpu_s", all_tokens / tokenizing.processor},
      {"wall_over_cpu", bulk.wall / bulk.processor},
      {"call", call},
      {"max_len", encoder->max_tokens()},
      {"query_ms", percentiles(one)},
      {"four_queries_ms", percentiles(four)},
      {"rss_before_mb", before},
      {"rss_opened_mb", opened},
      {"rss_after_queries_mb", after_questions},
      {"rss_mb", resident_megabytes()},
      {"peak_mb", peak_megabytes()}};
  if (const std::string reference = get("--reference", ""); !reference.empty()) {
    metrics["cos_ref"] = cosines(encoded, need(read_vector_file(reference)).values);
  }
  if (const std::string save = get("--save", ""); !save.empty()) {
    write_npy(save, encoded, encoder->dims());
  }
  const nlohmann::ordered_json line = {
      {"peer", "beleg/" + name}, {"kind", "embed"}, {"threads", threads}, {"metrics", metrics}};
  std::cout << line.dump() << "\n";
  return 0;
}

}  // namespace
}  // namespace beleg

int main(int argc, char** argv) {
  beleg::Arguments arguments;
  for (int i = 1; i + 1 < argc; i += 2) arguments[argv[i]] = argv[i + 1];
  return beleg::run(arguments);
}
