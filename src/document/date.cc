#include "document/date.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

namespace beleg {
namespace {

constexpr std::size_t kLongestDate = 100;  // Bytes; longer text is prose.

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
}
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Reads from the front of a text; every take_… moves on only when it succeeds.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : rest_(text) {}

  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  [[nodiscard]] char peek() const { return rest_.empty() ? '\0' : rest_.front(); }

  bool take(char c) {
    if (peek() != c || rest_.empty()) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool take_blanks() {
    const std::size_t before = rest_.size();
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t'))
      rest_.remove_prefix(1);
    return rest_.size() != before;
  }

  /// A number of `least` to `most` digits that is not followed by a further digit.
  std::optional<int> take_number(std::size_t least, std::size_t most) {
    std::size_t n = 0;
    int value = 0;
    while (n < rest_.size() && n < most && is_digit(rest_[n])) {
      value = value * 10 + (rest_[n] - '0');
      ++n;
    }
    if (n < least || (n < rest_.size() && is_digit(rest_[n]))) return std::nullopt;
    rest_.remove_prefix(n);
    return value;
  }

  /// Exactly two digits, whatever follows.
  std::optional<int> take_two_digits() {
    if (rest_.size() < 2 || !is_digit(rest_[0]) || !is_digit(rest_[1])) return std::nullopt;
    const int value = (rest_[0] - '0') * 10 + (rest_[1] - '0');
    rest_.remove_prefix(2);
    return value;
  }

  /// Letters (any non-ASCII byte counts as one), in lower case as far as they are ASCII.
  std::string take_word() {
    std::string word;
    std::size_t n = 0;
    while (n < rest_.size() && is_letter(rest_[n])) word.push_back(lower(rest_[n++]));
    rest_.remove_prefix(n);
    return word;
  }

  /// How many digits stand at the front.
  [[nodiscard]] std::size_t digits_ahead() const {
    std::size_t n = 0;
    while (n < rest_.size() && is_digit(rest_[n])) ++n;
    return n;
  }

  void skip_digits() { rest_.remove_prefix(digits_ahead()); }

 private:
  std::string_view rest_;
};

struct TimeOfDay {
  int hour = 0;
  int minute = 0;
  int second = 0;
  bool has_seconds = false;
};

std::optional<std::chrono::sys_days> make_day(int year, int month, int day) {
  if (year < 1 || month < 1 || day < 1) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year{year},
                                         std::chrono::month{static_cast<unsigned>(month)},
                                         std::chrono::day{static_cast<unsigned>(day)}};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days{date};
}

UnixSeconds day_seconds(std::chrono::sys_days day) {
  return static_cast<UnixSeconds>(day.time_since_epoch().count()) * 86400;
}

Date whole_day(std::chrono::sys_days day) {
  return {.time = day_seconds(day), .precision = DatePrecision::kDay, .has_zone = false};
}

Date moment(std::chrono::sys_days day, const TimeOfDay& time, std::optional<int> offset_minutes) {
  return {.time = day_seconds(day) + UnixSeconds{time.hour} * 3600 + UnixSeconds{time.minute} * 60 +
                  time.second - UnixSeconds{offset_minutes.value_or(0)} * 60,
          .precision = time.has_seconds ? DatePrecision::kSecond : DatePrecision::kMinute,
          .has_zone = offset_minutes.has_value()};
}

/// "hh:mm", "hh:mm:ss", "hh:mm:ss.fraction"; second 60 is a leap second and counts as the next one.
std::optional<TimeOfDay> take_time(Cursor& in) {
  TimeOfDay time;
  const auto hour = in.take_number(1, 2);
  if (!hour || *hour > 23 || !in.take(':')) return std::nullopt;
  const auto minute = in.take_two_digits();
  if (!minute || *minute > 59) return std::nullopt;
  time.hour = *hour;
  time.minute = *minute;
  if (!in.take(':')) return time;
  const auto second = in.take_two_digits();
  if (!second || *second > 60) return std::nullopt;
  time.second = *second;
  time.has_seconds = true;
  if (in.peek() == '.' || in.peek() == ',') {
    Cursor fraction = in;
    fraction.take(in.peek());
    if (fraction.digits_ahead() == 0) return std::nullopt;
    fraction.skip_digits();
    in = fraction;
  }
  return time;
}

