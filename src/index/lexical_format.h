#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "index/section_file.h"

namespace beleg {

/// The lexical file; see docs/formats/lexical-index.md.
inline constexpr SectionFileKind kLexicalFile{"BELEGPST", 2};

enum LexicalSection : std::uint32_t {
  kLexicalMeta = 1,
  kLexicalRows = 2,
  kLexicalLengths = 3,
  kLexicalTerms = 4,
  kLexicalTermBlocks = 5,
  kLexicalTermEntries = 6,
  kLexicalPostings = 7,
  kLexicalCompounds = 8,
  kLexicalLengthClasses = 9,
  kLexicalTermPrefixes = 10,
  kLexicalPositions = 11,
};

/// One part: the rows of one language.
struct LexicalMeta {
  char language[8] = {};  ///< ISO 639-1 or "und", filled up with zeros.
  std::uint32_t documents = 0;
  std::uint32_t terms = 0;
  std::uint64_t body_words = 0;  ///< Sums of FieldLengths.
  std::uint64_t title_words = 0;
  std::uint64_t heading_words = 0;
  float title_weight = 1.0F;  ///< Length classes and impacts were made with these.
  float heading_weight = 1.0F;
  std::uint32_t has_positions = 0;  ///< 0 or 1.
  std::uint32_t reserved = 0;
};
static_assert(sizeof(LexicalMeta) == 56);

/// Words of a row's fields, stop words left out.
struct FieldLengths {
  std::uint32_t body = 0;
  std::uint16_t title = 0;  ///< Saturates.
  std::uint16_t headings = 0;
};
static_assert(sizeof(FieldLengths) == 8);

/// Where the postings of a term are.
struct TermEntry {
  std::uint64_t offset = 0;  ///< In the postings section.
  std::uint32_t size = 0;    ///< In bytes.
  std::uint32_t document_frequency = 0;
  std::uint64_t positions = 0;  ///< In the positions section.
};
static_assert(sizeof(TermEntry) == 24);

/// German, English, all others.
inline constexpr std::size_t kLexicalParts = 3;
inline constexpr std::array<std::string_view, kLexicalParts> kLexicalPartLanguages{"de", "en",
                                                                                   "und"};
/// Terms are front-coded in blocks of this many.
inline constexpr std::uint32_t kTermsPerBlock = 16;
/// Postings are packed in blocks of this many documents.
inline constexpr std::uint32_t kDocumentsPerBlock = 128;
/// Term frequencies are whole numbers of sixteenths, since parts of compounds count less than one.
inline constexpr std::uint32_t kFrequencyUnit = 16;
/// After the last posting, so that eight bytes can be read at once anywhere.
inline constexpr std::uint32_t kPostingsSlack = 8;

/// How often a term stands in the fields of a row, in units of 1 / kFrequencyUnit.
struct FieldFrequencies {
  std::uint32_t body = 0;
  std::uint32_t title = 0;
  std::uint32_t headings = 0;
};

}  // namespace beleg
