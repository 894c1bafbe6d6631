#include "telemetry/machine_file.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/input_file.hpp"

namespace gpucheck::telemetry {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view schema = "gpucheck.telemetry/1";

Json to_json(const Value& value) {
  struct Writer {
    Json operator()(const Unavailable& none) const {
      return {{none.is_failure ? "failed" : "unavailable", none.reason}};
    }
    Json operator()(bool flag) const { return flag; }
    Json operator()(std::int64_t number) const { return number; }
    Json operator()(const std::string& text) const { return text; }
  };
  return std::visit(Writer{}, value);
}

/// What `json` makes of the list, or why there is none.
template <typename Item>
Json list_json(const std::vector<Item>& items, const std::string& problem, Json (*json)(const Item&)) {
  if (!problem.empty()) return {{"unavailable", problem}};
  Json array = Json::array();
  for (const Item& item : items) array.push_back(json(item));
  return array;
}

Json process_json(const Process& process) {
  return {{"pid", process.pid},
          {"used_memory_bytes", process.used_memory_bytes ? Json(*process.used_memory_bytes) : Json(nullptr)}};
}
Json number_json(const std::int64_t& number) { return number; }
Json pci_gpu_json(const PciGpu& gpu) { return {{"address", gpu.address}, {"driver", gpu.driver}}; }
Json named_json(const NamedState& named) { return {{"name", named.name}, {"problem", named.problem}}; }
Json kernel_xid_json(const KernelXid& xid) {
  return {{"pci_address", xid.pci_address}, {"xid", xid.xid}, {"text", xid.text}};
}

Json host_json(const Host& host) {
  return {{"kernel_module_version", host.kernel_module_version},
          {"pci_gpus", list_json(host.pci_gpus, host.pci_gpus_problem, pci_gpu_json)},
          {"device_files", list_json(host.device_files, host.device_files_problem, named_json)},
          {"libraries", list_json(host.libraries, host.libraries_problem, named_json)},
          {"kernel_xids", list_json(host.kernel_xids, host.kernel_log_problem, kernel_xid_json)}};
}

Json gpu_json(const Gpu& gpu) {
  Json json{{"readings", Json::object()}, {"links", Json::array()}};
  for (std::size_t i = 0; i < reading_count; ++i) {
    json["readings"][std::string(info_of(static_cast<Reading>(i)).key)] = to_json(gpu.values[i]);
  }
  for (const Link& link : gpu.links) {
    Json values = Json::object();
    for (std::size_t i = 0; i < link_reading_count; ++i) {
      values[std::string(info_of(static_cast<LinkReading>(i)).key)] = to_json(link.values[i]);
    }
    json["links"].push_back(std::move(values));
  }
  json["processes"] = list_json(gpu.processes, gpu.processes_problem, process_json);
  json["xids"] = list_json(gpu.xids, gpu.xids_problem, number_json);
  return json;
}

/// Reads one file; every refusal names the file and the place in it.
class Reader {
 public:
  explicit Reader(const std::string& name) : name_(name) {}

