#include "cli/filters.h"

#include <utility>

#include "document/date.h"
#include "document/language_code.h"

namespace beleg {
namespace {

std::unexpected<Error> refuse(const std::string& filter, const std::string& problem,
                              std::string remedy) {
  return fail(ErrorCode::kInvalidArgument, "--filter " + filter + ": " + problem,
              std::move(remedy));
}

}  // namespace

Result<FilterSpec> parse_filters(const std::vector<std::string>& filters,
                                 const std::vector<std::string>& access) {
  FilterSpec spec;
  for (const std::string& label : access) {
    if (label.starts_with('!')) {
      // Such labels are ours: they lock documents whose own labels could not be read.
      return fail(ErrorCode::kInvalidArgument, "--access " + label + ": no label begins with '!'",
                  "give a label that documents carry");
    }
  }
  spec.held_access = access;
  for (const std::string& filter : filters) {
    const std::size_t equals = filter.find('=');
    const std::string field = filter.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : filter.substr(equals + 1);
    if (value.empty()) {
      return refuse(filter, "no value", "write --filter field=value");
    }
    if (field == "from" || field == "until") {
      const auto date = parse_date(value);
      if (!date) {
        return refuse(filter, "no date", "write a date as 2025-03-31");
      }
      (field == "from" ? spec.published_from : spec.published_until) = date->time;
    } else if (field == "language") {
      // "und" is what documents have whose language is not known.
      const std::string code = value == "und" ? value : language_code(value);
      if (code.empty()) return refuse(filter, "no language", "write a code as de or en");
      spec.languages.push_back(code);
    } else if (field == "source") {
      spec.sources.push_back(value);
    } else if (field == "story") {
      spec.stories.push_back(value);
    } else if (field == "domain") {
      spec.domains.push_back(value);
    } else {
      return refuse(filter, "unknown field '" + field + "'",
                    "give language, source, story, domain, from or until");
    }
  }
  if (spec.published_from && spec.published_until &&
      *spec.published_from >= *spec.published_until) {
    return fail(ErrorCode::kInvalidArgument,
                "--filter: 'from' is not before 'until', so that nothing could be found",
                "exchange the two dates");
  }
  return spec;
}

}  // namespace beleg
