#include "report/journal/event_reader.hpp"

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <fmt/format.h>
#include <limits>
#include <optional>
#if defined(__SSE2__)
#define RAPIDJSON_SSE2  // NOLINT(cppcoreguidelines-macro-usage): the library asks for it
#endif
#include <rapidjson/document.h>
#include <rapidjson/reader.h>
#include <rapidjson/stream.h>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text/sanitize.hpp"
#include "report/journal/event_names.hpp"
#include "report/journal/event_text.hpp"

namespace gpucheck::report {
namespace {

using harness::Outcome;
using JsonValue = rapidjson::Value;
using Time = std::chrono::system_clock::time_point;

constexpr std::size_t deepest = 32;  // no event nests deeper than a handful of levels
/// A value takes two bytes in a line, and many times that while the line is read.
constexpr std::size_t most_values = 4'000'000;

bool has_too_many_values(std::string_view line) {
  if (line.size() <= most_values) return false;
  const auto begins_one = [](char c) { return c == ',' || c == '[' || c == '{'; };
  return static_cast<std::size_t>(std::ranges::count_if(line, begins_one)) > most_values;
}

[[noreturn]] void fail(std::string_view name, std::string_view expected) {
  throw Error(fmt::format("\"{}\" is not {}", name, expected));
}

std::string_view text_of(const JsonValue& json) { return {json.GetString(), json.GetStringLength()}; }

bool is_text(const JsonValue& json, std::string_view text) { return json.IsString() && text_of(json) == text; }

/// The members of one object, each read once.
class Members {
 public:
  explicit Members(const JsonValue& object) : object_(object), next_(object.MemberBegin()) {}

  template <typename T>
  void read(std::string_view name, T& field);
  template <harness::Described T>
  void read_fields(T& value) {
    harness::for_each_field(value, [this]<typename Row>(const Row& row, auto& field) {
      if constexpr (!harness::is_derived<Row>) this->read(row.name, field);
    });
  }
  /// A member that nobody asked for says something that is not heard.
  void require_nothing_else(std::size_t others = 0) const {
    if (object_.MemberCount() == read_ + others) return;
    std::set<std::string_view> names;
    for (const auto& member : object_.GetObject()) {
      if (names.insert(text_of(member.name)).second) continue;
      throw Error(fmt::format("the key \"{}\" appears twice in its object", one_line(text_of(member.name), 80)));
    }
    throw Error("it has a member that is not known");
  }
  [[nodiscard]] const JsonValue& at(std::string_view name) {
    const auto found = find(name);
    if (found == object_.MemberEnd()) throw Error(fmt::format("the member \"{}\" is missing", name));
    ++read_;
    next_ = found + 1;
    return found->value;
  }

 private:
  using Place = JsonValue::ConstMemberIterator;

  /// They nearly always stand in the order in which they are asked for.
  [[nodiscard]] Place find(std::string_view name) const {
    const auto has_name = [name](const auto& member) { return text_of(member.name) == name; };
    const Place found = std::find_if(next_, object_.MemberEnd(), has_name);
    return found != object_.MemberEnd() ? found : std::find_if(object_.MemberBegin(), object_.MemberEnd(), has_name);
  }

