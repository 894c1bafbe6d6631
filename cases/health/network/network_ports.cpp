#include <algorithm>
#include <map>

#include "cases/health/network/network_support.hpp"

namespace gpucheck::cases::in_health::network_ports {
namespace {

using telemetry::NetworkAdapter;
using telemetry::NetworkPort;
using Texts = std::vector<std::string>;

// -- what a port does --------------------------------------------------------------------------------

std::string state_of(const NetworkPort& port) { return fmt::format("{}, {}", port.state, port.physical_state); }

/// That the port was up once, by what has counted since. On Ethernet the interface shows it, unless it is switched off:
/// the port is down on purpose then.
bool had_link(const NetworkPort& port) {
  if (port.link_layer == "Ethernet") return port.interface_is_up && port.count("carrier_up_count").value_or(0) > 0;
  return port.physical_state != "Disabled" && port.count("link_downed").value_or(0) > 0;
}

/// What is wrong with a port whatever is expected of it; empty where nothing is.
std::string fault_of(const NetworkPort& port) {
  if (port.is_active() || port.state.empty() || port.physical_state.empty()) return {};
  if (port.state == "INIT" || port.state == "ARMED")
    return fmt::format("{}: {}: it has a link, and no subnet manager has made it active", port.name, state_of(port));
  if (port.state != "DOWN") return fmt::format("{}: {}", port.name, state_of(port));
  if (had_link(port)) return fmt::format("{}: {}: it has lost its link", port.name, state_of(port));
  const bool is_at_rest =
      port.physical_state == "Disabled" || port.physical_state == "Polling" || port.physical_state == "Sleep";
  const bool is_trying = port.physical_state == "LinkErrorRecovery" || port.physical_state == "Phy Test" ||
                         port.physical_state == "PortConfigurationTraining" || port.physical_state == "LinkUp";
  return is_trying && !is_at_rest ? fmt::format("{}: {}: its link does not come up", port.name, state_of(port)) : "";
}

// -- what a port is compared with ----------------------------------------------------------------------

/// A card has several adapters where each of its ports is a function of its own on the PCI bus. Cards of one kind are
/// those of one model with one sort of link.
struct Card {
  std::vector<const NetworkPort*> ports;
  [[nodiscard]] bool is_active() const {
    return std::ranges::any_of(ports, [](const NetworkPort* port) { return port->is_active(); });
  }
};
using Cards = std::map<std::string, Card>;  ///< by their places on the bus
using Kinds = std::map<std::string, Cards>;

Kinds kinds_of(const std::vector<NetworkAdapter>& adapters) {
  Kinds kinds;
  for (const NetworkAdapter& adapter : adapters) {
    const std::string card = adapter.pci_address.substr(0, adapter.pci_address.find('.'));
    for (const NetworkPort& port : adapter.ports) {
      if (port.link_layer != "InfiniBand" && port.link_layer != "Ethernet") continue;
      kinds[adapter.model + ", " + port.link_layer][card].ports.push_back(&port);
    }
  }
  return kinds;
}

/// Ports that are not active, and what that means by comparison with the other cards.
struct Idle {
  Texts down;         ///< of a card without a link, while most cards of its kind have one
  Texts unexplained;  ///< while some have one, or no port of the machine has
  Texts unused;       ///< for which nothing speaks
};

void sort_out(const Cards& cards, bool has_active_port, Idle& idle) {
  const auto active = std::ranges::count_if(cards, [](const auto& each) { return each.second.is_active(); });
  const bool are_most = 2 * active > std::ssize(cards);
  for (const auto& [place, card] : cards) {
    for (const NetworkPort* const port : card.ports) {
      if (port->is_active() || port->state.empty() || !fault_of(*port).empty()) continue;
      const std::string text = fmt::format("{}: {}", port->name, state_of(*port));
      if (card.is_active())
        idle.unused.push_back(text);
      else if (are_most)
        idle.down.push_back(
            fmt::format("{}, while {} of {} cards of its kind have a link", text, active, cards.size()));
      else
        (active > 0 || !has_active_port ? idle.unexplained : idle.unused).push_back(text);
    }
  }
}

Idle sort_out(const Kinds& kinds, bool has_active_port) {
  Idle idle;
  for (const auto& [kind, cards] : kinds) sort_out(cards, has_active_port, idle);
  return idle;
}

/// The highest rate that at least half of the kind's active ports have; 0 where none is active.
double usual_rate(const Cards& cards) {
  std::vector<double> rates;
  for (const auto& [place, card] : cards) {
    for (const NetworkPort* const port : card.ports) {
      if (port->is_active() && port->rate_gbps > 0) rates.push_back(port->rate_gbps);
    }
  }
  if (rates.empty()) return 0;
  std::ranges::sort(rates);
  return rates[rates.size() / 2];
}

Texts slow_ports(const Kinds& kinds, double asked_for) {
  Texts slow;
  for (const auto& [kind, cards] : kinds) {
    const double expected = asked_for > 0 ? asked_for : usual_rate(cards);
    for (const auto& [place, card] : cards) {
      for (const NetworkPort* const port : card.ports) {
        if (!port->is_active() || !port->rate_problem.empty() || port->rate_gbps >= expected) continue;
        slow.push_back(fmt::format("{}: {}, where {} Gb/sec are expected", port->name, port->rate, expected));
      }
    }
  }
  return slow;
}

std::string text_of(const telemetry::AdapterLink& link) {
  return fmt::format("{} GT/s with {} lanes", link.gigatransfers, link.lanes);
}

/// Adapters whose PCIe link is less than it could be; of a virtual machine's nothing is known.
Texts slow_on_bus(const std::vector<NetworkAdapter>& adapters) {
  Texts slow;
  for (const NetworkAdapter& adapter : adapters) {
    const telemetry::AdapterLink& is = adapter.link;
    const telemetry::AdapterLink& could = adapter.possible_link;
    const bool is_slow = is.gigatransfers > 0 && is.gigatransfers < could.gigatransfers;
    const bool is_narrow = is.lanes > 0 && is.lanes < could.lanes;
    if (!is_slow && !is_narrow) continue;
    slow.push_back(fmt::format("{} at {}: {}, where {} are possible", adapter.name, adapter.pci_address, text_of(is),
                               text_of(could)));
  }
  return slow;
}

// -- the case ----------------------------------------------------------------------------------------

Texts described(const std::vector<const NetworkPort*>& ports) {
  Texts texts;
  for (const NetworkPort* const port : ports) {
    std::string text = fmt::format("{}: {}, {}, {}", port->name, port->link_layer, state_of(*port), port->rate);
    if (!port->lid.empty() && port->link_layer == "InfiniBand") text += ", LID " + port->lid;
    if (!port->interface_state.empty()) text += ", " + port->interface_state;
    if (!port->address_types.empty()) text += fmt::format(", {}", fmt::join(port->address_types, ", "));
    texts.push_back(std::move(text));
  }
  return texts;
}

Texts described(const std::vector<NetworkAdapter>& adapters) {
  Texts texts;
  for (const NetworkAdapter& adapter : adapters) {
    texts.push_back(fmt::format("{}: {} {}, firmware {}, at {}, NUMA node {}, PCIe {}", adapter.name, adapter.node_type,
                                adapter.model, adapter.firmware, adapter.pci_address, adapter.numa_node,
                                text_of(adapter.link)));
  }
  return texts;
}

/// Adapters that are there for the bus alone: a driver that has not started them, or cannot.
Texts absent(const harness::Context& context, const telemetry::NetworkFiles& network) {
  if (context.parameter<std::string>("adapters") != "*") return {};
  Texts texts;
  for (const std::string& controller : telemetry::controllers_without_adapter(network))
    texts.push_back(controller + ": a controller of InfiniBand that no driver has made an adapter of");
  return texts;
}

void run(harness::Context& context) {
  const telemetry::NetworkFiles network = network_of(context);
  const std::vector<NetworkAdapter> adapters = looked_at(context, network);
  const auto asked_for = context.parameter<std::int64_t>("ports");
  Texts down = absent(context, network);
  if (asked_for <= 0 && down.empty()) require_ports(adapters);
  const std::vector<const NetworkPort*> ports = ports_of(adapters);
  const auto active = std::ranges::count_if(ports, &NetworkPort::is_active);
  for (const NetworkPort* const port : ports) {
    if (std::string fault = fault_of(*port); !fault.empty()) down.push_back(std::move(fault));
  }
  const Kinds kinds = kinds_of(adapters);
  Idle idle = sort_out(kinds, active > 0);
  Texts unused = idle.unused;
  if (asked_for >= 0) {
    // That is all that is expected: which of them they are does not matter.
    unused.insert(unused.end(), idle.down.begin(), idle.down.end());
    unused.insert(unused.end(), idle.unexplained.begin(), idle.unexplained.end());
    idle = {};
    if (active < asked_for)
      down.push_back(fmt::format("{} ports are active, where {} are expected", active, asked_for));
  }
  down.insert(down.end(), idle.down.begin(), idle.down.end());
  context.observe("unreadable", unreadable(adapters));
  context.observe("down", down);
  context.observe("slow", slow_ports(kinds, context.parameter<double>("rate_gbps")));
  context.observe("slow_on_bus", slow_on_bus(adapters));
  context.observe("unexplained", idle.unexplained);
  context.observe("unused", unused);
  context.observe("active", active);
  context.observe("ports", described(ports));
  context.observe("adapters", described(adapters));
}

telemetry::FaultPlan file(const std::string& what) { return telemetry::always(Aspect::network_file, what); }
telemetry::FaultPlan port_file(const char* what) {
  return file(std::string("/sys/class/infiniband/mlx5_0/ports/1/") + what);
}

std::vector<harness::Fault> faults() {
  return {{.name = "link_lost",
           .summary = "a port was up and has lost its link",
           .telemetry =
               port_file("state=1: DOWN") + port_file("phys_state=2: Polling") + port_file("counters/link_downed=1")},
          {.name = "no_subnet_manager",
           .summary = "a port has a link and is not made active",
           .telemetry = port_file("state=2: INIT")},
          {.name = "training_fails",
           .summary = "a port's link does not come up",
           .telemetry = port_file("state=1: DOWN") + port_file("phys_state=4: PortConfigurationTraining")},
          {.name = "never_up",
           .summary = "a port never had a link, and a card of its kind has one",
           .telemetry = port_file("state=1: DOWN") + port_file("phys_state=2: Polling")},
          {.name = "half_rate",
           .summary = "a port runs at half the rate of one of its kind",
           .telemetry = port_file("rate=200 Gb/sec (2X NDR)")},
          {.name = "half_width",
           .summary = "half of the lanes to an adapter are used",
           .telemetry = file("/sys/class/infiniband/mlx5_0/device/current_link_width=8")},
          {.name = "without_driver",
           .summary = "an adapter is on the bus and no driver has started it",
           .telemetry = file("/sys/bus/pci/devices/0000:ee:00.0/class=0x020700")},
          {.name = "state_unreadable",
           .summary = "an adapter does not answer what its state is",
           .telemetry = port_file("state")},
          {.name = "taken_away",
           .summary = "an adapter disappears while it is looked at",
           .telemetry = file("/sys/class/infiniband/mlx5_0")}};
}

}  // namespace

harness::Case define() {
  return {
      .name = "health.network_ports",
      .summary = "InfiniBand and RoCE ports are up that should be, at the rate of their kind",
      .source = std::string(network_documentation),
      .needs = {.devices = 0},
      .parameters = {adapters_parameter(),
                     {.name = "ports",
                      .summary = "Ports that must be active; -1: those that were up, and one of each card where most "
                                 "cards of its kind have one",
                      .default_value = std::int64_t{-1},
                      .minimum = -1,
                      .maximum = 1024},
                     {.name = "rate_gbps",
                      .summary = "Rate that each active port must have at least; 0: that of most of its kind",
                      .default_value = 0.0,
                      .unit = "Gb/s",
                      .minimum = 0,
                      .maximum = 10'000}},
      .faults = faults(),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_health::network_ports
