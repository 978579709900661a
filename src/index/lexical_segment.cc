#include "index/lexical_segment.h"

#include "base/file.h"

namespace beleg {

Result<LexicalSegment> LexicalSegment::open(const std::filesystem::path& path) {
  LexicalSegment segment;
  segment.file_ = TRY(SectionFile::open(path, kLexicalFile));
  for (std::uint32_t part = 0; segment.file_.has(kLexicalMeta, part); ++part) {
    segment.parts_.push_back(TRY(LexicalPart::open(segment.file_, part)));
  }
  const std::span<const std::byte> bytes = TRY(segment.file_.bytes(kLexicalCompounds, 0));
  segment.compounds_ = {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  return segment;
}

std::vector<std::string> LexicalSegment::check() const {
  std::vector<std::string> findings;
  for (const LexicalPart& part : parts_) {
    const std::string wrong = part.check();
    if (!wrong.empty()) {
      findings.push_back(printable_path(file_.path()) + ", part " + std::string(part.language()) +
                         ": " + wrong);
    }
  }
  return findings;
}

}  // namespace beleg
