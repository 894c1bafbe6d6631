#include "cases/health/support.hpp"

namespace gpucheck::cases::in_health::row_remap {
namespace {

using Texts = std::vector<std::string>;

/// The keys of the flags that are raised.
Texts raised(const Gpu& gpu, std::initializer_list<Reading> flags) {
  Texts keys;
  for (const Reading each : flags) {
    if (telemetry::flag(gpu[each]) == true) keys.emplace_back(telemetry::info_of(each).key);
  }
  return keys;
}

void add_over(Texts& texts, const Gpu& gpu, Reading reading, std::int64_t limit) {
  const auto value = telemetry::number(gpu[reading]);
  if (!value || *value <= limit) return;
  texts.push_back(fmt::format("{}: {}, limit {}", telemetry::info_of(reading).key, *value, limit));
}

// Row remapping is of Ampere and later, page retirement of what was before.
void run(harness::Context& context) {
  const Gpu gpu = context.telemetry().gpu();
  require_any(gpu, {Reading::remap_failed, Reading::retired_pages_double_bit});
  context.observe("pending", raised(gpu, {Reading::remap_pending, Reading::retired_pages_pending}));
  context.observe("failed", raised(gpu, {Reading::remap_failed}));
  Texts exhausted;
  add_over(exhausted, gpu, Reading::remapped_rows_uncorrected, context.parameter<std::int64_t>("max_remapped_rows"));
  add_over(exhausted, gpu, Reading::retired_pages_double_bit, context.parameter<std::int64_t>("max_retired_pages"));
  add_over(exhausted, gpu, Reading::remap_banks_none, context.parameter<std::int64_t>("max_banks_without_spares"));
  context.observe("over_limit", exhausted);
  tell(context, "remapped_rows_uncorrected", gpu[Reading::remapped_rows_uncorrected]);
  tell(context, "remapped_rows_corrected", gpu[Reading::remapped_rows_corrected]);
  tell(context, "retired_pages_double_bit", gpu[Reading::retired_pages_double_bit]);
  tell(context, "banks_without_spares", gpu[Reading::remap_banks_none]);
}

}  // namespace

harness::Case define() {
  return {
      .name = "health.row_remap",
      .summary =
          "Rows of memory that failed have been replaced: no remap waits for a reset, none failed, spares are left",
      .source = std::string(nvml_documentation),
      .parameters = {{.name = "max_remapped_rows",
                      .summary = "Rows remapped because of uncorrectable errors that are accepted",
                      .default_value = std::int64_t{512},
                      .minimum = 0},
                     {.name = "max_retired_pages",
                      .summary = "Pages retired because of uncorrectable errors that are accepted, before Ampere",
                      .default_value = std::int64_t{63},
                      .minimum = 0},
                     {.name = "max_banks_without_spares",
                      .summary = "Banks of memory without a spare row left that are accepted",
                      .default_value = std::int64_t{0},
                      .minimum = 0}},
      .faults = {{.name = "remap_waits",
                  .summary = "a row is to be replaced at the next reset",
                  .telemetry = telemetry::always(Reading::remap_pending, true)},
                 {.name = "remap_failed",
                  .summary = "a row could not be replaced",
                  .telemetry = telemetry::always(Reading::remap_failed, true)},
                 {.name = "no_spare_left",
                  .summary = "a bank has no spare row left",
                  .telemetry = telemetry::always(Reading::remap_banks_none, std::int64_t{1})},
                 {.name = "too_many_rows",
                  .summary = "more rows were replaced than a GPU may have",
                  .telemetry = telemetry::always(Reading::remapped_rows_uncorrected, std::int64_t{513})}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_health::row_remap
