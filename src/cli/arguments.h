#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace beleg {

class Session;

/// What a command does once its arguments are read. Returns the exit code.
using CommandRunner = std::function<int(Session&)>;

/// The arguments of one command, bound to variables that must outlive parsing. Hides the parser.
class Arguments {
 public:
  struct State;
  explicit Arguments(State& state) : state_(state) {}

  void flag(const std::string& names, bool& target, const std::string& help);
  void option(const std::string& names, std::string& target, const std::string& help);
  void option(const std::string& names, std::uint64_t& target, const std::string& help);
  void option(const std::string& names, double& target, const std::string& help);
  void options(const std::string& names, std::vector<std::string>& target, const std::string& help);
  void positional(const std::string& name, std::string& target, const std::string& help,
                  bool required);
  void positionals(const std::string& name, std::vector<std::string>& target,
                   const std::string& help, bool required);

 private:
  State& state_;
};

/// One command of the program.
struct Command {
  std::string_view name;
  std::string_view summary;  ///< One line.
  std::string_view example;  ///< Shown by --help.
  CommandRunner (*define)(Arguments& arguments);
};

/// Parses the command line and runs one of the commands. Returns the exit code: 2 for bad usage.
int run_command_line(int argc, char** argv, const std::vector<Command>& commands);

/// The names of the options of a command, for shell completion.
[[nodiscard]] std::vector<std::string> option_names(const Command& command);

}  // namespace beleg
