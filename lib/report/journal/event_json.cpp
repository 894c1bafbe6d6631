#include "report/journal/event_json.hpp"

#include <charconv>
#include <concepts>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <type_traits>

#include "base/error.hpp"
#include "base/text/sanitize.hpp"
#include "base/text/utf8.hpp"
#include "harness/run/json.hpp"
#include "report/wording.hpp"

namespace gpucheck::report {
namespace {

using harness::Outcome;
using nlohmann::ordered_json;
using Time = std::chrono::system_clock::time_point;

template <typename T>
constexpr std::string_view event_name = "";
template <>
constexpr std::string_view event_name<harness::RunStarted> = "run_started";
template <>
constexpr std::string_view event_name<harness::CaseStarted> = "case_started";
template <>
constexpr std::string_view event_name<harness::CaseFinished> = "case_finished";
template <>
constexpr std::string_view event_name<harness::RunFinished> = "run_finished";

constexpr std::string_view schema = "gpucheck.journal/1";

[[noreturn]] void fail(std::string_view name, std::string_view expected) {
  throw Error(fmt::format("\"{}\" is not {}", name, expected));
}

// ---- writing --------------------------------------------------------------------------

/// Each byte as the character of that number, in UTF-8.
std::string from_latin1(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      text += c;
    } else {
      text += static_cast<char>(0xC0U | (byte >> 6U));
      text += static_cast<char>(0x80U | (byte & 0x3FU));
    }
  }
  return text;
}

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
    return {{"latin1", from_latin1(text)}};
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

// ---- reading --------------------------------------------------------------------------

std::string to_latin1(std::string_view text, std::string_view name) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x80) {
      bytes += text[i];
    } else if ((byte == 0xC2 || byte == 0xC3) && i + 1 < text.size()) {
      bytes += static_cast<char>((byte & 3U) << 6U | (static_cast<unsigned char>(text[++i]) & 0x3FU));
    } else {
      fail(name, "text of characters up to U+00FF");
    }
  }
  return bytes;
}

Time parse_time(std::string_view text, std::string_view name) {
  constexpr std::string_view pattern = "dddd-dd-ddTdd:dd:dd.dddZ";
  constexpr std::string_view expected = "a time such as 2026-08-22T10:11:12.345Z";
  if (text.size() != pattern.size()) fail(name, expected);
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const bool fits = pattern[i] == 'd' ? text[i] >= '0' && text[i] <= '9' : text[i] == pattern[i];
    if (!fits) fail(name, expected);
  }
  const auto number = [text](std::size_t first, std::size_t length) {
    int value = 0;
    std::from_chars(text.data() + first, text.data() + first + length, value);
    return value;
  };
  using namespace std::chrono;
  const year_month_day date(year(number(0, 4)), month(static_cast<unsigned>(number(5, 2))),
                            day(static_cast<unsigned>(number(8, 2))));
  if (!date.ok() || number(11, 2) > 23 || number(14, 2) > 59 || number(17, 2) > 59) fail(name, expected);
  // The clock counts nanoseconds from 1970 in 64 bits, which last until 2262; so does any time between two of these.
  if (date.year() < year(1970) || date.year() > year(2261)) fail(name, expected);
  return sys_days(date) + hours(number(11, 2)) + minutes(number(14, 2)) + seconds(number(17, 2)) +
         milliseconds(number(20, 3));
}

class Reader {
 public:
  explicit Reader(const ordered_json& object) : object_(object) {}

  template <typename T>
  void read(std::string_view name, T& field) {
    const auto found = object_.find(name);
    if (found == object_.end()) throw Error(fmt::format("the member \"{}\" is missing", name));
    ++read_;
    decode(name, *found, field);
  }
  template <harness::Described T>
  void read_fields(T& value) {
    harness::for_each_field(value, [this]<typename Row>(const Row& row, auto& field) {
      if constexpr (!harness::is_derived<Row>) this->read(row.name, field);
    });
  }
  /// A member that nobody asked for says something that is not heard.
  void require_nothing_else(std::size_t others = 0) const {
    if (object_.size() != read_ + others) throw Error("it has a member that is not known");
  }

