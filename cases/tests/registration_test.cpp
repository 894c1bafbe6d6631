#include "cases/registration.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>
#include <string>

#include "base/error.hpp"
#include "golden_files.hpp"
#include "harness/case/registry.hpp"

namespace gpucheck::cases {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

harness::Case named_fuzz() {
  harness::Case result;
  result.name = "alloc.fuzz";
  return result;
}

TEST(Registration, TakesCasesThatAreCalledLikeTheirFiles) {
  const std::vector<harness::Case> cases = registered({{"alloc.fuzz", named_fuzz}});
  ASSERT_EQ(cases.size(), 1U);
  EXPECT_EQ(cases.front().name, "alloc.fuzz");
}

TEST(Registration, NamesFileAndCaseThatDisagree) {
  try {
    static_cast<void>(registered({{"alloc.fuzz", named_fuzz}, {"pool.fuzz", named_fuzz}}));
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("cases/pool/fuzz.cpp"), HasSubstr("\"alloc.fuzz\"")));
  }
}

TEST(Registration, EveryCaseHasAGoldenFileAndEveryGoldenFileACase) {
  const harness::Registry registry(all());
  std::set<std::string> cases;
  for (const harness::Case& each : registry.cases()) cases.insert(each.name);
  std::set<std::string> names;
  const golden::GoldenSet goldens = golden::GoldenSet::from_embedded(embedded_goldens());
  for (const std::string& name : goldens.case_names()) {
    EXPECT_NO_THROW((void)goldens.find(name));
    names.insert(name);
  }
  EXPECT_FALSE(cases.empty());
  EXPECT_EQ(cases, names);
}

}  // namespace
}  // namespace gpucheck::cases
