#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "pipeline/engine.h"
#include "rank/combiner.h"

namespace beleg {

/// A question whose relevant documents are known.
struct LabelledRetrieval {
  std::string text;
  std::vector<std::string> relevant;  ///< Document ids.
  std::string quote;                  ///< Words that the answering passage contains; may be empty.
};

/// Reads JSONL: {text, relevant: [ids], answer_quote or answer?}. Questions without relevant
/// documents are kept: all that is found for them is not relevant. Errors name the line.
Result<std::vector<LabelledRetrieval>> read_labelled_retrieval(const std::string& path);

/// The current documents of the engine's generation by their ids.
class LabelledDocuments {
 public:
  static Result<LabelledDocuments> of(Engine& engine);
  /// The relevant documents of a question, in its order. kNotFound names one that is not there.
  [[nodiscard]] Result<std::vector<DocumentHead>> relevant_to(
      const LabelledRetrieval& question) const;

 private:
  std::map<std::string, DocumentHead> heads_;
};

/// Searches every question and labels what is found: a passage of a relevant document is relevant
/// when it contains the quote (without quote: the best passage of the document); other passages of
/// relevant documents stay out, since nobody judged them; everything else is not relevant.
/// `candidates` fused passages per question, and the relevant passage also when it was not found.
Result<std::vector<LabelledPair>> label_pairs(
    Engine& engine, const std::vector<LabelledRetrieval>& questions, std::size_t candidates,
    const std::function<void(std::size_t done, std::size_t total)>& progress);

}  // namespace beleg
