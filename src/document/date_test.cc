#include "document/date.h"

#include <gtest/gtest.h>

#include <string>

namespace beleg {
namespace {

// Reference values: `date -u -d "…" +%s` of GNU coreutils.
constexpr UnixSeconds k2021March8 = 1615161600;  // 2021-03-08T00:00:00Z

struct Case {
  const char* text;
  UnixSeconds time;
  DatePrecision precision;
  bool has_zone;
};

class ParseDate : public testing::TestWithParam<Case> {};

TEST_P(ParseDate, HasTheRightMomentPrecisionAndZone) {
  const Case& given = GetParam();
  const auto date = parse_date(given.text);
  ASSERT_TRUE(date.has_value()) << given.text;
  EXPECT_EQ(date->time, given.time) << given.text;
  EXPECT_EQ(date->precision, given.precision) << given.text;
  EXPECT_EQ(date->has_zone, given.has_zone) << given.text;
}

constexpr auto kDay = DatePrecision::kDay;
constexpr auto kMinute = DatePrecision::kMinute;
constexpr auto kSecond = DatePrecision::kSecond;
constexpr UnixSeconds kHour = 3600;

INSTANTIATE_TEST_SUITE_P(Days, ParseDate,
                         testing::Values(Case{"2021-03-08", k2021March8, kDay, false},
                                         Case{"  2021-03-08\n", k2021March8, kDay, false},
                                         Case{"2021/03/08", k2021March8, kDay, false},
                                         Case{"2021/3/8", k2021March8, kDay, false},
                                         Case{"08.03.2021", k2021March8, kDay, false},
                                         Case{"8.3.2021", k2021March8, kDay, false},
                                         Case{"8. März 2021", k2021March8, kDay, false},
                                         Case{"8.März 2021", k2021March8, kDay, false},
                                         Case{"8. MÄRZ 2021", k2021March8, kDay, false},
                                         Case{"08. Mrz. 2021", k2021March8, kDay, false},
                                         Case{"Montag, 8. März 2021", k2021March8, kDay, false},
                                         Case{"Montag, den 8. März 2021", k2021March8, kDay, false},
                                         Case{"March 8, 2021", k2021March8, kDay, false},
                                         Case{"Mar. 8th, 2021", k2021March8, kDay, false},
                                         Case{"Monday, March 8, 2021", k2021March8, kDay, false},
                                         Case{"8 March 2021", k2021March8, kDay, false},
                                         Case{"8th March 2021", k2021March8, kDay, false},
                                         Case{"8-Mar-2021", k2021March8, kDay, false},
                                         Case{"31. Dezember 1999", 946598400, kDay, false},
                                         Case{"1. Jänner 1970", 0, kDay, false},
                                         Case{"2000-02-29", 951782400, kDay, false},
                                         Case{"2024-02-29", 1709164800, kDay, false},
                                         Case{"1969-12-31", -86400, kDay, false},
                                         Case{"1900-03-01", -2203891200, kDay, false},
                                         Case{"0001-01-01", -62135596800, kDay, false},
                                         Case{"9999-12-31", 253402214400, kDay, false}));

INSTANTIATE_TEST_SUITE_P(
    Iso8601, ParseDate,
    testing::Values(Case{"2020-11-05T15:40:24+01:00", 1604587224, kSecond, true},
                    Case{"2020-11-05T14:40:24Z", 1604587224, kSecond, true},
                    Case{"2020-11-05t14:40:24z", 1604587224, kSecond, true},
                    Case{"2020-11-05T09:40:24-0500", 1604587224, kSecond, true},
                    Case{"2020-11-05T15:40:24+01", 1604587224, kSecond, true},
                    Case{"2020-11-05T20:10:24+05:30", 1604587224, kSecond, true},
                    Case{"2020-11-05T14:40:24.123456789Z", 1604587224, kSecond, true},
                    Case{"2020-11-05T14:40:24,5Z", 1604587224, kSecond, true},
                    Case{"2021-01-14 15:10:04", 1610637004, kSecond, false},
                    Case{"2021-01-14T15:10:04", 1610637004, kSecond, false},
                    Case{"2021-01-14 15:10", 1610637000, kMinute, false},
                    Case{"2021-01-14T15:10Z", 1610637000, kMinute, true},
                    Case{"2021-01-14 16:10:04 +0100", 1610637004, kSecond, true},
                    Case{"2021-01-14 15:10:04 UTC", 1610637004, kSecond, true},
                    Case{"2021-01-14 16:10 CET", 1610637000, kMinute, true},
                    Case{"2021-07-14 17:10 MESZ", 1626275400, kMinute, true},
                    Case{"2016-12-31T23:59:60Z", 1483228800, kSecond, true},  // A leap second.
                    Case{"2021-03-08T00:30:00+01:00", k2021March8 - kHour / 2, kSecond, true}));

INSTANTIATE_TEST_SUITE_P(
    MailAndProse, ParseDate,
    testing::Values(
        Case{"Mon, 08 Mar 2021 14:05:00 +0100", k2021March8 + 13 * kHour + 300, kSecond, true},
        Case{"8 Mar 2021 14:05 GMT", k2021March8 + 14 * kHour + 300, kMinute, true},
        Case{"Mon, 8 Mar 21 14:05:00 EST", k2021March8 + 19 * kHour + 300, kSecond, true},
        Case{"Mon, 8 Mar 2021 14:05:00 PDT", k2021March8 + 21 * kHour + 300, kSecond, true},
        Case{"Mon, 8 Mar 2021 14:05:00 UT", k2021March8 + 14 * kHour + 300, kSecond, true},
        Case{"Mon, 8 Mar 2021 15:05:00 +0100 (CET)", k2021March8 + 14 * kHour + 300, kSecond, true},
        Case{"Mon, 8 Mar 2021 14:05:00 -0000", k2021March8 + 14 * kHour + 300, kSecond, true},
        Case{"Mon, 8 Mar 2021 14:05:00 A", k2021March8 + 14 * kHour + 300, kSecond, false},
        Case{"Thu, 1 Jan 70 00:00:00 Z", 0, kSecond, true},
        Case{"Sat, 1 Jan 00 00:00:00 Z", 946684800, kSecond, true},
        Case{"08.03.2021 14:05", k2021March8 + 14 * kHour + 300, kMinute, false},
        Case{"8.3.2021, 14:05 Uhr", k2021March8 + 14 * kHour + 300, kMinute, false},
        Case{"8. März 2021 um 14:05 Uhr", k2021March8 + 14 * kHour + 300, kMinute, false},
        Case{"8. März 2021, 14:05:09", k2021March8 + 14 * kHour + 309, kSecond, false},
        Case{"March 8, 2021, 2:05 pm", k2021March8 + 14 * kHour + 300, kMinute, false},
        Case{"March 8, 2021 at 12:05 AM", k2021March8 + 300, kMinute, false},
        Case{"March 8, 2021 14:05 UTC", k2021March8 + 14 * kHour + 300, kMinute, true}));

TEST(ParseDateTest, EveryMonthNameInBothLanguages) {
  const char* german[] = {"Januar", "Februar", "März",      "April",   "Mai",      "Juni",
                          "Juli",   "August",  "September", "Oktober", "November", "Dezember"};
  const char* english[] = {"January", "February", "March",     "April",   "May",      "June",
                           "July",    "August",   "September", "October", "November", "December"};
  const char* numbers[] = {"01", "02", "03", "04", "05", "06", "07", "08", "09", "10", "11", "12"};
  for (int month = 0; month < 12; ++month) {
    const auto expected = parse_date("2021-" + std::string(numbers[month]) + "-15");
    ASSERT_TRUE(expected);
    EXPECT_EQ(parse_date("15. " + std::string(german[month]) + " 2021"), expected) << german[month];
    EXPECT_EQ(parse_date(std::string(english[month]) + " 15, 2021"), expected) << english[month];
    EXPECT_EQ(parse_date("15 " + std::string(english[month]).substr(0, 3) + " 2021"), expected);
  }
}

TEST(ParseDateTest, RefusesWhatIsNoDate) {
  for (const char* text : {"",
                           " ",
                           "soon",
                           "2021",
                           "2021-03",
                           "2021-3-8",
                           "20210308",
                           "03/08/2021",
                           "8.3.21",
                           "2021-02-29",
                           "2100-02-29",
                           "1900-02-29",
                           "2021-04-31",
                           "2021-00-10",
                           "2021-13-01",
                           "2021-03-00",
                           "2021-03-32",
                           "0000-01-01",
                           "32. März 2021",
                           "30. Februar 2021",
                           "2021-03-08T",
                           "2021-03-08T24:00",
                           "2021-03-08T12",
                           "2021-03-08T12:60",
                           "2021-03-08T12:00:61",
                           "2021-03-08T12:00:00.",
                           "2021-03-08T12:00+24:00",
                           "2021-03-08T12:00+01:60",
                           "2021-03-08T12:00 XYZ",
                           "2021-03-08T12:00:00Z extra",
                           "2021-03-08 extra",
                           "2021/03-08",
                           "März 2021",
                           "8. Foo 2021",
                           "March 2021",
                           "March 8, 21",
                           "8 Mar 21",
                           "12.13.2021",
                           "1.1.20211",
                           "13:05 pm",
                           "March 8, 2021 13:05 pm",
                           "2021-03-08T12:00 (",
                           "Mon,",
                           "--",
                           "99999-01-01",
                           "١٢٣٤-٠١-٠١"}) {
    EXPECT_FALSE(parse_date(text).has_value()) << text;
  }
  EXPECT_FALSE(parse_date(std::string(5000, '1')).has_value());
  EXPECT_FALSE(parse_date("2021-03-08" + std::string(200, ' ') + "x").has_value());
}

TEST(FormatDateTest, WritesDaysAndMoments) {
  EXPECT_EQ(format_date({k2021March8, kDay, false}), "2021-03-08");
  EXPECT_EQ(format_date({k2021March8 + 14 * kHour + 300, kMinute, true}), "2021-03-08T14:05:00Z");
  EXPECT_EQ(format_date({-1, kSecond, true}), "1969-12-31T23:59:59Z");
  EXPECT_EQ(format_date({-62135596800, kDay, false}), "0001-01-01");
}

TEST(FormatDateTest, IsReadBackAsTheSameMoment) {
  // Every 97 days and a bit over five centuries, leap years and century years among them.
  for (UnixSeconds time = -8000000000; time < 8000000000; time += 97 * 86400 + 12345) {
    const Date moment{time, kSecond, true};
    EXPECT_EQ(parse_date(format_date(moment)), moment);
  }
}

}  // namespace
}  // namespace beleg
