#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "index/lexical_part.h"
#include "index/section_file.h"

namespace beleg {

/// The lexical file of one segment, mapped. Thread-safe.
class LexicalSegment {
 public:
  static Result<LexicalSegment> open(const std::filesystem::path& path);

  [[nodiscard]] const SectionFile& file() const { return file_; }
  /// German, English, all others.
  [[nodiscard]] const std::vector<LexicalPart>& parts() const { return parts_; }
  /// The compound lexicon with which its German texts were analysed, as it was serialised.
  [[nodiscard]] std::string_view compounds() const { return compounds_; }
  /// Decodes everything; one line per part that cannot be read.
  [[nodiscard]] std::vector<std::string> check() const;

 private:
  SectionFile file_;
  std::vector<LexicalPart> parts_;
  std::string_view compounds_;
};

}  // namespace beleg
