#include "config/config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "tests/support/subprocess.hpp"

/// What is read of a file's text.
namespace gpucheck::application {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Config read(const std::string& text, const std::string& profile = "") {
  return read_config({.path = "/site/gpucheck.toml", .text = text}, profile);
}

std::string rejection(const std::string& text, const std::string& profile = "") {
  try {
    static_cast<void>(read(text, profile));
  } catch (const UsageError& problem) {
    return problem.what();
  }
  ADD_FAILURE() << "accepted: " << text.substr(0, 200);
  return {};
}

/// "name=value" of each setting.
std::vector<std::string> settings_of(const Config& config) {
  std::vector<std::string> texts;
  for (const ConfigSetting& setting : config.settings) texts.push_back(setting.name + "=" + setting.value());
  return texts;
}

constexpr const char* with_profiles = R"(schema = "gpucheck.config/1"
suite = "quick"
jobs = 3
[parameters]
seconds = 5
bytes = "1"
[profile.nightly]
suite = "burn"
fail_fast = true
[profile.nightly.parameters]
seconds = 60
[profile.other]
jobs = 1
)";

TEST(Config, OfNoProfileIsWhatStandsAboveThem) {
  const Config config = read(with_profiles);
  EXPECT_THAT(settings_of(config), ElementsAre("suite=quick", "jobs=3", "parameters.seconds=5", "parameters.bytes=1"));
  EXPECT_THAT(config.profiles, ElementsAre("nightly", "other"));
  EXPECT_EQ(config.settings[0].line, 2);
  EXPECT_EQ(config.settings[2].line, 5);
  EXPECT_FALSE(config.settings[0].from_profile);
}

TEST(Config, OfAProfileHasItsSettingsBeforeTheOthers) {
  const Config config = read(with_profiles, "nightly");
  EXPECT_EQ(config.profile, "nightly");
  EXPECT_THAT(settings_of(config),
              ElementsAre("suite=burn", "jobs=3", "parameters.seconds=60", "parameters.bytes=1", "fail_fast=true"));
  EXPECT_EQ(config.settings[0].line, 8);
  EXPECT_TRUE(config.settings[0].from_profile);
  EXPECT_FALSE(config.settings[1].from_profile);
}

TEST(Config, HasPathsRelativeToItsOwnFolder) {
  const Config config = read(R"(limits = "limits.json"
waivers = "/etc/waivers.json"
golden = "../golden"
trace = "./traces"
allocator = "lib/mine.so:a,b"
[outputs]
json = "out/r.json"
junit = "-"
)");
  EXPECT_THAT(
      settings_of(config),
      ElementsAre("limits=/site/limits.json", "waivers=/etc/waivers.json", "golden=/golden", "trace=/site/traces",
                  "allocator=/site/lib/mine.so:a,b", "outputs.json=/site/out/r.json", "outputs.junit=-"));
  EXPECT_EQ(settings_of(read("allocator = 'async'"))[0], "allocator=async");
}

TEST(Config, HasNothingForAnEmptyFile) {
  EXPECT_THAT(read("").settings, ::testing::IsEmpty());
  EXPECT_THAT(read("# only a comment\n").settings, ::testing::IsEmpty());
}

struct Mistake {
  std::string text;
  std::vector<std::string> words;
};

void PrintTo(const Mistake& mistake, std::ostream* stream) { *stream << mistake.text.substr(0, 60); }

class ConfigMistake : public ::testing::TestWithParam<Mistake> {};

TEST_P(ConfigMistake, IsToldWithItsPlace) {
  const std::string message = rejection(GetParam().text);
  EXPECT_THAT(message, ::testing::StartsWith("/site/gpucheck.toml:"));
  for (const std::string& word : GetParam().words) EXPECT_THAT(message, HasSubstr(word));
}

INSTANTIATE_TEST_SUITE_P(
    Keys, ConfigMistake,
    ::testing::Values(Mistake{"\nsuit = 'quick'", {":2:1:", "\"suit\"", "there are: suite, exclude"}},
                      Mistake{"[profile.a]\njobs = 1\nnope = 2", {":3:1:", "\"nope\""}},
                      Mistake{"[profile.a.profile.b]\njobs = 1", {":1:", "\"profile\""}},
                      Mistake{"[profile.a]\nschema = 'gpucheck.config/1'", {":2:1:", "\"schema\""}},
                      Mistake{"profile = 'a'", {":1:1:", "table"}}, Mistake{"[profile]\na = 1", {":2:1:", "table"}},
                      Mistake{"schema = 'gpucheck.config/2'", {":1:1:", "gpucheck.config/1"}},
                      Mistake{"schema = 1", {"gpucheck.config/1"}}, Mistake{"'' = 1", {"\"\""}},
                      Mistake{"[outputs]\nxml = 'a'", {":2:1:", "\"xml\"", "junit"}},
                      Mistake{"[parameters]\n'a=b' = 1", {":2:1:", "parameter"}},
                      Mistake{"[parameters]\na-b = 1\na_b = 2", {":3:1:", "twice"}}));

