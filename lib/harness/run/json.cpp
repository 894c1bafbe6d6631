#include "harness/run/json.hpp"

#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/error.hpp"

namespace gpucheck::harness {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t longest_quote = 200;

/// The start of a document, for messages.
std::string quote(const ordered_json& json) {
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace).substr(0, longest_quote);
}

[[noreturn]] void reject(const ordered_json& json, std::string_view expected) {
  throw Error(fmt::format("malformed JSON: expected {}, found {}", expected, quote(json)));
}

// ---- writing ------------------------------------------------------------------------

// Every scalar has its own overload, so that a bool never becomes a number.
ordered_json scalar(bool value) { return value; }
ordered_json scalar(std::int64_t value) { return value; }
ordered_json scalar(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}
ordered_json scalar(const std::string& text) {
  return ordered_json::parse(ordered_json(text).dump(-1, ' ', false, ordered_json::error_handler_t::replace));
}

ordered_json scalar(int value) { return value; }
ordered_json scalar(std::uint64_t value) { return value; }
ordered_json scalar(Outcome outcome) { return to_text(outcome); }
ordered_json scalar(const runtime::AllocatorChoice& allocator) { return scalar(runtime::to_text(allocator)); }
ordered_json scalar(const ParameterValues& values) { return to_json(values); }

template <Described T>
ordered_json described(const T& value);

template <Described T>
ordered_json scalar(const T& value) {
  return described(value);
}

/// null where there is none.
template <typename T>
ordered_json scalar(const std::optional<T>& value) {
  return value ? scalar(*value) : ordered_json();
}

template <typename Element>
ordered_json scalar(const std::vector<Element>& elements) {
  ordered_json array = ordered_json::array();
  for (const Element& element : elements) array.push_back(scalar(element));
  return array;
}

template <typename... Kinds>
ordered_json held(const std::variant<Kinds...>& value) {
  return std::visit([](const auto& content) { return scalar(content); }, value);
}

/// An object with a member for each row of the struct's table.
template <Described T>
ordered_json described(const T& value) {
  ordered_json object = ordered_json::object();
  for_each_field(value, [&object](const auto& row, const auto& member) { object[row.name] = scalar(member); });
  return object;
}

// ---- reading ------------------------------------------------------------------------

template <typename T>
T read(const ordered_json& json);

template <>
bool read<bool>(const ordered_json& json) {
  if (!json.is_boolean()) reject(json, "true or false");
  return json.get<bool>();
}

template <>
std::int64_t read<std::int64_t>(const ordered_json& json) {
  constexpr auto greatest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (!json.is_number_integer()) reject(json, "an integer");
  if (json.is_number_unsigned() && json.get<std::uint64_t>() > greatest)
    reject(json, "an integer of 64 bits with sign");
  return json.get<std::int64_t>();
}

