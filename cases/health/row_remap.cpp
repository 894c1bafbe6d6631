#include <optional>
#include <utility>

#include "base/text/pci_address.hpp"
#include "cases/health/log/log_support.hpp"
#include "harness/xid/judge.hpp"

namespace gpucheck::cases::in_health::row_remap {
namespace {

using Texts = std::vector<std::string>;

/// The texts that `judge` finds fault with in the readings that are offered; that nothing is available where none is.
template <typename Judge>
void observe_faults(harness::Context& context, const char* key, const Gpu& gpu, std::initializer_list<Reading> readings,
                    const Judge& judge) {
  Texts faults;
  bool is_known = false;
  for (const Reading reading : readings) {
    if (!is_offered(gpu, reading)) continue;
    is_known = true;
    if (std::string fault = judge(reading); !fault.empty()) faults.push_back(std::move(fault));
  }
  if (is_known) return context.observe(key, faults);
  observe_not_available(context, key);
}

/// The keys of the flags that are raised.
void observe_raised(harness::Context& context, const char* key, const Gpu& gpu, std::initializer_list<Reading> flags) {
  observe_faults(context, key, gpu, flags, [&gpu](Reading flag) {
    return std::string(required_flag(gpu, flag) ? telemetry::info_of(flag).key : "");
  });
}

void observe_over_limit(harness::Context& context, const Gpu& gpu) {
  const auto limit_of = [&context](Reading reading) {
    if (reading == Reading::remapped_rows_uncorrected) return context.parameter<std::int64_t>("max_remapped_rows");
    if (reading == Reading::retired_pages_double_bit) return context.parameter<std::int64_t>("max_retired_pages");
    return context.parameter<std::int64_t>("max_banks_without_spares");
  };
  const auto exceeded = [&](Reading reading) -> std::string {
    const std::int64_t value = required_number(gpu, reading);
    const std::int64_t limit = limit_of(reading);
    return value > limit ? fmt::format("{}: {}, limit {}", telemetry::info_of(reading).key, value, limit) : "";
  };
  observe_faults(context, "over_limit", gpu,
                 {Reading::remapped_rows_uncorrected, Reading::retired_pages_double_bit, Reading::remap_banks_none},
                 exceeded);
}

constexpr std::int64_t replaced = 63;      // a row is to be replaced, or a page was retired
constexpr std::int64_t not_recorded = 64;  // that could not be recorded

struct Logged {
  Texts all;
  std::optional<Texts> failures;  ///< of those, what no reset has ended yet; none where the log cannot be read
  std::string begin;              ///< of the log, or why it cannot be read
};

/// Driver and log say the same of a remap, but for one that could not be recorded. The counters are evidence enough
/// where the log cannot be read.
Logged logged(harness::Context& context) {
  const telemetry::Machine machine = context.telemetry().machine();
  const std::string own = normal_pci_address(context.telemetry().gpus().front().pci_address);
  Logged seen;
  try {
    const JudgedLog log(context, machine);
    seen.begin = log.begin();
    seen.failures.emplace();
    for (std::size_t i = 0; i < log.events().size(); ++i) {
      const telemetry::KernelEvent& event = log.events()[i];
      const bool is_xid = event.kind == telemetry::KernelEventKind::xid && event.pci_address == own;
      if (!is_xid || (event.xid != replaced && event.xid != not_recorded)) continue;
      seen.all.push_back(harness::text_of(event));
      if (event.xid == not_recorded && log.counts(i)) seen.failures->push_back(seen.all.back());
    }
  } catch (const harness::Skip& unreadable) {
    seen.begin = unreadable.what();
  }
  return seen;
}

/// What the GPU's way of repair has and the driver does not offer.
Texts not_offered(const Gpu& gpu) {
  const bool remaps = is_offered(gpu, Reading::remap_failed);
  const std::vector<Reading> judged =
      remaps ? std::vector{Reading::remap_pending, Reading::remapped_rows_uncorrected, Reading::remap_banks_none}
             : std::vector{Reading::retired_pages_pending, Reading::retired_pages_double_bit};
  Texts keys;
  for (const Reading reading : judged) {
    if (!is_offered(gpu, reading)) keys.emplace_back(telemetry::info_of(reading).key);
  }
  return keys;
}

// Row remapping is of Ampere and later, page retirement of what was before.
void run(harness::Context& context) {
  const Gpu gpu = context.telemetry().gpu();
  require_any(gpu, {Reading::remap_failed, Reading::retired_pages_double_bit});
  observe_raised(context, "pending", gpu, {Reading::remap_pending, Reading::retired_pages_pending});
  observe_raised(context, "failed", gpu, {Reading::remap_failed});
  observe_over_limit(context, gpu);
  context.observe("not_available", not_offered(gpu));
  const Logged log = logged(context);
  observe_known(context, "not_recorded", log.failures);
  context.observe("in_log", shortened(log.all));
  context.observe("log_begins", log.begin);
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
      .needs = {.libraries = {std::string(harness::management_library)}},
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
                      .minimum = 0},
                     since_parameter(),
                     kernel_log_parameter()},
      .faults = {{.name = "remap_waits",
                  .summary = "a row is to be replaced at the next reset",
                  .telemetry = telemetry::always(Reading::remap_pending, true)},
                 {.name = "remap_failed",
                  .summary = "a row could not be replaced",
                  .telemetry = telemetry::always(Reading::remap_failed, true)},
                 {.name = "no_spare_left",
                  .summary = "a bank has no spare row left",
                  .telemetry = telemetry::always(Reading::remap_banks_none, std::int64_t{1})},
                 {.name = "remap_not_recorded",
                  .summary = "the log says that a row to be replaced could not be recorded",
                  .telemetry = telemetry::always(Aspect::kernel_xid, std::int64_t{64})},
                 {.name = "too_many_rows",
                  .summary = "more rows were replaced than a GPU may have",
                  .telemetry = telemetry::always(Reading::remapped_rows_uncorrected, std::int64_t{513})},
                 {.name = "pending_fails",
                  .summary = "the driver fails to say whether a remap waits",
                  .telemetry = telemetry::failing(Reading::remap_pending)}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_health::row_remap
