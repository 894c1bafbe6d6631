#include "harness/run/durations.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::harness {
namespace {

using std::chrono::milliseconds;

const char* const durations_text = R"({"schema": "gpucheck.durations/1", "measured": {}, "cases": {
  "a.both": {"simulator_ms": 20, "gpu_ms": 300}, "a.simulated": {"simulator_ms": 5}}})";

TEST(Durations, AreOfTheKindOfDeviceThatTheyWereMeasuredOn) {
  const Durations durations = Durations::parse(durations_text);
  EXPECT_EQ(durations.of("a.both", true), milliseconds(20));
  EXPECT_EQ(durations.of("a.both", false), milliseconds(300));
  EXPECT_EQ(durations.of("a.simulated", false), std::nullopt);
  EXPECT_EQ(durations.of("a.missing", true), std::nullopt);
}

TEST(Durations, AreRejectedWhereTheyAreNone) {
  for (const char* wrong : {"", "[]", "{}", R"({"schema": "gpucheck.durations/2", "cases": {}})",
                            R"({"schema": "gpucheck.durations/1", "cases": {"a": {"gpu_ms": -1}}})",
                            R"({"schema": "gpucheck.durations/1", "cases": {"a": {"gpu_ms": "1"}}})"}) {
    EXPECT_THROW(static_cast<void>(Durations::parse(wrong)), Error) << wrong;
  }
}

Case named(std::string name) {
  Case test_case;
  test_case.name = std::move(name);
  return test_case;
}

TEST(Estimate, IsNothingForWhatIsSkippedOnAGpu) {
  Case test_case = named("a.simulated");
  test_case.needs.simulated_device = true;
  const Durations durations = Durations::parse(durations_text);
  EXPECT_EQ(estimate(test_case, false, false, milliseconds(1000), durations),
            (Estimate{milliseconds(0), Estimate::Basis::skipped}));
  EXPECT_EQ(estimate(test_case, false, true, milliseconds(1000), durations),
            (Estimate{milliseconds(5), Estimate::Basis::measured}));
}

TEST(Estimate, IsWhatWasMeasuredOrElseTheLimit) {
  const Durations durations = Durations::parse(durations_text);
  const milliseconds killed_at(1000);
  EXPECT_EQ(estimate(named("a.both"), false, true, killed_at, durations),
            (Estimate{milliseconds(20), Estimate::Basis::measured}));
  EXPECT_EQ(estimate(named("a.simulated"), false, false, killed_at, durations),
            (Estimate{killed_at, Estimate::Basis::deadline}));
  EXPECT_EQ(estimate(named("a.both"), true, true, killed_at, durations),
            (Estimate{killed_at, Estimate::Basis::deadline}))
      << "on parameters that were given it may depend";
  EXPECT_EQ(estimate(named("a.both"), false, false, milliseconds(100), durations),
            (Estimate{milliseconds(100), Estimate::Basis::deadline}))
      << "it is killed then";
}

}  // namespace
}  // namespace gpucheck::harness
