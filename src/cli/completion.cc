#include "cli/commands.h"
#include "cli/session.h"

namespace beleg {
namespace {

struct Options {
  std::string shell = "bash";
};

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

const std::vector<std::string>& common_options() {
  static const std::vector<std::string> kOptions = {"--home", "--corpus", "--config",
                                                    "--set",  "--json",   "--help"};
  return kOptions;
}

std::string bash_script() {
  std::string names;
  std::string cases;
  for (const Command& command : all_commands()) {
    names += (names.empty() ? "" : " ") + std::string(command.name);
    cases += "    " + std::string(command.name) + ") words=\"" + joined(option_names(command)) +
             " " + joined(common_options()) + "\" ;;\n";
  }
  return "_beleg() {\n"
         "  local current=\"${COMP_WORDS[COMP_CWORD]}\" words\n"
         "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
         "    words=\"" +
         names +
         "\"\n"
         "  else case \"${COMP_WORDS[1]}\" in\n" +
         cases +
         "    *) words=\"\" ;;\n"
         "  esac; fi\n"
         "  case \"$current\" in\n"
         "    -*) COMPREPLY=($(compgen -W \"$words\" -- \"$current\")) ;;\n"
         "    *) if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
         "         COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
         "       else COMPREPLY=($(compgen -f -- \"$current\")); fi ;;\n"
         "  esac\n"
         "}\n"
         "complete -o filenames -F _beleg beleg\n";
}

std::string fish_script() {
  std::string script;
  for (const Command& command : all_commands()) {
    const std::string name(command.name);
    script += "complete -c beleg -n __fish_use_subcommand -a " + name + " -d '" +
              std::string(command.summary) + "'\n";
    std::vector<std::string> options = option_names(command);
    options.insert(options.end(), common_options().begin(), common_options().end());
    for (const std::string& option : options) {
      script += "complete -c beleg -n '__fish_seen_subcommand_from " + name + "' -l " +
                option.substr(2) + "\n";
    }
  }
  return script;
}

int run(const Options& options, Session& session) {
  if (options.shell == "bash") {
    session.print(bash_script());
  } else if (options.shell == "zsh") {
    session.print("autoload -U +X bashcompinit && bashcompinit\n" + bash_script());
  } else if (options.shell == "fish") {
    session.print(fish_script());
  } else {
    return session.complain({ErrorCode::kInvalidArgument, "unknown shell '" + options.shell + "'",
                             "give bash, zsh or fish"});
  }
  return kExitOk;
}

}  // namespace

CommandRunner define_completion(Arguments& arguments) {
  auto options = std::make_shared<Options>();
  arguments.positional("shell", options->shell, "bash, zsh or fish", false);
  return [options](Session& session) { return run(*options, session); };
}

}  // namespace beleg
