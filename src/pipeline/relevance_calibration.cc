#include "pipeline/relevance_calibration.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "pipeline/search.h"
#include "pipeline/steps.h"

namespace beleg {
namespace {

constexpr std::uint64_t kMaxLabelBytes = 1ULL << 30U;

/// Texts and document ids of rows, read once.
class RowTexts {
 public:
  explicit RowTexts(Engine& engine) : engine_(engine) {}

  struct Entry {
    std::string document;
    std::string text;
  };
  Result<const Entry*> at(Row row) {
    if (const auto known = entries_.find(row); known != entries_.end()) return &known->second;
    const StoredPassage passage = TRY(engine_.store().passage(engine_.index().passage_of(row)));
    const StoredVersion version = TRY(engine_.store().version(passage.version));
    const ByteSpan bytes = passage.passage.bytes;
    Entry entry{version.external_id, version.content.text.substr(bytes.start, bytes.size())};
    return &entries_.emplace(row, std::move(entry)).first->second;
  }

 private:
  Engine& engine_;
  std::map<Row, Entry> entries_;
};

/// Rows to judge for one question: what fusion found, and all passages of the relevant documents.
Result<std::vector<Row>> rows_to_judge(Engine& engine, const SearchResult& found,
                                       std::size_t candidates,
                                       const std::vector<VersionId>& relevant) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < std::min(candidates, found.fused.size()); ++i) {
    rows.push_back(found.fused[i].row);
  }
  for (const VersionId version : relevant) {
    for (const StoredPassage& passage : TRY(engine.store().passages_of(version))) {
      const Row row = TRY(engine.index().row_of(passage.id));
      if (std::find(rows.begin(), rows.end(), row) == rows.end()) rows.push_back(row);
    }
  }
  return rows;
}

/// For each relevant document the index of the judged passage that answers; see label_pairs.
Result<std::vector<int>> labels_of(RowTexts& texts, const LabelledRetrieval& question,
                                   const std::vector<JudgedPassage>& judged) {
  constexpr int kNotRelevant = 0;
  constexpr int kRelevant = 1;
  constexpr int kUnknown = -1;
  std::vector<int> labels(judged.size(), kNotRelevant);
  std::map<std::string, std::size_t> best;
  bool quote_found = false;
  for (std::size_t i = 0; i < judged.size(); ++i) {
    const RowTexts::Entry* entry = TRY(texts.at(judged[i].row));
    const bool listed = std::find(question.relevant.begin(), question.relevant.end(),
                                  entry->document) != question.relevant.end();
    if (!listed) continue;
    labels[i] = kUnknown;
    if (!question.quote.empty() && entry->text.find(question.quote) != std::string::npos) {
      labels[i] = kRelevant;
      quote_found = true;
    }
    const auto [known, is_new] = best.try_emplace(entry->document, i);
    if (!is_new && judged[i].features[0].late > judged[known->second].features[0].late) {
      known->second = i;
    }
  }
  if (!quote_found) {
    for (const auto& [document, i] : best) labels[i] = kRelevant;
  }
  return labels;
}

}  // namespace

Result<std::vector<LabelledRetrieval>> read_labelled_retrieval(const std::string& path) {
  const std::string bytes = TRY(read_file(path, kMaxLabelBytes));
  std::vector<LabelledRetrieval> questions;
  std::size_t number = 0;
  std::size_t start = 0;
  while (start < bytes.size()) {
    const std::size_t end = std::min(bytes.find('\n', start), bytes.size());
    const std::string_view line = std::string_view(bytes).substr(start, end - start);
    start = end + 1;
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const auto json = nlohmann::json::parse(line, nullptr, false);
    try {
      LabelledRetrieval question;
      question.text = json.at("text").get<std::string>();
      question.relevant = json.at("relevant").get<std::vector<std::string>>();
      for (const char* field : {"answer_quote", "answer"}) {
        if (question.quote.empty() && json.contains(field) && json[field].is_string()) {
          question.quote = json[field].get<std::string>();
        }
      }
      if (question.text.find_first_not_of(" \t\r\n") == std::string::npos) {
        return fail(ErrorCode::kInvalidArgument,
                    printable_path(path) + ", line " + std::to_string(number) + ": 'text' is empty",
                    "give the question, or leave the line out");
      }
      questions.push_back(std::move(question));
    } catch (const nlohmann::json::exception&) {
      return fail(ErrorCode::kInvalidArgument,
                  printable_path(path) + ", line " + std::to_string(number) +
                      ": needs 'text' and 'relevant' (a list of document ids)",
                  "give one JSON object per line");
    }
  }
  return questions;
}

Result<LabelledDocuments> LabelledDocuments::of(Engine& engine) {
  LabelledDocuments documents;
  for (DocumentHead& head : TRY(engine.store().heads(engine.generation().number))) {
    documents.heads_.emplace(head.external_id, head);
  }
  return documents;
}

Result<std::vector<DocumentHead>> LabelledDocuments::relevant_to(
    const LabelledRetrieval& question) const {
  std::vector<DocumentHead> relevant;
  for (const std::string& id : question.relevant) {
    const auto head = heads_.find(id);
    if (head == heads_.end()) {
      return fail(
          ErrorCode::kNotFound,
          "the document '" + id + "' of question '" + question.text + "' is not in the corpus",
          "ingest the documents that the labels belong to");
    }
    relevant.push_back(head->second);
  }
  return relevant;
}

Result<std::vector<LabelledPair>> label_pairs(
    Engine& engine, const std::vector<LabelledRetrieval>& questions, std::size_t candidates,
    const std::function<void(std::size_t done, std::size_t total)>& progress) {
  const LabelledDocuments documents = TRY(LabelledDocuments::of(engine));
  RowTexts texts(engine);
  std::vector<LabelledPair> pairs;
  for (std::size_t q = 0; q < questions.size(); ++q) {
    std::vector<VersionId> relevant;
    for (const DocumentHead& head : TRY(documents.relevant_to(questions[q]))) {
      relevant.push_back(head.version);
    }
    std::vector<QueryVectors> vectors = TRY(engine.encode_questions({questions[q].text}));
    const SearchResult found = TRY(search(engine, questions[q].text, std::move(vectors.front()), {},
                                          SearchMode::kHybrid, SearchUnit::kPassage, candidates));
    const AskRequest request{.question = questions[q].text, .filter = {}, .now = 0};
    CascadeState state{.engine = engine, .request = request};
    state.queries.push_back(found.query);
    const std::vector<Row> rows = TRY(rows_to_judge(engine, found, candidates, relevant));
    const std::vector<JudgedPassage> judged = judge_rows(state, rows);
    const std::vector<int> labels = TRY(labels_of(texts, questions[q], judged));
    for (std::size_t i = 0; i < judged.size(); ++i) {
      if (labels[i] < 0) continue;
      pairs.push_back(
          {.features = judged[i].features[0], .relevant = labels[i] > 0, .question = q});
    }
    progress(q + 1, questions.size());
  }
  return pairs;
}

}  // namespace beleg