INSTANTIATE_TEST_SUITE_P(
    Values, ConfigMistake,
    ::testing::Values(Mistake{"jobs = 'two'", {":1:1:", "from 0 to 1024", "text"}},
                      Mistake{"jobs = 1025", {"from 0 to 1024", "1025"}}, Mistake{"jobs = -1", {"from 0 to 1024"}},
                      Mistake{"jobs = 1.5", {"fraction"}}, Mistake{"repeat = 0", {"from 1 to"}},
                      Mistake{"quiet = 1", {"true or false", "a whole number"}}, Mistake{"quiet = 'yes'", {"true or"}},
                      Mistake{"suite = 'best'", {"\"best\"", "quick"}}, Mistake{"suite = true", {"text"}},
                      Mistake{"color = 'pink'", {"always, never"}}, Mistake{"exclude = 'a'", {"a list of texts"}},
                      Mistake{"exclude = ['a', 1]", {":1:17:", "\"exclude\""}},
                      Mistake{"exclude = [['a']]", {"a list"}}, Mistake{"waivers = ''", {"empty"}},
                      Mistake{"waivers = \"a\\u0000b\"", {"NUL"}}, Mistake{"deadline = 12:00:00", {"a date or a time"}},
                      Mistake{"outputs = 'a'", {"a table"}}, Mistake{"parameters = [1]", {"a table", "a list"}},
                      Mistake{"[parameters]\na = [1]", {":2:1:", "a list"}}, Mistake{"[outputs]\njson = 1", {"text"}},
                      Mistake{"[suite]\na = 1", {"text", "a table"}}));

INSTANTIATE_TEST_SUITE_P(
    Toml, ConfigMistake,
    ::testing::Values(Mistake{"suite = quick", {":1:", "not TOML"}},
                      Mistake{"suite = 'a'\nsuite = 'b'", {":2:", "not TOML"}}, Mistake{"suite", {"not TOML"}},
                      Mistake{"[a", {"not TOML"}}, Mistake{std::string("suite = 'a\0b'", 13), {"not TOML"}},
                      Mistake{std::string("\0", 1), {"not TOML"}}, Mistake{"suite = '\xff\xfe'", {"not TOML"}},
                      Mistake{"\xED\xA0\x80 = 1", {"not TOML"}}, Mistake{"suite = \"\x1b[2J\"", {"not TOML"}},
                      Mistake{"[=", {"not TOML"}}, Mistake{"\xc3\xa9 = 1", {"not TOML"}},
                      Mistake{"\xef\xbb\x84", {"not TOML"}}, Mistake{"[[#", {"not TOML"}},
                      Mistake{"[\x1b", {"not TOML"}}, Mistake{"[.a]", {"not TOML"}},
                      Mistake{"exclude = " + std::string(100'000, '['), {"not TOML"}},
                      Mistake{"parameters = " + std::string(100'000, '{'), {"not TOML"}}));

/// What nests without end would end the process.
TEST(Config, OfEndlessNestingIsRejected) {
  std::string dots = "a";
  for (int i = 0; i < 300'000; ++i) dots += ".a";
  EXPECT_THAT(rejection(dots + " = 1"), HasSubstr("300000 dots"));
  EXPECT_THAT(rejection("[" + dots + "]"), HasSubstr("dots"));
  EXPECT_THAT(rejection(dots + " = "), HasSubstr("dots"));
  std::string fewer = "a";
  for (int i = 0; i < 1990; ++i) fewer += ".a";
  EXPECT_THAT(rejection(fewer + " = 1"), HasSubstr("there is no setting \"a\""));
  EXPECT_THAT(rejection(fewer + " = "), HasSubstr("not TOML"));
  EXPECT_NO_THROW(read("# " + dots + "\n"));
}

TEST(Config, OfAProfileThatThereIsNotNamesThoseThereAre) {
  EXPECT_THAT(rejection(with_profiles, "nigthly"), AllOf(HasSubstr("\"nigthly\""), HasSubstr("nightly, other")));
  EXPECT_THAT(rejection("jobs = 1", "a"), HasSubstr("none at all"));
}

TEST(ConfigSchema, IsTheOneThatIsPublished) {
  EXPECT_EQ(config_schema(), read_file(GPUCHECK_SOURCE "/lib/report/schemas/config.schema.json"))
      << "gpucheck config schema >lib/report/schemas/config.schema.json";
}

TEST(ConfigSchema, HasEveryKeyAboveAndInAProfile) {
  const auto schema = nlohmann::json::parse(config_schema());
  EXPECT_EQ(schema["properties"].size(), config_keys().size() + 2) << "and \"schema\" and \"profile\"";
  for (const ConfigKey& key : config_keys()) {
    EXPECT_TRUE(schema["properties"].contains(key.name)) << key.name;
    EXPECT_TRUE(schema["definitions"]["settings"]["properties"].contains(key.name)) << key.name;
  }
}

}  // namespace
}  // namespace gpucheck::application
