#include <algorithm>
#include <gtest/gtest.h>

#include "cases/shared/slowdown_support.hpp"

namespace gpucheck::cases::in_health {
namespace {

namespace clock_event = telemetry::clock_event;

constexpr std::int64_t nothing = 0;
constexpr std::int64_t brake = clock_event::hardware_power_brake;

/// A second in which the driver's count of the power brake went from one number to another.
struct Second {
  telemetry::Value brake_before = std::int64_t{0};
  telemetry::Value brake_after = std::int64_t{0};
  std::vector<std::int64_t> reasons;

  [[nodiscard]] double percent(std::string_view key) const {
    WorkSeen seen{.before = {}, .after = {}, .duration_ns = 1e9, .reasons = reasons};
    seen.before[Reading::clock_event_power_brake] = brake_before;
    seen.after[Reading::clock_event_power_brake] = brake_after;
    const std::vector<SlowdownShare> shares = slowdown_shares(seen);
    return std::ranges::find(shares, key, &SlowdownShare::key)->percent;
  }
};

TEST(Slowdown, IsHowLongTheDriverSaysThatItHeld) {
  const Second second{.brake_before = std::int64_t{5'000'000},
                      .brake_after = std::int64_t{255'000'000},
                      .reasons = {nothing, nothing, nothing}};
  EXPECT_DOUBLE_EQ(second.percent("power_brake"), 25);
  EXPECT_DOUBLE_EQ(second.percent("hardware_slowdown"), 0);
}

TEST(Slowdown, ABitThatIsAlwaysSetCountsThoughItsCounterStandsStill) {
  EXPECT_DOUBLE_EQ((Second{.reasons = {brake, brake, brake}}.percent("power_brake")), 100);
}

TEST(Slowdown, ABitAtMostOfTheMomentsDoesTheSame) {
  EXPECT_DOUBLE_EQ((Second{.reasons = {nothing, brake, brake, brake}}.percent("power_brake")), 75);
}

TEST(Slowdown, ATransitionIsMeasuredByTheCounter) {
  EXPECT_DOUBLE_EQ((Second{.reasons = {brake, nothing, nothing, nothing}}.percent("power_brake")), 0);
  EXPECT_DOUBLE_EQ((Second{.reasons = {brake, nothing}}.percent("power_brake")), 0);
}

TEST(Slowdown, TheLargerOfBothCounts) {
  const Second second{.brake_after = std::int64_t{900'000'000}, .reasons = {nothing, brake, brake}};
  EXPECT_DOUBLE_EQ(second.percent("power_brake"), 90);
}

TEST(Slowdown, WithoutACounterEachMomentCounts) {
  const telemetry::Value none = telemetry::Unavailable{"not supported"};
  EXPECT_DOUBLE_EQ((Second{.brake_after = none, .reasons = {brake, nothing, nothing, nothing}}.percent("power_brake")),
                   25);
}

TEST(Slowdown, ACounterThatCannotBeReadIsNoCounterThatStandsStill) {
  const telemetry::Value lost = telemetry::Unavailable{.reason = "Unknown Error", .is_failure = true};
  const std::vector<std::int64_t> fine{nothing, nothing};
  EXPECT_THROW((static_cast<void>(Second{.brake_before = lost, .reasons = fine}.percent("power_brake"))),
               EnvironmentError);
  EXPECT_THROW((static_cast<void>(Second{.brake_after = lost, .reasons = fine}.percent("power_brake"))),
               EnvironmentError);
}

TEST(Slowdown, ACounterThatBeganAnewSaysNothing) {
  const Second second{.brake_before = std::int64_t{700'000'000},
                      .brake_after = std::int64_t{1'000'000},
                      .reasons = {brake, nothing, nothing, nothing}};
  EXPECT_DOUBLE_EQ(second.percent("power_brake"), 25);
}

TEST(Slowdown, SyncBoostIdleAndTheSettingsOfClocksAreNone) {
  const std::int64_t fine = clock_event::idle | clock_event::applications_clocks_setting |
                            clock_event::software_power_cap | clock_event::sync_boost |
                            clock_event::display_clock_setting;
  const std::vector<std::int64_t> reasons{fine, fine};
  const WorkSeen seen{.before = {}, .after = {}, .duration_ns = 1e9, .reasons = reasons};
  for (const SlowdownShare& share : slowdown_shares(seen)) EXPECT_DOUBLE_EQ(share.percent, 0) << share.key;
}

TEST(Slowdown, EachReasonHasItsBit) {
  const std::vector<std::pair<std::string_view, std::int64_t>> bits{
      {"hardware_slowdown", clock_event::hardware_slowdown},
      {"hardware_thermal", clock_event::hardware_thermal_slowdown},
      {"power_brake", clock_event::hardware_power_brake},
      {"software_thermal", clock_event::software_thermal_slowdown}};
  for (const auto& [key, bit] : bits) {
    const std::vector<std::int64_t> reasons{bit, bit};
    for (const SlowdownShare& share :
         slowdown_shares({.before = {}, .after = {}, .duration_ns = 1e9, .reasons = reasons})) {
      EXPECT_DOUBLE_EQ(share.percent, share.key == key ? 100 : 0) << share.key << " for " << key;
    }
  }
}

}  // namespace
}  // namespace gpucheck::cases::in_health