/// "+hh:mm", "+hhmm", "+hh" in minutes east of UTC.
std::optional<int> take_numeric_offset(Cursor& in) {
  int sign = 1;
  if (in.take('-')) {
    sign = -1;
  } else if (!in.take('+')) {
    return std::nullopt;
  }
  const auto hours = in.take_two_digits();
  if (!hours || *hours > 23) return std::nullopt;
  int minutes = 0;
  if (in.take(':') || is_digit(in.peek())) {
    const auto given = in.take_two_digits();
    if (!given || *given > 59) return std::nullopt;
    minutes = *given;
  }
  return sign * (*hours * 60 + minutes);
}

/// Zone names of RFC 822, section 5.1, and the Central and Eastern European ones, in minutes.
std::optional<int> named_offset(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, int>, 24> kZones{{
      {"z", 0},      {"ut", 0},     {"utc", 0},    {"gmt", 0},    {"est", -300}, {"edt", -240},
      {"cst", -360}, {"cdt", -300}, {"mst", -420}, {"mdt", -360}, {"pst", -480}, {"pdt", -420},
      {"wet", 0},    {"west", 60},  {"cet", 60},   {"cest", 120}, {"mez", 60},   {"mesz", 120},
      {"met", 60},   {"mest", 120}, {"eet", 120},  {"eest", 180}, {"bst", 60},   {"msk", 180},
  }};
  for (const auto& [zone, minutes] : kZones) {
    if (zone == name) return minutes;
  }
  return std::nullopt;
}

enum class Zone : std::uint8_t { kAbsent, kKnown, kUnknown, kMalformed };

/// An offset or a zone name; single military letters say nothing reliable (RFC 2822, section 4.3).
std::pair<Zone, int> take_zone(Cursor& in) {
  if (in.peek() == '+' || in.peek() == '-') {
    const auto offset = take_numeric_offset(in);
    return offset ? std::pair{Zone::kKnown, *offset} : std::pair{Zone::kMalformed, 0};
  }
  const std::string name = in.take_word();
  if (name.empty()) return {Zone::kAbsent, 0};
  if (const auto minutes = named_offset(name)) {
    // "GMT+0100" is written by JavaScript: the number counts.
    if ((in.peek() == '+' || in.peek() == '-') && *minutes == 0) {
      const auto offset = take_numeric_offset(in);
      return offset ? std::pair{Zone::kKnown, *offset} : std::pair{Zone::kMalformed, 0};
    }
    return {Zone::kKnown, *minutes};
  }
  if (name.size() == 1 && name[0] >= 'a' && name[0] <= 'y' && name[0] != 'j') {
    return {Zone::kUnknown, 0};
  }
  return {Zone::kMalformed, 0};
}

/// Nothing more, but perhaps a comment in brackets, as mail has it: "+0100 (CET)".
bool at_tidy_end(Cursor& in) {
  in.take_blanks();
  if (in.take('(')) {
    while (!in.at_end() && in.peek() != ')') in.take(in.peek());
    if (!in.take(')')) return false;
    in.take_blanks();
  }
  return in.at_end();
}

/// A time, an optional zone, and then the end.
std::optional<Date> finish_moment(Cursor& in, std::chrono::sys_days day) {
  auto time = take_time(in);
  if (!time) return std::nullopt;
  in.take_blanks();
  Cursor marker = in;
  const std::string word = marker.take_word();
  if (word == "am" || word == "pm") {
    if (time->hour < 1 || time->hour > 12) return std::nullopt;
    time->hour = time->hour % 12 + (word == "pm" ? 12 : 0);
    in = marker;
    in.take_blanks();
  } else if (word == "uhr") {
    in = marker;
    in.take_blanks();
  }
  if (in.peek() == '(' || in.at_end()) {
    if (!at_tidy_end(in)) return std::nullopt;
    return moment(day, *time, std::nullopt);
  }
  const auto [zone, minutes] = take_zone(in);
  if (zone == Zone::kMalformed || zone == Zone::kAbsent || !at_tidy_end(in)) return std::nullopt;
  return moment(day, *time, zone == Zone::kKnown ? std::optional{minutes} : std::nullopt);
}

