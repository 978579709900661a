#include "ingest/ingest.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "base/clock.h"
#include "ingest/failed_inputs.h"
#include "ingest/index_build.h"
#include "ingest/ingest_root.h"
#include "ingest/ingest_run.h"
#include "ingest/resumption.h"
#include "store/ingest_job.h"

namespace beleg {
namespace {

/// A run between its begin and its end.
struct BegunJob {
  Generation generation{};
  GenerationInfo parent;
  std::optional<Resumption> resumption;
};

void note(const IngestObserver& observer, const std::string& line) {
  if (observer.on_note) observer.on_note(line);
}

bool signature_differs(const GenerationInfo& current, const std::string& signature) {
  if (current.number == Generation{0}) return false;
  const auto stats = nlohmann::json::parse(current.stats_json, nullptr, false);
  return !stats.is_object() || stats.value("cut", std::string()) != signature;
}

std::string stats_json(const IngestSummary& s, const std::string& signature,
                       const Encoder& encoder) {
  return nlohmann::json{{"files", s.files},
                        {"added", s.added},
                        {"changed", s.changed},
                        {"unchanged", s.unchanged},
                        {"removed", s.removed},
                        {"failed", s.failed_files},
                        {"partial", s.partial_files},
                        {"passages", s.passages},
                        {"encoded", s.encoded},
                        {"reused", s.reused},
                        {"cut", signature},
                        {"encoder", encoder.name()},
                        {"encoder_sha256", encoder.model_hash().hex()}}
      .dump();
}

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

std::string job_phrase(const IngestJob& job) {
  return "interrupted at " + format_utc(job.updated_at) + ": " +
         progress_phrase(job.files_done, job.files_total);
}

/// Empty when the unfinished job can be continued, else why not.
std::string why_not_resume(const IngestJob& job, const GenerationInfo& current,
                           const IngestRequest& request, const std::string& description) {
  if (request.restart) return "as asked";
  if (job.parent != current.number) return "the corpus is at another generation by now";
  return request_difference(job.request, description);
}

/// Takes the lock first of all: the unfinished job may be one that runs.
Result<BegunJob> begin_or_resume(CorpusStore& store, const IngestRequest& request,
                                 const std::vector<IngestRoot>& roots,
                                 const std::string& description, const IngestObserver& observer,
                                 IngestSummary& summary) {
  BegunJob begun;
  const std::uint64_t files = count_files(roots);
  const auto unfinished = TRY(store.jobs().unfinished());
  const std::string obstacle =
      unfinished ? why_not_resume(*unfinished, TRY(store.current()), request, description)
                 : std::string();
  if (!unfinished || !obstacle.empty()) {
    begun.generation = TRY(store.jobs().begin(description, files));
    begun.parent = TRY(store.current());
    if (unfinished) {
      note(observer, "discarded the ingest " + job_phrase(*unfinished) + " (" + obstacle + ")");
    }
    return begun;
  }
  IngestJob job = TRY(store.jobs().resume(files));
  if (const std::string moved = why_not_resume(job, TRY(store.current()), request, description);
      !moved.empty()) {
    return fail(ErrorCode::kConflict, "another process is writing", "run the command again");
  }
  job.files_total = files;
  begun.generation = job.generation;
  begun.parent = TRY(store.current());
  begun.resumption = TRY(verify_resumed_files(store.jobs(), roots));
  const std::size_t again = begun.resumption->forgotten;
  summary.resumed = {job.updated_at, job.files_done, files, again};
  note(observer, "resuming the ingest " + job_phrase(job) +
                     (again > 0 ? "; " + grouped(again) + " must be read again" : ""));
  return begun;
}

/// Builds the index and makes the generation current; or, when it differs in nothing from the one
/// before, ends without.
Result<void> commit(IngestRun& run, const IngestContext& context, const BegunJob& begun,
                    const std::string& signature, bool vectors_moved) {
  CorpusStore& store = context.store;
  IndexBase base{.weights = context.settings.retrieve.bm25};
  const auto gone = gone_letters(TRY(store.dead_letters()), context.roots);
  const std::uint32_t dims = context.encoder.dims();
  if (!TRY(store.jobs().changed_anything())) {
    if (vectors_moved) TRY(build_index(store, context.pack, begun.parent.number, dims, base));
    return store.jobs().finish_unchanged(gone);
  }
  // Vectors that were lost and made again stand at other places of the pack.
  if (!vectors_moved) base.parent = begun.parent.number;
  TRY(build_index(store, context.pack, begun.generation, dims, base));
  IngestSummary& summary = run.summary();
  summary.generation =
      TRY(store.jobs().commit(stats_json(summary, signature, context.encoder), gone));
  remove_stale_indexes(store.folder(), *summary.generation);
  return {};
}

/// From the begun job to its end; false when it was asked to stop before.
Result<bool> carry_out(IngestRun& run, const IngestContext& context, BegunJob& begun,
                       const IngestRequest& request, const std::string& signature) {
  CorpusStore& store = context.store;
  const StoreCounts counts = TRY(store.counts(begun.parent.number));
  TRY(run.load_parent(begun.parent.number, static_cast<std::uint64_t>(counts.passages)));
  Generation present = begun.parent.number;
  if (begun.resumption) {
    TRY(run.adopt(*std::move(begun.resumption)));
    present = begun.generation;
  }
  const bool vectors_moved = TRY(run.restore_vectors(begun.parent.number, present));
  if (!TRY(run.read_files())) return false;
  if (request.mode == IngestMode::kPaths) {
    TRY(run.remove_missing());
    TRY(run.recut_unseen());
  }
  TRY(run.finish());
  const auto& stop = context.observer.stop_requested;
  if (stop && stop()) return false;
  TRY(commit(run, context, begun, signature, vectors_moved));
  return true;
}

Result<void> refuse_other_cut(const GenerationInfo& current, const std::string& signature) {
  if (!signature_differs(current, signature)) return {};
  return fail(ErrorCode::kConflict,
              "the corpus was cut by other settings or encoded by another encoder than those in "
              "force, so that all of it must be made anew",
              "run `beleg ingest` with the paths of the corpus");
}

}  // namespace

std::string progress_phrase(std::uint64_t files_done, std::uint64_t files_total) {
  return grouped(files_done) + " of " + grouped(files_total) + " files were done";
}

Result<void> check_encoder(const GenerationInfo& generation, const Encoder& encoder) {
  const auto stats = nlohmann::json::parse(generation.stats_json, nullptr, false);
  const auto text = [&](const char* field) {
    const auto found = stats.is_object() ? stats.find(field) : stats.end();
    return found != stats.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  const std::string hash = text("encoder_sha256");
  if (hash.empty() || hash == encoder.model_hash().hex()) return {};
  const std::string name = printable_path(text("encoder"));
  if (name == encoder.name()) {
    return fail(ErrorCode::kConflict,
                "the corpus was encoded with another state of the model " + name +
                    ": vectors of the two cannot be compared",
                "run `beleg ingest` again, which encodes it anew");
  }
  return fail(
      ErrorCode::kConflict,
      "the corpus was encoded with " + name + ", and models.encoder is " + encoder.name() +
          ": vectors of two models cannot be compared",
      "run `beleg ingest` again, which encodes it anew, or set models.encoder = \"" + name + "\"");
}

Result<IngestSummary> ingest_paths(CorpusStore& store, const IngestRequest& request,
                                   const Encoder& encoder, const Settings& settings,
                                   const IngestObserver& observer) {
  const Stopwatch watch;
  IngestSummary first;
  const bool retries = request.mode == IngestMode::kRetryFailed;
  const std::string signature = cut_signature(settings, encoder);
  std::vector<DeadLetter> letters;
  std::vector<FileReport> not_there;
  if (retries) {
    const GenerationInfo current = TRY(store.current());
    TRY(refuse_other_cut(current, signature));
    letters = TRY(store.dead_letters());
  }
  const auto roots =
      retries ? list_failed_inputs(letters, not_there) : TRY(list_roots(request.paths));
  for (const FileReport& root : not_there) {
    ++first.failed_files;
    if (observer.on_file) observer.on_file(root);
  }
  const std::string description = describe_request(request.mode, roots, settings, encoder);
  BegunJob begun = TRY(begin_or_resume(store, request, roots, description, observer, first));

  const auto pack = EmbeddingPack::open_writer(pack_path(store.folder()));
  if (!pack) {
    (void)(begun.resumption ? store.jobs().suspend() : store.abandon());
    return std::unexpected(pack.error());
  }
  const IngestContext context{store, **pack, encoder, settings, observer, roots, request.mode};
  IngestRun run(context, signature_differs(begun.parent, signature));
  const bool was_resumed = begun.resumption.has_value();
  const auto done = carry_out(run, context, begun, request, signature);
  if (!done) {
    // The vectors computed so far stay in the pack, the corpus stays as it was, and a job that came
    // as far as a checkpoint stays, too.
    (void)(*pack)->sync();
    const bool stays = was_resumed || run.has_checkpoint();
    (void)(stays ? store.jobs().suspend() : store.abandon());
    Error error = done.error();
    if (stays)
      error.remedy +=
          (error.remedy.empty() ? "" : "; ") + std::string("the same command resumes the ingest");
    return std::unexpected(std::move(error));
  }
  IngestSummary& summary = run.summary();
  if (!*done) TRY(store.jobs().suspend());
  summary.interrupted = !*done;
  summary.resumed = first.resumed;
  summary.failed_files += first.failed_files;
  summary.files_done = run.files_done();
  summary.files_total = count_files(roots);
  summary.wall_ms = watch.wall_ms();
  summary.cpu_ms = watch.cpu_ms();
  return std::move(summary);
}

}  // namespace beleg
