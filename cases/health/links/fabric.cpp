#include <array>
#include <optional>

#include "cases/shared/health_support.hpp"

namespace gpucheck::cases::in_health::fabric {
namespace {

using Texts = std::vector<std::string>;

/// A part of NVML's health mask (NVML_GPU_FABRIC_HEALTH_MASK_...): two bits, of which 1 says that it is so, 2 that it
/// is not, and 0 that the driver does not know.
struct Condition {
  unsigned shift;
  const char* name;
};
constexpr std::array conditions{Condition{0, "degraded bandwidth"}, Condition{2, "route recovery in progress"},
                                Condition{4, "unhealthy route"}, Condition{6, "access timeout recovery"}};
constexpr std::int64_t is_so = 1;

/// Four bits of the mask: 0 not known, 1 none, and what is wrong (..._INCORRECT_CONFIGURATION_...).
constexpr unsigned configuration_shift = 8;
constexpr std::array configurations{"",
                                    "",
                                    "incorrect system GUID",
                                    "incorrect chassis serial number",
                                    "no partition",
                                    "insufficient NVLinks",
                                    "incompatible GPU firmware",
                                    "invalid location"};

/// NVML_GPU_FABRIC_HEALTH_SUMMARY_...: not supported, healthy, unhealthy, limited capacity.
constexpr std::int64_t summary_unhealthy = 2;
constexpr std::int64_t summary_limited = 3;

Texts problems_in(std::int64_t mask) {
  Texts problems;
  for (const Condition& condition : conditions) {
    if ((mask >> condition.shift & 3) == is_so) problems.emplace_back(condition.name);
  }
  const auto configuration = static_cast<std::size_t>(mask >> configuration_shift & 0xf);
  if (configuration >= configurations.size())
    problems.push_back(fmt::format("incorrect configuration {}", configuration));
  else if (*configurations[configuration] != '\0')
    problems.push_back(fmt::format("incorrect configuration: {}", configurations[configuration]));
  return problems;
}

/// What the driver finds wrong with the fabric of this GPU. None of drivers that know neither mask nor summary.
/// @throws EnvironmentError where the driver failed to answer.
std::optional<Texts> problems_of(const Gpu& gpu) {
  const bool has_mask = is_offered(gpu, Reading::fabric_health_mask);
  const bool has_summary = is_offered(gpu, Reading::fabric_health_summary);
  if (!has_mask && !has_summary) return {};
  Texts problems = has_mask ? problems_in(required_number(gpu, Reading::fabric_health_mask)) : Texts{};
  if (!has_summary) return problems;
  const std::int64_t summary = required_number(gpu, Reading::fabric_health_summary);
  if (summary == summary_unhealthy) problems.emplace_back("unhealthy");
  if (summary == summary_limited) problems.emplace_back("limited capacity");
  if (summary > summary_limited) problems.push_back(fmt::format("health summary {}", summary));
  return problems;
}

bool has_clique(const Gpu& gpu) {
  return telemetry::problem(gpu[Reading::fabric_clique]) == nullptr &&
         telemetry::problem(gpu[Reading::fabric_cluster]) == nullptr;
}

/// GPUs of this machine and model that belong to another cluster or clique, and so cannot reach this one by NVLink.
/// None where that is not known of this GPU, or of another one while no difference is seen.
/// @throws EnvironmentError where the driver failed to say it of this one.
std::optional<Texts> in_another_clique(const telemetry::Machine& machine, const Gpu& gpu) {
  for (const Reading reading : {Reading::name, Reading::fabric_clique, Reading::fabric_cluster}) {
    if (!is_offered(gpu, reading)) return {};
  }
  Texts addresses;
  bool is_whole = true;
  for (const Gpu& other : machine.gpus) {
    // The model of one without a name may be this one's.
    const bool may_be_same_model =
        telemetry::text(other[Reading::name]) == nullptr || other[Reading::name] == gpu[Reading::name];
    is_whole = is_whole && (!may_be_same_model || has_clique(other));
    if (other[Reading::name] != gpu[Reading::name] || !has_clique(other)) continue;
    const bool is_same = other[Reading::fabric_clique] == gpu[Reading::fabric_clique] &&
                         other[Reading::fabric_cluster] == gpu[Reading::fabric_cluster];
    const std::string* const address = telemetry::text(other[Reading::pci_address]);
    if (!is_same) addresses.push_back(address == nullptr ? "?" : *address);
  }
  return is_whole || !addresses.empty() ? std::optional(addresses) : std::nullopt;
}

void run(harness::Context& context) {
  const telemetry::Machine machine = context.telemetry().machine();
  const Gpu gpu = context.telemetry().gpu();
  context.observe("state", required_number(gpu, Reading::fabric_state));
  context.observe("status", required_number(gpu, Reading::fabric_status));
  observe_known(context, "problems", problems_of(gpu));
  observe_known(context, "gpus_of_another_clique", in_another_clique(machine, gpu));
  tell(context, "clique", gpu[Reading::fabric_clique]);
  tell(context, "cluster", gpu[Reading::fabric_cluster]);
  tell(context, "health_mask", gpu[Reading::fabric_health_mask]);
  tell(context, "health_summary", gpu[Reading::fabric_health_summary]);
}

}  // namespace

harness::Case define() {
  return {
      .name = "health.fabric",
      .summary = "The fabric manager has connected the GPU to its NVLink fabric, and finds that fabric healthy",
      .source = std::string(nvml_documentation),
      .needs = {.libraries = {std::string(harness::management_library)}},
      .faults = {{.name = "not_connected",
                  .summary = "the fabric manager has not finished, or does not run",
                  .telemetry = telemetry::always(Reading::fabric_state, std::int64_t{2})},
                 {.name = "failed",
                  .summary = "the GPU could not be connected",
                  .telemetry = telemetry::always(Reading::fabric_status, std::int64_t{999})},
                 {.name = "unhealthy_route",
                  .summary = "a route to another GPU is unhealthy",
                  .telemetry = telemetry::always(Reading::fabric_health_mask, std::int64_t{0x19a})},
                 {.name = "limited_capacity",
                  .summary = "the fabric has less capacity than it should",
                  .telemetry = telemetry::always(Reading::fabric_health_summary, summary_limited)},
                 {.name = "another_clique",
                  .summary = "two GPUs of the machine cannot reach each other by NVLink",
                  .telemetry = telemetry::always(Aspect::neighbour, {}) +
                               telemetry::always(Reading::fabric_clique, std::int64_t{77})},
                 {.name = "clique_fails",
                  .summary = "the driver fails to say to which clique the GPU belongs",
                  .telemetry = telemetry::failing(Reading::fabric_clique)}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_health::fabric
