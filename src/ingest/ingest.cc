#include "ingest/ingest.h"

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_map>

#include "base/file.h"
#include "document/folder.h"
#include "document/reader.h"
#include "ingest/embedder.h"
#include "ingest/index_build.h"
#include "passage/chunker.h"
#include "text/utf8.h"

namespace beleg {
namespace {

/// One of the paths given to the command, and what was found below it.
struct Root {
  std::filesystem::path path;
  std::string source;      ///< Namespace of the ids: the folder, in absolute form.
  bool is_folder = false;  ///< Only a folder says that what is missing is gone.
  FolderListing listing;
};

Result<Root> list_root(const std::filesystem::path& path) {
  std::error_code code;
  const auto absolute = std::filesystem::weakly_canonical(path, code);
  if (code) {
    return fail(ErrorCode::kNotFound,
                "cannot resolve " + printable_path(path) + ": " + code.message(), "check the path");
  }
  Root root;
  root.path = absolute;
  root.is_folder = std::filesystem::is_directory(absolute, code);
  root.source = printable_path(root.is_folder ? absolute : absolute.parent_path());
  root.listing = TRY(list_folder(absolute));
  return root;
}

/// Everything of the run that has state: the staged generation and what was seen.
class Run {
 public:
  Run(CorpusStore& store, EmbeddingPack& pack, const Encoder& encoder, const Settings& settings,
      const IngestObserver& observer)
      : store_(store),
        encoder_(encoder),
        settings_(settings),
        observer_(observer),
        embedder_(encoder, pack, settings.ingest.batch_passages),
        count_tokens_([&encoder](std::string_view text) {
          return static_cast<std::uint32_t>(encoder.tokenizer().tokenize(text).size());
        }) {}

  Result<void> load_heads(Generation current, bool recut_all) {
    recut_all_ = recut_all;
    for (DocumentHead& head : TRY(store_.heads(current))) {
      heads_by_id_[{head.source, head.external_id}] = heads_.size();
      heads_.push_back(std::move(head));
    }
    seen_.assign(heads_.size(), false);
    return {};
  }

  Result<void> ingest_file(const Root& root, const FoundFile& file);
  void report_problems(const Root& root);
  Result<void> remove_missing(const Root& root);
  Result<void> recut_unseen();
  Result<void> finish() { return embedder_.finish(); }
  /// Encodes what the pack lacks of the current generation: a lost or damaged pack is made whole.
  Result<std::size_t> restore_vectors(Generation current);

  [[nodiscard]] bool changed_anything() const { return staged_ > 0; }
  IngestSummary& summary() { return summary_; }
  std::vector<FailedInput>& failures() { return failures_; }
  [[nodiscard]] const Embedder& embedder() const { return embedder_; }

 private:
  /// Takes one parsed document; tells what became of it.
  Result<FileOutcome> take_document(const Root& root, const FoundFile& file,
                                    const ParsedDocument& document, std::size_t& passages);
  Result<std::size_t> stage(std::string_view source, std::string_view id, std::string_view origin,
                            const ParsedDocument& document);
  void report(const FileReport& report);

  CorpusStore& store_;
  const Encoder& encoder_;
  const Settings& settings_;
  const IngestObserver& observer_;
  Embedder embedder_;
  TokenCounter count_tokens_;

