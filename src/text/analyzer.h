#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "text/span.h"

namespace beleg {

/// Why a term stands in the index: for weights, and for `beleg explain`.
enum class TermForm : std::uint8_t {
  kWord,            ///< The whole word, folded and stemmed.
  kCompoundPart,    ///< A part of a German compound.
  kIdentifier,      ///< A whole identifier: DEC-0054, a_b, x/y, 802.11ax, an e-mail address, a URL.
  kIdentifierPart,  ///< A part of an identifier.
};

/// One term of an analysed text.
struct AnalyzedTerm {
  std::string term;            ///< What is looked up, UTF-8.
  std::uint32_t position = 0;  ///< Word position; parts share the position of their whole.
  ByteSpan span;               ///< Where it stands in the input.
  TermForm form = TermForm::kWord;
  float weight = 1.0F;  ///< In (0,1]: parts count less than the whole.
  bool stop_word = false;
};

/// Knows the parts of compounds. Built from a corpus' own vocabulary. Immutable, thread-safe.
class CompoundLexicon {
 public:
  virtual ~CompoundLexicon() = default;
  /// The parts of a folded lower-case word, unstemmed, in order; empty when it is not a compound.
  [[nodiscard]] virtual std::vector<std::string> split(std::string_view word) const = 0;
  /// A stable byte form, stored with the index, so that query and index split alike.
  [[nodiscard]] virtual std::string serialize() const = 0;
};

/// Turns text into terms. The same analyzer runs at index and at query time, so no user text is
/// ever syntax. Immutable, thread-safe.
class Analyzer {
 public:
  virtual ~Analyzer() = default;
  [[nodiscard]] virtual std::vector<AnalyzedTerm> analyze(std::string_view text) const = 0;
};

/// An analyzer for an ISO 639-1 code: "de" (umlaut folding, Snowball, compounds), "en" (Snowball),
/// every other language by ICU word breaks and case folding. `compounds` may be null. Documents and
/// the questions put to them need the analyzer of the documents' language, whatever the question's.
[[nodiscard]] std::unique_ptr<Analyzer> make_analyzer(
    std::string_view language, std::shared_ptr<const CompoundLexicon> compounds);

/// Counts the words of German documents and builds the lexicon from them (plus a small shipped
/// list).
class CompoundLexiconBuilder {
 public:
  CompoundLexiconBuilder();
  ~CompoundLexiconBuilder();
  void add_text(std::string_view text);
  [[nodiscard]] std::shared_ptr<const CompoundLexicon> build() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Reads what CompoundLexicon::serialize wrote; null when the bytes are damaged.
[[nodiscard]] std::shared_ptr<const CompoundLexicon> read_compound_lexicon(std::string_view bytes);

}  // namespace beleg
