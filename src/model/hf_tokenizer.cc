#include "model/hf_tokenizer.h"

#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/file.h"
#include "model/byte_trie.h"
#include "model/charsmap.h"
#include "model/unigram_tokenizer.h"
#include "model/wordpiece_tokenizer.h"

namespace beleg {
namespace {

namespace dom = simdjson::dom;

constexpr std::uint64_t kMaxFileBytes = 256ULL << 20U;
constexpr std::size_t kMaxPieces = 4'000'000;
constexpr std::size_t kMaxTemplateParts = 64;
constexpr std::string_view kWordMark = "\xe2\x96\x81";  // U+2581

std::unexpected<Error> bad_field(std::string_view field, std::string_view expected) {
  return fail(ErrorCode::kCorrupt, std::string(field) + " is not " + std::string(expected),
              "get tokenizer.json again from the model's publisher");
}

std::unexpected<Error> unsupported(std::string_view what, std::string_view type) {
  return fail(
      ErrorCode::kUnsupported,
      "the " + std::string(what) + " \"" + std::string(type.substr(0, 60)) + "\" is not supported",
      "choose a model with a WordPiece or SentencePiece unigram tokenizer");
}

bool is_present(dom::object object, std::string_view name) {
  dom::element value;
  return object.at_key(name).get(value) == simdjson::SUCCESS && !value.is_null();
}

template <class T>
Result<T> get(dom::object object, std::string_view name, std::string_view expected) {
  T value{};
  if (object.at_key(name).get(value) != simdjson::SUCCESS) return bad_field(name, expected);
  return value;
}

Result<std::string_view> get_text(dom::object object, std::string_view name) {
  return get<std::string_view>(object, name, "a text");
}

Result<dom::object> get_object(dom::object object, std::string_view name) {
  return get<dom::object>(object, name, "an object");
}

Result<dom::array> get_array(dom::object object, std::string_view name) {
  return get<dom::array>(object, name, "a list");
}

/// An integer from 0 to the number of pieces a vocabulary may have.
Result<std::int32_t> get_id(dom::object object, std::string_view name) {
  const auto id = TRY(get<std::int64_t>(object, name, "a token number"));
  if (id < 0 || id >= static_cast<std::int64_t>(kMaxPieces))
    return bad_field(name, "a token number");
  return static_cast<std::int32_t>(id);
}

Result<bool> get_flag(dom::object object, std::string_view name, bool standard) {
  if (!is_present(object, name)) return standard;
  return get<bool>(object, name, "true or false");
}

/// A normaliser or splitter as the list of its steps: a Sequence is taken apart, null is no step.
Result<std::vector<dom::object>> steps_of(dom::object root, std::string_view field,
                                          std::string_view list_name) {
  std::vector<dom::object> steps;
  if (!is_present(root, field)) return steps;
  const dom::object step = TRY(get_object(root, field));
  if (TRY(get_text(step, "type")) != "Sequence") return std::vector<dom::object>{step};
  for (const dom::element element : TRY(get_array(step, list_name))) {
    dom::object part;
    if (element.get(part) != simdjson::SUCCESS) return bad_field(list_name, "a list of objects");
    steps.push_back(part);
  }
  return steps;
}

/// A pattern is usable when it has each text once, the first before the second.
bool is_usable(std::span<const TemplatePart> parts, bool pair) {
  std::vector<TemplatePart::Kind> texts;
  for (const TemplatePart& part : parts) {
    if (part.kind != TemplatePart::Kind::kSpecial) texts.push_back(part.kind);
  }
  if (texts.size() != (pair ? 2U : 1U) || texts[0] != TemplatePart::Kind::kFirst) return false;
  return !pair || texts[1] == TemplatePart::Kind::kSecond;
}

}  // namespace

/// Reads one tokenizer.json into one HfTokenizer.
class HfTokenizerReader {
 public:
  explicit HfTokenizerReader(dom::object root) : root_(root) {}

  Result<HfTokenizer> read() {
    const dom::object model = TRY(get_object(root_, "model"));
    TRY(read_added_tokens());
    std::string_view type;
    if (model.at_key("type").get(type) != simdjson::SUCCESS) {
      // Files of the first years have no type: only WordPiece has this field.
      type = is_present(model, "max_input_chars_per_word") ? "WordPiece" : "without a type";
    }
    if (type == "WordPiece") {
      TRY(read_wordpiece(model));
    } else if (type == "Unigram") {
      TRY(read_unigram(model));
    } else {
      return unsupported("tokenizer model", type);
    }
    TRY(read_post_processor());
    TRY(read_padding_and_truncation());
    return std::move(out_);
  }

