#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/hash.h"
#include "text/span.h"

namespace beleg {

/// How exact a date in a document is. A bare date means its whole day, in UTC.
enum class DatePrecision : std::uint8_t { kDay, kMinute, kSecond };

struct Date {
  UnixSeconds time = 0;
  DatePrecision precision = DatePrecision::kSecond;
  bool has_zone = false;  ///< False: no offset was given; read as UTC.
  friend bool operator==(const Date&, const Date&) = default;
};

enum class BlockKind : std::uint8_t { kHeading, kParagraph, kListItem, kTable, kCode, kCaption };

/// A structural unit of a version. Blocks are in order and do not overlap.
struct Block {
  BlockKind kind = BlockKind::kParagraph;
  std::uint8_t level = 0;  ///< Headings 1–6; list depth from 1; else 0.
  std::uint32_t page = 0;  ///< From 1; 0 where the format has no pages.
  Span span;               ///< Within the version's text.
  friend bool operator==(const Block&, const Block&) = default;
};

/// What the source says about a document.
struct DocumentMetadata {
  std::string id;     ///< Given by the source (story id, relative path, URL); the identity.
  std::string title;  ///< Empty where there is none.
  std::optional<Date> published;
  std::optional<Date> updated;
  std::string language = "und";  ///< ISO 639-1.
  std::string url;
  std::string source;  ///< Publisher or feed named by the document.
  std::string story;   ///< Story id: versions and parts of one story share it; default: the id.
  std::string domain;
  std::vector<std::string> authors;
  std::vector<std::string> tags;
  std::vector<std::string> access;  ///< Labels; empty means everyone.
  friend bool operator==(const DocumentMetadata&, const DocumentMetadata&) = default;
};

/// One document as a reader understood it: plain text, its blocks, its metadata.
struct ParsedDocument {
  DocumentMetadata meta;
  std::string text;  ///< Valid UTF-8, what citations refer to.
  std::vector<Block> blocks;
  std::string encoding;            ///< What the bytes were decoded from: "UTF-8", "WINDOWS-1252", …
  std::uint32_t replacements = 0;  ///< Bytes that could not be decoded and became U+FFFD.
  std::vector<std::string> warnings;  ///< One line each: unreadable date, unknown field, …
};

/// Hash of text, blocks and metadata: tells whether a document changed. File times take no part.
[[nodiscard]] Sha256 content_hash(const ParsedDocument& document);

/// A stable byte form of metadata and of blocks (JSON), for the truth; and back.
[[nodiscard]] std::string metadata_to_json(const DocumentMetadata& meta);
Result<DocumentMetadata> metadata_from_json(std::string_view json);
[[nodiscard]] std::string blocks_to_json(const std::vector<Block>& blocks);
Result<std::vector<Block>> blocks_from_json(std::string_view json);

}  // namespace beleg
