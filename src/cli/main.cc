#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>

#include "cli/commands.h"
#include "cli/session.h"

namespace beleg {

const std::vector<Command>& all_commands() {
  static const std::vector<Command> kCommands = {
      {"init", "Write a commented settings file", "beleg init", define_init},
      {"ingest", "Read documents into a corpus", "beleg ingest examples/newsroom", define_ingest},
      {"ask", "Answer a question, every sentence with its proof",
       "beleg ask \"Wie wirkt Lecanemab im Gehirn?\"", define_ask},
      {"search", "Find passages or documents, for one question or a batch",
       "beleg search --queries questions.jsonl --k 100 --format trec > run.txt", define_search},
      {"explain", "Show why passages were found: terms, lists, shares",
       "beleg explain \"Lecanemab Zulassung\"", define_explain},
      {"trace", "Show every step of an answer", "beleg trace last", define_trace},
      {"replay", "Run a recorded question again and compare",
       "beleg replay last --with rerank.keep=5", define_replay},
      {"verify", "Check the citations of a receipt against the stored text",
       "beleg verify receipt.json", define_verify},
      {"audit", "Check that everything stored belongs together", "beleg audit --json",
       define_audit},
      {"corpus", "List corpora; show, compare, name, clean and purge generations of one",
       "beleg corpus log", define_corpus},
      {"rollback", "Undo the last ingest, or several", "beleg rollback", define_rollback},
      {"backup", "Save a corpus in one file, while it is used", "beleg backup /backup/news.beleg",
       define_backup},
      {"restore", "Make a corpus from a backup", "beleg restore /backup/news.beleg --corpus news",
       define_restore},
      {"models", "List, fetch, check or add models", "beleg models fetch multilingual-e5-small",
       define_models},
      {"calibrate", "Fit relevance or planning to labelled questions",
       "beleg calibrate relevance --questions questions.jsonl", define_calibrate},
      {"eval", "Score a run file against judgements", "beleg eval --run run.txt --qrels qrels.tsv",
       define_eval},
      {"config", "Show the settings in force, or the reference of all", "beleg config list",
       define_config},
      {"doctor", "Check the installation and say what to do", "beleg doctor", define_doctor},
      {"completion", "Print a completion script for a shell", "beleg completion bash",
       define_completion},
  };
  return kCommands;
}

namespace {

/// Called by `new`, in any thread, when there is no memory: nobody above could go on, and an
/// exception would end the process without a word where it leaves a thread. Ending here is as safe
/// as a kill is.
void refuse_without_memory() {
  static std::atomic_flag said;
  while (said.test_and_set()) ::pause();
  static constexpr std::string_view kLine =
      "beleg: there is not enough memory (free some, or raise the limit on it: ulimit -v)\n";
  // No stream: it might need memory.
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kLine.data(), kLine.size());
  std::_Exit(kExitFailed);
}

/// The last border: what no library turned into an error, such as a thread that cannot be started.
int run_guarded(int argc, char** argv) {
  try {
    return run_command_line(argc, argv, all_commands());
  } catch (const std::exception& exception) {
    std::fprintf(stderr, "beleg: %s (raise the limits on memory and threads: ulimit -a)\n",
                 exception.what());
    return kExitFailed;
  }
}

}  // namespace
}  // namespace beleg

int main(int argc, char** argv) {
  // A file-size limit shall be an error that is reported, not the end of the process.
  std::signal(SIGXFSZ, SIG_IGN);
  std::set_new_handler(beleg::refuse_without_memory);
  const int code = beleg::run_guarded(argc, argv);
  // What could not be written was not said: the exit code must not claim it was.
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    std::fputs("beleg: standard output could not be written (check the disk or the pipe)\n",
               stderr);
    return code == beleg::kExitOk ? beleg::kExitFailed : code;
  }
  return code;
}
