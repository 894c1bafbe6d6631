#include "acceptance/contract/contract.hpp"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

#include "base/digest.hpp"
#include "cases/acceptance.hpp"
#include "cases/registry.hpp"
#include "config/config_keys.hpp"
#include "golden_files.hpp"
#include "harness/case/registry.hpp"
#include "harness/values/run_settings.hpp"
#include "input/selection.hpp"
#include "tests/support/subprocess.hpp"

/// The contract of acceptance is what the suite of its name runs. Where one of these fails, cases, golden files or
/// limits have changed: scripts/record/acceptance writes the contract anew, with a new version where the old one is
/// published.
namespace gpucheck::application {
namespace {

using acceptance::Contract;
using acceptance::Place;

const Contract& contract() {
  static const Contract read = Contract::parse(embedded_acceptance().front().text);
  return read;
}

Place place_of(const harness::Needs& needs) {
  if (needs.devices == 0) return Place::machine;
  if (needs.every_device) return Place::all_devices;
  if (needs.any_device) return Place::once;
  return needs.devices == 1 ? Place::each_device : Place::each_group;
}

TEST(Contract, AsksForTheCasesOfItsSuite) {
  const harness::Registry registry(cases::all());
  const auto suite = std::ranges::find(suites(), contract().suite, &Suite::name);
  ASSERT_NE(suite, suites().end());
  std::vector<std::string> names;
  for (const harness::Case& test_case : registry.cases()) {
    // Without an allocator library there is nothing to check for these, and a run leaves them out.
    if (!suite->contains(test_case) || test_case.needs.allocator_library) continue;
    // A node need not have network ports, and what it should have is the site's to say.
    if (test_case.name.starts_with("health.network_")) continue;
    names.push_back(test_case.name);
    const acceptance::RequiredCase* const required = contract().find(test_case.name);
    if (required == nullptr) continue;
    EXPECT_EQ(required->place, place_of(test_case.needs)) << test_case.name;
    EXPECT_EQ(required->devices, test_case.needs.devices) << test_case.name;
    harness::ParameterValues defaults;
    for (const harness::Parameter& parameter : test_case.parameters) {
      defaults.emplace(parameter.name, parameter.default_value);
    }
    EXPECT_EQ(required->parameters, defaults) << test_case.name;
  }
  std::vector<std::string> asked;
  for (const acceptance::RequiredCase& required : contract().cases) asked.push_back(required.name);
  EXPECT_EQ(asked, names);
}

TEST(Contract, NamesTheGoldenFilesAndLimitsOfThisBinary) {
  const golden::GoldenSet goldens = golden::GoldenSet::from_embedded(embedded_goldens());
  EXPECT_EQ(contract().limits, sha256(goldens.limits_text()));
  for (const acceptance::RequiredCase& required : contract().cases) {
    EXPECT_EQ(required.golden, sha256(goldens.text_of(required.name).value_or(""))) << required.name;
  }
}

TEST(Contract, AllowsOnlyWhatThereIs) {
  const std::string help = gpucheck({"help", "run"}).output;
  for (const std::string& option : contract().allowed_options) {
    EXPECT_THAT(help, ::testing::ContainsRegex("(^|[ ,\n])" + option + "([ ,\n]|$)")) << option;
  }
  for (const std::string& key : contract().allowed_configuration_keys) {
    const ConfigKey* const known = find_config_key(key);
    ASSERT_NE(known, nullptr) << key;
    EXPECT_EQ(std::ranges::count(contract().allowed_options, known->option), 1) << key;
  }
  std::set<std::string> settings;
  const harness::RunSettings all;
  harness::for_each_field(all, [&](const auto& row, const auto&) { settings.emplace(row.name); });
  for (const std::string& name : contract().allowed_settings) EXPECT_TRUE(settings.contains(name)) << name;
}

}  // namespace
}  // namespace gpucheck::application
