#include "settings/settings.h"

#include <gtest/gtest.h>

#include <set>

namespace beleg {
namespace {

TEST(Settings, TheCommentedFileOfTheDefaultsGivesTheDefaultsBack) {
  const Settings defaults;
  const auto parsed = parse_settings(commented_toml(defaults), "beleg.toml");
  ASSERT_TRUE(parsed) << parsed.error().to_line();
  EXPECT_EQ(canonical_settings(*parsed), canonical_settings(defaults));
  EXPECT_EQ(settings_hash(*parsed), settings_hash(defaults));
}

TEST(Settings, EveryKeyHasAMeaningAndAPlaceOfItsOwn) {
  Settings settings;
  std::set<std::string_view> keys;
  std::set<const void*> places;
  for (const SettingSpec& spec : setting_specs()) {
    EXPECT_FALSE(spec.meaning.empty()) << spec.key;
    EXPECT_TRUE(keys.insert(spec.key).second) << spec.key;
    const void* place =
        std::visit([](auto* p) { return static_cast<const void*>(p); }, spec.place(settings));
    EXPECT_TRUE(places.insert(place).second) << spec.key;
  }
}

TEST(Settings, EveryKeyChangesTheHash) {
  const std::string before = settings_hash(Settings{}).hex();
  for (const SettingSpec& spec : setting_specs()) {
    Settings settings;
    const SettingPlace where = spec.place(settings);
    if (auto* const* flag = std::get_if<bool*>(&where)) **flag = !**flag;
    if (auto* const* number = std::get_if<double*>(&where)) **number += 0.125;
    if (auto* const* number = std::get_if<float*>(&where)) **number += 0.125F;
    if (auto* const* number = std::get_if<std::uint32_t*>(&where)) **number += 1;
    if (auto* const* number = std::get_if<std::uint64_t*>(&where)) **number += 1;
    if (auto* const* text = std::get_if<std::string*>(&where)) **text += "x";
    if (auto* const* kind = std::get_if<DecayKind*>(&where)) **kind = DecayKind::kNone;
    if (auto* const* list = std::get_if<std::vector<std::string>*>(&where)) (*list)->push_back("x");
    EXPECT_NE(settings_hash(settings).hex(), before) << spec.key;
  }
}

std::string error_of(std::string_view toml) {
  const auto parsed = parse_settings(toml, "beleg.toml");
  return parsed ? "" : parsed.error().to_line();
}

TEST(Settings, ATypingMistakeIsNamedWithItsLineAndTheNearestKey) {
  const std::string error = error_of("[retrieve]\ntop_k = 20\n\n[rerank]\nkeeep = 5\n");
  EXPECT_NE(error.find("beleg.toml:5"), std::string::npos) << error;
  EXPECT_NE(error.find("'rerank.keeep'"), std::string::npos) << error;
  EXPECT_NE(error.find("'rerank.keep'"), std::string::npos) << error;
}

TEST(Settings, ValuesOfTheWrongTypeOrOutOfRangeAreRefused) {
  EXPECT_NE(error_of("[rerank]\nkeep = 0\n").find("from 1 to"), std::string::npos);
  EXPECT_NE(error_of("[rerank]\nkeep = -3\n"), "");
  EXPECT_NE(error_of("[rerank]\nkeep = \"5\"\n").find("without quotes"), std::string::npos);
  EXPECT_NE(error_of("[recency]\nweight = nan\n"), "");
  EXPECT_NE(error_of("[recency]\nkind = \"sometimes\"\n").find("exponential"), std::string::npos);
  EXPECT_NE(error_of("[plan]\ndecompose = 1\n"), "");
  EXPECT_NE(error_of("[ingest.fields]\nid = [1, 2]\n"), "");
  EXPECT_NE(error_of("rerank = = 3"), "");
}

TEST(Settings, SettingsWithoutEffectAreRefused) {
  EXPECT_NE(error_of("[rerank]\ncross_encoder = \"mine\"\n").find("rerank.kind"),
            std::string::npos);
  EXPECT_NE(error_of("[rerank]\nkind = \"cross-encoder\"\n"), "");
  EXPECT_NE(error_of("[retrieve]\nlexical=false\ndense=false\nlate=false\n"), "");
  EXPECT_NE(error_of("[fuse]\nwindow = 5\n"), "");
}

TEST(Settings, ListsOfNamesAreRead) {
  const Settings settings =
      parse_settings("[ingest.fields]\nid = [\"nummer\", \"id\"]\n", "beleg.toml").value();
  EXPECT_EQ(settings.read.fields.at("id"), (std::vector<std::string>{"nummer", "id"}));
  EXPECT_EQ(settings.read.fields.at("title"), default_field_names().at("title"));
}

TEST(Settings, SetTakesTextAsTheCommandLineGivesIt) {
  Settings settings;
  ASSERT_TRUE(set_setting(settings, "recency.half_life_days", "90.5"));
  EXPECT_DOUBLE_EQ(settings.recency.half_life_days, 90.5);
  ASSERT_TRUE(set_setting(settings, "plan.decompose", "false"));
  EXPECT_FALSE(settings.plan.decompose);
  EXPECT_FALSE(set_setting(settings, "plan.decompose", "nein"));
  EXPECT_FALSE(set_setting(settings, "nothing", "1"));
}

}  // namespace
}  // namespace beleg