 private:
  template <harness::Described T>
  static void decode(std::string_view name, const ordered_json& json, T& value) {
    if (!json.is_object()) fail(name, "an object");
    Reader reader(json);
    reader.read_fields(value);
    reader.require_nothing_else();
  }
  static void decode(std::string_view name, const ordered_json& json, bool& field) {
    if (!json.is_boolean()) fail(name, "true or false");
    field = json.get<bool>();
  }
  template <std::integral T>
  static void decode(std::string_view name, const ordered_json& json, T& field) {
    if (!json.is_number_integer()) fail(name, "an integer");
    const bool fits = json.is_number_unsigned() ? std::in_range<T>(json.get<std::uint64_t>())
                                                : std::in_range<T>(json.get<std::int64_t>());
    if (!fits) fail(name, fmt::format("an integer of {} bits", sizeof(T) * 8));
    field = json.get<T>();
  }
  static void decode(std::string_view name, const ordered_json& json, double& field) {
    if (json.is_number()) {
      field = json.get<double>();
    } else if (json == "nan") {
      field = std::numeric_limits<double>::quiet_NaN();
    } else if (json == "inf" || json == "-inf") {
      field = json == "inf" ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
    } else {
      fail(name, R"(a number, "nan", "inf" or "-inf")");
    }
  }
  static void decode(std::string_view name, const ordered_json& json, std::string& field) {
    const bool has_bytes =
        json.is_object() && json.size() == 1 && json.contains("latin1") && json["latin1"].is_string();
    if (!has_bytes && !json.is_string()) fail(name, R"(text, or {"latin1": text})");
    field = has_bytes ? to_latin1(json["latin1"].get_ref<const std::string&>(), name) : json.get<std::string>();
  }
  static void decode(std::string_view name, const ordered_json& json, Time& field) {
    if (!json.is_string()) fail(name, "a time");
    field = parse_time(json.get_ref<const std::string&>(), name);
  }
  static void decode(std::string_view name, const ordered_json& json, Outcome& field) {
    for (const Outcome outcome :
         {Outcome::pass, Outcome::fail, Outcome::error, Outcome::crash, Outcome::hang, Outcome::skip}) {
      if (json != harness::to_text(outcome)) continue;
      field = outcome;
      return;
    }
    fail(name, "an outcome");
  }
  static void decode(std::string_view /*name*/, const ordered_json& json, harness::DeviceIdentity& field) {
    field = harness::device_identity_from_json(json);
  }
  static void decode(std::string_view /*name*/, const ordered_json& json, harness::RunSettings& field) {
    field = harness::run_settings_from_json(json);
  }
  static void decode(std::string_view /*name*/, const ordered_json& json, harness::Observation& field) {
    field = harness::observation_from_json(json);
  }
  static void decode(std::string_view /*name*/, const ordered_json& json, harness::ParameterValues& field) {
    field = harness::parameter_values_from_json(json);
  }
  template <typename T>
  static void decode(std::string_view name, const ordered_json& json, std::optional<T>& field) {
    if (!json.is_null()) decode(name, json, field.emplace());
  }
  template <typename T>
  static void decode(std::string_view name, const ordered_json& json, std::vector<T>& field) {
    if (!json.is_array()) fail(name, "an array");
    for (const ordered_json& element : json) decode(name, element, field.emplace_back());
  }

  const ordered_json& object_;
  std::size_t read_ = 0;
};

/// Fills `event` and returns true when this is what the line holds.
template <typename Kind>
bool read_if_named(const ordered_json& json, std::string_view name, Event& event) {
  if (name != event_name<Kind>) return false;
  Reader reader(json);
  reader.read_fields(event.emplace<Kind>());
  const std::size_t others = std::same_as<Kind, harness::RunStarted> ? 3 : 2;  // "event", "time" and "schema"
  reader.require_nothing_else(others);
  return true;
}

void check_schema(const ordered_json& json) {
  const auto found = json.find("schema");
  if (found == json.end() || *found != schema) {
    throw Error(fmt::format("its first event does not say \"schema\": \"{}\"", schema));
  }
}

}  // namespace

ordered_json to_json(const JournalEntry& entry) {
  return std::visit(
      [&entry]<typename Kind>(const Kind& event) {
        ordered_json json;
        if constexpr (std::same_as<Kind, harness::RunStarted>) json["schema"] = schema;
        json["event"] = event_name<Kind>;
        json["time"] = utc_milliseconds(entry.time);
        json.update(Writer::encode(event));
        return json;
      },
      entry.event);
}

JournalEntry entry_from_json(const ordered_json& json) {
  if (!json.is_object()) throw Error("it is not a JSON object");
  JournalEntry entry;
  Reader reader(json);
  std::string name;
  reader.read("event", name);
  reader.read("time", entry.time);
  if (name == event_name<harness::RunStarted>) check_schema(json);
  const bool known = read_if_named<harness::RunStarted>(json, name, entry.event) ||
                     read_if_named<harness::CaseStarted>(json, name, entry.event) ||
                     read_if_named<harness::CaseFinished>(json, name, entry.event) ||
                     read_if_named<harness::RunFinished>(json, name, entry.event);
  if (!known) throw Error(fmt::format("it reports an unknown event \"{}\"", one_line(name, 80)));
  return entry;
}

}  // namespace gpucheck::report
