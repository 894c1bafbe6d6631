#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "telemetry/kernel_log/log_events.hpp"
#include "telemetry/machine/machine_file.hpp"

namespace gpucheck::telemetry {
namespace {

using Json = nlohmann::ordered_json;

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
Json list_json(const std::vector<Item>& items, const std::string& problem, Json (*json)(const Item&),
               bool has_failed = false) {
  if (!problem.empty()) return {{has_failed ? "failed" : "unavailable", problem}};
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
Json kernel_event_json(const KernelEvent& event) {
  Json json{{"kind", to_text(event.kind)},
            {"pci_address", event.pci_address},
            {"xid", event.xid},
            {"text", event.text},
            {"count", event.count}};
  if (event.first_time_s) json["first_time"] = utc_text(*event.first_time_s);
  if (event.last_time_s) json["last_time"] = utc_text(*event.last_time_s);
  return json;
}

Json network_json(const NetworkFiles& network) {
  if (!network.problem.empty()) return to_json(Unavailable{network.problem, network.failed});
  Json files = Json::object();
  for (const auto& [path, state] : network.files)
    files[path] = state.problem.empty() ? Json(state.text) : to_json(Unavailable{state.problem, true});
  return files;
}

Json host_json(const Host& host) {
  const std::string& no_module = host.kernel_module_problem;
  Json json{{"kernel_module_version",
             no_module.empty() ? Json(host.kernel_module_version) : to_json(Unavailable{no_module, true})},
            {"pci_gpus", list_json(host.pci_gpus, host.pci_gpus_problem, pci_gpu_json)},
            {"device_files", list_json(host.device_files, host.device_files_problem, named_json)},
            {"libraries", list_json(host.libraries, host.libraries_problem, named_json)},
            {"kernel_xids", list_json(host.kernel_events, host.kernel_log_problem, kernel_event_json)}};
  if (host.kernel_log_begin_s) json["kernel_log_begin"] = utc_text(*host.kernel_log_begin_s);
  if (host.kernel_log_read_s) json["kernel_log_read"] = utc_text(*host.kernel_log_read_s);
  return json;
}

Json link_json(const Link& link) {
  Json values = Json::object();
  for (std::size_t i = 0; i < link_reading_count; ++i) {
    values[std::string(info_of(static_cast<LinkReading>(i)).key)] = to_json(link.values[i]);
  }
  return values;
}

Json gpu_json(const Gpu& gpu) {
  Json json{{"readings", Json::object()}};
  for (std::size_t i = 0; i < reading_count; ++i) {
    json["readings"][std::string(info_of(static_cast<Reading>(i)).key)] = to_json(gpu.values[i]);
  }
  json["links"] = list_json(gpu.links, gpu.links_problem, link_json, gpu.links_failed);
  json["processes"] = list_json(gpu.processes, gpu.processes_problem, process_json, gpu.processes_failed);
  json["xids"] = list_json(gpu.xids, gpu.xids_problem, number_json, gpu.xids_failed);
  return json;
}

}  // namespace

std::string machine_text(const Machine& machine) {
  Json json{{"schema", machine_schema},
            {"driver_version", to_json(machine.driver_version)},
            {"nvml_version", to_json(machine.nvml_version)},
            {"cuda_version", to_json(machine.cuda_version)},
            {"gpus", Json::array()},
            {"host", host_json(machine.host)},
            {"network", network_json(machine.network)}};
  for (const Gpu& gpu : machine.gpus) json["gpus"].push_back(gpu_json(gpu));
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace gpucheck::telemetry
