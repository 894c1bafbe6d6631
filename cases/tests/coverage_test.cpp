#include <gtest/gtest.h>
#include <map>
#include <memory>

#include "base/text/units.hpp"
#include "cases/registration.hpp"
#include "device/fault/common_plans.hpp"
#include "device/fault/fault_driver.hpp"
#include "device/sim/sim_driver.hpp"
#include "harness/case/execute.hpp"
#include "harness/case/registry.hpp"

// How much memory a test says that it has covered, where it gets only some of what it wants.
namespace gpucheck::cases {
namespace {

using namespace literals;
using Values = std::map<std::string, harness::Value>;

Values run_memtest(const std::string& name, std::int64_t bytes, const fault::Plan& plan = {}) {
  const harness::Registry registry(all());
  const std::unique_ptr<device::Driver> driver =
      fault::inject(sim::make_driver({.profile = sim::profile("small")}), plan);
  Values seen;
  harness::Context::Setup setup;
  setup.test_case = registry.find(name);
  setup.driver = driver.get();
  setup.settings.parameters = {{"bytes", bytes}};
  setup.on_observation = [&seen](const harness::Observation& one) { seen.emplace(one.key, one.value); };
  const harness::Execution execution = harness::execute(setup);
  EXPECT_EQ(execution.status, harness::Execution::Status::completed) << execution.reason;
  return seen;
}

std::int64_t number(const Values& seen, const char* key) { return std::get<std::int64_t>(seen.at(key)); }
double percent(const Values& seen) { return std::get<double>(seen.at("percent_tested")); }

TEST(Coverage, IsOfWhatWasAskedFor) {
  const Values whole = run_memtest("memtest.own_address", 64_KiB);
  EXPECT_EQ(number(whole, "bytes_offered"), 65536);
  EXPECT_EQ(number(whole, "bytes_tested"), 65536);
  EXPECT_EQ(percent(whole), 100);
}

/// The device has less memory than is asked for: the share is of what is asked for, not of what is held.
TEST(Coverage, OfMoreThanThereIsIsAPart) {
  const Values part = run_memtest("memtest.own_address", 600_MiB);  // of 256
  EXPECT_EQ(number(part, "bytes_offered"), std::int64_t{600_MiB});
  EXPECT_GT(number(part, "bytes_tested"), std::int64_t{200_MiB});
  EXPECT_LT(number(part, "bytes_tested"), std::int64_t{256_MiB});
  EXPECT_DOUBLE_EQ(percent(part), 100.0 * static_cast<double>(number(part, "bytes_tested")) / (600.0 * 1048576));
  EXPECT_LT(percent(part), 43);
  EXPECT_EQ(number(part, "mismatches"), 0);
}

/// The second allocation is the memory's: half of it, then a quarter are refused as well.
TEST(Coverage, IsWholeInSmallerPiecesAndNoneWithoutAny) {
  const Values refused =
      run_memtest("memtest.own_address", 256_KiB, fault::allocation_fails(fault::Calls{.first = 2, .times = 2}));
  EXPECT_EQ(percent(refused), 100) << "smaller pieces make up for it";
  EXPECT_EQ(number(refused, "pieces"), 4);
  const Values nothing = run_memtest("memtest.own_address", 256_KiB, fault::allocation_fails(fault::from_call(2)));
  EXPECT_EQ(percent(nothing), 0);
  EXPECT_EQ(number(nothing, "passes"), 0);
}

}  // namespace
}  // namespace gpucheck::cases
