#include <csignal>
#include <cstdio>

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

}  // namespace beleg

int main(int argc, char** argv) {
  // A file-size limit shall be an error that is reported, not the end of the process.
  std::signal(SIGXFSZ, SIG_IGN);
  const int code = beleg::run_command_line(argc, argv, beleg::all_commands());
  // What could not be written was not said: the exit code must not claim it was.
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    std::fputs("beleg: standard output could not be written (check the disk or the pipe)\n",
               stderr);
    return code == beleg::kExitOk ? beleg::kExitFailed : code;
  }
  return code;
}
