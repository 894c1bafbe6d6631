#include "cases/tests/run_case.hpp"

#include <array>
#include <fmt/format.h>
#include <memory>
#include <numeric>

#include "cases/registration.hpp"
#include "device/fault/fault_driver.hpp"
#include "device/forwarding/forwarding_driver.hpp"
#include "device/sim/sim_driver.hpp"
#include "harness/case/registry.hpp"
#include "telemetry/machine/stand_in.hpp"
#include "telemetry/source.hpp"

namespace gpucheck::cases {
namespace {

class ScriptedMachine final : public telemetry::Source {
 public:
  ScriptedMachine(telemetry::Machine machine, Script script)
      : machine_(std::move(machine)), script_(std::move(script)) {}

  [[nodiscard]] telemetry::Machine read(const telemetry::Question& question) override {
    telemetry::Machine answer = machine_;
    const Ask ask = ask_of(question);
    const std::size_t n = asked_.at(static_cast<std::size_t>(ask))++;
    if (script_) script_(answer, ask, n);
    return answer;
  }

 private:
  static Ask ask_of(const telemetry::Question& question) {
    if (question.subset == telemetry::Subset::gauges) return Ask::gauges;
    if (question.subset == telemetry::Subset::counters) return Ask::counters;
    if (question.with_network) return Ask::network;
    return question.with_host ? Ask::machine : Ask::gpu;
  }

  telemetry::Machine machine_;
  Script script_;
  std::array<std::size_t, 5> asked_{};
};

class GpuDriver final : public device::ForwardingDriver {
 public:
  using ForwardingDriver::ForwardingDriver;
  [[nodiscard]] std::string_view kind() const noexcept override { return "cuda"; }
};

std::unique_ptr<device::Driver> driver_of(const CaseRun& how) {
  sim::Options options{.profile = sim::profile("small"), .device_count = static_cast<int>(how.devices)};
  if (how.memory_bytes != 0) options.profile.properties.total_memory_bytes = how.memory_bytes;
  std::unique_ptr<device::Driver> driver = sim::make_driver(options);
  driver = fault::inject(std::move(driver), how.plan);
  if (how.as_gpu) driver = std::make_unique<GpuDriver>(std::move(driver));
  return driver;
}

Seen run(const harness::Case& test_case, const CaseRun& how, std::shared_ptr<harness::GpuWatch> watch) {
  const std::unique_ptr<device::Driver> driver = driver_of(how);
  Seen seen;
  harness::Context::Setup setup;
  setup.test_case = &test_case;
  setup.driver = driver.get();
  setup.ordinals.resize(how.devices);
  std::iota(setup.ordinals.begin(), setup.ordinals.end(), 0);
  setup.settings.parameters = how.parameters;
  setup.settings.seed = 1;
  setup.watch = std::move(watch);
  setup.on_observation = [&seen](const harness::Observation& one) { seen.values.emplace(one.key, one.value); };
  seen.execution = harness::execute(setup);
  return seen;
}

}  // namespace

std::int64_t Seen::number(const std::string& key) const { return std::get<std::int64_t>(values.at(key)); }
double Seen::real(const std::string& key) const { return std::get<double>(values.at(key)); }
bool Seen::flag(const std::string& key) const { return std::get<bool>(values.at(key)); }
std::string Seen::text(const std::string& key) const { return std::get<std::string>(values.at(key)); }
std::vector<std::string> Seen::texts(const std::string& key) const {
  return std::get<std::vector<std::string>>(values.at(key));
}
std::vector<std::int64_t> Seen::numbers(const std::string& key) const {
  return std::get<std::vector<std::int64_t>>(values.at(key));
}

const harness::Case& case_named(const std::string& name) {
  static const harness::Registry registry(all());
  const harness::Case* const found = registry.find(name);
  if (found == nullptr) throw Error("no case is called " + name);
  return *found;
}

Seen run_case(const harness::Case& test_case, const CaseRun& how) { return run(test_case, how, nullptr); }

Seen run_case(const harness::Case& test_case, const telemetry::Machine& machine, const Script& script,
              const harness::ParameterValues& parameters, const fault::Plan& plan) {
  // Between two samples of a series nothing else asks for gauges.
  const telemetry::SamplingPace pace{.interval = std::chrono::hours(1)};
  auto watch = std::make_shared<harness::GpuWatch>(
      [machine, script] { return std::make_unique<ScriptedMachine>(machine, script); },
      std::vector{telemetry::GpuId{"GPU-1", "0000:01:00.0"}}, pace);
  return run(test_case, {.parameters = parameters, .plan = plan}, std::move(watch));
}

telemetry::Machine healthy_gpus(std::size_t count) {
  static const telemetry::Machine recorded = telemetry::healthy_machine();
  std::vector<telemetry::StandInFor> devices;
  for (std::size_t i = 1; i <= count; ++i) {
    devices.push_back({.id = {.uuid = fmt::format("GPU-{}", i), .pci_address = fmt::format("0000:{:02x}:00.0", i)},
                       .memory_bytes = std::int64_t{80} << 30U});
  }
  return telemetry::stand_in(recorded, devices, 4'000'000);
}

telemetry::Value not_offered() { return telemetry::Unavailable{.reason = "not supported"}; }
telemetry::Value not_answered() { return telemetry::Unavailable{.reason = "Unknown Error", .is_failure = true}; }

}  // namespace gpucheck::cases