 private:
  void count_id(TokenId id) {
    out_.vocabulary_size_ = std::max(out_.vocabulary_size_, static_cast<std::uint32_t>(id) + 1);
  }

  Result<void> read_added_tokens() {
    if (!is_present(root_, "added_tokens")) return {};
    for (const dom::element element : TRY(get_array(root_, "added_tokens"))) {
      dom::object token;
      if (element.get(token) != simdjson::SUCCESS) {
        return bad_field("added_tokens", "a list of objects");
      }
      const TokenId id = TRY(get_id(token, "id"));
      const std::string_view content = TRY(get_text(token, "content"));
      count_id(id);
      if (content == "[PAD]" || content == "<pad>") out_.pad_id_ = id;
      if (TRY(get_flag(token, "special", false))) special_ids_.push_back(id);
    }
    return {};
  }

  Result<void> read_wordpiece(dom::object model) {
    std::vector<ByteTrie::Entry> vocabulary;
    const std::string_view unknown = TRY(get_text(model, "unk_token"));
    WordPieceOptions options = TRY(read_bert_normalizer());
    options.unknown_id = -1;
    for (const auto [piece, value] : TRY(get_object(model, "vocab"))) {
      std::int64_t id = 0;
      if (value.get(id) != simdjson::SUCCESS || id < 0 ||
          id >= static_cast<std::int64_t>(kMaxPieces)) {
        return bad_field("model.vocab", "a map of texts to token numbers");
      }
      vocabulary.push_back({piece, static_cast<TokenId>(id)});
      count_id(vocabulary.back().value);
      if (piece == unknown) options.unknown_id = vocabulary.back().value;
    }
    if (options.unknown_id < 0) return bad_field("model.unk_token", "in the vocabulary");
    if (is_present(model, "continuing_subword_prefix")) {
      options.continuing_prefix = TRY(get_text(model, "continuing_subword_prefix"));
    }
    if (options.continuing_prefix.empty()) {
      return unsupported("continuing_subword_prefix", "(empty)");
    }
    if (is_present(model, "max_input_chars_per_word")) {
      options.max_word_chars =
          static_cast<std::uint32_t>(TRY(get_id(model, "max_input_chars_per_word")));
    }
    for (const dom::object step : TRY(steps_of(root_, "pre_tokenizer", "pretokenizers"))) {
      const std::string_view type = TRY(get_text(step, "type"));
      if (type != "BertPreTokenizer") return unsupported("splitter", type);
    }
    if (!is_present(root_, "pre_tokenizer")) return unsupported("splitter", "null");
    out_.tokenizer_ = TRY(WordPieceTokenizer::create(vocabulary, options));
    return {};
  }

  Result<WordPieceOptions> read_bert_normalizer() {
    WordPieceOptions options;
    options.clean_text = options.handle_chinese_chars = false;
    options.strip_accents = options.lowercase = false;
    for (const dom::object step : TRY(steps_of(root_, "normalizer", "normalizers"))) {
      const std::string_view type = TRY(get_text(step, "type"));
      if (type == "Strip") continue;  // White space separates words and is never part of one.
      if (type != "BertNormalizer") return unsupported("normaliser", type);
      options.clean_text = TRY(get_flag(step, "clean_text", true));
      options.handle_chinese_chars = TRY(get_flag(step, "handle_chinese_chars", true));
      options.lowercase = TRY(get_flag(step, "lowercase", true));
      options.strip_accents = TRY(get_flag(step, "strip_accents", options.lowercase));
    }
    return options;
  }

  Result<void> read_unigram(dom::object model) {
    std::vector<std::string_view> pieces;
    std::vector<float> scores;
    for (const dom::element element : TRY(get_array(model, "vocab"))) {
      dom::array pair;
      std::string_view piece;
      double score = 0;
      if (element.get(pair) != simdjson::SUCCESS || pair.at(0).get(piece) != simdjson::SUCCESS ||
          pair.at(1).get(score) != simdjson::SUCCESS || pieces.size() == kMaxPieces) {
        return bad_field("model.vocab", "a list of pairs of a text and a number");
      }
      pieces.push_back(piece);
      scores.push_back(static_cast<float>(score));
    }
    if (pieces.empty()) return bad_field("model.vocab", "a list with pieces");
    if (TRY(get_flag(model, "byte_fallback", false)))
      return unsupported("setting", "byte_fallback");
    const std::vector<CharacterRule> rules = TRY(read_charsmap());
    TRY(check_metaspace());

    UnigramVocabulary vocabulary;
    vocabulary.pieces = pieces;
    vocabulary.scores = scores;
    vocabulary.unknown_id = TRY(get_id(model, "unk_id"));
    std::erase_if(special_ids_,
                  [&](TokenId id) { return static_cast<std::size_t>(id) >= pieces.size(); });
    vocabulary.control_ids = special_ids_;
    std::vector<NormalizationRule> views;
    views.reserve(rules.size());
    for (const CharacterRule& rule : rules) views.push_back({rule.from, rule.to});
    count_id(static_cast<TokenId>(pieces.size() - 1));
    out_.tokenizer_ = TRY(UnigramTokenizer::create(vocabulary, views, {}));
    return {};
  }

