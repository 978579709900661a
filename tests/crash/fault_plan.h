#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace beleg::crash {

/// What is done to one intercepted operation.
enum class Verdict {
  kGoOn,  ///< It is carried out.
  kFail,  ///< It is not; the call fails with the error of the plan.
  kHalf,  ///< A write takes half of its bytes, and says so; anything else is carried out.
  kTear,  ///< As kHalf, and then the process is killed.
  kKill,  ///< The process is killed before it.
};

/// Which operation is met by what, as the environment says:
///   BELEG_FAULT_AT      number of the operation, from 1; absent or 0: none
///   BELEG_FAULT_ACTION  kill, tear, short, fail, or full (the write at hand takes half, all that
///                       grows after it fails with ENOSPC)
///   BELEG_FAULT_ERROR   for fail: ENOSPC, EIO or EROFS
///   BELEG_FAULT_LASTS   1: all operations from that number on, not that one alone
///   BELEG_FAULT_KINDS   kinds of operations that may be met, with commas; absent: all
class FaultPlan {
 public:
  /// Ends the process with a message when the environment makes no sense: a plan that does nothing
  /// would look like a test that passed.
  static FaultPlan from_environment();

  [[nodiscard]] Verdict verdict(long number, std::string_view kind) const;
  [[nodiscard]] int error() const { return error_; }

 private:
  [[nodiscard]] bool meets(std::string_view kind) const;

  long at_ = 0;
  std::string action_;
  int error_ = 0;
  bool lasts_ = false;
  std::vector<std::string> kinds_;
};

}  // namespace beleg::crash
