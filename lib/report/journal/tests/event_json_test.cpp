#include "report/journal/event_json.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.hpp"
#include "harness/case/case.hpp"
#include "json_schema.hpp"
#include "report/journal/event_reader.hpp"

namespace gpucheck::report {
namespace {

using ::nlohmann::ordered_json;

template <typename Kind>
Kind round_trip(const Kind& event) {
  const std::string line = to_json(JournalEntry{.time = {}, .event = event}).dump();
  return std::get<Kind>(EventReader().read(line).event);
}

/// Gives every member, however deep, another value than its default, and of one type no two the same where the type
/// allows it.
class Filler {
 public:
  template <harness::Described T>
  void fill(T& value) {
    harness::for_each_field(value, [this]<typename Row>(const Row& /*row*/, auto& field) {
      if constexpr (!harness::is_derived<Row>) this->fill(field);
    });
  }
  template <std::integral T>
  void fill(T& number) {
    number = static_cast<T>(++last_);
  }
  void fill(bool& value) { value = !value; }
  void fill(double& number) { number = ++last_ + 0.5; }
  void fill(std::string& text) { text = fmt::format("text {}", ++last_); }
  void fill(std::chrono::system_clock::time_point& time) { time += std::chrono::milliseconds(++last_); }
  void fill(harness::Outcome& outcome) { outcome = harness::Outcome::hang; }
  void fill(runtime::AllocatorChoice& allocator) { allocator = runtime::parse_allocator_choice("async"); }
  void fill(harness::Observation& one) {
    fill(one.key);
    one.value = std::int64_t{++last_};
  }
  void fill(harness::ParameterValues& values) {
    std::string name;
    fill(name);
    values[name] = std::int64_t{++last_};
  }
  template <typename T>
  void fill(std::optional<T>& field) {
    fill(field.emplace());
  }
  template <typename T>
  void fill(std::vector<T>& elements) {
    for (int count = 0; count < 2; ++count) fill(elements.emplace_back());
  }

