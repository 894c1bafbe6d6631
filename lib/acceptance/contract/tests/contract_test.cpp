#include "acceptance/contract/contract.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "acceptance/tests/small_fleet.hpp"
#include "base/error.hpp"
#include "schema.hpp"

namespace gpucheck::acceptance {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(Contract, IsReadAsItIsWritten) {
  const Contract& contract = small_contract();
  EXPECT_EQ(contract.title(), "small acceptance 1.0");
  ASSERT_EQ(contract.cases.size(), 6U);
  EXPECT_EQ(contract.cases[2].name, "link.pair");
  EXPECT_EQ(contract.cases[2].place, Place::each_group);
  EXPECT_EQ(contract.cases[2].devices, 2);
  EXPECT_EQ(contract.find("memory.pattern")->parameters,
            (harness::ParameterValues{{"rounds", harness::ParameterValue(std::int64_t{4})}}));
  EXPECT_EQ(contract.find("memory"), nullptr);
  EXPECT_EQ(contract.find("zzz"), nullptr);
  EXPECT_EQ(report::json_schema_complaints(contract.text), "");
}

TEST(Contract, SaysWhatHasToPassWhereAndWhatVoidsIt) {
  EXPECT_THAT(contract_text(small_contract()),
              AllOf(HasSubstr("small acceptance 1.0: 6 cases must pass on every node that has 1 GPU or more\n"),
                    HasSubstr("--suite -j --journal\n"), HasSubstr("\non all GPUs together"),
                    HasSubstr("\n  link.all "), HasSubstr(small_contract().limits)));
}

TEST(Contract, IsRejectedWhereItIsNone) {
  const auto reject = [](std::string_view old_words, std::string_view new_words) {
    EXPECT_THROW(static_cast<void>(small_contract_with(old_words, new_words)), Error) << new_words;
  };
  reject("gpucheck.contract/1", "gpucheck.contract/2");
  reject("\"each_group\"", "\"some\"");
  reject("\"devices\": 2", "\"devices\": \"two\"");
  reject("\"minimum_devices\": 1,", "");
  reject("\"link.pair\"", "\"link.all\"");
  reject("\"link.pair\"", "\"zzz.last\"");
  EXPECT_THROW(static_cast<void>(Contract::parse("")), Error);
  EXPECT_THROW(static_cast<void>(Contract::parse("[]")), Error);
}

}  // namespace
}  // namespace gpucheck::acceptance
