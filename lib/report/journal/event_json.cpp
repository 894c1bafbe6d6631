#include "report/journal/event_json.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <type_traits>

#include "base/error.hpp"
#include "base/sanitize.hpp"
#include "base/utf8.hpp"
#include "harness/run/json.hpp"
#include "report/wording.hpp"

namespace gpucheck::report {
namespace {

using harness::Outcome;
using nlohmann::ordered_json;
using Time = std::chrono::system_clock::time_point;

// ---- what there is, once for both ways ------------------------------------------------
//
// Structured bindings: a field that is added to one of these types and not to its list
// here does not compile.

template <typename T, typename Described>
concept Either = std::same_as<std::remove_const_t<T>, Described>;

template <typename Archive>
void describe(Archive& archive, Either<harness::Counts> auto& counts) {
  auto& [pass, fail, error, crash, hang, skip, flaky, waived, not_run] = counts;
  archive("pass", pass);
  archive("fail", fail);
  archive("error", error);
  archive("crash", crash);
  archive("hang", hang);
  archive("skip", skip);
  archive("flaky", flaky);
  archive("waived", waived);
  archive("not_run", not_run);
}

template <typename Archive>
void describe(Archive& archive, Either<harness::Waiver> auto& waiver) {
  auto& [case_glob, device, reason, owner, expires, xid] = waiver;
  archive("case", case_glob);
  archive("device", device);
  archive("reason", reason);
  archive("owner", owner);
  archive("expires", expires);
  archive("xid", xid);
}

template <typename Archive>
void describe(Archive& archive, Either<harness::WaiverUse> auto& use) {
  auto& [waiver, state] = use;
  archive("waiver", waiver);
  archive("state", state);
}

template <typename Archive, typename T>
requires harness::Described<std::remove_const_t<T>>
void describe(Archive& archive, T& value) {
  harness::for_each_field(value, [&archive](const auto& row, auto& field) { archive(row.name.data(), field); });
}

template <typename Archive>
void describe(Archive& archive, Either<harness::CaseResult> auto& result) {
  auto& [name, devices, outcome, flaky, waiver, reason, duration_ms, deadline_extension_ms, observations, mismatches,
         warnings, measurements, telemetry, parameters, seed, fault, repetition, exit_code, signal, output_tail,
         error_tail, earlier_attempts, rerun_command] = result;
  archive("name", name);
  archive("devices", devices);
  archive("outcome", outcome);
  archive("flaky", flaky);
  archive("waiver", waiver);
  archive("reason", reason);
  archive("duration_ms", duration_ms);
  archive("deadline_extension_ms", deadline_extension_ms);
  archive("observations", observations);
  archive("mismatches", mismatches);
  archive("warnings", warnings);
  archive("measurements", measurements);
  archive("telemetry", telemetry);
  archive("parameters", parameters);
  archive("seed", seed);
  archive("fault", fault);
  archive("repetition", repetition);
  archive("exit_code", exit_code);
  archive("signal", signal);
  archive("output_tail", output_tail);
  archive("error_tail", error_tail);
  archive("earlier_attempts", earlier_attempts);
  archive("rerun_command", rerun_command);
}

template <typename Archive>
void describe(Archive& archive, Either<harness::RunStarted> auto& event) {
  auto& [version, command_line, start_time, host_name, devices, settings, jobs, max_skips, selected, total, no_cases] =
      event;
  archive("version", version);
  archive("command_line", command_line);
  archive("start_time", start_time);
  archive("host_name", host_name);
  archive("devices", devices);
  archive("settings", settings);
  archive("jobs", jobs);
  archive("max_skips", max_skips);
  archive("selected", selected);
  archive("total", total);
  archive("no_cases", no_cases);
}

template <typename Archive>
void describe(Archive& archive, Either<harness::CaseStarted> auto& event) {
  auto& [name, repetition, running, finished, total, devices] = event;
  archive("name", name);
  archive("repetition", repetition);
  archive("running", running);
  archive("finished", finished);
  archive("total", total);
  archive("devices", devices);
}

template <typename Archive>
void describe(Archive& archive, Either<harness::CaseFinished> auto& event) {
  auto& [result, finished, total] = event;
  archive("result", result);
  archive("finished", finished);
  archive("total", total);
}

template <typename Archive>
void describe(Archive& archive, Either<harness::RunFinished> auto& event) {
  auto& [counts, duration_ms, not_run, running, incomplete, waivers, may_lack_repetitions, unproven_devices,
         comparisons, remeasured, device_times, interrupted_by_signal, exit_code] = event;
  // What follows from the results, the comparisons, is worked out again (RunTally).
  archive("counts", counts);
  archive("duration_ms", duration_ms);
  archive("not_run", not_run);
  archive("running", running);
  archive("incomplete", incomplete);
  archive("waivers", waivers);
  archive("may_lack_repetitions", may_lack_repetitions);
  archive("unproven_devices", unproven_devices);
  archive("remeasured", remeasured);
  archive("device_times", device_times);
  archive("interrupted_by_signal", interrupted_by_signal);
  archive("exit_code", exit_code);
}

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

class Writer {
 public:
  template <typename T>
  void operator()(const char* name, const T& field) {
    object_[name] = encode(field);
  }
  ordered_json take() { return std::move(object_); }