  const JsonValue& object_;
  Place next_;
  std::size_t read_ = 0;
};

// ---- a value of each type ----------------------------------------------------------------
// Overloads that call each other, wherever they stand.

struct Decoder {
  template <harness::Described T>
  static void decode(std::string_view name, const JsonValue& json, T& value) {
    if (!json.IsObject()) fail(name, "an object");
    Members members(json);
    members.read_fields(value);
    members.require_nothing_else();
  }
  static void decode(std::string_view name, const JsonValue& json, bool& field) {
    if (!json.IsBool()) fail(name, "true or false");
    field = json.GetBool();
  }
  template <std::integral T>
  static void decode(std::string_view name, const JsonValue& json, T& field) {
    if (!json.IsUint64() && !json.IsInt64()) fail(name, "an integer");
    const bool fits = json.IsUint64() ? std::in_range<T>(json.GetUint64()) : std::in_range<T>(json.GetInt64());
    if (!fits) fail(name, fmt::format("an integer of {} bits", sizeof(T) * 8));
    field = json.IsUint64() ? static_cast<T>(json.GetUint64()) : static_cast<T>(json.GetInt64());
  }
  static void decode(std::string_view name, const JsonValue& json, double& field) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (json.IsNumber()) {
      field = json.GetDouble();
    } else if (is_text(json, "nan")) {
      field = std::numeric_limits<double>::quiet_NaN();
    } else if (is_text(json, "inf") || is_text(json, "-inf")) {
      field = is_text(json, "inf") ? infinity : -infinity;
    } else {
      fail(name, R"(a number, "nan", "inf" or "-inf")");
    }
  }
  static void decode(std::string_view name, const JsonValue& json, std::string& field) {
    if (json.IsString()) {
      field = text_of(json);
      return;
    }
    const bool has_bytes = json.IsObject() && json.MemberCount() == 1 &&
                           text_of(json.MemberBegin()->name) == "latin1" && json.MemberBegin()->value.IsString();
    if (!has_bytes) fail(name, R"(text, or {"latin1": text})");
    const std::optional<std::string> bytes = from_latin1(text_of(json.MemberBegin()->value));
    if (!bytes) fail(name, "text of characters up to U+00FF");
    field = *bytes;
  }
  static void decode(std::string_view name, const JsonValue& json, Time& field) {
    if (!json.IsString()) fail(name, "a time");
    const std::optional<Time> time = parse_utc_milliseconds(text_of(json));
    if (!time) fail(name, "a time such as 2026-08-22T10:11:12.345Z");
    field = *time;
  }
  static void decode(std::string_view name, const JsonValue& json, Outcome& field) {
    for (const Outcome outcome :
         {Outcome::pass, Outcome::fail, Outcome::error, Outcome::crash, Outcome::hang, Outcome::skip}) {
      if (!is_text(json, harness::to_text(outcome))) continue;
      field = outcome;
      return;
    }
    fail(name, "an outcome");
  }
  static void decode(std::string_view name, const JsonValue& json, runtime::AllocatorChoice& field) {
    if (!json.IsString()) fail(name, "text");
    field = runtime::parse_allocator_choice(std::string(text_of(json)));
  }
  static void decode(std::string_view name, const JsonValue& json, harness::Observation& field) {
    if (!json.IsObject()) fail(name, "an object");
    Members members(json);
    members.read("key", field.key);
    std::string kind;
    members.read("kind", kind);
    decode_value(kind, members.at("value"), field.value);
    members.require_nothing_else();
  }
  static void decode(std::string_view name, const JsonValue& json, harness::ParameterValues& field) {
    if (!json.IsObject()) fail(name, "an object of parameter values");
    for (const auto& [key, value] : json.GetObject()) {
      const auto [place, is_new] = field.emplace(text_of(key), decode_parameter(name, value));
      if (!is_new) throw Error(fmt::format("the key \"{}\" appears twice in its object", one_line(place->first, 80)));
    }
  }
  template <typename T>
  static void decode(std::string_view name, const JsonValue& json, std::optional<T>& field) {
    if (!json.IsNull()) decode(name, json, field.emplace());
  }
  template <typename T>
  static void decode(std::string_view name, const JsonValue& json, std::vector<T>& field) {
    if (!json.IsArray()) fail(name, "an array");
    field.reserve(json.Size());
    for (const JsonValue& element : json.GetArray()) {
      if constexpr (std::same_as<T, bool>) {
        bool value = false;
        decode(name, element, value);
        field.push_back(value);
      } else {
        decode(name, element, field.emplace_back());
      }
    }
  }

