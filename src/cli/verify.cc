#include "base/file.h"
#include "cli/commands.h"
#include "cli/session.h"
#include "document/date.h"
#include "pipeline/cascade.h"
#include "pipeline/verification.h"
#include "store/answer_format.h"

namespace beleg {
namespace {

constexpr std::uint64_t kMaxReceiptBytes = 64ULL << 20U;

struct Options {
  std::string receipt;
};

/// A receipt is a file, or the hash (or its beginning) of one that the corpus keeps.
Result<Json> read_receipt(const std::string& name, CorpusStore& store) {
  std::string text;
  std::error_code code;
  if (std::filesystem::exists(name, code)) {
    text = TRY(read_file(name, kMaxReceiptBytes));
  } else if (name.find_first_not_of("0123456789abcdef") != std::string::npos) {
    return fail(ErrorCode::kNotFound, "no file " + printable_path(name) + ", and no receipt's hash",
                "check the path, or give at least 8 digits of the hash of a stored receipt");
  } else {
    text = TRY(store.receipt(name));
  }
  auto receipt = parse_answer_record(text);
  if (!receipt || !receipt->contains("statements") || !(*receipt)["statements"].is_array()) {
    return fail(ErrorCode::kInvalidArgument, printable_path(name) + " is no receipt",
                "give what `beleg ask --json` prints");
  }
  return std::move(*receipt);
}

Result<int> verify(const Options& options, const Session& session) {
  const auto store = TRY(session.open_store());
  const Json receipt = TRY(read_receipt(options.receipt, *store));
  const auto verified = verify_receipt(receipt, *store);
  if (!verified) {
    return std::unexpected(verified.error().with_context(printable_path(options.receipt)));
  }
  const ReceiptVerification& verification = *verified;
  if (session.json()) {
    session.print(verification_to_json(verification).dump(2));
  } else {
    session.print(std::string("receipt hash: ") + (verification.hash_holds ? "holds" : "DIFFERS"));
    if (!verification.answer_holds) session.print("answer: DIFFERS from its statements");
    for (const CitationVerification& entry : verification.citations) {
      session.print(std::string(citation_state_name(entry.state)) + ": " +
                    printable_text(entry.document) + " " + std::to_string(entry.span.start) + "–" +
                    std::to_string(entry.span.end) +
                    (entry.remark.empty() ? "" : ": " + printable_text(entry.remark)));
    }
    session.print(verification.all_well ? "all citations hold" : "NOT all citations hold");
  }
  return verification.all_well ? kExitOk : kExitFailed;
}

int run(const Options& options, Session& session) {
  const auto code = verify(options, session);
  return code ? *code : session.complain(code.error());
}

}  // namespace

CommandRunner define_verify(Arguments& arguments) {
  auto options = std::make_shared<Options>();
  arguments.positional("receipt", options->receipt, "Receipt file, or the hash of a stored one",
                       true);
  return [options](Session& session) { return run(*options, session); };
}

}  // namespace beleg
