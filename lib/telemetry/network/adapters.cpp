#include "telemetry/network/adapters.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <utility>

#include "telemetry/network/file_view.hpp"
#include "telemetry/network/port_counters.hpp"

namespace gpucheck::telemetry {
namespace {

using Texts = std::vector<std::string>;

/// "ACTIVE" of "4: ACTIVE"; empty of another form.
std::string word_of(const std::string& text) {
  const std::size_t colon = text.find(": ");
  if (colon == text.npos || !whole_number<int>(std::string_view(text).substr(0, colon))) return {};
  return text.substr(colon + 2);
}

/// A file that every port has: what it says, or the problem among the others.
std::string required(const FileView& view, const std::string& path, bool is_numbered, Texts& problems) {
  const FileState* const found = view.find(path);
  if (found == nullptr) {
    problems.push_back(path + ": it is absent");
    return {};
  }
  std::string value = is_numbered ? word_of(found->text) : found->text;
  if (found->problem.empty() && !value.empty()) return value;
  problems.push_back(fmt::format(
      "{}: {}", path, !found->problem.empty() ? found->problem : fmt::format("not understood: \"{}\"", found->text)));
  return {};
}

/// What the kernel answers for a port without a performance management agent.
bool has_no_agent(const FileState& state) {
  return state.text == "N/A (no PMA)" || state.problem == std::strerror(EINVAL) ||
         state.problem == std::strerror(ENOSYS) || state.problem == std::strerror(EOPNOTSUPP);
}

CounterReading counter_of(const std::string& path, const FileState& state) {
  if (!state.problem.empty()) return {.value = 0, .problem = fmt::format("{}: {}", path, state.problem)};
  if (const auto value = whole_number<std::uint64_t>(state.text)) return {.value = *value, .problem = ""};
  return {.value = 0, .problem = fmt::format("{}: not a count: \"{}\"", path, state.text)};
}

/// A virtual function in a guest has none of the files in `counters`, although they are there; a port that offers some
/// of them offers all.
bool offers_counters(const FileView& view, const std::string& folder) {
  const std::string counters = folder + "/counters";
  const Texts names = view.names_in(counters);
  return std::ranges::any_of(names,
                             [&](const std::string& name) { return !has_no_agent(*view.find(counters + "/" + name)); });
}

void read_counters(const FileView& view, const std::string& folder, NetworkPort& port) {
  const bool has_counters = offers_counters(view, folder);
  for (const PortCounter& counter : port_counters) {
    if (counter.is_of_interface && port.interface.empty()) continue;
    if (!has_counters && counter.path.starts_with("counters/")) continue;
    const std::string place = counter.is_of_interface ? interfaces_folder + "/" + port.interface : folder;
    const std::string path = fmt::format("{}/{}", place, counter.path);
    if (const FileState* const found = view.find(path)) port.counters.emplace(counter.name, counter_of(path, *found));
  }
}

/// The interface that stands behind the port's addresses; else the only one of the adapter that can be the port's.
std::string interface_of(const FileView& view, const std::string& adapter, const std::string& port) {
  for (const std::string& place : view.names_in(port + "/gid_attrs/ndevs")) {
    std::string name = view.text(fmt::format("{}/gid_attrs/ndevs/{}", port, place));
    if (!name.empty()) return name;
  }
  Texts names = view.names_in(adapter + "/device/net");
  if (names.size() == 1) return names.front();
  // Interfaces count the ports of their device from 0 on.
  const auto number = whole_number<int>(std::string_view(port).substr(port.rfind('/') + 1));
  std::erase_if(names, [&](const std::string& name) {
    const auto own = whole_number<int>(view.text(fmt::format("{}/{}/dev_port", interfaces_folder, name)));
    return !number || own != *number - 1;
  });
  return names.size() == 1 ? names.front() : "";
}

/// Neither that an interface is switched off nor that its speed is unknown is a failure: both files cannot be read
/// then.
void read_interface(const FileView& view, NetworkPort& port) {
  const std::string folder = interfaces_folder + "/" + port.interface;
  port.interface_is_up = !view.text(folder + "/carrier").empty();
  const FileState* const carrier = view.find(folder + "/carrier");
  if (carrier != nullptr && !carrier->problem.empty() && carrier->problem != std::strerror(EINVAL))
    port.problems.push_back(fmt::format("{}/carrier: {}", folder, carrier->problem));
  const std::string speed = view.text(folder + "/speed");
  port.interface_state =
      fmt::format("{} {}, {}, MTU {}", port.interface, view.text(folder + "/operstate"),
                  speed.empty() || speed == "-1" ? "speed unknown" : speed + " Mb/s", view.text(folder + "/mtu"));
}

Texts address_types_of(const FileView& view, const std::string& folder) {
  Texts types;
  for (const std::string& place : view.names_in(folder + "/gid_attrs/types")) {
    std::string type = view.text(fmt::format("{}/gid_attrs/types/{}", folder, place));
    if (!type.empty() && std::ranges::find(types, type) == types.end()) types.push_back(std::move(type));
  }
  return types;
}

NetworkPort port_of(const FileView& view, const std::string& adapter, const std::string& folder, std::string name) {
  NetworkPort port;
  port.name = std::move(name);
  port.state = required(view, folder + "/state", true, port.problems);
  port.physical_state = required(view, folder + "/phys_state", true, port.problems);
  port.link_layer = required(view, folder + "/link_layer", false, port.problems);
  Texts of_rate;
  port.rate = required(view, folder + "/rate", false, of_rate);
  constexpr std::string_view unit = " Gb/sec";
  const std::string_view number = std::string_view(port.rate).substr(0, port.rate.find(unit));
  port.rate_gbps = whole_number<double>(number).value_or(0);
  if (of_rate.empty() && port.rate_gbps <= 0)
    of_rate.push_back(fmt::format("{}/rate: not understood: \"{}\"", folder, port.rate));
  if (!of_rate.empty()) port.rate_problem = of_rate.front();
  port.lid = view.text(folder + "/lid");
  port.address_types = address_types_of(view, folder);
  if (port.link_layer == "Ethernet") port.interface = interface_of(view, adapter, folder);
  if (!port.interface.empty()) read_interface(view, port);
  read_counters(view, folder, port);
  return port;
}

/// "16.0 GT/s PCIe" and "16".
AdapterLink link_of(const FileView& view, const std::string& speed_path, const std::string& width_path) {
  const std::string speed = view.text(speed_path);
  constexpr std::int64_t unknown_width = 255;
  const std::int64_t lanes = whole_number<std::int64_t>(view.text(width_path)).value_or(0);
  return {.gigatransfers = whole_number<double>(std::string_view(speed).substr(0, speed.find(' '))).value_or(0),
          .lanes = lanes == unknown_width ? 0 : lanes};
}

/// The lesser of two that are known, or the one that is.
template <typename Number>
Number lesser(Number one, Number other) {
  return one == 0 ? other : other == 0 ? one : std::min(one, other);
}

bool is_pci_address(std::string_view text) {
  const auto is_hex = [](unsigned char c) { return std::isxdigit(c) != 0; };
  return text.size() >= 12 && text[text.size() - 2] == '.' && text[text.size() - 5] == ':' &&
         text[text.size() - 8] == ':' && std::ranges::all_of(text.substr(0, text.size() - 8), is_hex);
}

/// The path of the last PCI device on the way: some drivers put one of their own below it.
std::string pci_path_of(std::string path) {
  while (!path.empty()) {
    const std::size_t slash = path.rfind('/');
    if (is_pci_address(std::string_view(path).substr(slash == path.npos ? 0 : slash + 1))) return path;
    path.erase(slash == path.npos ? 0 : slash);
  }
  return path;
}

std::string last_part(const std::string& path) { return path.substr(path.rfind('/') + 1); }

NetworkAdapter adapter_of(const FileView& view, const std::string& name) {
  const std::string folder = adapters_folder + "/" + name;
  NetworkAdapter adapter;
  adapter.name = name;
  adapter.node_type = word_of(view.text(folder + "/node_type"));
  adapter.firmware = view.text(folder + "/fw_ver");
  adapter.model = view.text(folder + "/board_id");
  if (adapter.model.empty()) adapter.model = view.text(folder + "/hca_type");
  adapter.pci_path = pci_path_of(view.text(folder + "/device"));
  adapter.pci_address = last_part(adapter.pci_path);
  adapter.numa_node = view.text(folder + "/device/numa_node");
  adapter.is_virtual = view.find(folder + "/device/physfn") != nullptr;
  adapter.link = link_of(view, folder + "/device/current_link_speed", folder + "/device/current_link_width");
  const AdapterLink own = link_of(view, folder + "/device/max_link_speed", folder + "/device/max_link_width");
  const AdapterLink slot = link_of(view, folder + "/device/../max_link_speed", folder + "/device/../max_link_width");
  adapter.possible_link = {.gigatransfers = lesser(own.gigatransfers, slot.gigatransfers),
                           .lanes = lesser(own.lanes, slot.lanes)};
  for (const std::string& place : {folder, folder + "/ports", folder + "/device"}) {
    const FileState* const found = view.find(place);
    if (found != nullptr && !found->problem.empty())
      adapter.problems.push_back(fmt::format("{}: {}", place == folder ? name : place, found->problem));
  }
  for (const std::string& number : view.names_in(folder + "/ports"))
    adapter.ports.push_back(port_of(view, folder, folder + "/ports/" + number, name + "/" + number));
  if (adapter.ports.empty() && adapter.problems.empty()) adapter.problems.push_back(name + ": it has no port");
  return adapter;
}

}  // namespace

bool NetworkPort::is_active() const {
  return (state == "ACTIVE" || state == "ACTIVE_DEFER") && physical_state == "LinkUp";
}

std::optional<std::uint64_t> NetworkPort::count(std::string_view counter) const {
  const auto found = counters.find(counter);
  if (found == counters.end() || !found->second.problem.empty()) return {};
  return found->second.value;
}

std::vector<NetworkAdapter> network_adapters(const NetworkFiles& network) {
  const FileView view(network);
  std::vector<NetworkAdapter> adapters;
  for (const std::string& name : view.names_in(adapters_folder)) {
    NetworkAdapter adapter = adapter_of(view, name);
    // One that was taken away has no place any more.
    if (!adapter.pci_path.empty() || !adapter.problems.empty()) adapters.push_back(std::move(adapter));
  }
  return adapters;
}

std::vector<std::string> controllers_without_adapter(const NetworkFiles& network) {
  const FileView view(network);
  const std::vector<NetworkAdapter> adapters = network_adapters(network);
  Texts without;
  for (const std::string& address : view.names_in(bus_folder)) {
    const std::string folder = bus_folder + "/" + address;
    const std::string driver = view.text(folder + "/driver");
    const bool is_kept = driver.starts_with("vfio") || driver.starts_with("pci-stub") || driver.ends_with("pciback");
    const bool is_adapter = std::ranges::find(adapters, address, &NetworkAdapter::pci_address) != adapters.end();
    if (!view.text(folder + "/class").starts_with("0x0207") || is_kept || is_adapter) continue;
    without.push_back(fmt::format("{} ({})", address, driver.empty() ? "no driver" : "driver " + driver));
  }
  return without;
}

}  // namespace gpucheck::telemetry
