#include "fleet/nodes/expected_nodes.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/error.hpp"

namespace gpucheck::fleet {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(HostList, IsExpandedAsSlurmWritesIt) {
  EXPECT_THAT(expand_host_list("n1"), ElementsAre("n1"));
  EXPECT_THAT(expand_host_list("a,b.c,d-e_f"), ElementsAre("a", "b.c", "d-e_f"));
  EXPECT_THAT(expand_host_list("n[1-3]"), ElementsAre("n1", "n2", "n3"));
  EXPECT_THAT(expand_host_list("n[008-011]"), ElementsAre("n008", "n009", "n010", "n011"));
  EXPECT_THAT(expand_host_list("n[98-101]"), ElementsAre("n98", "n99", "n100", "n101"));
  EXPECT_THAT(expand_host_list("x,gpu[01,07-08],y"), ElementsAre("x", "gpu01", "gpu07", "gpu08", "y"));
  EXPECT_THAT(expand_host_list("rack[1-2]-n[3-4].site"),
              ElementsAre("rack1-n3.site", "rack1-n4.site", "rack2-n3.site", "rack2-n4.site"));
  EXPECT_THAT(expand_host_list("n[5-5]"), ElementsAre("n5"));
  EXPECT_THAT(expand_host_list("n[0-0]"), ElementsAre("n0"));
}

struct Broken {
  const char* text;
  const char* why;
};
void PrintTo(const Broken& broken, std::ostream* stream) { *stream << broken.text; }

class BrokenHostList : public testing::TestWithParam<Broken> {};

TEST_P(BrokenHostList, IsAUsageErrorThatSaysWhy) {
  try {
    static_cast<void>(expand_host_list(GetParam().text));
    FAIL() << "accepted";
  } catch (const UsageError& problem) {
    EXPECT_THAT(problem.what(), HasSubstr(GetParam().why));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Texts, BrokenHostList,
    testing::Values(Broken{"", "empty"}, Broken{"a,,b", "empty"}, Broken{",a", "empty"}, Broken{"a,", "empty"},
                    Broken{"n[1-3", "brackets do not match"}, Broken{"n1-3]", "brackets do not match"},
                    Broken{"n[[1]]", "brackets do not match"}, Broken{"n[]", "numbers"}, Broken{"n[1-]", "numbers"},
                    Broken{"n[-3]", "numbers"}, Broken{"n[a-b]", "numbers"}, Broken{"n[1,,2]", "numbers"},
                    Broken{"n[1-2-3]", "numbers"}, Broken{"n[3-1]", "ends before it begins"},
                    Broken{"n[1-99999999999]", "numbers"}, Broken{"n[1-4000000000]", "more than 200000"},
                    Broken{"n[1-1000]m[1-1000]", "more than 200000"}, Broken{"a b", "character"},
                    Broken{"../a", "dash or a dot"}, Broken{"n1,-x", "dash or a dot"}, Broken{"a/b", "character"},
                    Broken{"a\nb", "character"}, Broken{"[1-2]/x", "character"}));

TEST(HostList, MayHaveTwoHundredThousandNamesAndNotOneMore) {
  EXPECT_EQ(expand_host_list("n[1-200000]").size(), 200'000U);
  EXPECT_THROW(static_cast<void>(expand_host_list("n[1-200001]")), UsageError);
  EXPECT_THROW(static_cast<void>(expand_host_list("x,n[1-200000]")), UsageError);
}

TEST(HostList, HasNamesOf255CharactersAndNoLongerOnes) {
  EXPECT_THAT(expand_host_list(std::string(255, 'n')), ElementsAre(std::string(255, 'n')));
  EXPECT_THROW(static_cast<void>(expand_host_list(std::string(256, 'n'))), UsageError);
  EXPECT_THROW(static_cast<void>(expand_host_list(std::string(255, 'n') + "[1-2]")), UsageError);
}

TEST(ExpectedNodes, AreANumber) {
  const ExpectedNodes nodes = parse_expected_nodes("1000");
  EXPECT_EQ(nodes.count, 1000U);
  EXPECT_THAT(nodes.names, IsEmpty());
  EXPECT_EQ(parse_expected_nodes("1").count, 1U);
  EXPECT_EQ(parse_expected_nodes("200000").count, 200'000U);
  for (const char* text : {"0", "200001", "99999999999999999999"}) {
    EXPECT_THROW(static_cast<void>(parse_expected_nodes(text)), UsageError) << text;
  }
}

TEST(ExpectedNodes, AreNamesInTheirOrder) {
  const ExpectedNodes nodes = parse_expected_nodes("n[2-3],a");
  EXPECT_EQ(nodes.count, 3U);
  EXPECT_THAT(nodes.names, ElementsAre("a", "n2", "n3"));
  EXPECT_THROW(static_cast<void>(parse_expected_nodes("n[1-3],n2")), UsageError) << "n2 is listed twice";
  EXPECT_THROW(static_cast<void>(parse_expected_nodes("-1")), UsageError) << "no name of a host begins so";
}

TEST(ExpectedNodes, AreAnyWhereThatIsSaid) {
  EXPECT_FALSE(parse_expected_nodes("any").count);
  EXPECT_THROW(static_cast<void>(parse_expected_nodes("")), UsageError);
}

TEST(ExpectedNodes, ComeFromAFileWithAListOnEachLine) {
  const std::string path = testing::TempDir() + "/nodes_" + std::to_string(::getpid());
  std::ofstream(path) << "# the new rack\nn[1-2],n9\r\n\nm1\n";
  EXPECT_THAT(parse_expected_nodes("@" + path).names, ElementsAre("m1", "n1", "n2", "n9"));
  std::ofstream(path) << "# nobody\n\n";
  EXPECT_THROW(static_cast<void>(parse_expected_nodes("@" + path)), UsageError);
  std::ofstream(path) << "n1\nn1";
  EXPECT_THROW(static_cast<void>(parse_expected_nodes("@" + path)), UsageError);
  std::remove(path.c_str());
  EXPECT_THROW(static_cast<void>(parse_expected_nodes("@" + path)), EnvironmentError);
}

}  // namespace
}  // namespace gpucheck::fleet
