#include "telemetry/machine/machine_file.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/files/input_file.hpp"
#include "base/text/pci_address.hpp"
#include "base/text/strict_json.hpp"
#include "telemetry/kernel_log/log_events.hpp"

namespace gpucheck::telemetry {
namespace {

using Json = nlohmann::ordered_json;

std::string member_place(std::string_view place, std::string_view key) { return fmt::format("{}.{}", place, key); }

constexpr int deepest = 32;  // a recording nests half a dozen levels

/// Reads one file; every refusal names the file and the place in it.
class Reader {
 public:
  explicit Reader(const std::string& name) : name_(name) {}

  Machine machine(const Json& root) {
    object(root, "the file");
    if (!root.contains("schema") || root["schema"] != machine_schema)
      refuse("schema", fmt::format("\"{}\"", machine_schema));
    Machine machine;
    machine.host = absent_host();
    machine.network.problem = not_recorded;
    machine.driver_version = machine.nvml_version = machine.cuda_version = Unavailable{std::string(not_recorded)};
    for (const auto& [key, value] : root.items()) {
      if (key == "driver_version")
        machine.driver_version = version(value, key);
      else if (key == "nvml_version")
        machine.nvml_version = version(value, key);
      else if (key == "cuda_version")
        machine.cuda_version = version(value, key);
      else if (key == "gpus")
        machine.gpus = list<Gpu>(value, key, &Reader::gpu);
      else if (key == "host")
        machine.host = host(value, key);
      else if (key == "network")
        machine.network = network(value, key);
      else if (key != "schema")
        unknown(key);
    }
    if (!root.contains("gpus")) refuse("gpus", "a list");
    return machine;
  }

 private:
  [[noreturn]] void refuse(const std::string& place, const std::string& expected) const {
    throw EnvironmentError(fmt::format("{}: {}: expected {}", name_, place, expected));
  }
  [[noreturn]] void unknown(const std::string& place) const {
    throw EnvironmentError(fmt::format("{}: {}: there is no such field", name_, place));
  }
  void object(const Json& json, const std::string& place) const {
    if (!json.is_object()) refuse(place, "an object");
  }
  std::string string(const Json& json, const std::string& place) const {
    if (!json.is_string()) refuse(place, "a text");
    return json.get<std::string>();
  }
  std::int64_t integer(const Json& json, const std::string& place) const {
    const bool too_large = json.is_number_unsigned() && json.get<std::uint64_t>() > INT64_MAX;
    if (!json.is_number_integer() || too_large) refuse(place, "an integer of 64 bits");
    return json.get<std::int64_t>();
  }
  std::int64_t count(const Json& json, const std::string& place) const {
    const std::int64_t number = integer(json, place);
    if (number < 0) refuse(place, "an integer that is not negative");
    return number;
  }
  template <typename Item>
  std::vector<Item> list(const Json& json, const std::string& place,
                         Item (Reader::*read)(const Json&, const std::string&)) {
    if (!json.is_array()) refuse(place, "a list");
    std::vector<Item> items;
    for (std::size_t i = 0; i < json.size(); ++i)
      items.push_back((this->*read)(json[i], fmt::format("{}[{}]", place, i)));
    return items;
  }