template <>
double read<double>(const ordered_json& json) {
  if (json.is_number()) return json.get<double>();
  if (json == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (json == "inf") return std::numeric_limits<double>::infinity();
  if (json == "-inf") return -std::numeric_limits<double>::infinity();
  reject(json, R"(a number, "nan", "inf" or "-inf")");
}

template <>
std::string read<std::string>(const ordered_json& json) {
  if (!json.is_string()) reject(json, "a string");
  return json.get<std::string>();
}

template <>
int read<int>(const ordered_json& json) {
  const auto number = read<std::int64_t>(json);
  if (number != static_cast<int>(number)) reject(json, "an integer of 32 bits");
  return static_cast<int>(number);
}

template <>
std::uint64_t read<std::uint64_t>(const ordered_json& json) {
  if (!json.is_number_unsigned()) reject(json, "an integer that is not negative");
  return json.get<std::uint64_t>();
}

template <>
runtime::AllocatorChoice read<runtime::AllocatorChoice>(const ordered_json& json) {
  return runtime::parse_allocator_choice(read<std::string>(json));
}

template <>
ParameterValues read<ParameterValues>(const ordered_json& json) {
  return parameter_values_from_json(json);
}

template <Described T>
T read_described(const ordered_json& json);

template <>
GaugeSummary read<GaugeSummary>(const ordered_json& json) {
  return read_described<GaugeSummary>(json);
}

template <>
CounterChange read<CounterChange>(const ordered_json& json) {
  return read_described<CounterChange>(json);
}

template <>
IdleReport read<IdleReport>(const ordered_json& json) {
  return read_described<IdleReport>(json);
}

template <typename Element>
std::vector<Element> read_array(const ordered_json& json) {
  if (!json.is_array()) reject(json, "an array");
  std::vector<Element> elements;
  for (const ordered_json& element : json) elements.push_back(read<Element>(element));
  return elements;
}

const ordered_json& member(const ordered_json& json, const char* name) {
  if (!json.is_object()) reject(json, fmt::format("an object with \"{}\"", name));
  const auto found = json.find(name);
  if (found == json.end()) reject(json, fmt::format("a member \"{}\"", name));
  return *found;
}

template <typename T>
void read_into(T& target, const ordered_json& json, const char* name) {
  target = read<T>(member(json, name));
}
template <typename T>
void read_into(std::optional<T>& target, const ordered_json& json, const char* name) {
  const ordered_json& value = member(json, name);
  target = value.is_null() ? std::optional<T>() : read<T>(value);
}
template <typename Element>
void read_into(std::vector<Element>& target, const ordered_json& json, const char* name) {
  target = read_array<Element>(member(json, name));
}

template <Described T>
T read_described(const ordered_json& json) {
  constexpr std::size_t members = std::tuple_size_v<std::remove_cvref_t<decltype(fields_of<T>)>>;
  if (json.is_object() && json.size() > members) reject(json, "no members but those that are known");
  T value;
  for_each_field(value,
                 [&json](const auto& row, auto& member) { read_into(member, json, std::string(row.name).c_str()); });
  return value;
}

Value read_array_of_guessed_kind(const ordered_json& json) {
  bool has_double = false;
  for (const ordered_json& element : json) has_double = has_double || element.is_number_float();
  if (has_double) return read_array<double>(json);
  if (json.empty() || json.front().is_number()) return read_array<std::int64_t>(json);
  if (json.front().is_boolean()) return read_array<bool>(json);
  return read_array<std::string>(json);
}

// ---- the kinds of an observed value ----------------------------------------------------

struct ValueKind {
  std::string_view name;
  Value (*read)(const ordered_json&);
};

/// In the order of Value's alternatives.
constexpr ValueKind value_kinds[] = {
    {"bool", [](const ordered_json& json) -> Value { return read<bool>(json); }},
    {"integer", [](const ordered_json& json) -> Value { return read<std::int64_t>(json); }},
    {"double", [](const ordered_json& json) -> Value { return read<double>(json); }},
    {"string", [](const ordered_json& json) -> Value { return read<std::string>(json); }},
    {"bools", [](const ordered_json& json) -> Value { return read_array<bool>(json); }},
    {"integers", [](const ordered_json& json) -> Value { return read_array<std::int64_t>(json); }},
    {"doubles", [](const ordered_json& json) -> Value { return read_array<double>(json); }},
    {"strings", [](const ordered_json& json) -> Value { return read_array<std::string>(json); }},
};
static_assert(std::size(value_kinds) == std::variant_size_v<Value>);

}  // namespace

ordered_json to_json(const Value& value) { return held(value); }

ordered_json to_json(const ParameterValue& value) { return held(value); }

ordered_json to_json(const ParameterValues& values) {
  ordered_json object = ordered_json::object();
  for (const auto& [name, value] : values) object[name] = to_json(value);
  return object;
}

ordered_json to_json(const Observation& observation) {
  return {{"key", scalar(observation.key)},
          {"kind", value_kinds[observation.value.index()].name},
          {"value", to_json(observation.value)}};
}

ordered_json to_json(const Observations& observations) {
  ordered_json object = ordered_json::object();
  for (const Observation& observation : observations) {
    object[scalar(observation.key).get<std::string>()] = to_json(observation.value);
  }
  return object;
}

ordered_json to_json(const Needs& needs) { return described(needs); }

ordered_json to_json(const RunSettings& settings) { return described(settings); }

ordered_json to_json(const Mismatch& mismatch) { return described(mismatch); }

ordered_json to_json(const Measurement& measurement) { return described(measurement); }

