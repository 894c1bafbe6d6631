#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cases/tests/run_case.hpp"

// health.clocks and health.power, with gauges that move while they look.
namespace gpucheck::cases::test_of_clocks {
namespace {

using telemetry::Machine;
using telemetry::Reading;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
namespace clock_event = telemetry::clock_event;

/// So long that each case looks often.
const harness::ParameterValues long_window{{"window_ms", std::int64_t{30}}};

/// A gauge that has these values one after the other, again and again.
Script cycling(Reading gauge, const std::vector<std::int64_t>& values) {
  return [gauge, values](Machine& answer, Ask ask, std::size_t n) {
    if (ask == Ask::gauges) answer.gpus[0][gauge] = values[n % values.size()];
  };
}

Script both(const Script& one, const Script& other) {
  return [one, other](Machine& answer, Ask ask, std::size_t n) {
    one(answer, ask, n);
    other(answer, ask, n);
  };
}

Seen clocks(const Script& script, const harness::ParameterValues& parameters = long_window) {
  return run_case(case_named("health.clocks"), healthy_gpus(1), script, parameters);
}

TEST(Clocks, ThatNothingHoldsDownAreSaidToBeFree) {
  const Seen seen = clocks(nullptr);
  for (const char* key : {"hardware_slowdown", "hardware_thermal", "power_brake", "software_thermal"}) {
    EXPECT_EQ(seen.real(std::string(key) + "_percent"), 0) << key;
    EXPECT_EQ(seen.real(std::string(key) + "_over_limit_percent"), 0) << key;
  }
  EXPECT_EQ(seen.real("power_cap_percent"), 0);
  EXPECT_THAT(seen.texts("settings_that_hold_the_clocks"), IsEmpty());
  EXPECT_EQ(seen.number("clock_sm_mhz"), 1980);
  EXPECT_EQ(seen.number("clock_memory_mhz"), 2619);
  EXPECT_GE(seen.number("looks"), 2);
}

TEST(Clocks, AReasonCountsAsFarAsItIsBeyondItsLimit) {
  const Script braked = cycling(Reading::clock_event_reasons, {clock_event::hardware_power_brake});
  const Seen strict = clocks(braked);
  EXPECT_EQ(strict.real("power_brake_percent"), 100);
  EXPECT_EQ(strict.real("power_brake_over_limit_percent"), 99) << "one percent is accepted by default";
  EXPECT_EQ(strict.real("hardware_slowdown_percent"), 0);
  const Seen lenient = clocks(braked, {{"max_slowdown_percent", 100.0}});
  EXPECT_EQ(lenient.real("power_brake_percent"), 100);
  EXPECT_EQ(lenient.real("power_brake_over_limit_percent"), 0);
}

TEST(Clocks, ThePowerCapIsToldBesideThem) {
  const Seen seen = clocks(cycling(Reading::clock_event_reasons, {clock_event::software_power_cap}));
  EXPECT_EQ(seen.real("power_cap_percent"), 100);
  EXPECT_EQ(seen.real("hardware_slowdown_percent"), 0);
}

/// The driver's own count of nanoseconds, of a look that lasts 30 ms at least.
TEST(Clocks, ADurationIsWhatTheCounterGrewByWhileTheCaseLooked) {
  const auto after = [](std::int64_t before, std::int64_t last) {
    return clocks([=](Machine& answer, Ask ask, std::size_t n) {
      if (ask == Ask::counters) answer.gpus[0][Reading::clock_event_thermal_software] = n < 2 ? before : last;
    });
  };
  const double percent = after(7'000'000'000, 7'003'000'000).real("software_thermal_percent");
  EXPECT_GT(percent, 0);
  EXPECT_LE(percent, 10) << "3 ms of 30 or more";
  EXPECT_EQ(after(7'000'000'000, 7'000'000'000).real("software_thermal_percent"), 0);
}

TEST(Clocks, ASettingThatHoldsThemIsNamed) {
  const auto held = [](std::vector<std::int64_t> reasons, std::vector<std::int64_t> clock) {
    return clocks(both(cycling(Reading::clock_event_reasons, reasons), cycling(Reading::clock_sm, clock)))
        .texts("settings_that_hold_the_clocks");
  };
  constexpr std::int64_t applications = clock_event::applications_clocks_setting;
  constexpr std::int64_t display = clock_event::display_clock_setting;
  EXPECT_THAT(held({applications}, {345}), ElementsAre("applications clocks: at most 345 of 1980 MHz"));
  EXPECT_THAT(held({display}, {345, 700, 400}), ElementsAre("display clocks: at most 700 of 1980 MHz"));
  EXPECT_THAT(held({applications | display}, {1979}),
              ElementsAre("applications clocks: at most 1979 of 1980 MHz", "display clocks: at most 1979 of 1980 MHz"));
  EXPECT_THAT(held({applications}, {345, 1980}), IsEmpty()) << "the clock reaches its maximum now and then";
  EXPECT_THAT(held({applications}, {2000}), IsEmpty());
  EXPECT_THAT(held({applications, 0, 0}, {345}), IsEmpty()) << "at a third of the looks";
  EXPECT_THAT(held({applications, applications, 0}, {345}), ElementsAre("applications clocks: at most 345 of 1980 MHz"))
      << "at two thirds of them";
  EXPECT_THAT(held({clock_event::idle}, {345}), IsEmpty());
}

TEST(Clocks, ASettingIsNamedWhereClocksAreNotKnown) {
  const auto held = [](Reading missing) {
    Machine machine = healthy_gpus(1);
    machine.gpus[0][Reading::clock_event_reasons] = clock_event::applications_clocks_setting;
    machine.gpus[0][Reading::clock_sm] = std::int64_t{345};
    machine.gpus[0][missing] = not_offered();
    return run_case(case_named("health.clocks"), machine, nullptr, long_window).texts("settings_that_hold_the_clocks");
  };
  EXPECT_THAT(held(Reading::clock_sm), ElementsAre("applications clocks: at most ? of 1980 MHz"));
  EXPECT_THAT(held(Reading::clock_max_sm), ElementsAre("applications clocks: at most 345 of ? MHz"));
}

TEST(Clocks, WithoutReasonsEachDurationHasToBeThere) {
  const auto without = [](std::vector<Reading> missing) {
    Machine machine = healthy_gpus(1);
    machine.gpus[0][Reading::clock_event_reasons] = not_offered();
    for (const Reading reading : missing) machine.gpus[0][reading] = not_offered();
    return run_case(case_named("health.clocks"), machine, nullptr, long_window);
  };
  const Seen all = without({});
  EXPECT_TRUE(all.is_completed());
  EXPECT_EQ(all.text("settings_that_hold_the_clocks"), "not available");
  for (const Reading duration : {Reading::clock_event_thermal_hardware, Reading::clock_event_power_brake,
                                 Reading::clock_event_thermal_software}) {
    EXPECT_TRUE(without({duration}).is_skipped()) << telemetry::info_of(duration).key;
  }
  EXPECT_TRUE(without({Reading::clock_event_power_cap}).is_completed()) << "which is not judged";
}

TEST(Clocks, ReasonsThatAreThereAtSomeLooksAreCounted) {
  const Seen seen = clocks([](Machine& answer, Ask ask, std::size_t n) {
    if (ask != Ask::gauges) return;
    answer.gpus[0][Reading::clock_event_reasons] =
        n % 2 == 0 ? telemetry::Value(clock_event::hardware_slowdown) : not_offered();
  });
  EXPECT_EQ(seen.real("hardware_slowdown_percent"), 100) << "of the looks that say it";
}

// -- power ------------------------------------------------------------------------------------------

struct Limits {
  std::int64_t limit = 700'000;
  std::int64_t default_limit = 700'000;
};

Seen power(const Limits& limits, const std::vector<std::int64_t>& draws, double max_reduction = 0) {
  Machine machine = healthy_gpus(1);
  machine.gpus[0][Reading::power_limit] = limits.limit;
  machine.gpus[0][Reading::power_limit_default] = limits.default_limit;
  harness::ParameterValues parameters = long_window;
  parameters["max_reduction_percent"] = max_reduction;
  return run_case(case_named("health.power"), machine, cycling(Reading::power_draw, draws), parameters);
}

TEST(Power, AnyReductionOfTheLimitCountsBeyondWhatIsAccepted) {
  const auto reduced = [](const Limits& limits, double accepted = 0) {
    return power(limits, {100'000}, accepted).real("limit_reduced_over_limit_percent");
  };
  EXPECT_EQ(reduced({700'000, 700'000}), 0);
  EXPECT_EQ(reduced({800'000, 700'000}), 0);
  EXPECT_EQ(reduced({350'000, 700'000}), 50);
  EXPECT_EQ(reduced({525'000, 700'000}), 25);
  EXPECT_EQ(reduced({350'000, 700'000}, 50), 0);
  EXPECT_EQ(reduced({350'000, 700'000}, 49), 1);
  EXPECT_EQ(reduced({350'000, 700'000}, 60), 0);
  EXPECT_EQ(reduced({0, 0}), 0) << "of a board without a default";
}

TEST(Power, ATenthAboveTheLimitIsAccepted) {
  const auto over = [](std::int64_t draw) { return power({}, {draw}).number("draw_over_limit_mw"); };
  EXPECT_EQ(over(700'000), 0);
  EXPECT_EQ(over(770'000), 0);
  EXPECT_EQ(over(770'001), 1);
}

TEST(Power, TheMeanOfTheDrawCounts) {
  const Seen seen = power({600'000, 700'000}, {300'000, 500'000});
  EXPECT_NEAR(static_cast<double>(seen.number("draw_mw")), 400'000, 100'000);
  EXPECT_NE(seen.number("draw_mw"), 300'000);
  EXPECT_NE(seen.number("draw_mw"), 500'000);
  EXPECT_EQ(seen.number("limit_mw"), 600'000);
  EXPECT_EQ(seen.number("default_limit_mw"), 700'000);
  EXPECT_GE(seen.number("looks"), 2);
}

TEST(Power, OfADrawThatIsThereAtFirstOnlyThePeakCounts) {
  const Script script = [](Machine& answer, Ask ask, std::size_t n) {
    if (ask != Ask::gauges) return;
    answer.gpus[0][Reading::power_draw] = n < 2 ? telemetry::Value(std::int64_t{123'000}) : not_offered();
  };
  EXPECT_EQ(run_case(case_named("health.power"), healthy_gpus(1), script, long_window).number("draw_mw"), 123'000);
}

}  // namespace
}  // namespace gpucheck::cases::test_of_clocks