  Result<std::vector<CharacterRule>> read_charsmap() {
    std::vector<CharacterRule> rules;
    for (const dom::object step : TRY(steps_of(root_, "normalizer", "normalizers"))) {
      const std::string_view type = TRY(get_text(step, "type"));
      // Runs of white space separate words, whatever their length: nothing to do for either.
      if (type == "Strip") continue;
      if (type == "Replace" && is_space_run_rule(step)) continue;
      if (type != "Precompiled" || !rules.empty()) return unsupported("normaliser", type);
      if (!is_present(step, "precompiled_charsmap")) continue;
      const std::string_view encoded = TRY(get_text(step, "precompiled_charsmap"));
      const std::string map = TRY(decode_base64(encoded));
      if (!map.empty()) rules = TRY(decode_charsmap(map));
    }
    return rules;
  }

  static bool is_space_run_rule(dom::object step) {
    std::string_view pattern;
    std::string_view content;
    dom::object holder;
    return step.at_key("pattern").get(holder) == simdjson::SUCCESS &&
           holder.at_key("Regex").get(pattern) == simdjson::SUCCESS && pattern == " {2,}" &&
           step.at_key("content").get(content) == simdjson::SUCCESS &&
           (content == " " || content == kWordMark);
  }

  Result<void> check_metaspace() {
    bool found = false;
    for (const dom::object step : TRY(steps_of(root_, "pre_tokenizer", "pretokenizers"))) {
      const std::string_view type = TRY(get_text(step, "type"));
      if (type == "WhitespaceSplit") continue;
      if (type != "Metaspace") return unsupported("splitter", type);
      if (TRY(get_text(step, "replacement")) != kWordMark) return unsupported("word mark", "");
      if (!TRY(get_flag(step, "split", true)) || !TRY(get_flag(step, "add_prefix_space", true))) {
        return unsupported("splitter", "Metaspace without split or prefix");
      }
      std::string_view scheme = "always";
      if (is_present(step, "prepend_scheme")) scheme = TRY(get_text(step, "prepend_scheme"));
      if (scheme != "always" && scheme != "first") return unsupported("prepend_scheme", scheme);
      found = true;
    }
    if (!found) return unsupported("splitter", "null");
    return {};
  }

  Result<void> read_post_processor() {
    for (const dom::object step : TRY(steps_of(root_, "post_processor", "processors"))) {
      const std::string_view type = TRY(get_text(step, "type"));
      if (type == "TemplateProcessing") {
        out_.single_ = TRY(read_template(step, "single"));
        out_.pair_ = TRY(read_template(step, "pair"));
      } else if (type == "BertProcessing" || type == "RobertaProcessing") {
        TRY(set_fixed_templates(step, /*roberta=*/type == "RobertaProcessing"));
      } else {
        return unsupported("post-processor", type);
      }
    }
    if (!is_usable(out_.single_, /*pair=*/false)) out_.single_.clear();
    if (!is_usable(out_.pair_, /*pair=*/true)) out_.pair_.clear();
    return {};
  }