  std::optional<Unavailable> unavailable(const Json& json, const std::string& place) const {
    if (!json.is_object()) return {};
    for (const char* const key : {"unavailable", "failed"}) {
      if (json.size() != 1 || !json.contains(key)) continue;
      const std::string reason = string(json[key], fmt::format("{}.{}", place, key));
      if (reason.empty()) refuse(fmt::format("{}.{}", place, key), "a reason");
      return Unavailable{.reason = reason,
                         .is_failure = key == std::string_view("failed") || !says_not_offered(reason)};
    }
    refuse(place, "a value, {\"unavailable\": REASON} or {\"failed\": REASON}");
  }
  /// Items, or why there are none.
  template <typename Item>
  Unavailable list_or_problem(const Json& json, const std::string& place, std::vector<Item>& items,
                              std::string& problem, Item (Reader::*read)(const Json&, const std::string&)) {
    const auto none = unavailable(json, place);
    if (!none) items = list<Item>(json, place, read);
    problem = none ? none->reason : "";
    return none.value_or(Unavailable{});
  }
  Value value(const Json& json, const std::string& place, ReadingType type) const {
    if (const auto none = unavailable(json, place)) return *none;
    if (type == ReadingType::flag) {
      if (!json.is_boolean()) refuse(place, "true or false");
      return json.get<bool>();
    }
    if (type == ReadingType::text) return string(json, place);
    return type == ReadingType::signed_number ? integer(json, place) : count(json, place);
  }
  /// Recordings of before have an empty text where the version was not known, for whatever reason.
  Value version(const Json& json, const std::string& place) const {
    Value version = value(json, place, ReadingType::text);
    const std::string* const words = text(version);
    if (words != nullptr && words->empty()) return Unavailable{std::string(not_recorded)};
    return version;
  }
  void module_version(const Json& json, const std::string& place, Host& host) const {
    if (const auto none = unavailable(json, place)) {
      if (none->is_failure) host.kernel_module_problem = none->reason;
    } else {
      host.kernel_module_version = string(json, place);
    }
  }
  /// Fills `values` with what the object holds; `find` knows the keys.
  template <typename Values, typename Find>
  void values(const Json& json, const std::string& place, Values& values, Find find) const {
    object(json, place);
    for (const auto& [key, each] : json.items()) {
      const auto which = find(key);
      if (!which) unknown(member_place(place, key));
      values[static_cast<std::size_t>(*which)] = value(each, member_place(place, key), info_of(*which).type);
    }
  }
  Link link(const Json& json, const std::string& place) {
    Link link;
    link.values.fill(Unavailable{std::string(not_recorded)});
    values(json, place, link.values, find_link_reading);
    return link;
  }
  Process process(const Json& json, const std::string& place) {
    object(json, place);
    Process process;
    if (!json.contains("pid")) refuse(place + ".pid", "an integer");
    for (const auto& [key, each] : json.items()) {
      if (key == "pid")
        process.pid = count(each, place + ".pid");
      else if (key != "used_memory_bytes")
        unknown(member_place(place, key));
      else if (!each.is_null())
        process.used_memory_bytes = count(each, place + ".used_memory_bytes");
    }
    return process;
  }
  std::int64_t xid(const Json& json, const std::string& place) { return count(json, place); }
  PciGpu pci_gpu(const Json& json, const std::string& place) {
    return {.address = member(json, place, "address", 2), .driver = member(json, place, "driver", 2)};
  }
  NamedState named(const Json& json, const std::string& place) {
    return {.name = member(json, place, "name", 2), .problem = member(json, place, "problem", 2)};
  }
  std::int64_t time(const Json& json, const std::string& place) const {
    if (const auto seconds = parse_utc(string(json, place))) return *seconds;
    refuse(place, "a time such as \"2026-11-25T10:32:31Z\"");
  }
  KernelEventKind kernel_event_kind(const Json& json, const std::string& place) const {
    if (const auto kind = find_kernel_event_kind(string(json, place))) return *kind;
    refuse(place, "a kind of event of the kernel's log");
  }
  KernelEvent kernel_event(const Json& json, const std::string& place) {
    object(json, place);
    for (const char* required : {"pci_address", "xid", "text"}) {
      if (!json.contains(required)) refuse(fmt::format("{}.{}", place, required), "a value");
    }
    KernelEvent event;
    for (const auto& [key, each] : json.items()) {
      const std::string here = member_place(place, key);
      if (key == "kind")
        event.kind = kernel_event_kind(each, here);
      else if (key == "pci_address")
        event.pci_address = pci_address(string(each, here));
      else if (key == "xid")
        event.xid = count(each, here);
      else if (key == "text")
        event.text = string(each, here);
      else if (key == "count")
        event.count = integer(each, here);
      else if (key == "first_time")
        event.first_time_s = time(each, here);
      else if (key == "last_time")
        event.last_time_s = time(each, here);
      else
        unknown(here);
    }
    if (event.count < 1) refuse(place + ".count", "a number from 1 on");
    return event;
  }
  /// Recordings of old name the instance of a GPU in MIG mode, too: "0000:3b:00 GPU-I:05.0".
  static std::string pci_address(const std::string& address) {
    const std::size_t instance = address.find(" GPU-I:");
    return normal_pci_address(instance == std::string::npos ? address : address.substr(0, instance) + ".0");
  }
  /// A text of an object that has to have so many members.
  std::string member(const Json& json, const std::string& place, const char* name, std::size_t members) const {
    object(json, place);
    if (!json.contains(name)) refuse(fmt::format("{}.{}", place, name), "a text");
    if (json.size() != members) refuse(place, fmt::format("{} fields", members));
    return string(json[name], fmt::format("{}.{}", place, name));
  }

