#include "pipeline/search.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/filters.h"
#include "cli/progress.h"
#include "cli/session.h"
#include "document/date.h"
#include "pipeline/steps.h"

namespace beleg {
namespace {

constexpr std::uint64_t kMaxQueriesBytes = 1ULL << 30U;
constexpr std::size_t kQuestionBatch = 32;
/// What separates the columns of a run file, for one reader or another.
constexpr std::string_view kBlanks = " \t\n\v\f\r";

struct Options {
  std::string question;
  std::string queries;
  std::uint64_t k = 10;
  std::string mode = "full";
  std::string unit = "passage";
  std::string format = "text";
  std::string tag = "beleg";
  FilterOptions filter;
  std::string generation;
};

struct Question {
  std::string id;
  std::string text;
};

Result<std::vector<Question>> read_questions(const std::string& path) {
  const std::string bytes = TRY(read_file(path, kMaxQueriesBytes));
  std::vector<Question> questions;
  std::unordered_map<std::string, std::size_t> first_lines;  // By id.
  std::size_t line_number = 0;
  std::size_t start = 0;
  while (start < bytes.size()) {
    const std::size_t end = std::min(bytes.find('\n', start), bytes.size());
    const std::string_view line = std::string_view(bytes).substr(start, end - start);
    start = end + 1;
    ++line_number;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const auto json = nlohmann::json::parse(line, nullptr, false);
    Question question;
    for (const char* field : {"_id", "id", "qid"}) {
      if (!json.is_object() || !question.id.empty() || !json.contains(field)) continue;
      question.id = json[field].is_string() ? json[field].get<std::string>() : json[field].dump();
    }
    for (const char* field : {"text", "question", "query"}) {
      if (json.is_object() && question.text.empty() && json.contains(field) &&
          json[field].is_string()) {
        question.text = json[field].get<std::string>();
      }
    }
    const bool bad_id =
        question.id.empty() || question.id.find_first_of(kBlanks) != std::string::npos;
    if (bad_id || question.text.empty()) {
      return fail(ErrorCode::kInvalidArgument,
                  printable_path(path) + ", line " + std::to_string(line_number) +
                      ": needs '_id' (without blanks) and 'text'",
                  "give one JSON object per line");
    }
    // The results of both would run together under one id.
    const auto [first, is_new] = first_lines.try_emplace(question.id, line_number);
    if (!is_new) {
      return fail(ErrorCode::kInvalidArgument,
                  printable_path(path) + ", line " + std::to_string(line_number) + ": the id '" +
                      question.id + "' is that of line " + std::to_string(first->second) + " too",
                  "give each question an id of its own");
    }
    questions.push_back(std::move(question));
  }
  if (questions.empty()) {
    return fail(ErrorCode::kInvalidArgument, printable_path(path) + " holds no question",
                "give one JSON object with '_id' and 'text' per line");
  }
  return questions;
}

/// What a hit is called in the output.
struct Named {
  std::string document;
  StoredPassage passage;
  StoredVersion version;
};

/// Looks up the hits' documents; keeps what it has seen, since batches find the same ones again.
class Names {
 public:
  explicit Names(Engine& engine) : engine_(engine), ids_(engine.index().row_limit()) {}

  Result<Named> full(Row row) {
    Named named;
    named.passage = TRY(engine_.store().passage(engine_.index().passage_of(row)));
    named.version = TRY(engine_.store().version(named.passage.version));
    named.document = named.version.external_id;
    return named;
  }
  Result<std::string> id(Row row, SearchUnit unit) {
    if (ids_[row].empty()) {
      const Named named = TRY(full(row));
      ids_[row] = named.document;
      if (unit == SearchUnit::kPassage) {
        ids_[row] += "#" + std::to_string(named.passage.passage.ordinal);
      }
      for (char& c : ids_[row]) {
        if (static_cast<unsigned char>(c) <= ' ') c = '_';  // A run file separates by blanks.
      }
    }
    return ids_[row];
  }

