#include "route/template.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>

namespace beleg {
namespace {

const std::string kHash(64, 'a');

std::string good(const std::string& id = "opening-hours") {
  return "---\nid: " + id +
         "\nintent: opening_hours\nlanguage: en\nowner: service desk\nvalid_until: 2027-06-30\n"
         "examples:\n  - When are you open?\n  - What are your opening hours?\nsources:\n"
         "  - {document: visit/hours, sha256: " +
         kHash + "}\n---\n\nWe are open from 9 to 17.\n\n---\nClosed on Sundays.\n";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

/// A folder that is removed at the end of its test.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "beleg-template-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << text;
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

TEST(Template, ReadsEveryField) {
  const Result<Template> entry = parse_template(good(), "hours.md");
  ASSERT_TRUE(entry) << entry.error().to_line();
  EXPECT_EQ(entry->id, "opening-hours");
  EXPECT_EQ(entry->intent, "opening_hours");
  EXPECT_EQ(entry->language, "en");
  EXPECT_EQ(entry->owner, "service desk");
  EXPECT_EQ(entry->examples,
            (std::vector<std::string>{"When are you open?", "What are your opening hours?"}));
  ASSERT_EQ(entry->sources.size(), 1U);
  EXPECT_EQ(entry->sources[0].document, "visit/hours");
  EXPECT_EQ(entry->sources[0].sha256.hex(), kHash);
  EXPECT_EQ(entry->valid_until, UnixSeconds{1814400000});  // 2027-07-01T00:00:00Z
  EXPECT_EQ(entry->answer, "We are open from 9 to 17.\n\n---\nClosed on Sundays.");
}

TEST(Template, TakesWindowsLineEndsAndAByteOrderMark) {
  std::string text = "\xEF\xBB\xBF";
  for (const char c : good()) {
    if (c == '\n') text += '\r';
    text += c;
  }
  const Result<Template> entry = parse_template(text, "hours.md");
  ASSERT_TRUE(entry) << entry.error().to_line();
  EXPECT_EQ(entry->id, "opening-hours");
}

TEST(Template, SourcesAndDateAreOptional) {
  const Result<Template> entry = parse_template(
      "---\nid: a\nintent: b\nlanguage: de\nowner: c\nexamples: [d]\n---\nAntwort", "a.md");
  ASSERT_TRUE(entry) << entry.error().to_line();
  EXPECT_FALSE(entry->valid_until);
  EXPECT_TRUE(entry->sources.empty());
  EXPECT_EQ(entry->answer, "Antwort");
}

TEST(Template, NamesFileAndFieldOfEveryMistake) {
  const auto expect_refused = [](const std::string& text, const std::string& part) {
    const Result<Template> entry = parse_template(text, "faq/hours.md");
    ASSERT_FALSE(entry) << text;
    EXPECT_EQ(entry.error().code, ErrorCode::kCorrupt);
    EXPECT_NE(entry.error().message.find("faq/hours.md"), std::string::npos);
    EXPECT_NE(entry.error().message.find(part), std::string::npos) << entry.error().message;
    EXPECT_FALSE(entry.error().remedy.empty());
  };
  expect_refused("", "does not start");
  expect_refused("Just text", "does not start");
  expect_refused("---\nid: a\n", "not closed");
  expect_refused("---\n- a\n- b\n---\nx", "not a list of fields");
  expect_refused("---\n---\nx", "not a list of fields");
  expect_refused("---\nid: [\n---\nx", "line");
  expect_refused(replaced(good(), "id: opening-hours\n", ""), "\"id\" is missing");
  expect_refused(replaced(good(), "opening-hours", "\"../etc\""), "\"id\" must consist");
  expect_refused(replaced(good(), "intent: opening_hours", "intent: [a]"), "\"intent\", line 3");
  expect_refused(replaced(good(), "owner: service desk", "owner: \" \""), "\"owner\"");
  expect_refused(replaced(good(), "owner:", "ownr:"), "\"ownr\"");
  expect_refused(replaced(good(), "owner: service desk", "owner: a\nowner: b"), "owner");
  expect_refused(replaced(good(), "owner: service desk", "answer: a"), "\"answer\"");
  expect_refused(replaced(good(), "2027-06-30", "2027-02-30"), "valid_until");
  expect_refused(replaced(good(), "2027-06-30", "tomorrow"), "valid_until");
  expect_refused(replaced(good(), "2027-06-30", "2027-+6-30"), "valid_until");
  expect_refused(replaced(good(), kHash, "abc"), "sha256");
  expect_refused(replaced(good(), "document: visit/hours", "doc: visit"), "sources");
  expect_refused(replaced(good(), "  - When are you open?\n  - What are your opening hours?\n", ""),
                 "examples");
  expect_refused(replaced(good(), "When are you open?", "[a, b]"), "examples");
  const std::string text = good();
  expect_refused(text.substr(0, text.find("\n\nWe")), "no answer");
}

TEST(Template, LoadsAFolderAndReportsDamagedFilesOneByOne) {
  const Folder folder;
  folder.write("b.md", good("b"));
  folder.write("a.md", good("a"));
  folder.write("deep/er/c.md", good("c"));
  folder.write("same.md", good("a"));
  folder.write("broken.md", "---\nid: x\n---\n");
  folder.write("README.md", "Not a template.");
  folder.write("notes.txt", "Not a template.");
  const Result<TemplateFolder> loaded = load_templates(folder.path());
  ASSERT_TRUE(loaded) << loaded.error().to_line();
  ASSERT_EQ(loaded->templates.size(), 3U);
  EXPECT_EQ(loaded->templates[0].id, "a");
  EXPECT_EQ(loaded->templates[1].id, "b");
  EXPECT_EQ(loaded->templates[2].id, "c");
  ASSERT_EQ(loaded->errors.size(), 2U);
  EXPECT_NE(loaded->errors[0].message.find("broken.md"), std::string::npos);
  EXPECT_NE(loaded->errors[1].message.find("\"a\" is taken by"), std::string::npos);
}

TEST(Template, AMissingFolderIsAnErrorAndAnEmptyOneIsNot) {
  const Folder folder;
  EXPECT_TRUE(load_templates(folder.path())->templates.empty());
  const Result<TemplateFolder> missing = load_templates(folder.path() / "no");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
}

TEST(Template, IsSuspendedWhenPastItsDateOrWhenASourceChanged) {
  const Template entry = MUST(parse_template(good(), "hours.md"));
  const UnixSeconds end = *entry.valid_until;
  std::map<std::string, Sha256, std::less<>> corpus = {
      {"visit/hours", MUST(Sha256::from_hex(kHash))}};
  const ContentHashLookup lookup = [&](std::string_view document) -> std::optional<Sha256> {
    const auto found = corpus.find(document);
    return found == corpus.end() ? std::nullopt : std::optional(found->second);
  };
  EXPECT_FALSE(suspension_reason(entry, end - 1, lookup));
  const auto expired = suspension_reason(entry, end, lookup);
  ASSERT_TRUE(expired);
  EXPECT_NE(expired->find("2027-06-30"), std::string::npos) << *expired;
  corpus["visit/hours"].bytes[0] ^= 1U;
  const auto changed = suspension_reason(entry, end - 1, lookup);
  ASSERT_TRUE(changed);
  EXPECT_NE(changed->find("changed"), std::string::npos);
  corpus.clear();
  const auto gone = suspension_reason(entry, end - 1, lookup);
  ASSERT_TRUE(gone);
  EXPECT_NE(gone->find("visit/hours"), std::string::npos);
  EXPECT_TRUE(suspension_reason(entry, end - 1, {}));  // Nothing known of the corpus: not proven.
}

}  // namespace
}  // namespace beleg