 private:
  template <typename T>
  static void decode_as(const JsonValue& json, harness::Value& value) {
    decode("value", json, value.emplace<T>());
  }
  /// @param kind one of those that harness::to_json writes beside an observed value.
  static void decode_value(std::string_view kind, const JsonValue& json, harness::Value& value) {
    if (kind == "bool") return decode_as<bool>(json, value);
    if (kind == "integer") return decode_as<std::int64_t>(json, value);
    if (kind == "double") return decode_as<double>(json, value);
    if (kind == "string") return decode_as<std::string>(json, value);
    if (kind == "bools") return decode_as<std::vector<bool>>(json, value);
    if (kind == "integers") return decode_as<std::vector<std::int64_t>>(json, value);
    if (kind == "doubles") return decode_as<std::vector<double>>(json, value);
    if (kind == "strings") return decode_as<std::vector<std::string>>(json, value);
    fail("kind", "one of the kinds of an observed value");
  }
  static harness::ParameterValue decode_parameter(std::string_view name, const JsonValue& json) {
    if (json.IsBool()) return json.GetBool();
    if (json.IsInt64()) return json.GetInt64();
    if (json.IsDouble()) return json.GetDouble();
    if (json.IsString()) return std::string(text_of(json));
    fail(name, "an object of true, false, numbers and texts");
  }
};

template <typename T>
void Members::read(std::string_view name, T& field) {
  Decoder::decode(name, at(name), field);
}

/// Fills `event` and returns true when this is what the line holds.
template <typename Kind>
bool read_if_named(const JsonValue& json, std::string_view name, Event& event) {
  if (name != event_name<Kind>) return false;
  Members members(json);
  members.read_fields(event.emplace<Kind>());
  const std::size_t others = std::same_as<Kind, harness::RunStarted> ? 3 : 2;  // "event", "time" and "schema"
  members.require_nothing_else(others);
  return true;
}

void check_schema(const JsonValue& json) {
  const auto found = json.FindMember("schema");
  if (found == json.MemberEnd() || !is_text(found->value, journal_schema)) {
    throw Error(fmt::format("its first event does not say \"schema\": \"{}\"", journal_schema));
  }
}

/// The library's own builder of documents, with a rule in front.
class Builder : public rapidjson::Document {
 public:
  explicit Builder(rapidjson::MemoryPoolAllocator<>& memory) : rapidjson::Document(&memory) {}

  bool StartObject() {  // NOLINT(readability-identifier-naming): the library calls it
    open();
    return rapidjson::Document::StartObject();
  }
  bool StartArray() {  // NOLINT(readability-identifier-naming)
    open();
    return rapidjson::Document::StartArray();
  }
  bool EndObject(rapidjson::SizeType count) {  // NOLINT(readability-identifier-naming)
    --depth_;
    return rapidjson::Document::EndObject(count);
  }
  bool EndArray(rapidjson::SizeType count) {  // NOLINT(readability-identifier-naming)
    --depth_;
    return rapidjson::Document::EndArray(count);
  }

 private:
  void open() {
    if (depth_ > deepest) throw Error(fmt::format("it is nested more than {} levels deep", deepest));
    ++depth_;
  }

  std::size_t depth_ = 0;
};

}  // namespace

class EventReader::Parser {
 public:
  Parser() : pool_(64 << 10), memory_(pool_.data(), pool_.size()) {}

  /// Valid until the next line.
  const JsonValue& parse(std::string_view line) {
    if (has_too_many_values(line)) throw Error(fmt::format("it holds more than {} values", most_values));
    text_ = line;  // it is taken apart in its place
    // The library takes a zero for the end.
    if (text_.find('\0') != std::string::npos) throw Error("it is not JSON");
    document_.reset();
    memory_.Clear();
    Builder& document = document_.emplace(memory_);
    rapidjson::InsituStringStream stream(text_.data());
    constexpr unsigned flags = rapidjson::kParseInsituFlag | rapidjson::kParseValidateEncodingFlag |
                               rapidjson::kParseFullPrecisionFlag | rapidjson::kParseIterativeFlag;
    bool is_json = false;
    const auto fill = [&](rapidjson::Document& /*document*/) {
      is_json = !reader_.Parse<flags>(stream, document).IsError();
      return is_json;
    };
    document.Populate(fill);
    if (!is_json) throw Error("it is not JSON");
    return document;
  }

 private:
  std::string text_;
  std::vector<char> pool_;  ///< what most lines need
  rapidjson::MemoryPoolAllocator<> memory_;
  rapidjson::Reader reader_;
  std::optional<Builder> document_;
};

EventReader::EventReader() : parser_(std::make_unique<Parser>()) {}
EventReader::~EventReader() = default;

JournalEntry EventReader::read(std::string_view line) {
  const JsonValue& json = parser_->parse(line);
  if (!json.IsObject()) throw Error("it is not a JSON object");
  JournalEntry entry;
  Members members(json);
  std::string name;
  members.read("event", name);
  members.read("time", entry.time);
  if (name == event_name<harness::RunStarted>) check_schema(json);
  const bool known = read_if_named<harness::RunStarted>(json, name, entry.event) ||
                     read_if_named<harness::CaseStarted>(json, name, entry.event) ||
                     read_if_named<harness::CaseFinished>(json, name, entry.event) ||
                     read_if_named<harness::RunFinished>(json, name, entry.event);
  if (!known) throw Error(fmt::format("it reports an unknown event \"{}\"", one_line(name, 80)));
  return entry;
}

}  // namespace gpucheck::report