  static Host absent_host() {
    Host host;
    host.pci_gpus_problem = host.device_files_problem = host.libraries_problem = host.kernel_log_problem = not_recorded;
    return host;
  }
  Host host(const Json& json, const std::string& place) {
    object(json, place);
    Host host = absent_host();
    for (const auto& [key, each] : json.items()) {
      const std::string here = member_place(place, key);
      if (key == "kernel_module_version")
        module_version(each, here, host);
      else if (key == "pci_gpus")
        list_or_problem(each, here, host.pci_gpus, host.pci_gpus_problem, &Reader::pci_gpu);
      else if (key == "device_files")
        list_or_problem(each, here, host.device_files, host.device_files_problem, &Reader::named);
      else if (key == "libraries")
        list_or_problem(each, here, host.libraries, host.libraries_problem, &Reader::named);
      else if (key == "kernel_xids")
        list_or_problem(each, here, host.kernel_events, host.kernel_log_problem, &Reader::kernel_event);
      else if (key == "kernel_log_begin")
        host.kernel_log_begin_s = time(each, here);
      else if (key == "kernel_log_read")
        host.kernel_log_read_s = time(each, here);
      else
        unknown(here);
    }
    host.kernel_events = in_short(std::move(host.kernel_events));
    return host;
  }

  /// Files by their paths; what is not a path is why they are not known.
  NetworkFiles network(const Json& json, const std::string& place) const {
    object(json, place);
    NetworkFiles network;
    const bool has_paths = json.empty() || json.begin().key().starts_with('/');
    if (const auto none = has_paths ? std::nullopt : unavailable(json, place)) {
      network.problem = none->reason;
      network.failed = none->is_failure;
      return network;
    }
    for (const auto& [path, each] : json.items()) {
      const std::string here = member_place(place, path);
      if (!path.starts_with('/')) refuse(here, "the path of a file");
      FileState& state = network.files[path];
      if (const auto none = unavailable(each, here)) {
        state.problem = none->reason;
      } else {
        state.text = string(each, here);
      }
    }
    return network;
  }

  Gpu gpu(const Json& json, const std::string& place) {
    object(json, place);
    Gpu gpu;
    gpu.values.fill(Unavailable{std::string(not_recorded)});
    gpu.links_problem = gpu.processes_problem = gpu.xids_problem = not_recorded;
    for (const auto& [key, each] : json.items()) {
      const std::string here = member_place(place, key);
      if (key == "readings")
        values(each, here, gpu.values, find_reading);
      else if (key == "links")
        gpu.links_failed = list_or_problem(each, here, gpu.links, gpu.links_problem, &Reader::link).is_failure;
      else if (key == "processes")
        gpu.processes_failed =
            list_or_problem(each, here, gpu.processes, gpu.processes_problem, &Reader::process).is_failure;
      else if (key == "xids")
        gpu.xids_failed = list_or_problem(each, here, gpu.xids, gpu.xids_problem, &Reader::xid).is_failure;
      else
        unknown(here);
    }
    return gpu;
  }

  const std::string& name_;
};

}  // namespace

Machine parse_machine(std::string_view bytes, const std::string& name) {
  Json root;
  try {
    root = parse_strict_json(bytes, deepest);
  } catch (const std::exception& error) {
    throw EnvironmentError(fmt::format("{}: {}", name, error.what()));
  }
  return Reader(name).machine(root);
}

Machine read_machine(const std::string& path) { return parse_machine(read_input_file(path, "recording"), path); }

}  // namespace gpucheck::telemetry