ordered_json to_json(const FailureKind& kind) {
  return {{"code", kind.code},
          {"name", kind.name},
          {"severity", to_text(kind.severity)},
          {"category", to_text(kind.category)},
          {"action", to_text(kind.action)},
          {"meaning", kind.meaning},
          {"advice", kind.advice}};
}

ordered_json to_json(const Attempt& attempt) { return described(attempt); }

ordered_json to_json(const DeviceIdentity& device) { return described(device); }

ordered_json to_json(const DeviceTime& time) { return described(time); }

ordered_json to_json(const GpuTelemetry& telemetry) { return described(telemetry); }

ordered_json to_json(const SelectedCase& selected) { return described(selected); }

ordered_json to_json(const Configuration& configuration) { return described(configuration); }

ordered_json to_json(const Job& job) { return described(job); }

ordered_json to_json(const SiteCase& site_case) { return described(site_case); }

ordered_json to_json(const Counts& counts) {
  ordered_json json{{"total", counts.total()}};
  json.update(described(counts));
  return json;
}

ordered_json to_json(const Waiver& waiver) {
  ordered_json json = described(waiver);
  if (!waiver.xid) json.erase("xid");  // as in a file of waivers
  return json;
}

ordered_json to_json(const WaiverUse& use) {
  ordered_json json = to_json(use.waiver);
  json["state"] = scalar(use.state);
  return json;
}

ordered_json to_json(const Comparison& comparison) {
  const FailureKind* const kind = find_failure_kind(comparison.failure);
  ordered_json json = {
      {"case", scalar(comparison.case_name)}, {"key", scalar(comparison.key)},
      {"model", scalar(comparison.model)},    {"verdict", comparison.verdict},
      {"reason", scalar(comparison.reason)},  {"failure", kind == nullptr ? ordered_json() : to_json(*kind)},
      {"values", ordered_json::array()}};
  for (const ComparedValue& one : comparison.values) {
    ordered_json earlier = ordered_json::array();
    for (const Value& value : one.earlier) earlier.push_back(to_json(value));
    json["values"].push_back({{"device", one.device},
                              {"value", to_json(one.value)},
                              {"earlier", std::move(earlier)},
                              {"verdict", one.verdict},
                              {"waiver", one.waiver ? to_json(*one.waiver) : ordered_json()}});
  }
  return json;
}

Value value_from_json(const ordered_json& json) {
  if (json.is_boolean()) return read<bool>(json);
  if (json.is_number_integer()) return read<std::int64_t>(json);
  if (json.is_number()) return read<double>(json);
  if (json.is_string()) return read<std::string>(json);
  if (json.is_array()) return read_array_of_guessed_kind(json);
  reject(json, "true, false, a number, a string or an array of one of these");
}

ParameterValue parameter_value_from_json(const ordered_json& json) {
  if (json.is_boolean()) return read<bool>(json);
  if (json.is_number_integer()) return read<std::int64_t>(json);
  if (json.is_number()) return read<double>(json);
  if (json.is_string()) return read<std::string>(json);
  reject(json, "true, false, a number or a string");
}

ParameterValues parameter_values_from_json(const ordered_json& json) {
  if (!json.is_object()) reject(json, "an object of parameter values");
  ParameterValues values;
  for (const auto& [name, value] : json.items()) values.emplace(name, parameter_value_from_json(value));
  return values;
}

Observation observation_from_json(const ordered_json& json) {
  Observation observation;
  if (json.is_object() && json.size() > 3) reject(json, "no members but key, kind and value");
  read_into(observation.key, json, "key");
  const auto name = read<std::string>(member(json, "kind"));
  for (const ValueKind& kind : value_kinds) {
    if (kind.name != name) continue;
    observation.value = kind.read(member(json, "value"));
    return observation;
  }
  reject(json, "one of the kinds of an observed value");
}

Mismatch mismatch_from_json(const ordered_json& json) { return read_described<Mismatch>(json); }

GpuTelemetry gpu_telemetry_from_json(const ordered_json& json) { return read_described<GpuTelemetry>(json); }

DeviceIdentity device_identity_from_json(const ordered_json& json) { return read_described<DeviceIdentity>(json); }

RunSettings run_settings_from_json(const ordered_json& json) { return read_described<RunSettings>(json); }

}  // namespace gpucheck::harness