 private:
  int last_ = 0;
};

template <typename T>
constexpr bool is_list_of_described = false;
template <harness::Described Element>
constexpr bool is_list_of_described<std::vector<Element>> = true;

template <typename T>
void expect_same(std::string_view name, const T& seen, const T& expected) {
  if constexpr (harness::Described<T>) {
    harness::for_each_field(expected, [&seen]<typename Row>(const Row& row, const auto& field) {
      if constexpr (!harness::is_derived<Row>) expect_same(row.name, seen.*row.member, field);
    });
  } else if constexpr (is_list_of_described<T>) {
    ASSERT_EQ(seen.size(), expected.size()) << name;
    for (std::size_t i = 0; i < seen.size(); ++i) expect_same(name, seen[i], expected[i]);
  } else {
    EXPECT_EQ(seen, expected) << name;
  }
}

template <typename Kind>
class EventJson : public testing::Test {};
using Kinds = testing::Types<harness::RunStarted, harness::CaseStarted, harness::CaseFinished, harness::RunFinished>;
TYPED_TEST_SUITE(EventJson, Kinds);

TYPED_TEST(EventJson, CarriesEveryMember) {
  TypeParam event;
  Filler().fill(event);
  expect_same("event", round_trip(event), event);
}

TYPED_TEST(EventJson, TakesNoneOfItsMembersForGranted) {
  TypeParam event;
  Filler().fill(event);
  const ordered_json whole = to_json(JournalEntry{.time = {}, .event = event});
  for (const auto& [name, value] : whole.items()) {
    ordered_json without = whole;
    without.erase(name);
    EXPECT_THROW(static_cast<void>(EventReader().read(without.dump())), Error) << name;
  }
  ordered_json more = whole;
  more["more"] = 1;
  EXPECT_THROW(static_cast<void>(EventReader().read(more.dump())), Error);
}

TEST(EventJsonValues, AreCarriedAtTheirEnds) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  harness::CaseFinished event;
  harness::CaseResult& result = event.result;
  result.reason = "because \xC3\xA9 \xff";
  result.duration_ms = 0.1;
  result.observations = {{"flag", true},
                         {"whole", std::int64_t{-5}},
                         {"real", 5.0},
                         {"inf", -infinity},
                         {"text", std::string("t")},
                         {"flags", std::vector<bool>{true, false}},
                         {"none", std::vector<double>{}},
                         {"texts", std::vector<std::string>{"a", "b"}}};
  result.parameters = {{"a", std::int64_t{1}}, {"b", 1.0}, {"c", std::string("1")}, {"d", true}};
  result.seed = std::numeric_limits<std::uint64_t>::max();
  result.output_tail = std::string("o\0\x01\x7f\x80\xff\r\n", 8);
  result.error_tail = "\xed\xa0\x80";
  expect_same("event", round_trip(event), event);
}

TEST(EventJsonValues, AreCarriedWithEveryByte) {
  harness::CaseFinished event;
  for (int byte = 0; byte < 256; ++byte) event.result.output_tail += static_cast<char>(byte);
  EXPECT_EQ(round_trip(event).result.output_tail, event.result.output_tail);
}

// ---- the schemas name the members of the tables, all of them -----------------------------

using Names = std::set<std::string>;

template <typename T>
Names names_of() {
  Names names;
  T value;
  harness::for_each_field(value, [&names]<typename Row>(const Row& row, const auto& /*field*/) {
    if constexpr (!harness::is_derived<Row>) names.emplace(row.name);
  });
  return names;
}

/// `place` in the file lists the members of T and `others`, and requires all but those that may be `absent`.
template <typename T>
void expect_members(const std::string& file, const std::string& place, const Names& others = {},
                    const Names& absent = {}) {
  const auto schema = testing_support::read_json(std::string(GPUCHECK_SCHEMA_FOLDER) + "/" + file);
  const auto object = schema.at(nlohmann::json::json_pointer(place));
  Names expected = names_of<T>();
  expected.insert(others.begin(), others.end());
  Names listed;
  for (const auto& [name, of_member] : object.at("properties").items()) listed.insert(name);
  EXPECT_EQ(listed, expected) << file << place;
  for (const std::string& name : absent) expected.erase(name);
  EXPECT_EQ(object.at("required").get<Names>(), expected) << file << place;
  EXPECT_EQ(object.at("additionalProperties"), false) << file << place;
}

TEST(Schemas, NameTheMembersOfEveryEvent) {
  const Names besides{"event", "time"};
  expect_members<harness::RunStarted>("journal.schema.json", "/oneOf/0", {"schema", "event", "time"});
  expect_members<harness::CaseStarted>("journal.schema.json", "/oneOf/1", besides);
  expect_members<harness::CaseFinished>("journal.schema.json", "/oneOf/2", besides);
  expect_members<harness::RunFinished>("journal.schema.json", "/oneOf/3", besides);
}

TEST(Schemas, NameTheMembersOfWhatEventsHold) {
  expect_members<harness::RunSettings>("journal.schema.json", "/oneOf/0/properties/settings");
  expect_members<harness::Counts>("journal.schema.json", "/oneOf/3/properties/counts");
  expect_members<harness::CaseResult>("journal.schema.json", "/definitions/result");
  expect_members<harness::Waiver>("journal.schema.json", "/definitions/waiver");
  expect_members<harness::WaiverUse>("journal.schema.json", "/definitions/waiver_use");
  for (const char* file : {"journal.schema.json", "result.schema.json"}) {
    expect_members<harness::SelectedCase>(file, "/definitions/selected_case");
    expect_members<harness::Measurement>(file, "/definitions/measurement");
    expect_members<harness::Attempt>(file, "/definitions/attempt");
  }
  for (const char* file : {"journal.schema.json", "shared.schema.json"}) {
    expect_members<harness::Mismatch>(file, "/definitions/mismatch");
  }
}

TEST(Schemas, NameTheMembersOfWhatDocumentsShare) {
  expect_members<harness::DeviceIdentity>("shared.schema.json", "/definitions/device");
  expect_members<harness::DeviceTime>("shared.schema.json", "/definitions/device_time");
  const std::string telemetry = "/definitions/gpu_telemetry";
  expect_members<harness::GpuTelemetry>("shared.schema.json", telemetry);
  expect_members<harness::IdleReport>("shared.schema.json", telemetry + "/properties/before");
  expect_members<harness::GaugeSummary>("shared.schema.json", telemetry + "/properties/gauges/items");
  expect_members<harness::CounterChange>("shared.schema.json", telemetry + "/properties/changes/items");
  expect_members<harness::Needs>("shared.schema.json", "/definitions/needs");
  expect_members<harness::Counts>("result.schema.json", "/definitions/counts", {"total"});
  expect_members<harness::Waiver>("waivers.schema.json", "/properties/waivers/items", {}, {"xid"});
  expect_members<harness::Waiver>("result.schema.json", "/definitions/waiver_use", {"state"}, {"xid"});
}

}  // namespace
}  // namespace gpucheck::report