 private:
  template <typename T>
  static ordered_json encode(const T& field) {
    if constexpr (requires(Writer & writer) { describe(writer, field); }) {
      Writer writer;
      describe(writer, field);
      return writer.take();
    } else {
      return field;
    }
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

  ordered_json object_ = ordered_json::object();
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
  void operator()(const char* name, T& field) {
    const auto found = object_.find(name);
    if (found == object_.end()) throw Error(fmt::format("the member \"{}\" is missing", name));
    ++read_;
    decode(name, *found, field);
  }
  /// A member that nobody asked for says something that is not heard.
  void require_nothing_else(std::size_t others = 0) const {
    if (object_.size() != read_ + others) throw Error("it has a member that is not known");
  }

 private:
  template <typename T>
  static void decode(const char* name, const ordered_json& json, T& field) {
    if (!json.is_object()) fail(name, "an object");
    Reader reader(json);
    describe(reader, field);
    reader.require_nothing_else();
  }
  static void decode(const char* name, const ordered_json& json, bool& field) {
    if (!json.is_boolean()) fail(name, "true or false");
    field = json.get<bool>();
  }
  template <std::integral T>
  static void decode(const char* name, const ordered_json& json, T& field) {
    if (!json.is_number_integer()) fail(name, "an integer");
    const bool fits = json.is_number_unsigned() ? std::in_range<T>(json.get<std::uint64_t>())
                                                : std::in_range<T>(json.get<std::int64_t>());
    if (!fits) fail(name, fmt::format("an integer of {} bits", sizeof(T) * 8));
    field = json.get<T>();
  }
  static void decode(const char* name, const ordered_json& json, double& field) {
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
  static void decode(const char* name, const ordered_json& json, std::string& field) {
    const bool has_bytes =
        json.is_object() && json.size() == 1 && json.contains("latin1") && json["latin1"].is_string();
    if (!has_bytes && !json.is_string()) fail(name, R"(text, or {"latin1": text})");
    field = has_bytes ? to_latin1(json["latin1"].get_ref<const std::string&>(), name) : json.get<std::string>();
  }
  static void decode(const char* name, const ordered_json& json, Time& field) {
    if (!json.is_string()) fail(name, "a time");
    field = parse_time(json.get_ref<const std::string&>(), name);
  }
  static void decode(const char* name, const ordered_json& json, Outcome& field) {
    for (const Outcome outcome :
         {Outcome::pass, Outcome::fail, Outcome::error, Outcome::crash, Outcome::hang, Outcome::skip}) {
      if (json != harness::to_text(outcome)) continue;
      field = outcome;
      return;
    }
    fail(name, "an outcome");
  }
  static void decode(const char* /*name*/, const ordered_json& json, harness::DeviceIdentity& field) {
    field = harness::device_identity_from_json(json);
  }
  static void decode(const char* /*name*/, const ordered_json& json, harness::RunSettings& field) {
    field = harness::run_settings_from_json(json);
  }
  static void decode(const char* /*name*/, const ordered_json& json, harness::Observation& field) {
    field = harness::observation_from_json(json);
  }
  static void decode(const char* /*name*/, const ordered_json& json, harness::ParameterValues& field) {
    field = harness::parameter_values_from_json(json);
  }
  template <typename T>
  static void decode(const char* name, const ordered_json& json, std::optional<T>& field) {
    if (!json.is_null()) decode(name, json, field.emplace());
  }
  template <typename T>
  static void decode(const char* name, const ordered_json& json, std::vector<T>& field) {
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
  describe(reader, event.emplace<Kind>());
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
        Writer writer;
        describe(writer, event);
        json.update(writer.take());
        return json;
      },
      entry.event);
}

JournalEntry entry_from_json(const ordered_json& json) {
  if (!json.is_object()) throw Error("it is not a JSON object");
  JournalEntry entry;
  Reader reader(json);
  std::string name;
  reader("event", name);
  reader("time", entry.time);
  if (name == event_name<harness::RunStarted>) check_schema(json);
  const bool known = read_if_named<harness::RunStarted>(json, name, entry.event) ||
                     read_if_named<harness::CaseStarted>(json, name, entry.event) ||
                     read_if_named<harness::CaseFinished>(json, name, entry.event) ||
                     read_if_named<harness::RunFinished>(json, name, entry.event);
  if (!known) throw Error(fmt::format("it reports an unknown event \"{}\"", one_line(name, 80)));
  return entry;
}

}  // namespace gpucheck::report
