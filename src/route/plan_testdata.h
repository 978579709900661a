#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "route/plan_training.h"

namespace beleg {

/// A labelled question with the sub-questions that are expected word by word.
struct PlanCase {
  LabelledQuestion question;
  std::vector<std::string> sub;
};

inline std::filesystem::path source_root() { return BELEG_SOURCE_ROOT; }

/// Reads a file of labelled questions, one JSON object a line. `language` is for files without it.
inline std::vector<PlanCase> read_plan_cases(const std::filesystem::path& path,
                                             const std::string& language = {}) {
  std::vector<PlanCase> out;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    const nlohmann::json json = nlohmann::json::parse(line);
    PlanCase entry;
    entry.question.text = json.at("text");
    entry.question.language = json.value("language", language);
    entry.question.decompose = json.value("decompose", false);
    entry.sub = json.value("sub", std::vector<std::string>());
    out.push_back(std::move(entry));
  }
  return out;
}

inline std::vector<LabelledQuestion> labels_of(const std::vector<PlanCase>& cases) {
  std::vector<LabelledQuestion> out;
  for (const PlanCase& entry : cases) out.push_back(entry.question);
  return out;
}

}  // namespace beleg
