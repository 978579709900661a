#include "settings/settings.h"

namespace beleg {
namespace {

template <auto Member, auto Field>
SettingPlace place(Settings& settings) {
  return &((settings.*Member).*Field);
}

template <auto Member>
SettingPlace place(Settings& settings) {
  return &(settings.*Member);
}

template <auto Member, auto Inner, auto Field>
SettingPlace place(Settings& settings) {
  return &(((settings.*Member).*Inner).*Field);
}

/// The names under which the field `Index` of kFieldNames may stand in a document.
constexpr std::string_view kFieldNames[] = {"id",       "title", "text",   "published", "updated",
                                            "language", "url",   "source", "story",     "domain",
                                            "authors",  "tags",  "access"};

template <std::size_t Index>
SettingPlace field_place(Settings& settings) {
  return &settings.read.fields[std::string(kFieldNames[Index])];
}

using S = Settings;

constexpr SettingSpec kSpecs[] = {
    {"models.encoder", "Installed model that turns passages and questions into vectors", 0, 0, "",
     "", place<&S::encoder>},
    {"models.threads", "Processor cores used at a time", 1, 256, "", "", place<&S::threads>},

    {"ingest.max_file_bytes", "Larger files are refused, except JSONL, which is read line by line",
     1024, 1e13, "", "", place<&S::read, &ReadSettings::max_file_bytes>},
    {"ingest.max_record_bytes", "Largest JSONL line, in bytes", 1024, 1e10, "", "",
     place<&S::read, &ReadSettings::max_record_bytes>},
    {"ingest.max_depth", "Deepest nesting of HTML and Markdown", 8, 10000, "", "",
     place<&S::read, &ReadSettings::max_depth>},
    {"ingest.batch_passages", "Passages encoded between two checkpoints", 1, 4096, "", "",
     place<&S::ingest, &IngestSettings::batch_passages>},
    {"ingest.remove_missing", "A document whose file is gone from an ingested folder is removed", 0,
     0, "", "", place<&S::ingest, &IngestSettings::remove_missing>},
    {"ingest.fields.id", "Names that the identity of a document may have", 0, 0, "", "",
     field_place<0>},
    {"ingest.fields.title", "… its title", 0, 0, "", "", field_place<1>},
    {"ingest.fields.text", "… its text (JSONL)", 0, 0, "", "", field_place<2>},
    {"ingest.fields.published", "… its release date", 0, 0, "", "", field_place<3>},
    {"ingest.fields.updated", "… the date of its last change", 0, 0, "", "", field_place<4>},
    {"ingest.fields.language", "… its language", 0, 0, "", "", field_place<5>},
    {"ingest.fields.url", "… its address", 0, 0, "", "", field_place<6>},
    {"ingest.fields.source", "… its publisher", 0, 0, "", "", field_place<7>},
    {"ingest.fields.story", "… the story it belongs to", 0, 0, "", "", field_place<8>},
    {"ingest.fields.domain", "… its domain", 0, 0, "", "", field_place<9>},
    {"ingest.fields.authors", "… its authors", 0, 0, "", "", field_place<10>},
    {"ingest.fields.tags", "… its tags", 0, 0, "", "", field_place<11>},
    {"ingest.fields.access", "… the labels of those who may see it", 0, 0, "", "", field_place<12>},

    {"chunk.max_tokens", "Longest passage, in tokens of the encoder", 32, 480, "", "",
     place<&S::chunk, &ChunkSettings::max_tokens>},
    {"chunk.overlap_tokens", "Tokens repeated at the start of the next passage", 0, 128, "", "",
     place<&S::chunk, &ChunkSettings::overlap_tokens>},

    {"admit.max_question_chars", "Longest question, in characters", 1, 100000, "", "admit",
     place<&S::admit, &AdmitSettings::max_question_chars>},

    {"route.templates", "Folder of fixed, reviewed answers; empty for none", 0, 0, "", "route",
     place<&S::route, &RouteSettings::templates>},
    {"route.threshold", "Confidence from which a template answers", 0, 1, "", "route",
     place<&S::route, &RouteSettings::threshold>},

    {"plan.decompose", "Split questions that ask for several things", 0, 0, "", "plan",
     place<&S::plan, &PlanSettings::decompose>},
    {"plan.threshold", "Probability of needing it from which a question is split", 0, 1, "", "plan",
     place<&S::plan, &PlanSettings::threshold>},
    {"plan.max_sub_questions", "Most sub-questions; the original is always searched too", 2, 4, "",
     "plan", place<&S::plan, &PlanSettings::max_sub_questions>},

    {"retrieve.top_k", "Passages per query and retriever", 1, 1000, "", "retrieve",
     place<&S::retrieve, &RetrieveSettings::top_k>},
    {"retrieve.lexical", "Search by words (BM25)", 0, 0, "", "retrieve",
     place<&S::retrieve, &RetrieveSettings::lexical>},
    {"retrieve.dense", "Search by meaning (cosine of one vector per passage)", 0, 0, "", "retrieve",
     place<&S::retrieve, &RetrieveSettings::dense>},
    {"retrieve.late", "Search by meaning, token by token (late interaction)", 0, 0, "", "retrieve",
     place<&S::retrieve, &RetrieveSettings::late>},
    {"retrieve.bm25_k1", "BM25: how fast repetitions of a word stop to count", 0, 10, "",
     "retrieve", place<&S::retrieve, &RetrieveSettings::bm25, &Bm25Settings::k1>},
    {"retrieve.bm25_b", "BM25: how much long passages are held back", 0, 1, "", "retrieve",
     place<&S::retrieve, &RetrieveSettings::bm25, &Bm25Settings::b>},
    {"retrieve.bm25_title_weight", "BM25: weight of a word in the title", 0, 20, "", "retrieve",
     place<&S::retrieve, &RetrieveSettings::bm25, &Bm25Settings::title_weight>},
    {"retrieve.bm25_heading_weight", "BM25: weight of a word in a heading", 0, 20, "", "retrieve",
     place<&S::retrieve, &RetrieveSettings::bm25, &Bm25Settings::heading_weight>},

    {"fuse.k", "Constant of reciprocal rank fusion", 1, 1000, "", "fuse",
     place<&S::fusion, &FusionSettings::k>},
    {"fuse.window", "Ranks of each list that count", 1, 10000, "", "fuse",
     place<&S::fusion, &FusionSettings::window>},
    {"fuse.lexical_weight", "Base weight of the lexical lists", 0, 100, "", "fuse",
     place<&S::weights, &ListWeightSettings::lexical>},
    {"fuse.dense_weight", "Base weight of the dense lists", 0, 100, "", "fuse",
     place<&S::weights, &ListWeightSettings::dense>},
    {"fuse.dense_alone_weight", "Base weight of the dense lists where there are no late ones", 0,
     100, "", "fuse", place<&S::weights, &ListWeightSettings::dense_alone>},
    {"fuse.late_weight", "Base weight of the late-interaction lists", 0, 100, "", "fuse",
     place<&S::weights, &ListWeightSettings::late>},
    {"fuse.foreign_floor", "What is left of a lexical list whose passages are in another language",
     0, 1, "", "fuse", place<&S::weights, &ListWeightSettings::foreign_floor>},
    {"fuse.full_mass", "Share of the question's idf mass from which a lexical list counts in full",
     0.01, 1, "", "fuse", place<&S::weights, &ListWeightSettings::full_mass>},
    {"fuse.agreement_floor", "What is left of a lexical list that no other list agrees with", 0, 1,
     "", "fuse", place<&S::weights, &ListWeightSettings::agreement_floor>},

    {"rerank.kind", "Who judges the fused passages", 0, 0, "late-interaction|cross-encoder|none",
     "rerank passages", place<&S::rerank, &RerankSettings::kind>},
    {"rerank.cross_encoder", "Installed model, for kind = \"cross-encoder\"", 0, 0, "",
     "rerank passages", place<&S::rerank, &RerankSettings::cross_encoder>},
    {"rerank.candidates", "Fused passages that are judged", 1, 1000, "", "rerank passages",
     place<&S::rerank, &RerankSettings::candidates>},
    {"rerank.keep", "Passages kept after judging", 1, 1000, "", "rerank passages",
     place<&S::rerank, &RerankSettings::keep>},

    {"filter.min_relevance", "Passages below this relevance are dropped", 0, 1, "", "filter",
     place<&S::expand, &ExpandSettings::min_passage_relevance>},
    {"expand.max_articles", "Articles taken whole, best first", 1, 50, "", "expand",
     place<&S::expand, &ExpandSettings::max_articles>},
    {"articles.min_relevance", "Articles below this relevance are dropped", 0, 1, "",
     "rerank articles", place<&S::expand, &ExpandSettings::min_article_relevance>},

    {"recency.kind", "How relevance fades with age", 0, 0,
     "none|exponential|linear|gaussian|logarithmic", "recency",
     place<&S::recency, &RecencySettings::kind>},
    {"recency.half_life_days", "Age at which the decay is one half", 0.01, 1e6, "", "recency",
     place<&S::recency, &RecencySettings::half_life_days>},
    {"recency.offset_days", "Younger than this nothing fades", 0, 1e6, "", "recency",
     place<&S::recency, &RecencySettings::offset_days>},
    {"recency.weight", "Share of the score that fades: 0 none, 1 all", 0, 1, "", "recency",
     place<&S::recency, &RecencySettings::weight>},

    {"assemble.token_budget", "Evidence that is read for the answer, in encoder tokens", 64, 200000,
     "", "assemble", place<&S::assemble, &AssembleSettings::token_budget>},

    {"answer.max_statements", "Most sentences of an answer", 1, 20, "", "generate",
     place<&S::answer, &ExtractiveSettings::max_statements>},
    {"answer.statements_per_query", "Most sentences for one (sub-)question", 1, 10, "", "generate",
     place<&S::answer, &ExtractiveSettings::statements_per_query>},
    {"answer.min_relevance", "A sentence below this relevance is not quoted", 0, 1, "", "generate",
     place<&S::answer, &ExtractiveSettings::min_relevance>},
    {"answer.relative_relevance",
     "Sentences worth this share of the best one are equals (the newest is said); further ones "
     "need "
     "this share of its relevance",
     0, 1, "", "generate", place<&S::answer, &ExtractiveSettings::relative_relevance>},
    {"answer.max_overlap", "A sentence that repeats more of its content words is left out", 0, 1,
     "", "generate", place<&S::answer, &ExtractiveSettings::max_overlap>},

    {"gate.min_statement_support", "A statement supported less is dropped", 0, 1, "", "check",
     place<&S::gate, &GateSettings::min_statement_support>},
    {"gate.min_faithfulness", "An answer supported less, on average, is not given", 0, 1, "",
     "gate", place<&S::gate, &GateSettings::min_faithfulness>},
    {"gate.correct_once", "Search once more, wider, before abstaining", 0, 0, "", "gate",
     place<&S::gate, &GateSettings::correct_once>},
};

}  // namespace

Settings::Settings() { read.fields = default_field_names(); }

std::span<const SettingSpec> setting_specs() { return kSpecs; }

}  // namespace beleg
