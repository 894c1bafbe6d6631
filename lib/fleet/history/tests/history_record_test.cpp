#include "fleet/history/history_record.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"

namespace gpucheck::fleet {
namespace {

using ::testing::HasSubstr;

HistoryRecord small_record() {
  return {.gpus = {{.uuid = "GPU-1", .node = "n\"1", .time = "2026-11-27T09:00:00Z"},
                   {.uuid = "GPU-2", .node = "", .time = "2026-11-26T09:00:01Z"}},
          .metrics = {{.name = "a.b of X", .high_is_bad = true, .usual = 0.1, .values = {0.30000000000000004, 1e300}},
                      {.name = "c.d of X", .high_is_bad = false, .usual = {}, .values = {std::nullopt, 5}}}};
}

TEST(HistoryRecord, IsReadAsItWasWritten) {
  EXPECT_EQ(parse_history_record(to_text(small_record()), "x"), small_record());
  EXPECT_EQ(parse_history_record(to_text({}), "x"), HistoryRecord());
}

TEST(HistoryRecord, HasANameByItsFirstRunAndItsContent) {
  const std::string name = file_name_of(small_record());
  EXPECT_THAT(name, testing::MatchesRegex("20261126T090001Z-[0-9a-f]+[.]history"));
  EXPECT_EQ(file_name_of(small_record()), name);
  HistoryRecord other = small_record();
  other.metrics[0].values[0] = 0.3;
  EXPECT_NE(file_name_of(other), name);
}

std::string refusal_of(const std::string& text) {
  try {
    parse_history_record(text, "old.history");
  } catch (const EnvironmentError& error) {
    return error.what();
  }
  return "";
}

/// A record with one text replaced by another.
std::string with(const std::string& replaced, const std::string& by) {
  std::string text = to_text(small_record());
  const std::size_t place = text.find(replaced);
  EXPECT_NE(place, text.npos) << replaced;
  return text.replace(place, replaced.size(), by);
}

/// A name that another machine gave may be any bytes.
TEST(HistoryRecord, TakesANameThatIsNotUtf8) {
  HistoryRecord odd;
  odd.gpus = {{.uuid = "GPU-\xff", .node = "n\xc3", .time = "2026-11-27T09:00:00Z"}};
  const HistoryRecord read = parse_history_record(to_text(odd), "kept.history");
  ASSERT_EQ(read.gpus.size(), 1U);
  EXPECT_EQ(read.gpus[0].uuid, "GPU-\xEF\xBF\xBD");
  EXPECT_EQ(read.gpus[0].node, "n\xEF\xBF\xBD");
}

TEST(HistoryRecord, ThatCannotBeIsRefusedWithItsPlace) {
  struct Broken {
    std::string text;
    const char* place;
  };
  for (const auto& [text, place] : {Broken{"", "old.history"},
                                    {"{\"schema\": \"gpucheck.history/1\"", "old.history:1:32"},
                                    {"[]", "old.history"},
                                    {with("history/1", "history/2"), "/schema"},
                                    {with("\"uuid\":\"GPU-1\"", "\"uuid\":\"\""), "/gpus/0/uuid"},
                                    {with("\"uuid\":\"GPU-1\",", ""), "uuid"},
                                    {with("\"uuid\":\"GPU-1\"", "\"uuid\":1"), "/gpus/0/uuid"},
                                    {with("2026-11-27T09:00:00Z", "2026-11-27 09:00:00Z"), "/gpus/0/time"},
                                    {with("2026-11-27T09:00:00Z", "2026-11-27T09:00:00ZZ"), "/gpus/0/time"},
                                    {with("2026-11-27T09:00:00Z", "2026-11-2xT09:00:00Z"), "/gpus/0/time"},
                                    {with("\"high_is_bad\":true", "\"high_is_bad\":1"), "/metrics/0/high_is_bad"},
                                    {with("\"usual\":0.1", "\"usual\":0"), "/metrics/0/usual"},
                                    {with("1e+300", "-1"), "/metrics/0/values/1"},
                                    {with("1e+300", "\"5\""), "/metrics/0/values/1"},
                                    {with(",1e+300", ""), "/metrics/0/values"},
                                    {with("1e+300", "1e+300,1"), "/metrics/0/values"},
                                    {with("\"metrics\"", "\"more\":1,\"metrics\""), "more"}}) {
    EXPECT_THAT(refusal_of(text), AllOf(HasSubstr("old.history"), HasSubstr(place))) << text;
  }
}

}  // namespace
}  // namespace gpucheck::fleet
