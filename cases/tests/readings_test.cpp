#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unistd.h>
#include <variant>
#include <vector>

#include "cases/registration.hpp"
#include "device/sim/sim_driver.hpp"
#include "golden/golden.hpp"
#include "golden_files.hpp"
#include "harness/case/execute.hpp"
#include "harness/case/registry.hpp"
#include "telemetry/machine/stand_in.hpp"

// That no health case takes a missing or failed reading for a good one: each case with each reading.
namespace gpucheck::cases {
namespace {

using telemetry::LinkReading;
using telemetry::Machine;
using telemetry::Reading;
using telemetry::Unavailable;
using telemetry::Value;
using Status = harness::Execution::Status;

/// The verdict on a case, as a run judges it.
enum class Verdict {
  good,     ///< a pass, and all that is judged was known
  partial,  ///< a pass that says of something judged that it is not available, or warns
  skip,
  error,
  fail,
};

std::ostream& operator<<(std::ostream& out, Verdict verdict) {
  constexpr std::array words{"good", "partial", "skip", "error", "fail"};
  return out << words.at(static_cast<std::size_t>(verdict));
}

const harness::Registry& case_registry() {
  static const harness::Registry all_cases(all());
  return all_cases;
}

const golden::GoldenSet& golden_files() {
  static const golden::GoldenSet set = golden::GoldenSet::from_embedded(embedded_goldens());
  return set;
}

/// A machine of two healthy GPUs of one model. The case looks at the first.
Machine healthy_pair() {
  static const Machine machine = [] {
    const auto like = [](const char* uuid, const char* address) {
      return telemetry::StandInFor{.id = {.uuid = uuid, .pci_address = address},
                                   .memory_bytes = std::int64_t{80} << 30U};
    };
    return telemetry::stand_in(telemetry::healthy_machine(),
                               {like("GPU-1", "0000:3b:00.0"), like("GPU-2", "0000:3c:00.0")}, ::getpid());
  }();
  return machine;
}

/// "not available", "unknown", and the keys of what the driver does not offer.
bool says_not_known(const harness::Observation& one) {
  const auto* const text = std::get_if<std::string>(&one.value);
  if (text != nullptr && (*text == "not available" || *text == "unknown")) return true;
  const auto* const list = std::get_if<std::vector<std::string>>(&one.value);
  return one.key == "not_available" && list != nullptr && !list->empty();
}

struct Judged {
  Verdict verdict = Verdict::error;
  std::string reason;
  std::ptrdiff_t unknown = 0;  ///< observations that say so
};

Verdict judged(const harness::Execution& execution, const golden::Golden& golden,
               const harness::Observations& observations) {
  if (!execution.broken_rules.empty()) return Verdict::fail;
  if (execution.status == Status::skipped) return Verdict::skip;
  if (execution.status != Status::completed) return Verdict::error;
  const golden::Conditions conditions{.device_kind = "cuda"};
  if (!golden.compare(observations, conditions).empty()) return Verdict::fail;
  const bool warns = !golden.warnings(observations, conditions).empty();
  return warns || std::ranges::any_of(observations, says_not_known) ? Verdict::partial : Verdict::good;
}

Judged look(const std::string& name, const Machine& machine) {
  const std::unique_ptr<sim::Driver> driver = sim::make_driver({.profile = sim::profile("h100")});
  harness::Context::Setup setup;
  harness::Observations observations;
  setup.test_case = case_registry().find(name);
  setup.driver = driver.get();
  setup.watch = std::make_shared<harness::GpuWatch>([&machine] { return telemetry::open_recording(machine); },
                                                    std::vector{telemetry::GpuId{"GPU-1", "0000:3b:00.0"}});
  setup.on_observation = [&observations](const harness::Observation& one) { observations.push_back(one); };
  for (const harness::Parameter& parameter : setup.test_case->parameters) {
    if (parameter.name == "window_ms") setup.settings.parameters = {{"window_ms", std::int64_t{1}}};
  }
  const harness::Execution execution = harness::execute(setup);
  return {judged(execution, *golden_files().find(name), observations), execution.reason,
          std::ranges::count_if(observations, says_not_known)};
}

Value failed() { return Unavailable{.reason = "nvmlDeviceGet: Unknown Error", .is_failure = true}; }
Value lost() { return Unavailable{.reason = "nvmlDeviceGet: GPU is lost", .is_failure = true}; }
Value not_supported() { return Unavailable{.reason = "not supported"}; }
Value not_permitted() { return Unavailable{.reason = "nvmlDeviceGet: Insufficient Permissions"}; }

using Readings = std::set<Reading>;
using Links = std::set<LinkReading>;

/// What a case follows from. What stands in none of its sets changes nothing.
struct Basis {
  Readings needed = {};  ///< without it something that is judged is not known
  Readings used = {};    ///< likewise where it failed; another reading serves where it is not offered
  Links needed_of_link = {};
  Links used_of_link = {};
};

const std::map<std::string, Basis>& bases() {
  using enum Reading;
  static const std::map<std::string, Basis> all_bases{
      {"health.clocks",
       {.needed = {clock_event_reasons},
        .used = {clock_event_power_cap, clock_event_thermal_software, clock_event_thermal_hardware,
                 clock_event_power_brake, clock_sm, clock_max_sm, clock_memory}}},
      {"health.ecc",
       {.needed = {ecc_enabled, ecc_pending, ecc_volatile_uncorrected, ecc_volatile_corrected},
        .used = {ecc_sram_threshold_exceeded, ecc_aggregate_sram_uncorrected, ecc_aggregate_uncorrected,
                 ecc_aggregate_corrected}}},
      {"health.fabric",
       {.needed = {fabric_state, fabric_status, fabric_clique, fabric_cluster, name},
        .used = {fabric_health_mask, fabric_health_summary}}},
      {"health.inforom", {.needed = {inforom_valid}}},
      {"health.inventory", {.needed = {handle}, .used = {name, vbios_version}}},
      {"health.kernel_log", {}},
      {"health.mode", {.needed = {compute_mode, mig_enabled, mig_pending, persistence_mode}}},
      {"health.network_errors", {}},
      {"health.network_flaps", {}},
      {"health.network_gpudirect", {}},
      {"health.network_ports", {}},
      {"health.nvlink",
       {.used = {name, fabric_state, mig_enabled},
        .needed_of_link = {LinkReading::is_active, LinkReading::recoveries},
        .used_of_link = {LinkReading::replays, LinkReading::crc_flit_errors, LinkReading::crc_data_errors}}},
      {"health.nvlink_quality",
       {.used = {name},
        .used_of_link = {LinkReading::is_active, LinkReading::speed, LinkReading::received_errors,
                         LinkReading::effective_errors, LinkReading::symbol_errors, LinkReading::recovery_events}}},
      {"health.pcie_link",
       {.needed = {pcie_generation, pcie_generation_max, pcie_width, pcie_width_max},
        .used = {pcie_generation_device_max}}},
      {"health.pcie_replay", {.needed = {pcie_replays}}},
      {"health.power", {.needed = {power_limit, power_limit_default, power_draw}}},
      {"health.processes", {.needed = {memory_used, memory_graphics}, .used = {mig_enabled}}},
      {"health.recovery", {.needed = {recovery_action}}},
      {"health.row_remap",
       {.needed = {remap_pending, remap_failed, remapped_rows_uncorrected, remap_banks_none},
        .used = {retired_pages_pending, retired_pages_double_bit, remapped_rows_corrected}}},
      {"health.software", {}},
      {"health.temperature",
       {.needed = {temperature_gpu, temperature_memory, temperature_memory_max, utilization_gpu, name},
        .used = {temperature_slowdown, temperature_margin, temperature_margin_slowdown, power_draw}}},
      {"health.xid", {}},
  };
  return all_bases;
}

class HealthCase : public testing::TestWithParam<std::string> {
 protected:
  /// With one answer instead of what a healthy machine gives.
  template <typename Change>
  [[nodiscard]] Judged with(const Change& change) const {
    Machine machine = healthy_pair();
    change(machine);
    return look(GetParam(), machine);
  }
  [[nodiscard]] Judged with(Reading reading, const Value& value, std::size_t gpu = 0) const {
    return with([&](Machine& machine) { machine.gpus[gpu][reading] = value; });
  }
  [[nodiscard]] Judged with(LinkReading reading, const Value& value) const {
    return with([&](Machine& machine) { machine.gpus[0].links.front()[reading] = value; });
  }
  [[nodiscard]] const Basis& basis() const { return bases().at(GetParam()); }
};

/// The verdict on the case without any fault: some things are not offered in the recording, and say so.
const Judged& usually(const std::string& name) {
  static std::map<std::string, Judged> known;
  const auto [at, is_new] = known.try_emplace(name);
  if (is_new) at->second = look(name, healthy_pair());
  return at->second;
}
Verdict usual(const std::string& name) { return usually(name).verdict; }

template <typename Each>
void each_reading(const Each& each) {
  for (std::size_t i = 0; i < telemetry::reading_count; ++i) {
    const auto reading = static_cast<Reading>(i);
    // By which the GPU is found at all.
    if (reading == Reading::uuid || reading == Reading::pci_address) continue;
    SCOPED_TRACE(telemetry::info_of(reading).key);
    each(reading);
  }
}

TEST_P(HealthCase, AFailedReadingIsAnErrorOrAFailure) {
  each_reading([this](Reading reading) {
    const bool is_judged = basis().needed.contains(reading) || basis().used.contains(reading);
    const Judged seen = with(reading, failed());
    if (!is_judged) {
      EXPECT_EQ(seen.verdict, usual(GetParam())) << seen.reason;
      return;
    }
    const bool is_handle = reading == Reading::handle;  // which is what is judged then
    EXPECT_EQ(seen.verdict, is_handle ? Verdict::fail : Verdict::error) << seen.reason;
    const Verdict of_lost = with(reading, lost()).verdict;
    EXPECT_TRUE(of_lost == Verdict::error || of_lost == Verdict::fail) << of_lost;
  });
}

TEST_P(HealthCase, WhatIsNotOfferedIsSaid) {
  each_reading([this](Reading reading) {
    for (const Value& value : {not_supported(), not_permitted()}) {
      const Judged seen = with(reading, value);
      if (!basis().needed.contains(reading)) {
        EXPECT_LE(seen.verdict, Verdict::partial) << seen.reason;
      } else {
        const bool says_so = seen.verdict == Verdict::partial && seen.unknown > usually(GetParam()).unknown;
        EXPECT_TRUE(says_so || seen.verdict > Verdict::partial) << seen.verdict << ": " << seen.reason;
      }
    }
  });
}

TEST_P(HealthCase, ANeighboursFailedReadingBlamesNobodyElse) {
  if (case_registry().find(GetParam())->needs.devices == 0) GTEST_SKIP() << "of the machine as a whole";
  each_reading([this](Reading reading) {
    const Judged seen = with(reading, failed(), 1);
    EXPECT_LE(seen.verdict, Verdict::partial) << seen.reason;
  });
}

TEST_P(HealthCase, LinksAreHeldToTheSame) {
  for (std::size_t i = 0; i < telemetry::link_reading_count; ++i) {
    const auto reading = static_cast<LinkReading>(i);
    SCOPED_TRACE(telemetry::info_of(reading).key);
    const bool is_needed = basis().needed_of_link.contains(reading);
    const bool is_judged = is_needed || basis().used_of_link.contains(reading);
    const Judged seen = with(reading, failed());
    EXPECT_EQ(seen.verdict, is_judged ? Verdict::error : usual(GetParam())) << seen.reason;
    if (is_needed) {
      EXPECT_NE(with(reading, not_supported()).verdict, Verdict::good);
    }
  }
  const bool has_links = !basis().needed_of_link.empty() || !basis().used_of_link.empty();
  const Judged without_list = with([](Machine& machine) {
    machine.gpus[0].links.clear();
    machine.gpus[0].links_problem = "nvmlDeviceGetNvLinkState: Unknown Error";
    machine.gpus[0].links_failed = true;
  });
  EXPECT_EQ(without_list.verdict, has_links ? Verdict::error : usual(GetParam())) << without_list.reason;
}

TEST_P(HealthCase, AVersionThatCannotBeReadIsNotAGoodOne) {
  using Version = Value Machine::*;
  for (const Version version : {&Machine::driver_version, &Machine::nvml_version, &Machine::cuda_version}) {
    const bool is_judged =
        GetParam() == "health.software" || (GetParam() == "health.inventory" && version == &Machine::driver_version);
    const Judged seen = with([version](Machine& machine) { machine.*version = failed(); });
    EXPECT_EQ(seen.verdict, is_judged ? Verdict::error : usual(GetParam())) << seen.reason;
    if (is_judged) {
      EXPECT_NE(seen.reason.find("nvmlDeviceGet: Unknown Error"), seen.reason.npos) << seen.reason;
    }
    const Judged absent = with([version](Machine& machine) { machine.*version = not_supported(); });
    EXPECT_LE(absent.verdict, Verdict::partial) << absent.reason;
  }
  const Judged module = with([](Machine& machine) {
    machine.host.kernel_module_version.clear();
    machine.host.kernel_module_problem = "/proc/driver/nvidia/version: Input/output error";
  });
  const bool needs_module = GetParam() == "health.software" || GetParam() == "health.inventory";
  EXPECT_EQ(module.verdict, needs_module ? Verdict::error : usual(GetParam())) << module.reason;
}

std::vector<std::string> health_cases() {
  std::vector<std::string> names;
  for (const harness::Case& each : case_registry().cases()) {
    if (each.name.starts_with("health.")) names.push_back(each.name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(Readings, HealthCase, testing::ValuesIn(health_cases()),
                         [](const auto& named) { return named.param.substr(named.param.find('.') + 1); });

TEST(HealthCases, HaveABasisEach) {
  for (const std::string& name : health_cases()) EXPECT_TRUE(bases().contains(name)) << name;
  EXPECT_EQ(bases().size(), health_cases().size());
}

TEST(HealthCases, PassOnTheMachineThatIsBroken) {
  for (const std::string& name : health_cases()) {
    const Judged seen = look(name, healthy_pair());
    EXPECT_LE(seen.verdict, Verdict::partial) << name << ": " << seen.reason;
  }
}

}  // namespace
}  // namespace gpucheck::cases
