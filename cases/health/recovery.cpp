#include <algorithm>
#include <array>

#include "cases/shared/health_support.hpp"

namespace gpucheck::cases::in_health::recovery {
namespace {

namespace action = telemetry::recovery;

/// An action that the driver can want, and the observation that says so.
struct Wanted {
  std::int64_t action;
  const char* key;
};
constexpr std::array wanted{Wanted{action::gpu_reset, "reset_wanted"}, Wanted{action::node_reboot, "reboot_wanted"},
                            Wanted{action::drain_peers, "drain_of_peers_wanted"},
                            Wanted{action::drain_and_reset, "drain_and_reset_wanted"},
                            Wanted{action::recover_imex_domain, "imex_recovery_wanted"}};

bool is_known(std::int64_t value) {
  return value == action::none ||
         std::ranges::any_of(wanted, [value](const Wanted& each) { return each.action == value; });
}

void run(harness::Context& context) {
  const std::int64_t value = required_number(context.telemetry().gpu(), Reading::recovery_action);
  for (const Wanted& each : wanted) context.observe(each.key, harness::Value(value == each.action));
  context.observe("unknown_actions", is_known(value) ? std::vector<std::int64_t>{} : std::vector{value});
  context.observe("action", value);
}

std::vector<harness::Fault> faults() {
  std::vector<harness::Fault> faults;
  for (const Wanted& each : wanted) {
    faults.push_back({.name = each.key,
                      .summary = fmt::format("the driver asks for recovery action {}", each.action),
                      .telemetry = telemetry::always(Reading::recovery_action, each.action)});
  }
  faults.push_back({.name = "unknown_action",
                    .summary = "the driver asks for an action of a later version",
                    .telemetry = telemetry::always(Reading::recovery_action, std::int64_t{99})});
  faults.push_back({.name = "gpu_lost",
                    .summary = "the driver fails to answer",
                    .telemetry = telemetry::failing(Reading::recovery_action)});
  return faults;
}

}  // namespace

harness::Case define() {
  return {
      .name = "health.recovery",
      .summary = "The driver wants no recovery of the GPU: no reset, no restart of the machine, no drain",
      .source = std::string(nvml_documentation),
      .needs = {.libraries = {std::string(harness::management_library)}},
      .faults = faults(),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_health::recovery
