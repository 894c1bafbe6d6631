#include "cases/health/network/network_support.hpp"

#include <algorithm>
#include <fmt/ranges.h>
#include <thread>
#include <utility>

#include "harness/case/registry.hpp"
#include "telemetry/network/network_files.hpp"

namespace gpucheck::cases::in_health {
namespace {

using telemetry::NetworkAdapter;
using telemetry::NetworkPort;
using Texts = std::vector<std::string>;

bool is_named(std::string_view patterns, const std::string& name) {
  while (!patterns.empty()) {
    const std::size_t comma = patterns.find(',');
    if (harness::matches_glob(patterns.substr(0, comma), name)) return true;
    patterns = comma == patterns.npos ? "" : patterns.substr(comma + 1);
  }
  return false;
}

bool has_link_layer(const NetworkPort& port) {
  return port.link_layer.empty() || port.link_layer == "InfiniBand" || port.link_layer == "Ethernet";
}

void add_new(Texts& texts, std::string text) {
  if (std::ranges::find(texts, text) == texts.end()) texts.push_back(std::move(text));
}

}  // namespace

harness::Parameter adapters_parameter() {
  return {.name = "adapters",
          .summary = "Which adapters are looked at: patterns of their names, with commas between them (mlx5_?,ibp*)",
          .default_value = std::string("*")};
}

harness::Parameter network_window_parameter() {
  return {.name = "window_ms",
          .summary = "How long the ports are looked at; 0: a second, or a moment where a recording stands in",
          .default_value = std::int64_t{0},
          .unit = "ms",
          .minimum = 0,
          .maximum = 600'000};
}

std::chrono::milliseconds network_window(harness::Context& context) {
  const auto given = context.parameter<std::int64_t>("window_ms");
  return std::chrono::milliseconds(given > 0 ? given : context.driver().kind() == "sim" ? 1 : 1000);
}

telemetry::NetworkFiles network_of(harness::Context& context) {
  telemetry::NetworkFiles network;
  try {
    network = context.telemetry().network();
  } catch (const EnvironmentError&) {
    network = telemetry::read_network_files();
  }
  if (network.problem.empty()) return network;
  if (network.failed) throw EnvironmentError("the network adapters cannot be read: " + network.problem);
  throw harness::Skip("which network adapters there are is not known: " + network.problem);
}

std::vector<NetworkAdapter> looked_at(const harness::Context& context, const telemetry::NetworkFiles& network) {
  const auto& patterns = context.parameter<std::string>("adapters");
  std::vector<NetworkAdapter> adapters = telemetry::network_adapters(network);
  Texts names;
  for (const NetworkAdapter& adapter : adapters) names.push_back(adapter.name);
  std::erase_if(adapters, [&](const NetworkAdapter& adapter) { return !is_named(patterns, adapter.name); });
  if (adapters.empty() && !names.empty()) {
    throw EnvironmentError(
        fmt::format("adapters={}: no adapter has such a name; there are: {}", patterns, fmt::join(names, ", ")));
  }
  std::erase_if(adapters, [](const NetworkAdapter& adapter) { return adapter.is_virtual; });
  return adapters;
}

std::vector<const NetworkPort*> ports_of(const std::vector<NetworkAdapter>& adapters) {
  std::vector<const NetworkPort*> ports;
  for (const NetworkAdapter& adapter : adapters) {
    for (const NetworkPort& port : adapter.ports) {
      if (has_link_layer(port)) ports.push_back(&port);
    }
  }
  return ports;
}

Texts unreadable(const std::vector<NetworkAdapter>& adapters) {
  Texts problems;
  for (const NetworkAdapter& adapter : adapters)
    problems.insert(problems.end(), adapter.problems.begin(), adapter.problems.end());
  for (const NetworkPort* const port : ports_of(adapters)) {
    problems.insert(problems.end(), port->problems.begin(), port->problems.end());
    if (port->is_active() && !port->rate_problem.empty()) problems.push_back(port->rate_problem);
  }
  return problems;
}

void require_ports(const std::vector<NetworkAdapter>& adapters) {
  if (ports_of(adapters).empty() && unreadable(adapters).empty()) throw harness::Skip("no InfiniBand or RoCE port");
}

NetworkWindow watch_ports(harness::Context& context) {
  NetworkWindow window;
  window.before = looked_at(context, network_of(context));
  require_ports(window.before);
  std::this_thread::sleep_for(network_window(context));
  window.files = network_of(context);
  // All may be gone by now.
  const auto& patterns = context.parameter<std::string>("adapters");
  window.after = telemetry::network_adapters(window.files);
  std::erase_if(window.after,
                [&](const NetworkAdapter& adapter) { return adapter.is_virtual || !is_named(patterns, adapter.name); });
  window.unreadable = unreadable(window.before);
  for (std::string& problem : unreadable(window.after)) add_new(window.unreadable, std::move(problem));
  const std::vector<const NetworkPort*> after = ports_of(window.after);
  for (const NetworkPort* const port : ports_of(window.before)) {
    if (std::ranges::find(after, port->name, &NetworkPort::name) == after.end())
      window.unreadable.push_back(port->name + ": it is gone");
  }
  return window;
}

std::string Growth::doubt() const {
  if (is < was) return fmt::format("{}: {} was set back from {} to {}", port, counter->name, was, is);
  if (is >= counter->limit()) return fmt::format("{}: {} is at its limit, {}", port, counter->name, is);
  return {};
}

std::vector<Growth> growth_of(const NetworkWindow& window, Texts& unreadable) {
  std::vector<Growth> growth;
  const std::vector<const NetworkPort*> before = ports_of(window.before);
  for (const NetworkPort* const is : ports_of(window.after)) {
    const auto was = std::ranges::find(before, is->name, &NetworkPort::name);
    if (was == before.end()) continue;
    for (const telemetry::PortCounter& counter : telemetry::port_counters) {
      const auto now = is->counters.find(counter.name);
      const auto then = (*was)->counters.find(counter.name);
      const bool has_both = now != is->counters.end() && then != (*was)->counters.end();
      if (now != is->counters.end() && !now->second.problem.empty()) add_new(unreadable, now->second.problem);
      if (then != (*was)->counters.end() && !then->second.problem.empty()) add_new(unreadable, then->second.problem);
      if (then != (*was)->counters.end() && now == is->counters.end())
        add_new(unreadable, fmt::format("{}: {} is gone", is->name, counter.name));
      if (!has_both || !now->second.problem.empty() || !then->second.problem.empty()) continue;
      growth.push_back({is->name, &counter, then->second.value, now->second.value});
    }
  }
  return growth;
}

}  // namespace gpucheck::cases::in_health