/// 1 … 12 for German and English month names and their abbreviations, in lower case; else 0.
int month_number(std::string_view word) {
  static constexpr std::array<std::pair<std::string_view, int>, 41> kMonths{{
      {"januar", 1},    {"jänner", 1},   {"january", 1},   {"jan", 1},       {"jän", 1},
      {"februar", 2},   {"feber", 2},    {"february", 2},  {"feb", 2},       {"märz", 3},
      {"mÄrz", 3},      {"maerz", 3},    {"march", 3},     {"mar", 3},       {"mär", 3},
      {"mrz", 3},       {"april", 4},    {"apr", 4},       {"mai", 5},       {"may", 5},
      {"juni", 6},      {"june", 6},     {"jun", 6},       {"juli", 7},      {"july", 7},
      {"jul", 7},       {"august", 8},   {"aug", 8},       {"september", 9}, {"sept", 9},
      {"sep", 9},       {"oktober", 10}, {"october", 10},  {"okt", 10},      {"oct", 10},
      {"november", 11}, {"nov", 11},     {"dezember", 12}, {"december", 12}, {"dez", 12},
      {"dec", 12},
  }};
  for (const auto& [name, number] : kMonths) {
    if (name == word) return number;
  }
  return 0;
}

bool is_weekday(std::string_view word) {
  static constexpr std::array<std::string_view, 32> kDays{
      "mon",     "tue",      "tues",      "wed",    "thu",      "thur",      "thurs",
      "fri",     "sat",      "sun",       "monday", "tuesday",  "wednesday", "thursday",
      "friday",  "saturday", "sunday",    "mo",     "di",       "mi",        "do",
      "fr",      "sa",       "so",        "montag", "dienstag", "mittwoch",  "donnerstag",
      "freitag", "samstag",  "sonnabend", "sonntag"};
  for (const std::string_view day : kDays) {
    if (day == word) return true;
  }
  return false;
}

/// "YYYY-MM-DD" or "YYYY/MM/DD", then nothing or a time after blank, "T" or comma.
std::optional<Date> parse_year_first(Cursor in) {
  const auto year = in.take_number(4, 4);
  const char separator = in.peek();
  if (!year || (separator != '-' && separator != '/')) return std::nullopt;
  in.take(separator);
  const auto month = separator == '-' ? in.take_number(2, 2) : in.take_number(1, 2);
  if (!month || !in.take(separator)) return std::nullopt;
  const auto day = separator == '-' ? in.take_number(2, 2) : in.take_number(1, 2);
  if (!day) return std::nullopt;
  const auto date = make_day(*year, *month, *day);
  if (!date) return std::nullopt;
  if (in.at_end()) return whole_day(*date);
  if (in.take('T') || in.take('t') || in.take_blanks()) return finish_moment(in, *date);
  if (in.take(',') && in.take_blanks()) return finish_moment(in, *date);
  return std::nullopt;
}

/// What may stand between a day and its time in prose: ", ", " um ", " at ", " - ".
bool take_prose_separator(Cursor& in) {
  const bool comma = in.take(',');
  const bool blanks = in.take_blanks();
  Cursor word_ahead = in;
  const std::string word = word_ahead.take_word();
  if ((word == "um" || word == "at") && word_ahead.take_blanks()) {
    in = word_ahead;
    return true;
  }
  Cursor dash_ahead = in;
  if (blanks && dash_ahead.take('-') && dash_ahead.take_blanks()) {
    in = dash_ahead;
    return true;
  }
  return comma || blanks;
}

std::optional<Date> finish_day_or_moment(Cursor& in, std::chrono::sys_days day) {
  if (in.at_end()) return whole_day(day);
  if (!take_prose_separator(in)) return std::nullopt;
  return finish_moment(in, day);
}

/// A year of a mail date: two digits are 2000 to 2049 or 1950 to 1999, three count from 1900
/// (RFC 2822, section 4.3).
std::optional<int> take_year(Cursor& in, bool mail) {
  const std::size_t digits = in.digits_ahead();
  const auto year = in.take_number(2, 4);
  if (!year || (digits != 4 && !mail)) return std::nullopt;
  if (digits == 2) return *year + (*year < 50 ? 2000 : 1900);
  if (digits == 3) return *year + 1900;
  return year;
}

