#include "index/lexical_index.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

#include "index/bm25.h"
#include "index/top_k.h"

namespace beleg {
namespace {

/// What the smaller of (whole word, its parts) adds to the larger: a passage with the whole word
/// must not count twice for it, one with other words made of the same parts must still profit.
/// German questions of XQuAD: nDCG@10 .9538 at 0, .9548 at 0.3, .9539 at 1.
constexpr float kBeside = 0.3F;
constexpr std::size_t kChunk = 64;  // Documents looked at together when the best are collected.

/// A term found in the dictionary of a part.
struct FoundTerm {
  PostingList postings;
  float factor = 0.0F;  ///< idf × weight.
  float weight = 1.0F;
};

struct FoundGroup {
  std::vector<FoundTerm> wholes;
  std::vector<FoundTerm> parts;
  float mass = 0.0F;  ///< idf of the word as a whole.
};

/// Scores of the documents of a part, kept per thread so that a query allocates nothing. All zero
/// between two queries.
struct Accumulators {
  std::vector<float> total;
  std::vector<float> wholes;
  std::vector<float> parts;
  std::vector<std::uint32_t> touched;

  void fit(std::size_t documents) {
    const std::size_t size = (documents + kChunk - 1) / kChunk * kChunk;
    if (total.size() < size) {
      total.resize(size, 0.0F);
      wholes.resize(size, 0.0F);
      parts.resize(size, 0.0F);
    }
  }
};

Accumulators& thread_accumulators() {
  thread_local Accumulators accumulators;
  return accumulators;
}

/// Calls visit(document, score) for every document of a term.
template <class Visit>
void for_each_score(const LexicalPart& part, const FoundTerm& term, const Bm25Saturation& saturate,
                    const Visit& visit) {
  PostingBlock block;
  std::array<float, kDocumentsPerBlock> scores;
  for (std::uint32_t b = 0; b < term.postings.blocks(); ++b) {
    if (!term.postings.decode(b, block)) return;
    saturate.score(block, part.lengths(), term.factor, scores);
    for (std::uint32_t i = 0; i < block.count; ++i) visit(block.documents[i], scores[i]);
  }
}

/// A word with its parts is one group: the larger of both counts, the smaller a little.
void add_group(const LexicalPart& part, const FoundGroup& group, const Bm25Saturation& saturate,
               Accumulators& sums) {
  if (group.wholes.size() + group.parts.size() == 1) {
    const FoundTerm& only = group.wholes.empty() ? group.parts[0] : group.wholes[0];
    for_each_score(part, only, saturate,
                   [&](std::uint32_t document, float score) { sums.total[document] += score; });
    return;
  }
  sums.touched.clear();
  for (const FoundTerm& term : group.wholes) {
    for_each_score(part, term, saturate, [&](std::uint32_t document, float score) {
      if (sums.wholes[document] == 0.0F) sums.touched.push_back(document);
      sums.wholes[document] = std::max(sums.wholes[document], score);
    });
  }
  for (const FoundTerm& term : group.parts) {
    for_each_score(part, term, saturate, [&](std::uint32_t document, float score) {
      if (sums.wholes[document] == 0.0F && sums.parts[document] == 0.0F) {
        sums.touched.push_back(document);
      }
      sums.parts[document] += score;
    });
  }
  for (const std::uint32_t document : sums.touched) {
    const float whole = sums.wholes[document];
    const float parts = sums.parts[document];
    sums.total[document] += std::max(whole, parts) + kBeside * std::min(whole, parts);
    sums.wholes[document] = 0.0F;
    sums.parts[document] = 0.0F;
  }
}

/// Moves the part's best documents into `best` and clears the sums.
void collect(const LexicalPart& part, const RowFilter* filter, Accumulators& sums, TopK& best) {
  for (std::size_t first = 0; first < part.documents(); first += kChunk) {
    float* const chunk = sums.total.data() + first;
    // Scores are not negative: as integers they are in the same order, and a plain loop over
    // integers becomes vector code. Only damage or senseless settings make negative numbers or NaN;
    // they are never hits, but must be cleared too.
    std::int32_t highest = 0;
    std::int32_t any = 0;
    for (std::size_t i = 0; i < kChunk; ++i) {
      const auto bits = std::bit_cast<std::int32_t>(chunk[i]);
      highest = std::max(highest, bits);
      any |= bits;
    }
    if (any == 0) continue;
    if (std::bit_cast<float>(highest) >= best.threshold()) {
      const std::size_t count = std::min<std::size_t>(kChunk, part.documents() - first);
      for (std::size_t i = 0; i < count; ++i) {
        if (!(chunk[i] > 0.0F) || chunk[i] < best.threshold()) continue;
        const Row row = part.row_of(static_cast<std::uint32_t>(first + i));
        if (filter == nullptr || filter->allows(row)) best.push({row, chunk[i]});
      }
    }
    std::fill_n(chunk, kChunk, 0.0F);
  }
}

/// Looks up the terms of a question in one part, and notes them for explain.
std::vector<FoundGroup> look_up(const LexicalPart& part, const PartQuery& query,
                                std::vector<QueryTermReport>& reports) {
  std::vector<FoundGroup> found;
  for (const QueryGroup& group : query.groups) {
    FoundGroup& out = found.emplace_back();
    const float seen_once = bm25_idf(part.documents(), std::min(1U, part.documents()));
    out.mass = group.wholes.empty() ? seen_once : 0.0F;
    const auto add = [&](const QueryTerm& term, std::vector<FoundTerm>& list) {
      const std::optional<TermEntry> entry = part.find(term.term);
      const float idf =
          entry ? bm25_idf(part.documents(), std::min(entry->document_frequency, part.documents()))
                : seen_once;
      reports.push_back({std::string(query.language), term.term, term.form,
                         entry ? entry->document_frequency : 0, idf, term.weight});
      if (entry) list.push_back({part.postings(*entry), idf * term.weight, term.weight});
      return idf;
    };
    for (const QueryTerm& term : group.wholes) {
      if (!group.asked) {
        out.mass = seen_once;
        continue;
      }
      out.mass = std::max(out.mass, add(term, out.wholes));
    }
    if (!group.asked) continue;
    for (const QueryTerm& term : group.parts) add(term, out.parts);
  }
  return found;
}

/// The share of the question's idf mass that `document` matched. A word of which only parts are
/// there counts with the weight of those parts.
float matched_share(const std::vector<FoundGroup>& groups, std::uint32_t document) {
  float total = 0.0F;
  float matched = 0.0F;
  for (const FoundGroup& group : groups) {
    total += group.mass;
    float share = 0.0F;
    for (const FoundTerm& part : group.parts) {
      if (part.postings.contains(document)) share += part.weight;
    }
    for (const FoundTerm& whole : group.wholes) {
      if (whole.postings.contains(document)) share = 1.0F;
    }
    matched += group.mass * std::min(share, 1.0F);
  }
  return total > 0.0F ? std::min(matched / total, 1.0F) : 0.0F;
}

}  // namespace

Result<std::unique_ptr<LexicalIndex>> LexicalIndex::open(const std::filesystem::path& path) {
  std::unique_ptr<LexicalIndex> index(new LexicalIndex);
  index->file_ = TRY(SectionFile::open(path, kLexicalFile));
  for (std::uint32_t part = 0; index->file_.has(kLexicalMeta, part); ++part) {
    index->parts_.push_back(TRY(LexicalPart::open(index->file_, part)));
  }
  (void)TRY(index->file_.bytes(kLexicalCompounds, 0));
  return index;
}

const LexicalQueryAnalyzer& LexicalIndex::query_analyzer() const {
  std::call_once(analyzer_made_, [this] {
    const std::span<const std::byte> bytes = MUST(file_.bytes(kLexicalCompounds, 0));
    // A damaged lexicon (null) only costs the splitting of compounds; verify() reports it.
    analyzer_ = std::make_unique<const LexicalQueryAnalyzer>(
        read_compound_lexicon({reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
  });
  return *analyzer_;
}

std::vector<AnalyzedTerm> LexicalIndex::analyze(std::string_view text,
                                                std::string_view language) const {
  return query_analyzer().analyzer_of(language).analyze(text);
}

LexicalResult LexicalIndex::search(std::string_view question, std::string_view question_language,
                                   std::size_t k, const RowFilter* filter,
                                   const Bm25Settings& settings) const {
  LexicalResult result;
  if (k == 0 || (filter != nullptr && filter->rows() != file_.identity().rows)) return result;
  Accumulators& sums = thread_accumulators();
  TopK best(k);
  std::vector<std::vector<FoundGroup>> found(parts_.size());
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const LexicalPart& part = parts_[p];
    if (part.documents() == 0) continue;
    const PartQuery query = query_analyzer().analyze(question, question_language, part.language());
    found[p] = look_up(part, query, result.terms);
    sums.fit(part.documents());
    const Bm25Saturation saturate(settings, part.meta());
    for (const FoundGroup& group : found[p]) add_group(part, group, saturate, sums);
    collect(part, filter, sums, best);
  }
  result.hits = best.take();
  if (!result.hits.empty()) {
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      const std::optional<std::uint32_t> document = parts_[p].document_of(result.hits[0].row);
      if (document) result.matched_mass = matched_share(found[p], *document);
    }
  }
  return result;
}

std::vector<std::string> LexicalIndex::check() const {
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
