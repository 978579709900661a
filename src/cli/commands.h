#pragma once

#include "cli/arguments.h"

namespace beleg {

// One file each, named after the command.
CommandRunner define_init(Arguments& arguments);
CommandRunner define_ingest(Arguments& arguments);
CommandRunner define_ask(Arguments& arguments);
CommandRunner define_search(Arguments& arguments);
CommandRunner define_explain(Arguments& arguments);
CommandRunner define_trace(Arguments& arguments);
CommandRunner define_replay(Arguments& arguments);
CommandRunner define_verify(Arguments& arguments);
CommandRunner define_audit(Arguments& arguments);
CommandRunner define_corpus(Arguments& arguments);
CommandRunner define_rollback(Arguments& arguments);
CommandRunner define_backup(Arguments& arguments);
CommandRunner define_restore(Arguments& arguments);
CommandRunner define_models(Arguments& arguments);
CommandRunner define_calibrate(Arguments& arguments);
CommandRunner define_eval(Arguments& arguments);
CommandRunner define_config(Arguments& arguments);
CommandRunner define_doctor(Arguments& arguments);
CommandRunner define_completion(Arguments& arguments);

/// All commands, in the order of --help.
[[nodiscard]] const std::vector<Command>& all_commands();

}  // namespace beleg