  /// The patterns from before templates: [CLS] A [SEP] B [SEP], or <s> A </s></s> B </s>.
  Result<void> set_fixed_templates(dom::object step, bool roberta) {
    const auto token = [&](std::string_view name) -> Result<TemplatePart> {
      const dom::array pair = TRY(get_array(step, name));
      std::int64_t id = 0;
      if (pair.at(1).get(id) != simdjson::SUCCESS || id < 0 ||
          id >= static_cast<std::int64_t>(kMaxPieces)) {
        return bad_field("post_processor." + std::string(name), "a pair of a text and a number");
      }
      return TemplatePart{TemplatePart::Kind::kSpecial, static_cast<TokenId>(id), 0};
    };
    const TemplatePart cls = TRY(token("cls"));
    const TemplatePart sep = TRY(token("sep"));
    const std::int64_t second = roberta ? 0 : 1;
    out_.single_ = {cls, {TemplatePart::Kind::kFirst, 0, 0}, sep};
    out_.pair_ = out_.single_;
    if (roberta) out_.pair_.push_back(sep);
    out_.pair_.push_back({TemplatePart::Kind::kSecond, 0, second});
    out_.pair_.push_back({TemplatePart::Kind::kSpecial, sep.id, second});
    count_id(cls.id);
    count_id(sep.id);
    return {};
  }

  Result<std::vector<TemplatePart>> read_template(dom::object step, std::string_view name) {
    std::vector<TemplatePart> parts;
    if (!is_present(step, name)) return parts;
    for (const dom::element element : TRY(get_array(step, name))) {
      dom::object part;
      if (element.get(part) != simdjson::SUCCESS) return bad_field(name, "a list of objects");
      if (is_present(part, "Sequence")) {
        const dom::object text = TRY(get_object(part, "Sequence"));
        const bool first = TRY(get_text(text, "id")) == "A";
        parts.push_back({first ? TemplatePart::Kind::kFirst : TemplatePart::Kind::kSecond, 0,
                         TRY(get_id(text, "type_id"))});
      } else {
        const dom::object special = TRY(get_object(part, "SpecialToken"));
        const std::string_view id = TRY(get_text(special, "id"));
        const std::int64_t token_type = TRY(get_id(special, "type_id"));
        TRY(append_special(step, id, token_type, parts));
      }
      if (parts.size() > kMaxTemplateParts) return bad_field(name, "a short list");
    }
    return parts;
  }

  Result<void> append_special(dom::object step, std::string_view name, std::int64_t type,
                              std::vector<TemplatePart>& parts) {
    const dom::object tokens = TRY(get_object(step, "special_tokens"));
    const dom::object token = TRY(get_object(tokens, name));
    for (const dom::element element : TRY(get_array(token, "ids"))) {
      std::int64_t id = 0;
      if (element.get(id) != simdjson::SUCCESS || id < 0 ||
          id >= static_cast<std::int64_t>(kMaxPieces) || parts.size() > kMaxTemplateParts) {
        return bad_field("post_processor.special_tokens", "a map to lists of token numbers");
      }
      parts.push_back({TemplatePart::Kind::kSpecial, static_cast<TokenId>(id), type});
      count_id(parts.back().id);
    }
    return {};
  }

  Result<void> read_padding_and_truncation() {
    if (is_present(root_, "padding")) {
      const dom::object padding = TRY(get_object(root_, "padding"));
      out_.pad_id_ = TRY(get_id(padding, "pad_id"));
      out_.pad_type_ = TRY(get_id(padding, "pad_type_id"));
      count_id(out_.pad_id_);
    }
    if (is_present(root_, "truncation")) {
      const dom::object truncation = TRY(get_object(root_, "truncation"));
      const std::int32_t length = TRY(get_id(truncation, "max_length"));
      out_.truncation_ = static_cast<std::uint32_t>(length);
    }
    return {};
  }

  dom::object root_;
  std::vector<TokenId> special_ids_;
  HfTokenizer out_;
};

Result<HfTokenizer> HfTokenizer::parse(std::string_view json) {
  // Its parser keeps the document in one block and finds the structure by SIMD: the 8 to 17 MB of a
  // multilingual vocabulary are read in tens of milliseconds instead of most of a second.
  dom::parser parser;
  const simdjson::padded_string padded(json);
  dom::element document;
  const simdjson::error_code error = parser.parse(padded).get(document);
  dom::object root;
  if (error != simdjson::SUCCESS || document.get(root) != simdjson::SUCCESS) {
    return fail(ErrorCode::kCorrupt,
                error != simdjson::SUCCESS
                    ? "it is not JSON: " + std::string(simdjson::error_message(error))
                    : "it is not a JSON object",
                "get tokenizer.json again from the model's publisher");
  }
  return HfTokenizerReader(root).read();
}

Result<HfTokenizer> HfTokenizer::open(const std::filesystem::path& path) {
  const std::string json = TRY(read_file(path, kMaxFileBytes));
  auto tokenizer = parse(json);
  if (!tokenizer) return std::unexpected(tokenizer.error().with_context(printable_path(path)));
  return tokenizer;
}

}  // namespace beleg
