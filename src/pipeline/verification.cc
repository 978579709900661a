#include "pipeline/verification.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "answer/citation.h"
#include "base/hash.h"
#include "document/release_date.h"
#include "pipeline/cascade.h"
#include "store/answer_format.h"

namespace beleg {
namespace {

constexpr const char* kRemedy = "give a receipt as `beleg ask --json` prints it";

struct NumberField {
  const char* name;
  std::uint64_t largest;
};
constexpr std::uint64_t kLargestRow = std::numeric_limits<std::int64_t>::max();
constexpr std::uint64_t kLargestOffset = std::numeric_limits<std::uint32_t>::max();
constexpr std::array<NumberField, 5> kNumberFields = {{{"version", kLargestRow},
                                                       {"passage", kLargestRow},
                                                       {"start", kLargestOffset},
                                                       {"end", kLargestOffset},
                                                       {"page", kLargestOffset}}};

/// Conversion of JSON numbers truncates silently, and a truncated offset may point to the quote.
Result<void> check_numbers(const Json& citation, const std::string& place) {
  for (const NumberField& field : kNumberFields) {
    const auto value = citation.find(field.name);
    // Negative ones are integers too; the unsigned kind is what the parser makes of all others.
    const bool fits = value != citation.end() && value->is_number_integer() &&
                      (value->is_number_unsigned() || value->get<std::int64_t>() >= 0) &&
                      value->get<std::uint64_t>() <= field.largest;
    if (!fits) {
      return fail(ErrorCode::kCorrupt,
                  place + "." + field.name + " is not a whole number from 0 to " +
                      std::to_string(field.largest),
                  kRemedy);
    }
  }
  return {};
}

/// Which descriptive field of a citation is not that of the version; empty when all are. `entry`
/// may lack fields.
std::string differing_field(const Json& entry, const StoredVersion& version) {
  Citation stored;
  stored.url = version.content.meta.url;
  stored.title = version.content.meta.title;
  stored.origin = version.origin;
  stored.published = release_date(version.content.meta);
  const Json expected = citation_to_json(stored);
  for (const char* field : {"title", "url", "date", "origin"}) {
    if (entry.contains(field) && entry[field] != expected[field]) return field;
  }
  return {};
}

std::optional<DocumentHead> head_of(const std::vector<DocumentHead>& heads,
                                    const Citation& citation) {
  for (const DocumentHead& head : heads) {
    if (head.source == citation.source && head.external_id == citation.document) return head;
  }
  return std::nullopt;
}

/// The cited version was erased on purpose, and nothing that is left proves the quote.
CitationVerification purged(CitationVerification result, std::string remark) {
  result.state = CitationState::kDeleted;
  result.remark = "the cited version was purged; " + std::move(remark);
  return result;
}

CitationVerification verify_one(const Citation& citation, const Json& entry,
                                const std::vector<DocumentHead>& heads, CorpusStore& store) {
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
    if (cited->external_id != citation.document || cited->source != citation.source) {
      result.remark = "the cited version is of another document";
      return result;
    }
    if (const std::string field = differing_field(entry, *cited); !field.empty()) {
      result.remark = "the " + field + " is not that of the cited version";
      return result;
    }
  }
  const bool was_purged = !cited && store.was_purged(citation.version).value_or(false);
  if (!head) {
    if (was_purged) return purged(std::move(result), "the document is no longer in the corpus");
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
  // The cited version is gone after a rollback. What describes the document can then be proven by
  // the current one only; else an invented version would let any title pass.
  if (const std::string field = cited ? "" : differing_field(entry, *current); !field.empty()) {
    if (was_purged) return purged(std::move(result), "the current one has another " + field);
    result.remark = "the cited version is not stored, and the current one has another " + field;
    return result;
  }
  if (verify_citation(citation, *current)) {
    result.state = CitationState::kUnchanged;
    result.remark = "in a newer version of the document, at the same place";
  } else if (current->content.text.find(citation.quote) != std::string::npos) {
    result.state = CitationState::kMoved;
    result.remark = "in a newer version of the document, at another place";
  } else if (was_purged) {
    return purged(std::move(result), "the current one does not have these words");
  } else {
    result.state = CitationState::kChanged;
    result.remark = "generation " + std::to_string(static_cast<std::int64_t>(current->from)) +
                    " no longer has these words";
  }
  return result;
}

/// Whether the text of a statement is its quotes. A template's text is not: a person wrote it.
bool text_is_quoted(const Json& statement) {
  std::string quotes;
  for (const Json& citation : statement["citations"]) {
    quotes += citation["quote"].get_ref<const std::string&>() + " ";
  }
  const auto text = statement.find("text");
  return text != statement.end() && text->is_string() && *text == flowing(quotes);
}

/// Whether the answer is the statements' texts, joined as make_receipt does.
bool answer_is_joined(const Json& receipt) {
  std::string joined;
  for (const Json& statement : receipt["statements"]) {
    if (!statement.contains("text") || !statement["text"].is_string()) return false;
    if (!joined.empty()) joined += " ";
    joined += statement["text"].get_ref<const std::string&>();
  }
  const auto answer = receipt.find("answer");
  return answer != receipt.end() && answer->is_string() && *answer == joined;
}

/// Only the statement of a template's receipt may be other words than its quotes. A mark on a
/// single statement can take that back, but not give it to an extractive one.
bool is_reviewed(const Json& receipt, const Json& statement) {
  const auto generator = receipt.find("generator");
  if (generator == receipt.end() || *generator != "template") return false;
  const auto reviewed = statement.find("reviewed");
  return reviewed == statement.end() || *reviewed == true;
}

Result<std::vector<CitationVerification>> verify_statement(const Json& statement, bool reviewed,
                                                           const std::string& place,
                                                           const std::vector<DocumentHead>& heads,
                                                           CorpusStore& store) {
  std::vector<CitationVerification> verified;
  for (const Json& entry : statement["citations"]) {
    const std::string entry_place = place + ".citations[" + std::to_string(verified.size()) + "]";
    if (!entry.is_object()) {
      return fail(ErrorCode::kCorrupt, entry_place + " is no citation", kRemedy);
    }
    TRY(check_numbers(entry, entry_place));
    verified.push_back(verify_one(TRY(citation_from_json(entry)), entry, heads, store));
  }
  if (reviewed || text_is_quoted(statement)) return verified;
  for (CitationVerification& entry : verified) {
    if (entry.state == CitationState::kBroken) continue;
    entry.state = CitationState::kBroken;
    entry.remark = "the text of the statement is not its quote";
  }
  return verified;
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
    return fail(ErrorCode::kCorrupt, "the receipt lacks its hash or its statements", kRemedy);
  }
  ReceiptVerification verification;
  verification.hash_holds = receipt_hash(receipt) == receipt["receipt_sha256"].get<std::string>();
  const GenerationInfo generation = TRY(store.current());
  const std::vector<DocumentHead> heads = TRY(store.heads(generation.number));
  std::size_t number = 0;
  for (const Json& statement : receipt["statements"]) {
    if (!statement.is_object() || !statement.contains("citations") ||
        !statement["citations"].is_array() || statement["citations"].empty()) {
      return fail(ErrorCode::kCorrupt, "a statement of the receipt has no citation", kRemedy);
    }
    const std::string place = "statements[" + std::to_string(number++) + "]";
    for (CitationVerification& entry :
         TRY(verify_statement(statement, is_reviewed(receipt, statement), place, heads, store))) {
      verification.citations.push_back(std::move(entry));
    }
  }
  verification.answer_holds = answer_is_joined(receipt);
  verification.all_well = verification.hash_holds && verification.answer_holds &&
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
          {"answer_holds", verification.answer_holds},
          {"all_well", verification.all_well},
          {"citations", std::move(citations)}};
}

}  // namespace beleg
