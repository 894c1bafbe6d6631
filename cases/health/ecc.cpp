#include <algorithm>
#include <thread>

#include "cases/shared/health_support.hpp"

namespace gpucheck::cases::in_health::ecc {
namespace {

using Clock = std::chrono::steady_clock;
using Texts = std::vector<std::string>;

/// What NVIDIA takes for the end of a GPU: the flag of its own threshold, and more uncorrected errors than that allows
/// of one place. Of the GPU's whole life, since a reset repairs no SRAM. None where the driver offers neither.
/// @throws EnvironmentError where the driver failed to read it.
std::optional<Texts> sram_errors(const Gpu& gpu, std::int64_t limit) {
  const Reading flag = Reading::ecc_sram_threshold_exceeded;
  const Reading count = Reading::ecc_aggregate_sram_uncorrected;
  const bool has_flag = is_offered(gpu, flag);
  const bool has_count = is_offered(gpu, count);
  if (!has_flag && !has_count) return {};
  Texts errors;
  if (has_flag && required_flag(gpu, flag)) errors.emplace_back("threshold exceeded");
  if (has_count && required_number(gpu, count) > limit)
    errors.push_back(fmt::format("{} uncorrected errors, limit {}", required_number(gpu, count), limit));
  return errors;
}

/// What a second adds to a counter; a counter that began anew adds nothing.
double per_second(std::int64_t before, std::int64_t after, Clock::duration time) {
  return static_cast<double>(std::max<std::int64_t>(after - before, 0)) / std::chrono::duration<double>(time).count();
}

/// Corrected errors cost nothing but are a sign of a memory that fails: many since the reset, or many at once. While
/// ECC is off nothing is counted. None where the driver does not offer the count.
/// @throws EnvironmentError where it failed to answer.
std::optional<Texts> corrected_errors(harness::Context& context, const Gpu& before) {
  const Reading counter = Reading::ecc_volatile_corrected;
  if (!is_offered(before, counter)) return {};
  const std::int64_t first = required_number(before, counter);
  const Clock::time_point start = Clock::now();
  std::this_thread::sleep_for(window(context));
  const std::int64_t last = required_number(context.telemetry().gpu(0, telemetry::Subset::counters), counter);
  const double rate = per_second(first, last, Clock::now() - start);
  const auto most = context.parameter<std::int64_t>("max_corrected");
  const auto highest_rate = context.parameter<double>("max_corrected_per_second");
  Texts errors;
  if (last > most) errors.push_back(fmt::format("{} since the reset, limit {}", last, most));
  if (rate > highest_rate) errors.push_back(fmt::format("{:.0f} a second, limit {}", rate, highest_rate));
  return errors;
}

void run(harness::Context& context) {
  const Gpu gpu = context.telemetry().gpu();
  const bool enabled = required_flag(gpu, Reading::ecc_enabled);
  if (!enabled && context.parameter<bool>("may_be_off"))
    throw harness::Skip("ECC is switched off, which may_be_off allows");
  context.observe("enabled", enabled);
  if (is_offered(gpu, Reading::ecc_pending)) {
    context.observe("change_pending", required_flag(gpu, Reading::ecc_pending) != enabled);
  } else {
    observe_not_available(context, "change_pending");
  }
  if (enabled) {
    const std::int64_t uncorrected = required_number(gpu, Reading::ecc_volatile_uncorrected);
    context.observe("uncorrected_errors_over_limit",
                    over(context.parameter<std::int64_t>("max_uncorrected"), uncorrected));
  } else {
    observe_not_available(context, "uncorrected_errors_over_limit");
  }
  observe_known(context, "sram_errors", sram_errors(gpu, context.parameter<std::int64_t>("max_sram_uncorrected")));
  observe_known(context, "corrected_errors", enabled ? corrected_errors(context, gpu) : std::nullopt);
  tell(context, "uncorrected_since_reset", gpu[Reading::ecc_volatile_uncorrected]);
  tell(context, "corrected_since_reset", gpu[Reading::ecc_volatile_corrected]);
  tell(context, "uncorrected_for_life", gpu[Reading::ecc_aggregate_uncorrected]);
  tell(context, "corrected_for_life", gpu[Reading::ecc_aggregate_corrected]);
}

std::vector<harness::Parameter> parameters() {
  return {window_parameter(),
          {.name = "max_uncorrected",
           .summary = "Uncorrected errors since the reset that are accepted",
           .default_value = std::int64_t{0},
           .minimum = 0},
          {.name = "max_corrected",
           .summary = "Corrected errors since the reset that are accepted; Azure's node checks accept 20 million",
           .default_value = std::int64_t{20'000'000},
           .minimum = 0},
          {.name = "max_corrected_per_second",
           .summary = "Corrected errors in a second that are accepted; 100 are nine million in a day",
           .default_value = 100.0,
           .minimum = 0},
          {.name = "max_sram_uncorrected",
           .summary = "Uncorrected errors of the SRAM in the GPU's life that are accepted; NVIDIA's policy is four",
           .default_value = std::int64_t{4},
           .minimum = 0},
          {.name = "may_be_off",
           .summary = "Whether ECC that is switched off is accepted: nothing can be judged then",
           .default_value = false}};
}

std::vector<harness::Fault> faults() {
  return {{.name = "uncorrected_error",
           .summary = "an error of the memory could not be corrected",
           .telemetry = telemetry::always(Reading::ecc_volatile_uncorrected, std::int64_t{1})},
          {.name = "switched_off",
           .summary = "ECC is switched off",
           .telemetry = telemetry::always(Reading::ecc_enabled, false)},
          {.name = "change_waits",
           .summary = "ECC will be off after the next reset",
           .telemetry = telemetry::always(Reading::ecc_pending, false)},
          {.name = "many_corrected_errors",
           .summary = "the memory has corrected billions of errors",
           .telemetry = telemetry::always(Reading::ecc_volatile_corrected, std::int64_t{9'600'000'000})},
          {.name = "corrects_without_end",
           .summary = "the memory corrects errors all the time",
           .telemetry = telemetry::rising(Reading::ecc_volatile_corrected, 1'000'000)},
          {.name = "sram_worn_out",
           .summary = "the SRAM has had more errors than NVIDIA accepts",
           .telemetry = telemetry::always(Reading::ecc_sram_threshold_exceeded, true)},
          {.name = "gpu_lost",
           .summary = "the driver fails to answer",
           .telemetry = telemetry::failing(Reading::ecc_volatile_uncorrected)},
          {.name = "pending_mode_fails",
           .summary = "the driver fails to say whether a change waits",
           .telemetry = telemetry::failing(Reading::ecc_pending)}};
}

}  // namespace

harness::Case define() {
  return {
      .name = "health.ecc",
      .summary = "ECC is on, has found no error that it could not correct since the reset, and has little to correct",
      .source = std::string(nvml_documentation),
      .needs = {.libraries = {std::string(harness::management_library)}},
      .parameters = parameters(),
      .faults = faults(),
      .deadline = std::chrono::seconds(30),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_health::ecc
