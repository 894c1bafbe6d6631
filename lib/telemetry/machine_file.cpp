#include "telemetry/machine_file.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/input_file.hpp"
#include "telemetry/source.hpp"

namespace gpucheck::telemetry {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view schema = "gpucheck.telemetry/1";

Json to_json(const Value& value) {
  struct Writer {
    Json operator()(const Unavailable& none) const { return {{"unavailable", none.reason}}; }
    Json operator()(bool flag) const { return flag; }
    Json operator()(std::int64_t number) const { return number; }
    Json operator()(const std::string& text) const { return text; }
  };
  return std::visit(Writer{}, value);
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
  if (!gpu.processes_problem.empty()) {
    json["processes"] = {{"unavailable", gpu.processes_problem}};
    return json;
  }
  json["processes"] = Json::array();
  for (const Process& process : gpu.processes) {
    json["processes"].push_back(
        {{"pid", process.pid},
         {"used_memory_bytes", process.used_memory_bytes ? Json(*process.used_memory_bytes) : Json(nullptr)}});
  }
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
    for (const auto& [key, value] : root.items()) {
      if (key == "driver_version")
        machine.driver_version = string(value, key);
      else if (key == "nvml_version")
        machine.nvml_version = string(value, key);
      else if (key == "cuda_version")
        machine.cuda_version = string(value, key);
      else if (key == "gpus")
        machine.gpus = list<Gpu>(value, key, &Reader::gpu);
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
  Value value(const Json& json, const std::string& place) const {
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
  Gpu gpu(const Json& json, const std::string& place) {
    object(json, place);
    Gpu gpu;
    gpu.values.fill(Unavailable{"not in the recording"});
    gpu.processes_problem = json.contains("processes") ? "" : "not in the recording";
    for (const auto& [key, each] : json.items()) {
      const std::string here = place + "." + key;
      if (key == "readings")
        values(each, here, gpu.values, find_reading);
      else if (key == "links")
        gpu.links = list<Link>(each, here, &Reader::link);
      else if (key != "processes")
        unknown(here);
      else if (const auto reason = unavailable(each, here))
        gpu.processes_problem = *reason;
      else
        gpu.processes = list<Process>(each, here, &Reader::process);
    }
    return gpu;
  }

  const std::string& name_;
};

class Recording final : public Source {
 public:
  explicit Recording(Machine machine) : machine_(std::move(machine)) {}
  Machine read() override { return machine_; }

 private:
  Machine machine_;
};

}  // namespace

std::string machine_text(const Machine& machine) {
  Json json{{"schema", schema},
            {"driver_version", machine.driver_version},
            {"nvml_version", machine.nvml_version},
            {"cuda_version", machine.cuda_version},
            {"gpus", Json::array()}};
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

std::unique_ptr<Source> open_recording(const std::string& path) {
  return std::make_unique<Recording>(parse_machine(read_input_file(path, "recording"), path));
}

}  // namespace gpucheck::telemetry
