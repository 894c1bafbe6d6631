#include <set>

#include "cases/health/network/network_support.hpp"

namespace gpucheck::cases::in_health::network_errors {
namespace {

using telemetry::CounterMeaning;
using telemetry::NetworkPort;
using Texts = std::vector<std::string>;

constexpr const char* accepted = "max_new_errors";

bool is_judged(const telemetry::PortCounter& counter) {
  return counter.meaning == CounterMeaning::damage || counter.meaning == CounterMeaning::loss;
}

Texts not_counted(const std::vector<const NetworkPort*>& ports, const std::vector<Growth>& growth) {
  std::set<std::string> counted;
  for (const Growth& each : growth) {
    if (each.counter->meaning == CounterMeaning::damage) counted.insert(each.port);
  }
  Texts names;
  for (const NetworkPort* const port : ports) {
    if (!counted.contains(port->name)) names.push_back(port->name);
  }
  return names;
}

void run(harness::Context& context) {
  NetworkWindow window = watch_ports(context);
  const std::vector<Growth> growth = growth_of(window, window.unreadable);
  const Texts uncounted = not_counted(ports_of(window.before), growth);
  if (uncounted.size() == ports_of(window.before).size() && window.unreadable.empty())
    throw harness::Skip(fmt::format("no port counts errors of its link: {}", fmt::join(uncounted, ", ")));
  const auto most = static_cast<std::uint64_t>(context.parameter<std::int64_t>(accepted));
  Texts errors;
  Texts lost;
  Texts doubtful;
  Texts totals;
  for (const Growth& each : growth) {
    if (each.counter->meaning == CounterMeaning::flap || each.counter->meaning == CounterMeaning::link_ups) continue;
    if (each.is > 0) totals.push_back(fmt::format("{}: {} {}", each.port, each.counter->name, each.is));
    if (!is_judged(*each.counter)) continue;
    if (each.amount() > most) {
      (each.counter->meaning == CounterMeaning::damage ? errors : lost)
          .push_back(fmt::format("{}: {} grew by {}", each.port, each.counter->name, each.amount()));
    }
    if (std::string doubt = each.doubt(); !doubt.empty()) doubtful.push_back(std::move(doubt));
  }
  context.observe("unreadable", window.unreadable);
  context.observe("link_errors", errors);
  context.observe("lost_packets", lost);
  context.observe("unknown_growth", doubtful);
  context.observe("not_counted", uncounted);
  context.observe("totals", totals);
  context.observe("ports", ports_of(window.after).size());
}

/// From the second look on.
telemetry::FaultPlan then(const char* what) { return telemetry::becoming(Aspect::network_file, std::string(what)); }
telemetry::FaultPlan always(const char* what) { return telemetry::always(Aspect::network_file, std::string(what)); }

std::vector<harness::Fault> faults() {
  return {{.name = "symbol_errors",
           .summary = "a link takes symbols for others",
           .telemetry = then("/sys/class/infiniband/mlx5_0/ports/1/counters/symbol_error=7")},
          {.name = "frames_damaged",
           .summary = "frames arrive damaged on an Ethernet link",
           .telemetry = then("/sys/class/net/eth2/statistics/rx_crc_errors=7")},
          {.name = "packets_lost",
           .summary = "packets do not arrive in their order",
           .telemetry = then("/sys/class/infiniband/mlx5_2/ports/1/hw_counters/out_of_sequence=7")},
          {.name = "counter_at_its_limit",
           .summary = "a counter is at its limit",
           .telemetry = always("/sys/class/infiniband/mlx5_0/ports/1/counters/symbol_error=65535")},
          {.name = "counter_torn",
           .summary = "a counter cannot be read",
           .telemetry = always("/sys/class/infiniband/mlx5_0/ports/1/counters/port_rcv_errors")},
          {.name = "not_a_number",
           .summary = "a counter holds no number",
           .telemetry = then("/sys/class/infiniband/mlx5_0/ports/1/counters/port_rcv_errors=1x")}};
}

}  // namespace

harness::Case define() {
  return {
      .name = "health.network_errors",
      .summary = "InfiniBand and RoCE ports count no error while they are looked at",
      .source = std::string(network_documentation),
      .needs = {.devices = 0},
      .parameters = {adapters_parameter(),
                     network_window_parameter(),
                     {.name = accepted,
                      .summary = "Errors of each counter while the ports are looked at that are accepted",
                      .default_value = std::int64_t{0},
                      .minimum = 0}},
      .faults = faults(),
      .deadline = std::chrono::seconds(30),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_health::network_errors
