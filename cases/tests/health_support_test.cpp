#include "cases/shared/health_support.hpp"

#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <thread>

#include "cases/health/neighbours_support.hpp"
#include "cases/shared/slowdown_support.hpp"
#include "cases/stress/strain_support.hpp"
#include "device/sim/sim_driver.hpp"
#include "harness/case/execute.hpp"
#include "telemetry/machine/stand_in.hpp"

// What is made of gauges that move while a GPU is looked at.
namespace gpucheck::cases::in_health {
namespace {

using telemetry::Unavailable;

std::vector<Gpu> looks_of(const std::vector<telemetry::Value>& celsius) {
  std::vector<Gpu> looks(celsius.size());
  for (std::size_t i = 0; i < looks.size(); ++i) looks[i][Reading::temperature_gpu] = celsius[i];
  return looks;
}

std::int64_t peak_of(const std::vector<telemetry::Value>& celsius) {
  return peak(looks_of(celsius), Reading::temperature_gpu);
}

TEST(Peak, IsTheLargestWheneverItWas) {
  EXPECT_EQ(peak_of({95L, 40L, 50L}), 95);
  EXPECT_EQ(peak_of({40L, 95L, 50L}), 95);
  EXPECT_EQ(peak_of({40L, 50L, 95L}), 95);
  EXPECT_EQ(peak_of({-5L, -7L}), -5);
  EXPECT_EQ(peak_of({Unavailable{"not supported"}, 40L, Unavailable{"not supported"}}), 40);
}

TEST(Peak, OfNoValueIsNotOne) {
  EXPECT_THROW(static_cast<void>(peak_of({Unavailable{"not supported"}, Unavailable{"not supported"}})), harness::Skip);
  EXPECT_THROW(static_cast<void>(peak_of({40L, Unavailable{.reason = "Unknown Error", .is_failure = true}, 50L})),
               EnvironmentError)
      << "one look that failed may have been the peak";
}

TEST(Settled, IsTheSecondHalf) {
  const auto settled_of = [](const std::vector<telemetry::Value>& celsius) {
    return settled(looks_of(celsius), Reading::temperature_gpu);
  };
  using Values = std::vector<std::int64_t>;
  EXPECT_EQ(settled_of({1L, 2L, 3L, 4L}), (Values{3, 4}));
  EXPECT_EQ(settled_of({1L, 2L, 3L, 4L, 5L}), (Values{3, 4, 5}));
  EXPECT_EQ(settled_of({1L}), Values{1});
  EXPECT_EQ(settled_of({1L, 2L, Unavailable{"not supported"}, 4L}), Values{4});
  EXPECT_THROW(settled_of({Unavailable{.reason = "Unknown Error", .is_failure = true}, 2L, 3L}), EnvironmentError);
}

TEST(Over, BeginsBeyondTheLimit) {
  EXPECT_EQ(over(90, 89), 0);
  EXPECT_EQ(over(90, 90), 0);
  EXPECT_EQ(over(90, 91), 1);
  EXPECT_EQ(over(-5, -3), 2);
}

/// Exactly as far apart as still counts as the same load, and one more.
TEST(Neighbours, HaveTheSameLoadUpToItsBounds) {
  const auto above = [](std::int64_t utilization, std::int64_t power_mw) {
    telemetry::Machine machine;
    for (int i = 0; i < 2; ++i) {
      Gpu& gpu = machine.gpus.emplace_back();
      gpu[Reading::uuid] = "GPU-" + std::to_string(i);
      gpu[Reading::name] = std::string("H100");
      gpu[Reading::temperature_gpu] = std::int64_t{i == 0 ? 80 : 50};
      gpu[Reading::utilization_gpu] = i == 0 ? utilization : std::int64_t{50};
      gpu[Reading::power_draw] = i == 0 ? power_mw : std::int64_t{100'000};
    }
    return degrees_above_neighbours(machine, machine.gpus[0]);
  };
  EXPECT_EQ(above(50, 100'000), 30);
  for (const std::int64_t same : {40, 60}) EXPECT_EQ(above(same, 100'000), 30) << same;
  for (const std::int64_t other : {39, 61}) EXPECT_EQ(above(other, 100'000), std::nullopt) << other;
  for (const std::int64_t same : {50'000, 200'000}) EXPECT_EQ(above(50, same), 30) << same;
  for (const std::int64_t other : {49'999, 200'001}) EXPECT_EQ(above(50, other), std::nullopt) << other;
}

/// A GPU whose gauges have other values at each answer.
class MovingGpu final : public telemetry::Source {
 public:
  using Values = std::map<Reading, std::vector<std::int64_t>>;
  explicit MovingGpu(Values values) : values_(std::move(values)) {
    machine_ = telemetry::stand_in(telemetry::healthy_machine(), {{id(), 1000}}, 1);
    machine_.gpus[0][Reading::temperature_slowdown] = std::int64_t{90};
    machine_.gpus[0][Reading::power_limit] = std::int64_t{700'000};
    machine_.gpus[0][Reading::clock_max_sm] = std::int64_t{2000};
  }
  static telemetry::GpuId id() { return {.uuid = "GPU-1", .pci_address = "sim:00:00.0"}; }
  [[nodiscard]] telemetry::Machine read(const telemetry::Question& question) override {
    telemetry::Machine machine = machine_;
    if (question.subset != telemetry::Subset::gauges) return machine;
    for (const auto& [reading, values] : values_) machine.gpus[0][reading] = values[answers_ % values.size()];
    ++answers_;
    return machine;
  }

 private:
  Values values_;
  telemetry::Machine machine_;
  std::size_t answers_ = 0;
};

/// What a strain observes of so many samples.
std::map<std::string, harness::Value> strain_of(const MovingGpu::Values& values, std::size_t samples) {
  static std::size_t wanted = 0;
  wanted = samples;
  harness::Case test_case;
  test_case.name = "test.strain";
  test_case.parameters = {slowdown_parameter()};
  test_case.run = [](harness::Context& context) {
    in_stress::Strain strain(context);
    while (context.telemetry().series().count() < wanted) std::this_thread::yield();
    strain.look();
    strain.observe(context);
  };
  const std::unique_ptr<sim::Driver> driver = sim::make_driver({.profile = sim::profile("small")});
  std::map<std::string, harness::Value> seen;
  harness::Context::Setup setup;
  setup.test_case = &test_case;
  setup.driver = driver.get();
  setup.watch = std::make_shared<harness::GpuWatch>([values] { return std::make_unique<MovingGpu>(values); },
                                                    std::vector{MovingGpu::id()},
                                                    telemetry::SamplingPace{.interval = std::chrono::milliseconds(1)});
  setup.on_observation = [&seen](const harness::Observation& one) { seen.emplace(one.key, one.value); };
  const harness::Execution execution = harness::execute(setup);
  EXPECT_EQ(execution.status, harness::Execution::Status::completed) << execution.reason;
  return seen;
}

TEST(Strain, SeesTheHottestMomentAndTheMeanClock) {
  // One moment in ten: it is at no fixed place of the load.
  std::vector<std::int64_t> celsius(10, 60);
  celsius[4] = 95;
  const auto seen = strain_of({{Reading::temperature_gpu, celsius},
                               {Reading::power_draw, {350'000, 660'000, 350'000, 350'000, 350'000}},
                               {Reading::clock_sm, {1000, 2000}}},
                              40);
  EXPECT_EQ(std::get<double>(seen.at("peak_temperature_celsius")), 95);
  EXPECT_EQ(seen.at("temperature_over_limit_celsius"), harness::Value(std::int64_t{5}));
  EXPECT_NEAR(std::get<double>(seen.at("peak_power_percent")), 100 * 660.0 / 700, 1e-9);
  EXPECT_NEAR(std::get<double>(seen.at("mean_clock_percent")), 75, 2);
  EXPECT_EQ(seen.at("load_reached"), harness::Value(true)) << "by its power";
}

TEST(Strain, ReachesItsLoadByPowerOrByClockAndElseNot) {
  const auto reached = [](std::int64_t power_mw, std::int64_t clock_mhz) {
    return strain_of({{Reading::power_draw, {power_mw}}, {Reading::clock_sm, {clock_mhz}}}, 3).at("load_reached");
  };
  EXPECT_EQ(reached(630'000, 345), harness::Value(true)) << "exactly nine tenths";
  EXPECT_EQ(reached(629'999, 345), harness::Value(false));
  EXPECT_EQ(reached(70'000, 1800), harness::Value(true));
  EXPECT_EQ(reached(70'000, 1799), harness::Value(false));
}

}  // namespace
}  // namespace gpucheck::cases::in_health
