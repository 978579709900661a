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

void append_conditions(const std::vector<std::string>& texts, std::optional<TextField> field,
                       TextConditionKind kind, FilterSpec& spec) {
  for (const std::string& text : texts) {
    spec.texts.push_back({.text = text, .field = field, .kind = kind});
  }
}

}  // namespace

void define_filter_options(Arguments& arguments, FilterOptions& options) {
  arguments.options("--filter", options.filters,
                    "field=value: language, source, story, domain, from, until");
  arguments.options("--phrase", options.phrases, "Words that stand so in a passage");
  arguments.options("--title-has", options.title_words, "Words that the title has");
  arguments.options("--heading-has", options.heading_words,
                    "Words that the headings above a passage have");
  arguments.options("--body-has", options.body_words, "Words that the text of a passage has");
  arguments.options("--access", options.access, "A label the asker holds");
}

Result<FilterSpec> parse_filters(const FilterOptions& options) {
  FilterSpec spec;
  append_conditions(options.phrases, {}, TextConditionKind::kPhrase, spec);
  append_conditions(options.title_words, TextField::kTitle, TextConditionKind::kAllWords, spec);
  append_conditions(options.heading_words, TextField::kHeadings, TextConditionKind::kAllWords,
                    spec);
  append_conditions(options.body_words, TextField::kBody, TextConditionKind::kAllWords, spec);
  for (const std::string& label : options.access) {
    if (label.starts_with('!')) {
      // Such labels are ours: they lock documents whose own labels could not be read.
      return fail(ErrorCode::kInvalidArgument, "--access " + label + ": no label begins with '!'",
                  "give a label that documents carry");
    }
  }
  spec.held_access = options.access;
  for (const std::string& filter : options.filters) {
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
