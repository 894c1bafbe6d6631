#include <algorithm>
#include <array>
#include <optional>
#include <thread>
#include <utility>

#include "cases/shared/health_support.hpp"

namespace gpucheck::cases::in_health::nvlink_quality {
namespace {

using telemetry::Link;
using telemetry::LinkReading;
using Texts = std::vector<std::string>;

/// Megabytes a second of one link, each way, by a part of the model's name: NVIDIA's Health Validation expects these.
constexpr std::array<std::pair<std::string_view, std::int64_t>, 3> known_speeds{
    {{"H100", 26'562}, {"H200", 26'562}, {"B200", 53'125}}};

/// What links of the fifth generation count instead of CRC errors and replays.
constexpr std::array error_counters{LinkReading::received_errors, LinkReading::effective_errors,
                                    LinkReading::symbol_errors};

bool is_up(const Link& link) { return telemetry::flag(link[LinkReading::is_active]) == true; }

std::int64_t fastest_link(const Gpu& gpu) {
  std::int64_t fastest = 0;
  for (const Link& link : gpu.links) {
    if (is_up(link)) fastest = std::max(fastest, telemetry::number(link[LinkReading::speed]).value_or(0));
  }
  return fastest;
}

/// The parameter; else what is known of the model, or the fastest link of any GPU of the same model. 0 where no link
/// says its speed.
std::int64_t expected_speed(const harness::Context& context, const telemetry::Machine& machine, const Gpu& gpu) {
  if (const auto given = context.parameter<std::int64_t>("expected_mbps"); given > 0) return given;
  std::int64_t fastest = fastest_link(gpu);
  for (const Gpu& other : machine.gpus) {
    if (other[Reading::name] == gpu[Reading::name]) fastest = std::max(fastest, fastest_link(other));
  }
  if (fastest == 0) return 0;
  const std::string* const model = telemetry::text(gpu[Reading::name]);
  for (const auto& [part, speed] : known_speeds) {
    if (model != nullptr && model->find(part) != std::string::npos) fastest = std::max(fastest, speed);
  }
  return fastest;
}

/// @throws EnvironmentError where the driver failed to read it.
std::optional<std::int64_t> value_of(const Gpu& gpu, std::size_t index, LinkReading reading) {
  const telemetry::Value& value = gpu.links[index][reading];
  if (telemetry::is_failure(value)) {
    throw EnvironmentError(
        fmt::format("link {}: {}: {}", index, telemetry::info_of(reading).key, *telemetry::problem(value)));
  }
  return telemetry::number(value);
}

/// @throws EnvironmentError where the links, the state of one, or what is judged of one that is up could not be read:
/// a skip would hide it.
void require_readings(const Gpu& gpu) {
  if (gpu.links_failed) throw EnvironmentError("the NVLinks cannot be read: " + gpu.links_problem);
  static_cast<void>(is_offered(gpu, Reading::name));  // which says how fast they should be
  for (std::size_t i = 0; i < gpu.links.size(); ++i) {
    static_cast<void>(value_of(gpu, i, LinkReading::is_active));
    if (!is_up(gpu.links[i])) continue;
    for (const LinkReading counter : error_counters) static_cast<void>(value_of(gpu, i, counter));
    for (const LinkReading each : {LinkReading::speed, LinkReading::recovery_events})
      static_cast<void>(value_of(gpu, i, each));
  }
}

/// Why no link counts as up, where the driver does not offer to say.
std::string why_none_is_up(const Gpu& gpu) {
  if (!gpu.links_problem.empty()) return fmt::format("the NVLinks are not known: {}", gpu.links_problem);
  for (const Link& link : gpu.links) {
    if (const std::string* const problem = telemetry::problem(link[LinkReading::is_active]))
      return fmt::format("whether the NVLinks are up is not known: {}", *problem);
  }
  return "no NVLink of the GPU is up";
}

/// Links that are up and have less than 99 percent of what is expected: the driver rounds. None where no link that is
/// up says its speed.
std::optional<Texts> slow_links(const Gpu& gpu, std::int64_t expected) {
  Texts texts;
  bool is_known = false;
  for (std::size_t i = 0; i < gpu.links.size(); ++i) {
    if (!is_up(gpu.links[i])) continue;
    const auto speed = value_of(gpu, i, LinkReading::speed);
    is_known = is_known || speed;
    if (speed && *speed * 100 < expected * 99) texts.push_back(fmt::format("link {}: {} MB/s", i, *speed));
  }
  return is_known ? std::optional(texts) : std::nullopt;
}

/// How many counters any link of both has.
std::size_t counted(const Gpu& gpu) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < gpu.links.size(); ++i) {
    for (const LinkReading counter : error_counters) count += value_of(gpu, i, counter) ? 1U : 0U;
    count += value_of(gpu, i, LinkReading::recovery_events) ? 1U : 0U;
  }
  return count;
}

/// None where no link has such a counter.
std::optional<Texts> links_with_new_errors(const Gpu& before, const Gpu& after, double seconds, double limit) {
  Texts texts;
  bool is_known = false;
  for (std::size_t i = 0; i < after.links.size(); ++i) {
    for (const LinkReading counter : error_counters) {
      const auto was = value_of(before, i, counter);
      const auto is = value_of(after, i, counter);
      if (!was || !is) continue;
      is_known = true;
      const double rate = static_cast<double>(*is - *was) / seconds;
      if (rate > limit)
        texts.push_back(fmt::format("link {}: {} {:.0f} a second", i, telemetry::info_of(counter).key, rate));
    }
  }
  return is_known ? std::optional(texts) : std::nullopt;
}

/// Likewise.
std::optional<Texts> links_with_recoveries(const Gpu& gpu, std::int64_t limit) {
  Texts texts;
  bool is_known = false;
  for (std::size_t i = 0; i < gpu.links.size(); ++i) {
    const auto events = value_of(gpu, i, LinkReading::recovery_events);
    is_known = is_known || events;
    if (events && *events > limit) texts.push_back(fmt::format("link {}: {} recoveries", i, *events));
  }
  return is_known ? std::optional(texts) : std::nullopt;
}

void run(harness::Context& context) {
  harness::GpuWatch& watch = context.telemetry();
  const telemetry::Machine machine = watch.machine();
  const Gpu before = watch.gpu();
  require_readings(before);
  if (std::ranges::none_of(before.links, is_up)) throw harness::Skip(why_none_is_up(before));
  const std::int64_t expected = expected_speed(context, machine, before);
  if (expected == 0 && counted(before) == 0)
    throw harness::Skip("the driver reports neither the speed of NVLinks nor what those of the fifth generation count");
  const std::chrono::milliseconds time = window(context);
  std::this_thread::sleep_for(time);
  const Gpu after = watch.gpu();
  require_readings(after);
  if (before.links.size() != after.links.size()) {
    throw EnvironmentError(
        fmt::format("{} NVLinks are listed, and {} a moment later", before.links.size(), after.links.size()));
  }
  observe_known(context, "slow_links", slow_links(after, expected));
  observe_known(context, "links_with_new_errors",
                links_with_new_errors(before, after, std::chrono::duration<double>(time).count(),
                                      context.parameter<double>("max_errors_per_second")));
  observe_known(context, "links_with_recoveries",
                links_with_recoveries(after, context.parameter<std::int64_t>("max_recoveries")));
  context.observe("expected_mbps", expected);
  context.observe("counters", counted(after));
}

std::vector<harness::Parameter> parameters() {
  return {
      window_parameter(),
      {.name = "expected_mbps",
       .summary = "Megabytes a second of each link; 0: as known of the model, or the fastest of the GPUs of the model",
       .default_value = std::int64_t{0},
       .minimum = 0},
      {.name = "max_errors_per_second",
       .summary = "Errors of one kind that one link may count in a second",
       .default_value = 100.0,
       .minimum = 0},
      {.name = "max_recoveries",
       .summary = "Recoveries of one link since the driver was loaded that are accepted",
       .default_value = std::int64_t{0},
       .minimum = 0}};
}

}  // namespace

harness::Case define() {
  const auto counts = [](LinkReading counter) { return telemetry::always(counter, std::int64_t{0}); };
  return {
      .name = "health.nvlink_quality",
      .summary = "NVLinks that are up have their full speed; from the fifth generation on, they count no new errors",
      .source = std::string(nvml_documentation),
      .needs = {.libraries = {std::string(harness::management_library)}},
      .parameters = parameters(),
      .faults = {{.name = "half_speed",
                  .summary = "a link runs at half its speed",
                  .telemetry = telemetry::always(LinkReading::speed, std::int64_t{13'281})},
                 {.name = "errors_rise",
                  .summary = "data arrive damaged on one link",
                  .telemetry = counts(LinkReading::effective_errors) +
                               telemetry::rising(LinkReading::effective_errors, 100'000)},
                 {.name = "trained_again",
                  .summary = "a link had to be recovered",
                  .telemetry = telemetry::always(LinkReading::recovery_events, std::int64_t{3})},
                 {.name = "state_fails",
                  .summary = "the driver fails to say whether a link is up",
                  .telemetry = telemetry::failing(LinkReading::is_active)},
                 {.name = "list_fails",
                  .summary = "the driver fails to list the links",
                  .telemetry = telemetry::failing(Aspect::links_down)},
                 {.name = "counter_fails",
                  .summary = "the driver fails to say how many errors a link has received",
                  .telemetry = telemetry::failing(LinkReading::received_errors)},
                 {.name = "speed_fails",
                  .summary = "the driver fails to say how fast a link is",
                  .telemetry = telemetry::failing(LinkReading::speed)}},
      .deadline = std::chrono::seconds(30),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_health::nvlink_quality