  std::vector<DocumentHead> heads_;
  std::map<std::pair<std::string, std::string>, std::size_t> heads_by_id_;
  std::vector<bool> seen_;
  std::map<std::pair<std::string, std::string>, std::string> taken_ids_;  ///< → path of the file.
  std::set<std::string> kept_origins_;  ///< Files that could not be read whole this time.
  bool recut_all_ = false;
  std::size_t staged_ = 0;
  IngestSummary summary_;
  std::vector<FailedInput> failures_;
};

Result<std::size_t> Run::restore_vectors(Generation current) {
  if (recut_all_ || current == Generation{0}) return std::size_t{0};
  const std::size_t before = embedder_.encoded();
  Result<void> added;
  TRY(store_.for_each_passage(
      current, [&](const StoredPassage& passage, const StoredVersion& version) {
        if (embedder_.has(passage.embedding_key)) return true;
        const ByteSpan bytes = passage.passage.bytes;
        added = embedder_.add(passage.embedding_key,
                              retrieval_context(version.content.meta, passage.passage),
                              version.content.text.substr(bytes.start, bytes.size()));
        return added.has_value();
      }));
  if (!added) return std::unexpected(added.error());
  TRY(embedder_.finish());
  return embedder_.encoded() - before;
}

void Run::report(const FileReport& report) {
  summary_.warnings += report.warnings.size();
  if (report.outcome == FileOutcome::kFailed) ++summary_.failed_files;
  if (report.outcome == FileOutcome::kPartial) ++summary_.partial_files;
  if (report.outcome == FileOutcome::kFailed || report.outcome == FileOutcome::kPartial) {
    failures_.push_back({printable_path(report.path), report.reason});
  }
  if (observer_.on_file) observer_.on_file(report);
}

Result<std::size_t> Run::stage(std::string_view source, std::string_view id,
                               std::string_view origin, const ParsedDocument& document) {
  const std::vector<Passage> passages = TRY(cut_passages(document, settings_.chunk, count_tokens_));
  std::vector<Sha256> keys;
  keys.reserve(passages.size());
  for (const Passage& passage : passages) {
    std::string context = retrieval_context(document.meta, passage);
    std::string text = document.text.substr(passage.bytes.start, passage.bytes.size());
    keys.push_back(embedding_key(encoder_.model_hash(), context, text));
    TRY(embedder_.add(keys.back(), std::move(context), std::move(text)));
  }
  TRY(store_.stage_version(source, id, origin, document, passages, keys));
  ++staged_;
  summary_.passages += passages.size();
  return passages.size();
}

Result<FileOutcome> Run::take_document(const Root& root, const FoundFile& file,
                                       const ParsedDocument& document, std::size_t& passages) {
  const std::string& id = document.meta.id;
  const std::string origin = printable_path(file.path);
  const auto [taken, is_new] = taken_ids_.try_emplace({root.source, id}, origin);
  if (!is_new) {
    return fail(ErrorCode::kConflict, "id '" + id + "' is already that of " + taken->second,
                "give each document an id of its own");
  }
  const auto known = heads_by_id_.find({root.source, id});
  if (known != heads_by_id_.end()) {
    seen_[known->second] = true;
    const DocumentHead& head = heads_[known->second];
    if (!recut_all_ && head.content_hash == content_hash(document) && head.origin == origin) {
      ++summary_.unchanged;
      return FileOutcome::kUnchanged;
    }
  }
  passages += TRY(stage(root.source, id, origin, document));
  if (known != heads_by_id_.end()) {
    ++summary_.changed;
    return FileOutcome::kChanged;
  }
  ++summary_.added;
  return FileOutcome::kAdded;
}

Result<void> Run::ingest_file(const Root& root, const FoundFile& file) {
  FileReport file_report{.path = file.path};
  std::size_t bad_records = 0;
  std::string first_bad;
  std::uint32_t replacements = 0;
  Result<void> fatal;
  std::set<FileOutcome> outcomes;
  const auto note_bad = [&](std::uint64_t record, const Error& error) {
    ++bad_records;
    if (first_bad.empty()) {
      first_bad = (record > 0 ? "line " + std::to_string(record) + ": " : "") + error.to_line();
    }
  };
  const auto sink = [&](std::uint64_t record, Result<ParsedDocument> document) {
    if (!document) {
      note_bad(0, document.error());  // The reader has named the line.
      return true;
    }
    auto outcome = take_document(root, file, *document, file_report.passages);
    if (!outcome) {
      const ErrorCode code = outcome.error().code;
      if (code == ErrorCode::kIo || code == ErrorCode::kInternal ||
          code == ErrorCode::kUnavailable) {
        fatal = std::unexpected(outcome.error());  // The disk is full, the model broke: stop.
        return false;
      }
      note_bad(record, outcome.error());
      return true;
    }
    outcomes.insert(*outcome);
    ++file_report.documents;
    file_report.encoding = document->encoding;
    replacements += document->replacements;
    for (const std::string& warning : document->warnings) file_report.warnings.push_back(warning);
    return true;
  };
  auto read = read_documents(file.path, file.default_id, settings_.read, sink);
  if (!fatal) return fatal;
  if (!read && bad_records == 0) first_bad = read.error().to_line();

  const bool incomplete = !read || bad_records > 0;
  if (incomplete) kept_origins_.insert(printable_path(file.path));
  if (file_report.documents == 0) {
    file_report.outcome = FileOutcome::kFailed;
    file_report.reason = first_bad.empty() ? "no document in it" : first_bad;
  } else if (incomplete) {
    file_report.outcome = FileOutcome::kPartial;
    file_report.reason =
        std::to_string(bad_records) + " records could not be read; the first: " + first_bad;
  } else if (replacements > 0) {
    file_report.outcome = FileOutcome::kPartial;
    file_report.reason = std::to_string(replacements) + " bytes are no text in " +
                         file_report.encoding + " and were replaced by U+FFFD";
  } else if (outcomes.contains(FileOutcome::kChanged)) {
    file_report.outcome = FileOutcome::kChanged;
  } else if (outcomes.contains(FileOutcome::kAdded)) {
    file_report.outcome = FileOutcome::kAdded;
  }
  ++summary_.files;
  report(file_report);
  return {};
}

void Run::report_problems(const Root& root) {
  for (const auto& [path, error] : root.listing.problems) {
    kept_origins_.insert(printable_path(path));
    report({.path = path, .outcome = FileOutcome::kFailed, .reason = error.to_line()});
  }
  summary_.ignored_files += root.listing.ignored;
}

Result<void> Run::remove_missing(const Root& root) {
  if (!root.is_folder || !settings_.ingest.remove_missing) return {};
  const auto kept = [this](const std::string& origin) {
    for (const std::string& path : kept_origins_) {
      if (origin == path || origin.starts_with(path + "/")) return true;
    }
    return false;
  };
  std::map<std::string, std::size_t> removed;  // Documents by the file they came from.
  for (std::size_t i = 0; i < heads_.size(); ++i) {
    if (seen_[i] || heads_[i].source != root.source) continue;
    seen_[i] = true;
    if (kept(heads_[i].origin)) continue;
    TRY(store_.stage_removal(heads_[i].document));
    ++staged_;
    ++summary_.removed;
    ++removed[heads_[i].origin];
  }
  for (const auto& [origin, documents] : removed) {
    report({.path = origin, .outcome = FileOutcome::kRemoved, .documents = documents});
  }
  return {};
}

Result<void> Run::recut_unseen() {
  if (!recut_all_) return {};
  for (std::size_t i = 0; i < heads_.size(); ++i) {
    if (seen_[i] && !kept_origins_.contains(heads_[i].origin)) continue;
    const StoredVersion version = TRY(store_.version(heads_[i].version));
    TRY(stage(version.source, version.external_id, version.origin, version.content));
  }
  return {};
}

/// What passages and vectors depend on besides the documents: when it changes, all are made anew.
std::string cut_signature(const Settings& settings, const Encoder& encoder) {
  return std::to_string(settings.chunk.max_tokens) + "/" +
         std::to_string(settings.chunk.overlap_tokens) + "/" + encoder.model_hash().hex();
}

bool signature_differs(const GenerationInfo& current, const std::string& signature) {
  if (current.number == Generation{0}) return false;
  const auto stats = nlohmann::json::parse(current.stats_json, nullptr, false);
  return !stats.is_object() || stats.value("cut", std::string()) != signature;
}

std::string stats_json(const IngestSummary& s, const std::string& signature) {
  return nlohmann::json{
      {"files", s.files},           {"added", s.added},       {"changed", s.changed},
      {"unchanged", s.unchanged},   {"removed", s.removed},   {"failed", s.failed_files},
      {"partial", s.partial_files}, {"passages", s.passages}, {"encoded", s.encoded},
      {"reused", s.reused},         {"cut", signature}}
      .dump();
}

Result<void> stage_everything(Run& run, const std::vector<Root>& roots,
                              const IngestObserver& observer, const Stopwatch& watch) {
  IngestProgress progress;
  for (const Root& root : roots) progress.files_total += root.listing.files.size();
  for (const Root& root : roots) {
    run.report_problems(root);
    for (const FoundFile& file : root.listing.files) {
      TRY(run.ingest_file(root, file));
      ++progress.files_done;
      progress.passages = run.summary().passages;
      progress.wall_ms = watch.wall_ms();
      if (observer.on_progress) observer.on_progress(progress);
    }
  }
  for (const Root& root : roots) TRY(run.remove_missing(root));
  TRY(run.recut_unseen());
  return run.finish();
}

}  // namespace

std::string_view file_outcome_name(FileOutcome outcome) {
  switch (outcome) {
    case FileOutcome::kAdded:
      return "added";
    case FileOutcome::kChanged:
      return "changed";
    case FileOutcome::kUnchanged:
      return "unchanged";
    case FileOutcome::kRemoved:
      return "removed";
    case FileOutcome::kFailed:
      return "failed";
    case FileOutcome::kPartial:
      return "partial";
  }
  return "failed";
}

Result<IngestSummary> ingest_paths(CorpusStore& store,
                                   const std::vector<std::filesystem::path>& paths,
                                   const Encoder& encoder, const Settings& settings,
                                   const IngestObserver& observer) {
  const Stopwatch watch;
  std::vector<Root> roots;
  std::set<std::filesystem::path> given;
  for (const auto& path : paths) {
    Root root = TRY(list_root(path));
    if (given.insert(root.path).second) roots.push_back(std::move(root));
  }
  const std::string signature = cut_signature(settings, encoder);
  const Generation next = TRY(store.begin());
  const GenerationInfo before = TRY(store.current());
  const auto pack = TRY(EmbeddingPack::open_writer(pack_path(store.folder())));

  Run run(store, *pack, encoder, settings, observer);
  TRY(run.load_heads(before.number, signature_differs(before, signature)));
  const auto restored = run.restore_vectors(before.number);
  auto staged = restored ? stage_everything(run, roots, observer, watch)
                         : Result<void>(std::unexpected(restored.error()));
  if (!staged) {
    // The vectors computed so far stay in the pack; the corpus stays as it was.
    (void)pack->sync();
    (void)store.abandon();
    return std::unexpected(staged.error());
  }
  IngestSummary& summary = run.summary();
  summary.encoded = run.embedder().encoded();
  summary.reused = run.embedder().reused();
  // Before the commit: once that is done, nothing may fail any more and make it look undone.
  TRY(store.put_failures(run.failures()));
  if (run.changed_anything()) {
    TRY(build_index(store, *pack, next, encoder.dims()));
    summary.generation = TRY(store.commit(stats_json(summary, signature)));
    remove_stale_indexes(store.folder(), *summary.generation);
  } else {
    // Vectors that were lost and made again stand at other places of the pack.
    if (*restored > 0) TRY(build_index(store, *pack, before.number, encoder.dims()));
    TRY(store.abandon());
  }
  summary.wall_ms = watch.wall_ms();
  summary.cpu_ms = watch.cpu_ms();
  return std::move(summary);
}

}  // namespace beleg
