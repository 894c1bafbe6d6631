#include <algorithm>
#include <map>
#include <optional>

#include "cases/health/network/network_support.hpp"
#include "telemetry/network/file_view.hpp"

namespace gpucheck::cases::in_health::network_flaps {
namespace {

using telemetry::CounterMeaning;
using telemetry::NetworkPort;
using Texts = std::vector<std::string>;

constexpr const char* per_day = "max_flaps_per_day";
constexpr double seconds_of_a_day = 86'400;
/// A start of the machine takes links down as well: what happened is spread over no shorter time.
constexpr double shortest_s = seconds_of_a_day / 2;

/// How often a link went down. The adapter and the interface count the same; either may have been set back.
struct Downs {
  std::uint64_t now = 0;  ///< while it was looked at
  std::uint64_t all = 0;
};

std::map<std::string, Downs> downs_of(const std::vector<Growth>& growth) {
  std::map<std::string, Downs> downs;
  for (const Growth& each : growth) {
    if (each.counter->meaning != CounterMeaning::flap) continue;
    Downs& port = downs[each.port];
    port.now = std::max(port.now, each.amount());
    port.all = std::max(port.all, each.is);
  }
  return downs;
}

/// "12345.67 54321.00": since the start of the machine, and of idle processors. None where it is not known.
std::optional<double> uptime_s(const telemetry::NetworkFiles& network) {
  const std::string text = telemetry::FileView(network).text("/proc/uptime");
  return telemetry::whole_number<double>(std::string_view(text).substr(0, text.find(' ')));
}

Texts too_many(const std::map<std::string, Downs>& downs, double uptime, double accepted) {
  const double days = std::max(uptime, shortest_s) / seconds_of_a_day;
  Texts texts;
  for (const auto& [port, each] : downs) {
    if (static_cast<double>(each.all) >= accepted * days && each.all > 0)
      texts.push_back(fmt::format("{}: {} in {:.1f} h", port, each.all, uptime / 3600));
  }
  return texts;
}

void run(harness::Context& context) {
  NetworkWindow window = watch_ports(context);
  const std::vector<Growth> growth = growth_of(window, window.unreadable);
  const std::map<std::string, Downs> downs = downs_of(growth);
  if (downs.empty() && window.unreadable.empty()) throw harness::Skip("no port counts how often its link went down");
  Texts fresh;
  Texts all;
  Texts doubtful;
  Texts uncounted;
  for (const auto& [port, each] : downs) {
    if (each.now > 0) fresh.push_back(fmt::format("{}: {}", port, each.now));
    if (each.all > 0) all.push_back(fmt::format("{}: {}", port, each.all));
  }
  for (const Growth& each : growth) {
    if (each.counter->meaning != CounterMeaning::flap) continue;
    if (std::string doubt = each.doubt(); !doubt.empty()) doubtful.push_back(std::move(doubt));
  }
  for (const NetworkPort* const port : ports_of(window.before)) {
    if (!downs.contains(port->name)) uncounted.push_back(port->name);
  }
  const std::optional<double> uptime = uptime_s(window.files);
  context.observe("unreadable", window.unreadable);
  context.observe("new_flaps", fresh);
  if (uptime) {
    context.observe("too_many", too_many(downs, *uptime, context.parameter<double>(per_day)));
  } else {
    observe_not_available(context, "too_many");
  }
  context.observe("unknown_growth", doubtful);
  context.observe("flaps", all);
  context.observe("not_counted", uncounted);
  context.observe("uptime_hours", uptime.value_or(0) / 3600);
}

std::vector<harness::Fault> faults() {
  const auto link_downed = [](const char* count) {
    return std::string("/sys/class/infiniband/mlx5_0/ports/1/counters/link_downed=") + count;
  };
  return {{.name = "goes_down_now",
           .summary = "a link goes down while it is looked at",
           .telemetry = telemetry::becoming(Aspect::network_file, link_downed("1"))},
          {.name = "carrier_lost_now",
           .summary = "an Ethernet link goes down while it is looked at",
           .telemetry = telemetry::becoming(Aspect::network_file, "/sys/class/net/eth2/carrier_down_count=3")},
          {.name = "went_down_often",
           .summary = "a link has gone down seven times in a day",
           .telemetry = telemetry::always(Aspect::network_file, link_downed("7"))},
          {.name = "counter_set_back",
           .summary = "a counter is set back while it is looked at",
           .telemetry = telemetry::always(Aspect::network_file, link_downed("1")) +
                        telemetry::becoming(Aspect::network_file, link_downed("0"))},
          {.name = "counter_unreadable",
           .summary = "an adapter does not answer how often its link went down",
           .telemetry =
               telemetry::always(Aspect::network_file, "/sys/class/infiniband/mlx5_0/ports/1/counters/link_downed")}};
}

}  // namespace

harness::Case define() {
  return {
      .name = "health.network_flaps",
      .summary = "Links of InfiniBand and RoCE ports stay up",
      .source = std::string(network_documentation),
      .needs = {.devices = 0},
      .parameters = {adapters_parameter(),
                     network_window_parameter(),
                     {.name = per_day,
                      .summary = "Times a day, on the average since the machine was started (and at least half a day), "
                                 "that a link goes down and that are too many",
                      .default_value = 6.0,
                      .minimum = 0.001}},
      .faults = faults(),
      .deadline = std::chrono::seconds(30),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_health::network_flaps
