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
  kReference,       ///< A reference to a provision: "§ 5 Abs. 2".
  kReferencePart,   ///< One that contains it: "§ 5".
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

/// One term as it passes by.
struct TermView {
  /// As AnalyzedTerm::term, valid during the call only; empty for a sink that numbers terms.
  std::string_view term;
  std::uint32_t number = 0;    ///< What TermSink::number_of gave for this term, if asked for.
  std::uint32_t position = 0;  ///< These five as in AnalyzedTerm.
  ByteSpan span;
  TermForm form = TermForm::kWord;
  float weight = 1.0F;
  bool stop_word = false;
};

/// Takes the terms of texts one by one, in the order of Analyzer::analyze, without their being
/// copied. A sink belongs to one thread at a time. What it does must not analyze.
class TermSink {
 public:
  virtual ~TermSink() = default;
  TermSink(const TermSink&) = delete;
  TermSink& operator=(const TermSink&) = delete;

  /// The sink's own number of a term, for instance in its vocabulary; only asked when it numbers
  /// terms, and never about an empty one. Frequent words are asked about rarely, since analyzers
  /// remember the number with the word: the answer for a term must stay the same for the life of
  /// the sink.
  [[nodiscard]] virtual std::uint32_t number_of(std::string_view /*term*/) { return 0; }
  virtual void add(const TermView& term) = 0;

  /// Tells apart the sinks whose numbers are remembered; 0 when it numbers no terms.
  [[nodiscard]] std::uint64_t id() const { return id_; }

 protected:
  explicit TermSink(bool numbers_terms = false);

 private:
  std::uint64_t id_ = 0;
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
  /// All terms, by position; of one position the whole before its parts.
  [[nodiscard]] std::vector<AnalyzedTerm> analyze(std::string_view text) const;
  /// The same terms, handed to `sink` one by one; for those who analyze much text.
  virtual void for_each_term(std::string_view text, TermSink& sink) const = 0;
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
