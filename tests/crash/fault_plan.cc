#include "fault_plan.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace beleg::crash {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

[[noreturn]] void refuse(const std::string& what) {
  std::fprintf(stderr, "fault layer: %s\n", what.c_str());
  std::_Exit(99);
}

int error_number(const std::string& name) {
  if (name == "ENOSPC") return ENOSPC;
  if (name == "EIO") return EIO;
  if (name == "EROFS") return EROFS;
  refuse("BELEG_FAULT_ERROR=" + name + " is no error that it knows");
}

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts;
  for (std::size_t start = 0; start < list.size();) {
    const std::size_t comma = std::min(list.find(',', start), list.size());
    parts.push_back(list.substr(start, comma - start));
    start = comma + 1;
  }
  return parts;
}

}  // namespace

FaultPlan FaultPlan::from_environment() {
  FaultPlan plan;
  plan.at_ = std::atol(variable("BELEG_FAULT_AT").c_str());
  if (plan.at_ <= 0) return plan;
  plan.action_ = variable("BELEG_FAULT_ACTION");
  plan.lasts_ = variable("BELEG_FAULT_LASTS") == "1";
  plan.kinds_ = split(variable("BELEG_FAULT_KINDS"));
  if (plan.action_ == "fail") {
    plan.error_ = error_number(variable("BELEG_FAULT_ERROR"));
  } else if (plan.action_ == "full") {
    plan.error_ = ENOSPC;
  } else if (plan.action_ != "kill" && plan.action_ != "tear" && plan.action_ != "short") {
    refuse("BELEG_FAULT_ACTION=" + plan.action_ + " is no action that it knows");
  }
  return plan;
}

bool FaultPlan::meets(std::string_view kind) const {
  return kinds_.empty() || std::ranges::find(kinds_, kind) != kinds_.end();
}

Verdict FaultPlan::verdict(long number, std::string_view kind) const {
  if (at_ == 0 || number < at_ || !meets(kind)) return Verdict::kGoOn;
  if (action_ == "full") {
    // A full disk still removes, cuts, renames and flushes.
    const bool grows = kind == "write" || kind == "create" || kind == "mkdir" || kind == "allocate";
    if (!grows) return Verdict::kGoOn;
    return number == at_ && kind == "write" ? Verdict::kHalf : Verdict::kFail;
  }
  if (number > at_ && !lasts_) return Verdict::kGoOn;
  if (action_ == "fail") return Verdict::kFail;
  if (action_ == "short") return Verdict::kHalf;
  return action_ == "tear" ? Verdict::kTear : Verdict::kKill;
}

}  // namespace beleg::crash
