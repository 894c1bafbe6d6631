#include "site/description.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "harness/case/registry.hpp"

namespace gpucheck::site {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

const std::string least = "name = 'site.disk'\nsummary = 'room'\nprogram = 'check.sh'\n";

harness::Case parsed(const std::string& text) { return parse_description(text, "case.toml"); }

std::string rejection_of(const std::string& text) {
  try {
    static_cast<void>(parsed(text));
  } catch (const UsageError& problem) {
    return problem.what();
  }
  return "";
}

TEST(Description, NeedsNameSummaryAndProgram) {
  const harness::Case test_case = parsed(least);
  EXPECT_EQ(test_case.name, "site.disk");
  EXPECT_EQ(test_case.summary, "room");
  EXPECT_EQ(test_case.source, "the site's own");
  ASSERT_TRUE(test_case.program.has_value());
  EXPECT_EQ(test_case.program->file, "check.sh");
  EXPECT_EQ(test_case.deadline, milliseconds(10'000));
  EXPECT_EQ(test_case.needs.devices, 1);
  EXPECT_FALSE(test_case.on_request);
  EXPECT_EQ(rejection_of("summary = 'room'\nprogram = 'x'"), "case.toml:1:1: a case must have \"name\"");
  EXPECT_EQ(rejection_of("name = 'a.b'\nprogram = 'x'"), "case.toml:1:1: a case must have \"summary\"");
  EXPECT_EQ(rejection_of("name = 'a.b'\nsummary = 'x'"), "case.toml:1:1: a case must have \"program\"");
  EXPECT_EQ(rejection_of(""), "case.toml:1:1: a case must have \"name\"");
}

TEST(Description, HasAllThatACaseCanHave) {
  const harness::Case test_case = parsed(least + R"(schema = "gpucheck.site_case/1"
source = "the storage team"
deadline = "1.5s"
on_request = true
[needs]
devices = 2
every_device = true
memory_bytes = "2GiB"
memory_fraction = 0.5
libraries = ["libcublas.so.13"]
exclusive = true
idle = true
host_link = true
own_process = true
simulated_device = true
[parameters.path]
summary = "where"
default = "/tmp"
choices = ["/tmp", "/scratch"]
[parameters.least]
summary = "how much"
default = 16
unit = "MiB"
minimum = 1
maximum = 20
[parameters.share]
summary = "a share"
default = 0.5
[parameters.deep]
summary = "look closely"
default = false
[faults.full]
summary = "the disk is full"
)");
  EXPECT_EQ(test_case.source, "the storage team");
  EXPECT_EQ(test_case.deadline, milliseconds(1'500));
  EXPECT_TRUE(test_case.on_request);
  const harness::Needs& needs = test_case.needs;
  EXPECT_EQ(needs.devices, 2);
  EXPECT_EQ(needs.memory_bytes, std::uint64_t{2} << 30);
  EXPECT_EQ(needs.memory_fraction, 0.5);
  EXPECT_EQ(needs.libraries, std::vector<std::string>{"libcublas.so.13"});
  EXPECT_TRUE(needs.every_device && needs.exclusive && needs.idle && needs.host_link && needs.own_process &&
              needs.simulated_device);
  ASSERT_EQ(test_case.parameters.size(), 4U);
  EXPECT_EQ(test_case.parameters[0].choices, (std::vector<std::string>{"/tmp", "/scratch"}));
  EXPECT_EQ(test_case.parameters[0].default_value, harness::ParameterValue("/tmp"));
  EXPECT_EQ(test_case.parameters[1].default_value, harness::ParameterValue(std::int64_t{16}));
  EXPECT_EQ(test_case.parameters[1].allowed(), "integer from 1 to 20, in MiB");
  EXPECT_EQ(test_case.parameters[2].default_value, harness::ParameterValue(0.5));
  EXPECT_EQ(test_case.parameters[3].default_value, harness::ParameterValue(false));
  ASSERT_EQ(test_case.faults.size(), 1U);
  EXPECT_EQ(test_case.faults[0].name, "full");
  EXPECT_NO_THROW(harness::Registry({test_case})) << "an ordinary case";
}

struct Mistake {
  std::string text;
  std::string place;  ///< "LINE:COLUMN"
  std::string words;
};

void PrintTo(const Mistake& mistake, std::ostream* stream) { *stream << mistake.text; }

class DescriptionMistake : public ::testing::TestWithParam<Mistake> {};

TEST_P(DescriptionMistake, IsNamedWithItsPlaceAndWhatIsAllowed) {
  const std::string rejection = rejection_of(GetParam().text);
  EXPECT_THAT(rejection, ::testing::StartsWith("case.toml:" + GetParam().place + ": "));
  EXPECT_THAT(rejection, HasSubstr(GetParam().words));
}

INSTANTIATE_TEST_SUITE_P(
    OfEachKind, DescriptionMistake,
    ::testing::Values(
        Mistake{"name = ", "1:8", "it is not TOML"},
        Mistake{least + "colour = 1", "4:1", "a case has no \"colour\"; it can have: schema, name"},
        Mistake{"name = 7", "1:1", "\"name\" must be text, and is a whole number"},
        Mistake{"name = 'disk'", "1:1", "write \"group.case\""},
        Mistake{"name = 'Site.disk'", "1:1", "write \"group.case\""},
        Mistake{"name = '../x.y'", "1:1", "write \"group.case\""},
        Mistake{"name = 'site.a/b'", "1:1", "write \"group.case\""},
        Mistake{"name = \"site.a\\nb\"", "1:1", "one line without control characters"},
        Mistake{"name = 'site." + std::string(96, 'x') + "'", "1:1", "at most 100 characters"},
        Mistake{"summary = ''", "1:1", "\"summary\" is empty"},
        Mistake{"summary = \"a\\u001b[31m\"", "1:1", "control characters"},
        Mistake{"program = '../check.sh'", "1:1", "named without a path"},
        Mistake{"program = '/bin/true'", "1:1", "named without a path"},
        Mistake{"program = '..'", "1:1", "named without a path"},
        Mistake{"deadline = 10", "1:1", "must be text such as \"10s\""},
        Mistake{"deadline = 'soon'", "1:1", "is not a duration"}, Mistake{"deadline = '25h'", "1:1", "from 1ms to 24h"},
        Mistake{"on_request = 'yes'", "1:1", "must be true or false, and is text"},
        Mistake{"schema = 'gpucheck.site_case/2'", "1:1", "another version of gpucheck reads this file"},
        Mistake{"needs = 1", "1:1", "\"needs\" must be a table"},
        Mistake{"[needs]\ngpus = 1", "2:1", "[needs] has no \"gpus\"; it can have: devices,"},
        Mistake{"[needs]\ncaching_allocator = true", "2:1", "[needs] has no"},
        Mistake{"[needs]\ndevices = -1", "2:1", "a whole number from 0 to 1024"},
        Mistake{"[needs]\ndevices = 1025", "2:1", "a whole number from 0 to 1024"},
        Mistake{"[needs]\nmemory_bytes = '2 pounds'", "2:1", "is not a size in bytes"},
        Mistake{"[needs]\nmemory_fraction = 1.1", "2:1", "from 0 to 1"},
        Mistake{"[needs]\nmemory_fraction = nan", "2:1", "finite number"},
        Mistake{"[needs]\nlibraries = 'x'", "2:1", "a list of texts"},
        Mistake{"[needs]\nlibraries = [1]", "2:14", "\"libraries\" must be text"},
        Mistake{"\n[needs]\ndevices = 0\nexclusive = true", "2:2", "there is no device of which it can need anything"},
        Mistake{"parameters = []", "1:1", "a table with a table for each parameter"},
        Mistake{"[parameters]\nx = 1", "2:1", "\"x\" must be a table"},
        Mistake{"[parameters.X]\nsummary = 's'\ndefault = 1", "1:13", "write it with a-z, 0-9 and _"},
        Mistake{"[parameters.x]\ndefault = 1", "1:13", "a parameter must have \"summary\""},
        Mistake{"[parameters.x]\nsummary = 's'", "1:13", "a parameter must have \"default\""},
        Mistake{"[parameters.x]\nsummary = 's'\ndefault = [1]", "3:1", "true or false, a number, or text"},
        Mistake{"[parameters.x]\nsummary = 's'\ndefault = 7\nminimum = 8", "3:1",
                "the default is not a value that is allowed"},
        Mistake{"[parameters.x]\nsummary = 's'\ndefault = 7\nmaximum = 6", "3:1", "too large"},
        Mistake{"[parameters.x]\nsummary = 's'\ndefault = inf", "3:1", "finite"},
        Mistake{"[parameters.x]\nsummary = 's'\ndefault = 7\nminimum = 9\nmaximum = 8", "1:13",
                "a minimum above its maximum"},
        Mistake{"[parameters.x]\nsummary = 's'\ndefault = 'a'\nminimum = 1", "1:13", "no minimum or maximum"},
        Mistake{"[parameters.x]\nsummary = 's'\ndefault = 1\nchoices = ['1']", "1:13", "has no choices"},
        Mistake{"[parameters.x]\nsummary = 's'\ndefault = 'c'\nchoices = ['a', 'b']", "3:1", "one of a, b"},
        Mistake{"[parameters.x]\nsummary = 's'\ndefault = 'c'\nchoices = []", "4:1", "is an empty list"},
        Mistake{"[parameters.x]\nsmallest = 1", "2:1", "a parameter has no \"smallest\""},
        Mistake{"[faults.x]", "1:9", "a fault must have \"summary\""},
        Mistake{"[faults.X]\nsummary = 's'", "1:9", "cannot be the name of a fault"},
        Mistake{"[faults.x]\nsummary = 's'\nplan = 's'", "3:1", "a fault has no \"plan\""}));

TEST(Description, HasTheLimitsOfItsNumbersInside) {
  EXPECT_EQ(parsed(least + "[needs]\ndevices = 0").needs.devices, 0);
  EXPECT_EQ(parsed(least + "[needs]\ndevices = 1024").needs.devices, 1024);
  EXPECT_EQ(parsed(least + "[needs]\nmemory_bytes = 1").needs.memory_bytes, 1U);
  EXPECT_EQ(parsed(least + "[needs]\nmemory_fraction = 1").needs.memory_fraction, 1);
  EXPECT_EQ(parsed("name = 'site." + std::string(95, 'x') + "'\nsummary = 's'\nprogram = 'p'").name.size(), 100U);
  for (const char* bounds : {"minimum = 7", "maximum = 7", "minimum = 7\nmaximum = 7"}) {
    EXPECT_EQ(rejection_of(fmt::format("{}[parameters.x]\nsummary = 's'\ndefault = 7\n{}", least, bounds)), "");
  }
}

}  // namespace
}  // namespace gpucheck::site
