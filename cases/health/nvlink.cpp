#include <algorithm>
#include <thread>

#include "cases/health/support.hpp"

namespace gpucheck::cases::in_health::nvlink {
namespace {

using telemetry::Link;
using telemetry::LinkReading;
using Texts = std::vector<std::string>;

std::int64_t active_links(const Gpu& gpu) {
  return std::ranges::count_if(gpu.links,
                               [](const Link& link) { return telemetry::flag(link[LinkReading::is_active]) == true; });
}

/// As many as any GPU of the same model in the machine has, this one included.
std::int64_t most_active_links(const telemetry::Machine& machine, const Gpu& gpu) {
  std::int64_t most = active_links(gpu);
  for (const Gpu& other : machine.gpus) {
    if (other[Reading::name] == gpu[Reading::name]) most = std::max(most, active_links(other));
  }
  return most;
}

std::int64_t errors_of(const Link& link) {
  std::int64_t errors = 0;
  for (const LinkReading counter : {LinkReading::replays, LinkReading::crc_flit_errors, LinkReading::crc_data_errors}) {
    errors += telemetry::number(link[counter]).value_or(0);
  }
  return errors;
}

/// Links with more new errors in a second than are accepted: counters are of all the time since the driver was loaded.
Texts failing_links(const Gpu& before, const Gpu& after, double seconds, double limit) {
  Texts texts;
  for (std::size_t i = 0; i < std::min(before.links.size(), after.links.size()); ++i) {
    const double rate = static_cast<double>(errors_of(after.links[i]) - errors_of(before.links[i])) / seconds;
    if (rate > limit) texts.push_back(fmt::format("link {}: {:.0f} errors a second, limit {}", i, rate, limit));
  }
  return texts;
}

Texts recovered_links(const Gpu& gpu, std::int64_t limit) {
  Texts texts;
  for (std::size_t i = 0; i < gpu.links.size(); ++i) {
    const std::int64_t recoveries = telemetry::number(gpu.links[i][LinkReading::recoveries]).value_or(0);
    if (recoveries > limit) texts.push_back(fmt::format("link {}: {} recoveries, limit {}", i, recoveries, limit));
  }
  return texts;
}

void run(harness::Context& context) {
  harness::GpuWatch& watch = context.telemetry();
  const telemetry::Machine machine = watch.machine();
  const Gpu before = watch.gpu();
  if (before.links.empty()) throw harness::Skip("the GPU has no NVLink");
  const auto given = context.parameter<std::int64_t>("expected_links");
  const std::int64_t expected = given > 0 ? given : most_active_links(machine, before);
  if (expected == 0)
    throw harness::Skip("no NVLink is up, of this GPU or of any other of its model: none may be connected");
  const std::chrono::milliseconds time = window(context);
  std::this_thread::sleep_for(time);
  const Gpu after = watch.gpu();
  const double seconds = std::chrono::duration<double>(time).count();
  context.observe("links_missing", over(active_links(after), expected));
  context.observe("links_with_new_errors",
                  failing_links(before, after, seconds, context.parameter<double>("max_errors_per_second")));
  context.observe("links_with_recoveries", recovered_links(after, context.parameter<std::int64_t>("max_recoveries")));
  context.observe("links_up", active_links(after));
  context.observe("links_expected", expected);
}

}  // namespace

harness::Case define() {
  return {
      .name = "health.nvlink",
      .summary = "As many NVLinks are up as the GPU's neighbours have, and none of them fails",
      .source = std::string(nvml_documentation),
      .parameters = {window_parameter(),
                     {.name = "expected_links",
                      .summary = "NVLinks that must be up; 0: as many as any GPU of the same model in the machine has",
                      .default_value = std::int64_t{0},
                      .minimum = 0,
                      .maximum = 64},
                     {.name = "max_errors_per_second",
                      .summary = "Replays and CRC errors of one link in a second that are accepted",
                      .default_value = 100.0,
                      .minimum = 0},
                     {.name = "max_recoveries",
                      .summary =
                          "Times that one link had to be trained again, since the driver was loaded, that are accepted",
                      .default_value = std::int64_t{0},
                      .minimum = 0}},
      .faults = {{.name = "link_down",
                  .summary = "a link is down that a neighbour has",
                  .telemetry =
                      telemetry::always(Aspect::neighbour, {}) + telemetry::always(LinkReading::is_active, false)},
                 {.name = "errors_rise",
                  .summary = "data arrive damaged on one link",
                  .telemetry = telemetry::rising(LinkReading::crc_data_errors, 100'000)},
                 {.name = "trained_again",
                  .summary = "a link had to be trained again",
                  .telemetry = telemetry::always(LinkReading::recoveries, std::int64_t{3})}},
      .deadline = std::chrono::seconds(30),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_health::nvlink