/// Dates that begin with the day: "08.03.2021", "3. März 2021", "3 March 2021", "8 Mar 2021 …".
std::optional<Date> parse_day_first(Cursor in) {
  const auto day = in.take_number(1, 2);
  if (!day) return std::nullopt;
  const bool point = in.take('.');
  if (point && is_digit(in.peek())) {
    const auto month = in.take_number(1, 2);
    if (!month || !in.take('.')) return std::nullopt;
    const auto year = in.take_number(4, 4);
    const auto date = year ? make_day(*year, *month, *day) : std::nullopt;
    return date ? finish_day_or_moment(in, *date) : std::nullopt;
  }
  if (!point) {
    Cursor ordinal = in;
    const std::string suffix = ordinal.take_word();
    if (suffix == "st" || suffix == "nd" || suffix == "rd" || suffix == "th") in = ordinal;
  }
  if (!in.take_blanks() && !in.take('-') && !point) return std::nullopt;
  const int month = month_number(in.take_word());
  if (month == 0) return std::nullopt;
  in.take('.');
  in.take(',');
  if (!in.take_blanks() && !in.take('-')) return std::nullopt;
  const std::size_t year_digits = in.digits_ahead();
  const auto year = take_year(in, true);
  const auto date = year ? make_day(*year, month, *day) : std::nullopt;
  if (!date) return std::nullopt;
  // A short year is a mail's, and a mail's date has a time.
  if (in.at_end() && year_digits != 4) return std::nullopt;
  return finish_day_or_moment(in, *date);
}

/// "March 3, 2021", "Mar. 3rd 2021", "March 3, 2021, 2:05 pm".
std::optional<Date> parse_month_first(Cursor in) {
  const int month = month_number(in.take_word());
  if (month == 0) return std::nullopt;
  in.take('.');
  if (!in.take_blanks()) return std::nullopt;
  const auto day = in.take_number(1, 2);
  if (!day) return std::nullopt;
  const std::string suffix = in.take_word();
  if (!suffix.empty() && suffix != "st" && suffix != "nd" && suffix != "rd" && suffix != "th") {
    return std::nullopt;
  }
  const bool comma = in.take(',');
  if (!in.take_blanks() && !comma) return std::nullopt;
  const auto year = take_year(in, false);
  const auto date = year ? make_day(*year, month, *day) : std::nullopt;
  return date ? finish_day_or_moment(in, *date) : std::nullopt;
}

/// Moves past "Wed, " or "Mittwoch, den "; leaves `in` where it is when no weekday is there.
void skip_weekday(Cursor& in) {
  Cursor ahead = in;
  if (!is_weekday(ahead.take_word())) return;
  ahead.take('.');
  ahead.take(',');
  ahead.take_blanks();
  Cursor article = ahead;
  const std::string word = article.take_word();
  if ((word == "den" || word == "der") && article.take_blanks()) ahead = article;
  in = ahead;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n\f\v";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

void append_padded(std::string& out, unsigned value, std::size_t width) {
  const std::string digits = std::to_string(value);
  if (digits.size() < width) out.append(width - digits.size(), '0');
  out += digits;
}

}  // namespace

std::optional<Date> parse_date(std::string_view text) {
  text = trimmed(text);
  if (text.empty() || text.size() > kLongestDate) return std::nullopt;
  Cursor in(text);
  if (in.digits_ahead() == 4) return parse_year_first(in);
  skip_weekday(in);
  return is_digit(in.peek()) ? parse_day_first(in) : parse_month_first(in);
}

std::string format_date(const Date& date) {
  const std::chrono::sys_seconds time{std::chrono::seconds{date.time}};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day calendar{day};
  const std::chrono::hh_mm_ss clock{time - day};
  std::string out;
  const int year = static_cast<int>(calendar.year());
  if (year < 0) out.push_back('-');
  append_padded(out, static_cast<unsigned>(year < 0 ? -year : year), 4);
  out.push_back('-');
  append_padded(out, static_cast<unsigned>(calendar.month()), 2);
  out.push_back('-');
  append_padded(out, static_cast<unsigned>(calendar.day()), 2);
  if (date.precision == DatePrecision::kDay) return out;
  out.push_back('T');
  append_padded(out, static_cast<unsigned>(clock.hours().count()), 2);
  out.push_back(':');
  append_padded(out, static_cast<unsigned>(clock.minutes().count()), 2);
  out.push_back(':');
  append_padded(out, static_cast<unsigned>(clock.seconds().count()), 2);
  out.push_back('Z');
  return out;
}

}  // namespace beleg