  Machine machine(const Json& root) {
    object(root, "the file");
    if (!root.contains("schema") || root["schema"] != schema) refuse("schema", fmt::format("\"{}\"", schema));
    Machine machine;
    machine.host = absent_host();
    for (const auto& [key, value] : root.items()) {
      if (key == "driver_version")
        machine.driver_version = string(value, key);
      else if (key == "nvml_version")
        machine.nvml_version = string(value, key);
      else if (key == "cuda_version")
        machine.cuda_version = string(value, key);
      else if (key == "gpus")
        machine.gpus = list<Gpu>(value, key, &Reader::gpu);
      else if (key == "host")
        machine.host = host(value, key);
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
  template <typename Item>
  std::vector<Item> list(const Json& json, const std::string& place,
                         Item (Reader::*read)(const Json&, const std::string&)) {
    if (!json.is_array()) refuse(place, "a list");
    std::vector<Item> items;
    for (std::size_t i = 0; i < json.size(); ++i)
      items.push_back((this->*read)(json[i], fmt::format("{}[{}]", place, i)));
    return items;
  }

  std::optional<std::string> unavailable(const Json& json, const std::string& place) const {
    if (!json.is_object()) return {};
    if (json.size() != 1 || !json.contains("unavailable")) refuse(place, "a value, or {\"unavailable\": REASON}");
    return string(json["unavailable"], place + ".unavailable");
  }
  /// Items, or why there are none.
  template <typename Item>
  void list_or_problem(const Json& json, const std::string& place, std::vector<Item>& items, std::string& problem,
                       Item (Reader::*read)(const Json&, const std::string&)) {
    problem = unavailable(json, place).value_or("");
    if (!json.is_object()) items = list<Item>(json, place, read);
  }
  Value value(const Json& json, const std::string& place) const {
    if (json.is_object() && json.size() == 1 && json.contains("failed")) {
      return Unavailable{.reason = string(json["failed"], place + ".failed"), .is_failure = true};
    }
    if (const auto reason = unavailable(json, place)) return Unavailable{*reason};
    if (json.is_boolean()) return json.get<bool>();
    if (json.is_string()) return json.get<std::string>();
    return integer(json, place);
  }
  /// Fills `values` with what the object holds; `find` knows the keys.
  template <typename Values, typename Find>
  void values(const Json& json, const std::string& place, Values& values, Find find) const {
    object(json, place);
    for (const auto& [key, each] : json.items()) {
      const auto which = find(key);
      if (!which) unknown(place + "." + key);
      values[static_cast<std::size_t>(*which)] = value(each, place + "." + key);
    }
  }
  Link link(const Json& json, const std::string& place) {
    Link link;
    link.values.fill(Unavailable{"not in the recording"});
    values(json, place, link.values, find_link_reading);
    return link;
  }
  Process process(const Json& json, const std::string& place) {
    object(json, place);
    Process process;
    if (!json.contains("pid")) refuse(place + ".pid", "an integer");
    for (const auto& [key, each] : json.items()) {
      if (key == "pid")
        process.pid = integer(each, place + ".pid");
      else if (key != "used_memory_bytes")
        unknown(place + "." + key);
      else if (!each.is_null())
        process.used_memory_bytes = integer(each, place + ".used_memory_bytes");
    }
    return process;
  }
  std::int64_t xid(const Json& json, const std::string& place) { return integer(json, place); }
  PciGpu pci_gpu(const Json& json, const std::string& place) {
    return {.address = member(json, place, "address", 2), .driver = member(json, place, "driver", 2)};
  }
  NamedState named(const Json& json, const std::string& place) {
    return {.name = member(json, place, "name", 2), .problem = member(json, place, "problem", 2)};
  }
  KernelXid kernel_xid(const Json& json, const std::string& place) {
    KernelXid found{.pci_address = member(json, place, "pci_address", 3), .text = member(json, place, "text", 3)};
    if (!json.contains("xid")) refuse(place + ".xid", "an integer");
    found.xid = integer(json["xid"], place + ".xid");
    return found;
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
    host.pci_gpus_problem = host.device_files_problem = host.libraries_problem = host.kernel_log_problem =
        "not in the recording";
    return host;
  }
  Host host(const Json& json, const std::string& place) {
    object(json, place);
    Host host = absent_host();
    for (const auto& [key, each] : json.items()) {
      const std::string here = place + "." + key;
      if (key == "kernel_module_version")
        host.kernel_module_version = string(each, here);
      else if (key == "pci_gpus")
        list_or_problem(each, here, host.pci_gpus, host.pci_gpus_problem, &Reader::pci_gpu);
      else if (key == "device_files")
        list_or_problem(each, here, host.device_files, host.device_files_problem, &Reader::named);
      else if (key == "libraries")
        list_or_problem(each, here, host.libraries, host.libraries_problem, &Reader::named);
      else if (key == "kernel_xids")
        list_or_problem(each, here, host.kernel_xids, host.kernel_log_problem, &Reader::kernel_xid);
      else
        unknown(here);
    }
    return host;
  }

  Gpu gpu(const Json& json, const std::string& place) {
    object(json, place);
    Gpu gpu;
    gpu.values.fill(Unavailable{"not in the recording"});
    gpu.processes_problem = gpu.xids_problem = "not in the recording";
    for (const auto& [key, each] : json.items()) {
      const std::string here = place + "." + key;
      if (key == "readings")
        values(each, here, gpu.values, find_reading);
      else if (key == "links")
        gpu.links = list<Link>(each, here, &Reader::link);
      else if (key == "processes")
        list_or_problem(each, here, gpu.processes, gpu.processes_problem, &Reader::process);
      else if (key == "xids")
        list_or_problem(each, here, gpu.xids, gpu.xids_problem, &Reader::xid);
      else
        unknown(here);
    }
    return gpu;
  }

  const std::string& name_;
};

}  // namespace

std::string machine_text(const Machine& machine) {
  Json json{{"schema", schema},
            {"driver_version", machine.driver_version},
            {"nvml_version", machine.nvml_version},
            {"cuda_version", machine.cuda_version},
            {"gpus", Json::array()},
            {"host", host_json(machine.host)}};
  for (const Gpu& gpu : machine.gpus) json["gpus"].push_back(gpu_json(gpu));
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Machine parse_machine(std::string_view bytes, const std::string& name) {
  Json root;
  try {
    root = Json::parse(bytes);
  } catch (const Json::exception& error) {
    throw EnvironmentError(fmt::format("{}: {}", name, error.what()));
  }
  return Reader(name).machine(root);
}

Machine read_machine(const std::string& path) { return parse_machine(read_input_file(path, "recording"), path); }

}  // namespace gpucheck::telemetry
