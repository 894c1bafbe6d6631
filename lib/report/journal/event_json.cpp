#include "report/journal/event_json.hpp"

#include <concepts>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>

#include "base/text/utf8.hpp"
#include "harness/run/json.hpp"
#include "report/journal/event_names.hpp"
#include "report/journal/event_text.hpp"
#include "report/wording.hpp"

namespace gpucheck::report {
namespace {

using harness::Outcome;
using nlohmann::ordered_json;
using Time = std::chrono::system_clock::time_point;

/// Overloads that call each other, wherever they stand.
struct Writer {
  template <typename T>
  requires std::is_arithmetic_v<T>
  static ordered_json encode(const T& number) { return number; }
  template <harness::Described T>
  static ordered_json encode(const T& value) {
    ordered_json object = ordered_json::object();
    harness::for_each_field(value, [&object]<typename Row>(const Row& row, const auto& field) {
      if constexpr (!harness::is_derived<Row>) object[row.name] = encode(field);
    });
    return object;
  }
  static ordered_json encode(const std::string& text) {
    if (to_valid_utf8(text) == text) return text;
    return {{"latin1", to_latin1(text)}};
  }
  static ordered_json encode(double value) { return harness::to_json(harness::Value(value)); }
  static ordered_json encode(Time time) { return utc_milliseconds(time); }
  static ordered_json encode(Outcome outcome) { return harness::to_text(outcome); }
  static ordered_json encode(const harness::DeviceIdentity& device) { return harness::to_json(device); }
  static ordered_json encode(const harness::RunSettings& settings) { return harness::to_json(settings); }
  static ordered_json encode(const harness::Observation& observation) { return harness::to_json(observation); }
  static ordered_json encode(const harness::ParameterValues& values) { return harness::to_json(values); }
  template <typename T>
  static ordered_json encode(const std::optional<T>& field) {
    return field ? encode(*field) : ordered_json();
  }
  template <typename T>
  static ordered_json encode(const std::vector<T>& elements) {
    ordered_json array = ordered_json::array();
    for (const T& element : elements) array.push_back(encode(element));
    return array;
  }
};

}  // namespace

ordered_json to_json(const JournalEntry& entry) {
  return std::visit(
      [&entry]<typename Kind>(const Kind& event) {
        ordered_json json;
        if constexpr (std::same_as<Kind, harness::RunStarted>) json["schema"] = journal_schema;
        json["event"] = event_name<Kind>;
        json["time"] = utc_milliseconds(entry.time);
        json.update(Writer::encode(event));
        return json;
      },
      entry.event);
}

std::string line_of(const JournalEntry& entry) {
  return to_json(entry).dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace gpucheck::report
