#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "answer/extractive.h"
#include "base/hash.h"
#include "base/result.h"
#include "document/reader.h"
#include "index/index_snapshot.h"
#include "passage/chunker.h"
#include "rank/fusion.h"
#include "rank/list_weights.h"
#include "rank/recency.h"
#include "route/plan.h"

namespace beleg {

/// Step 1: what a question may be.
struct AdmitSettings {
  std::uint32_t max_question_chars = 4000;  ///< Code points, 1 … 100000.
};

/// Step 2: fixed answers.
struct RouteSettings {
  std::string templates;    ///< Folder of templates; empty: none.
  double threshold = 0.95;  ///< Confidence from which a template answers.
};

/// Step 4: which retrievers are asked, and for how many passages.
struct RetrieveSettings {
  std::size_t top_k = 10;  ///< Passages per query and retriever, 1 … 1000.
  bool lexical = true;
  bool dense = true;
  bool late = true;
  Bm25Settings bm25;
};

/// Step 6.
struct RerankSettings {
  std::string kind = "late-interaction";  ///< "late-interaction", "cross-encoder" or "none".
  std::string cross_encoder;              ///< Name of an installed model; for "cross-encoder".
  std::size_t candidates = 25;            ///< Fused passages that are judged, 1 … 1000.
  std::size_t keep = 10;                  ///< Passages kept, 1 … 1000.
};

/// Steps 7 to 9.
struct ExpandSettings {
  double min_passage_relevance = 0.15;
  double min_article_relevance = 0.15;
  std::size_t max_articles = 8;  ///< Articles that are expanded, best first, 1 … 50.
};

/// Step 11.
struct AssembleSettings {
  std::size_t token_budget = 6000;  ///< Encoder tokens of evidence, 64 … 200000.
};

/// Steps 14 and 15.
struct GateSettings {
  double min_faithfulness = 0.70;       ///< [0,1]
  double min_statement_support = 0.70;  ///< [0,1] A statement below it is dropped.
  bool correct_once = true;             ///< Retrieve once more, wider, before abstaining.
};

struct IngestSettings {
  std::uint32_t batch_passages = 64;  ///< Passages encoded at a time, 1 … 4096.
  bool remove_missing = true;  ///< Documents whose file is gone from an ingested folder go too.
};

/// Everything that can be set. Defaults are those of the profile `newsroom`.
struct Settings {
  std::string encoder = "multilingual-e5-small";
  std::uint32_t threads = 2;
  ReadSettings read;
  ChunkSettings chunk;
  IngestSettings ingest;
  AdmitSettings admit;
  RouteSettings route;
  PlanSettings plan;
  RetrieveSettings retrieve;
  ListWeightSettings weights;
  FusionSettings fusion;
  RerankSettings rerank;
  ExpandSettings expand;
  RecencySettings recency;
  AssembleSettings assemble;
  ExtractiveSettings answer;
  GateSettings gate;

  Settings();
};

/// A place inside a Settings that a key of the file stands for.
using SettingPlace = std::variant<bool*, double*, float*, std::uint32_t*, std::uint64_t*,
                                  std::string*, DecayKind*, std::vector<std::string>*>;

/// One key of beleg.toml: its meaning, its range, its place. The table of these is the only list of
/// settings: the parser, `beleg init`, `beleg config` and the reference page are made from it.
struct SettingSpec {
  std::string_view key;      ///< "rerank.keep"
  std::string_view meaning;  ///< One line, with the unit.
  double min = 0.0;          ///< Numbers: inclusive range.
  double max = 0.0;
  std::string_view choices;  ///< Texts: allowed values, separated by "|"; empty: any.
  std::string_view step;     ///< Step of the cascade that it belongs to; "" for the others.
  SettingPlace (*place)(Settings&);
};
[[nodiscard]] std::span<const SettingSpec> setting_specs();

/// Reads TOML. Unknown keys, wrong types, values out of range and settings that would have no
/// effect are errors that name the file, the line, the key and the nearest known key.
Result<Settings> parse_settings(std::string_view toml, std::string_view file_name);
/// Reads a file; without one at the default place, the defaults.
Result<Settings> load_settings(const std::filesystem::path& path, bool must_exist);
/// Sets one key from text, as `--set key=value` does.
Result<void> set_setting(Settings& settings, std::string_view key, std::string_view value);

/// Refuses settings that are well-formed but would do nothing, so that nobody relies on them.
/// `origin` names where they come from, for the message.
Result<void> refuse_ineffective(const Settings& settings, std::string_view origin);

/// One value as TOML would write it.
[[nodiscard]] std::string setting_value(const Settings& settings, const SettingSpec& spec);
/// All keys with their values, sorted, one "key = value" per line: what the settings hash covers.
[[nodiscard]] std::string canonical_settings(const Settings& settings);
[[nodiscard]] Sha256 settings_hash(const Settings& settings);
/// A commented beleg.toml with these values.
[[nodiscard]] std::string commented_toml(const Settings& settings);

}  // namespace beleg
