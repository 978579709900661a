#pragma once

#include <memory>
#include <string_view>

#include "base/result.h"
#include "document/document.h"
#include "document/reader.h"

namespace beleg {

/// Reads one JSON object after the other, with the memory of the parser used again. Not
/// thread-safe.
class JsonRecordReader {
 public:
  /// `settings` must outlive the reader.
  explicit JsonRecordReader(const ReadSettings& settings);
  ~JsonRecordReader();
  JsonRecordReader(const JsonRecordReader&) = delete;
  JsonRecordReader& operator=(const JsonRecordReader&) = delete;

  /// A document of one line. The text is taken as it is but for line ends. Errors: kInvalidArgument
  /// for what is no JSON object (with the column) or has no text, kLimit, kUnsupported for binary.
  Result<ParsedDocument> read(std::string_view line);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace beleg
