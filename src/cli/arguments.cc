#include "cli/arguments.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <iostream>

#include "cli/session.h"

namespace beleg {

struct Arguments::State {
  CLI::App* app;
};

namespace {

/// The parser itself would take "-1" for the largest number there is, and cut larger ones to it.
std::string complaint_about_number(const std::string& text) {
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc::result_out_of_range) return "the number is too large";
  return error == std::errc{} && stop == end ? "" : "must be a whole number, 0 or more";
}

}  // namespace

void Arguments::flag(const std::string& names, bool& target, const std::string& help) {
  state_.app->add_flag(names, target, help);
}

void Arguments::option(const std::string& names, std::string& target, const std::string& help) {
  state_.app->add_option(names, target, help);
}

void Arguments::option(const std::string& names, std::uint64_t& target, const std::string& help) {
  state_.app->add_option(names, target, help)->capture_default_str()->check(complaint_about_number);
}

void Arguments::option(const std::string& names, double& target, const std::string& help) {
  state_.app->add_option(names, target, help)->capture_default_str();
}

void Arguments::options(const std::string& names, std::vector<std::string>& target,
                        const std::string& help) {
  // One value per occurrence, so that an option never swallows what follows it.
  state_.app->add_option(names, target, help)->allow_extra_args(false);
}

void Arguments::positional(const std::string& name, std::string& target, const std::string& help,
                           bool required) {
  state_.app->add_option(name, target, help)->required(required);
}

void Arguments::positionals(const std::string& name, std::vector<std::string>& target,
                            const std::string& help, bool required) {
  state_.app->add_option(name, target, help)->required(required);
}

std::vector<std::string> option_names(const Command& command) {
  CLI::App app;
  Arguments::State state{&app};
  Arguments arguments(state);
  (void)command.define(arguments);
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

int run_command_line(int argc, char** argv, const std::vector<Command>& commands) {
  CLI::App app("Beleg answers questions from your documents and proves every sentence.", "beleg");
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string("beleg ") + BELEG_VERSION);
  app.footer(
      "Exit codes: 0 all well, 1 failed or nothing done, 2 wrong usage, 3 partial or degraded "
      "result.\n`beleg COMMAND --help` shows an example of each.");
  SessionOptions session_options;
  std::vector<std::pair<CLI::App*, CommandRunner>> runners;
  std::vector<std::unique_ptr<Arguments::State>> states;
  for (const Command& command : commands) {
    CLI::App* sub = app.add_subcommand(std::string(command.name), std::string(command.summary));
    sub->footer("Example:\n  " + std::string(command.example));
    states.push_back(std::make_unique<Arguments::State>(Arguments::State{sub}));
    Arguments arguments(*states.back());
    arguments.option(
        "--home", session_options.home,
        "Where corpora and models live (default: $BELEG_HOME or ~/.local/share/beleg)");
    arguments.option("--corpus", session_options.corpus, "Name of the corpus (default: default)");
    arguments.option("--config", session_options.config,
                     "Settings file (default: HOME/beleg.toml)");
    arguments.options("--set", session_options.overrides, "Change one setting: --set key=value");
    arguments.flag("--json", session_options.json, "Print JSON for machines");
    runners.emplace_back(sub, command.define(arguments));
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& request) {
    return app.exit(request);
  } catch (const CLI::CallForAllHelp& request) {
    return app.exit(request);
  } catch (const CLI::CallForVersion& request) {
    return app.exit(request);
  } catch (const CLI::ParseError& failure) {
    std::cerr << "beleg: " << failure.what() << " (`beleg --help` shows how)\n";
    return kExitUsage;
  }
  for (auto& [sub, runner] : runners) {
    if (!sub->parsed()) continue;
    Session session(session_options);
    return runner(session);
  }
  return kExitUsage;
}

}  // namespace beleg
