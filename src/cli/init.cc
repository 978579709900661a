#include "base/file.h"
#include "cli/commands.h"
#include "cli/session.h"

namespace beleg {
namespace {

struct Options {
  bool force = false;
};

int run(const Options& options, Session& session) {
  const std::filesystem::path path = session.config_path();
  std::error_code code;
  if (std::filesystem::exists(path, code) && !options.force) {
    return session.complain({ErrorCode::kConflict, printable_path(path) + " exists already",
                             "edit it, or give --force to write the defaults over it"});
  }
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), code);
  const auto written = write_file_atomically(path, commented_toml(Settings{}));
  if (!written) return session.complain(written.error());
  session.print("wrote " + printable_path(path));
  return kExitOk;
}

}  // namespace

CommandRunner define_init(Arguments& arguments) {
  auto options = std::make_shared<Options>();
  arguments.flag("--force", options->force, "Write over an existing file");
  return [options](Session& session) { return run(*options, session); };
}

}  // namespace beleg
