#include "pipeline/verification.h"

#include <algorithm>
#include <optional>

#include "answer/citation.h"
#include "base/hash.h"
#include "pipeline/cascade.h"

namespace beleg {
namespace {

std::optional<DocumentHead> head_of(const std::vector<DocumentHead>& heads,
                                    const Citation& citation) {
  for (const DocumentHead& head : heads) {
    if (head.source == citation.source && head.external_id == citation.document) return head;
  }
  return std::nullopt;
}

CitationVerification verify_one(const Citation& citation, const std::vector<DocumentHead>& heads,
                                CorpusStore& store) {
  CitationVerification result{.document = citation.document, .span = citation.span};
  if (sha256(citation.quote).hex() != citation.quote_sha256) {
    result.remark = "the quote does not have its hash";
    return result;
  }
  const auto head = head_of(heads, citation);
  const auto cited = store.version(citation.version);
  if (cited) {
    if (const auto holds = verify_citation(citation, *cited); !holds) {
      result.remark = holds.error().message;
      return result;
    }
  }
  if (!head) {
    result.state = CitationState::kDeleted;
    result.remark = "the document is no longer in the corpus";
    return result;
  }
  if (head->version == citation.version && cited) {
    result.state = CitationState::kUnchanged;
    return result;
  }
  const auto current = store.version(head->version);
  if (!current) {
    result.remark = current.error().message;
    return result;
  }
  if (verify_citation(citation, *current)) {
    result.state = CitationState::kUnchanged;
    result.remark = "in a newer version of the document, at the same place";
  } else if (current->content.text.find(citation.quote) != std::string::npos) {
    result.state = CitationState::kMoved;
    result.remark = "in a newer version of the document, at another place";
  } else {
    result.state = CitationState::kChanged;
    result.remark = "generation " + std::to_string(static_cast<std::int64_t>(current->from)) +
                    " no longer has these words";
  }
  return result;
}

}  // namespace

std::string_view citation_state_name(CitationState state) {
  switch (state) {
    case CitationState::kUnchanged:
      return "unchanged";
    case CitationState::kMoved:
      return "moved";
    case CitationState::kChanged:
      return "changed";
    case CitationState::kDeleted:
      return "deleted";
    case CitationState::kBroken:
      return "broken";
  }
  return "broken";
}

Result<ReceiptVerification> verify_receipt(const Json& receipt, CorpusStore& store) {
  if (!receipt.is_object() || !receipt.contains("receipt_sha256") ||
      !receipt["receipt_sha256"].is_string() || !receipt.contains("statements") ||
      !receipt["statements"].is_array()) {
    return fail(ErrorCode::kCorrupt, "the receipt lacks its hash or its statements",
                "give a receipt as `beleg ask --json` prints it");
  }
  ReceiptVerification verification;
  verification.hash_holds = receipt_hash(receipt) == receipt["receipt_sha256"].get<std::string>();
  const GenerationInfo generation = TRY(store.current());
  const std::vector<DocumentHead> heads = TRY(store.heads(generation.number));
  for (const Json& statement : receipt["statements"]) {
    if (!statement.is_object() || !statement.contains("citations") ||
        !statement["citations"].is_array() || statement["citations"].empty()) {
      return fail(ErrorCode::kCorrupt, "a statement of the receipt has no citation",
                  "give a receipt as `beleg ask --json` prints it");
    }
    for (const Json& entry : statement["citations"]) {
      const Citation citation = TRY(citation_from_json(entry));
      verification.citations.push_back(verify_one(citation, heads, store));
    }
  }
  verification.all_well = verification.hash_holds &&
                          std::all_of(verification.citations.begin(), verification.citations.end(),
                                      [](const CitationVerification& entry) {
                                        return entry.state == CitationState::kUnchanged ||
                                               entry.state == CitationState::kMoved;
                                      });
  return verification;
}

Json verification_to_json(const ReceiptVerification& verification) {
  Json citations = Json::array();
  for (const CitationVerification& entry : verification.citations) {
    citations.push_back({{"document", entry.document},
                         {"start", entry.span.start},
                         {"end", entry.span.end},
                         {"state", citation_state_name(entry.state)},
                         {"remark", entry.remark}});
  }
  return {{"hash_holds", verification.hash_holds},
          {"all_well", verification.all_well},
          {"citations", std::move(citations)}};
}

}  // namespace beleg