 private:
  Engine& engine_;
  std::vector<std::string> ids_;
};

std::string score_text(double score) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.6f", score);
  return text.data();
}

Result<void> print_trec(const Session& session, Names& names, const Question& question,
                        const SearchResult& result, const Options& options, SearchUnit unit) {
  std::size_t rank = 0;
  for (const SearchHit& hit : result.hits) {
    ++rank;
    const std::string id = TRY(names.id(hit.row, unit));
    // Equal scores would be reordered by evaluators: rank is made part of the score's last digits.
    const double score = hit.score - 1e-9 * static_cast<double>(rank);
    std::array<char, 40> text{};
    std::snprintf(text.data(), text.size(), "%.12f", score);
    session.print(question.id + " Q0 " + id + " " + std::to_string(rank) + " " + text.data() + " " +
                  options.tag);
  }
  return {};
}

Result<void> print_jsonl(const Session& session, Names& names, const Question& question,
                         const SearchResult& result) {
  Json lists = Json::array();
  for (const CandidateList& list : result.lists) {
    lists.push_back({{"retriever", list.retriever}, {"strategies", passes_to_json(list.passes)}});
  }
  std::size_t rank = 0;
  for (const SearchHit& hit : result.hits) {
    const Named named = TRY(names.full(hit.row));
    const Passage& p = named.passage.passage;
    const auto& meta = named.version.content.meta;
    session.print(nlohmann::json{
        {"query", question.id},
        {"rank", ++rank},
        {"score", hit.score},
        {"document", named.document},
        {"passage", static_cast<std::int64_t>(named.passage.id)},
        {"start", p.span.start},
        {"end", p.span.end},
        {"title", meta.title},
        {"date", meta.published ? format_date(*meta.published) : ""},
        {"url", meta.url},
        {"text", named.version.content.text.substr(p.bytes.start, p.bytes.size())},
        {"complete", result.complete},
        {"lists",
         lists}}.dump());
  }
  return {};
}

Result<void> print_text(const Session& session, Names& names, const SearchResult& result) {
  std::size_t rank = 0;
  for (const SearchHit& hit : result.hits) {
    const Named named = TRY(names.full(hit.row));
    const auto& meta = named.version.content.meta;
    const ByteSpan bytes = named.passage.passage.bytes;
    std::string text = printable_text(
        std::string_view(named.version.content.text).substr(bytes.start, bytes.size()));
    if (text.size() > 300) {
      text.resize(300);
      while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xc0U) == 0x80U) {
        text.pop_back();
      }
      if (!text.empty() && static_cast<unsigned char>(text.back()) >= 0xc0U) text.pop_back();
      text += " …";
    }
    session.print(std::to_string(++rank) + ". " + score_text(hit.score) + "  " +
                  printable_text(meta.title.empty() ? named.document : meta.title) + "  (" +
                  printable_text(named.document) + ")");
    session.print("   " + text);
  }
  if (result.hits.empty()) session.print("nothing found");
  if (!result.complete && !result.hits.empty()) {
    session.print("(that is all: fewer than asked for match)");
  }
  return {};
}

Result<int> find(const Options& options, const Session& session) {
  const SearchMode mode = TRY(parse_search_mode(options.mode));
  if (options.unit != "passage" && options.unit != "document") {
    return fail(ErrorCode::kInvalidArgument, "--unit " + options.unit, "give passage or document");
  }
  const std::string format = session.json() ? "jsonl" : options.format;
  if (format != "text" && format != "jsonl" && format != "trec") {
    return fail(ErrorCode::kInvalidArgument, "--format " + format, "give text, jsonl or trec");
  }
  if (options.question.empty() == options.queries.empty()) {
    return fail(ErrorCode::kInvalidArgument, "give either a question or --queries FILE",
                "`beleg search --help` shows how");
  }
  if (options.k < 1 || options.k > 10000) {
    return fail(ErrorCode::kInvalidArgument, "--k " + std::to_string(options.k), "give 1 to 10000");
  }
  if (options.tag.empty() || options.tag.find_first_of(kBlanks) != std::string::npos) {
    return fail(ErrorCode::kInvalidArgument, "--tag '" + options.tag + "' is empty or has blanks",
                "give one word: it is a column of the run file");
  }
  const SearchUnit unit = options.unit == "document" ? SearchUnit::kDocument : SearchUnit::kPassage;
  const FilterSpec filter = TRY(parse_filters(options.filter));
  std::vector<Question> questions = {{"1", options.question}};
  if (!options.queries.empty()) questions = TRY(read_questions(options.queries));
  const auto engine = TRY(session.open_engine(options.generation));
  Names names(*engine);
  Progress progress("search", !options.queries.empty());
  for (std::size_t first = 0; first < questions.size(); first += kQuestionBatch) {
    const std::size_t last = std::min(questions.size(), first + kQuestionBatch);
    std::vector<std::string> texts;
    for (std::size_t i = first; i < last; ++i) texts.push_back(questions[i].text);
    std::vector<QueryVectors> vectors(texts.size());
    if (mode != SearchMode::kLexical) vectors = TRY(engine->encode_questions(texts));
    for (std::size_t i = first; i < last; ++i) {
      const SearchResult result =
          TRY(search(*engine, questions[i].text, std::move(vectors[i - first]), filter, mode, unit,
                     options.k));
      if (format == "trec") {
        TRY(print_trec(session, names, questions[i], result, options, unit));
      } else if (format == "jsonl") {
        TRY(print_jsonl(session, names, questions[i], result));
      } else {
        TRY(print_text(session, names, result));
      }
      progress.update(i + 1, questions.size(), "");
    }
  }
  return kExitOk;
}

int run(const Options& options, Session& session) {
  const auto code = find(options, session);
  return code ? *code : session.complain(code.error());
}

}  // namespace

CommandRunner define_search(Arguments& arguments) {
  auto options = std::make_shared<Options>();
  arguments.positional("question", options->question, "What to look for", false);
  arguments.option("--queries", options->queries, "A batch: JSONL with _id and text");
  arguments.option("--k", options->k, "Results per question");
  arguments.option("--mode", options->mode, "lexical, dense, late, hybrid or full");
  arguments.option("--unit", options->unit, "passage or document");
  arguments.option("--format", options->format, "text, jsonl or trec");
  arguments.option("--tag", options->tag, "Name of the run in a TREC run file");
  define_filter_options(arguments, options->filter);
  arguments.option("--generation", options->generation,
                   "Number or tag of an earlier generation: it answers as it did then");
  return [options](Session& session) { return run(*options, session); };
}

}  // namespace beleg
