#include "fleet/nodes/racks.hpp"

#include <cstdio>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/error.hpp"

namespace gpucheck::fleet {
namespace {

using ::testing::HasSubstr;

TEST(Racks, AreUnknownWhereNobodySays) { EXPECT_EQ(Racks().of("n1"), ""); }

TEST(Racks, ArePartOfANodesName) {
  const Racks racks("(r[0-9]+)-n.*");
  EXPECT_EQ(racks.of("r12-n3"), "r12");
  EXPECT_EQ(racks.of("r12"), "") << "the whole name has to fit";
  EXPECT_EQ(racks.of("x-r12-n3"), "");
}

TEST(Racks, AreRejectedWhereThePatternNamesNone) {
  const auto why = [](const char* text) -> std::string {
    try {
      static_cast<void>(Racks(text));
      return "";
    } catch (const UsageError& problem) {
      return problem.what();
    }
  };
  EXPECT_THAT(why("r("), HasSubstr("not a regular expression"));
  EXPECT_THAT(why("r[0-9]+"), HasSubstr("one group"));
  EXPECT_THAT(why("(r)([0-9]+)"), HasSubstr("one group"));
}

TEST(Racks, ComeFromAFile) {
  const std::string path = testing::TempDir() + "/racks_" + std::to_string(::getpid());
  const auto write = [&path](const char* text) { std::ofstream(path) << text; };
  write("# rows\na n[1-2],n9\n\nb m1\r\n");
  const Racks racks("@" + path);
  EXPECT_EQ(racks.of("n2"), "a");
  EXPECT_EQ(racks.of("n9"), "a");
  EXPECT_EQ(racks.of("m1"), "b");
  EXPECT_EQ(racks.of("m2"), "");
  for (const char* broken : {"a\n", " n1\n", "a n1\nb n1\n", "a n[2-1]\n"}) {
    write(broken);
    EXPECT_THROW(static_cast<void>(Racks("@" + path)), UsageError) << broken;
  }
  std::remove(path.c_str());
  EXPECT_THROW(static_cast<void>(Racks("@" + path)), EnvironmentError);
}

}  // namespace
}  // namespace gpucheck::fleet
