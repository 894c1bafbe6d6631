#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "telemetry/kernel_log/kernel_event.hpp"
#include "telemetry/kernel_log/log_events.hpp"
#include "telemetry/kernel_log/log_lines.hpp"
#include "telemetry/kernel_log/nvidia_lines.hpp"

// Where times, lines, numbers and lists in a kernel's log begin and end.
namespace gpucheck::telemetry {
namespace {

using ::testing::ElementsAre;

// 2026-11-25 is the day that began at 1,795,564,800 s.
constexpr std::int64_t noon = 1'795'564'800 + 12 * 3600;

TEST(LogTimes, ReachToTheLastSecond) {
  const std::vector<std::pair<const char*, std::int64_t>> table{{"2026-11-25T12:00:00Z", noon},
                                                                {"2026-11-25T12:00:00", noon},
                                                                {"2026-11-25T00:00:00Z", noon - 12 * 3600},
                                                                {"2026-11-25T23:59:59Z", noon + 12 * 3600 - 1},
                                                                {"2026-11-25T12:00:60Z", noon + 60},  // a leap second
                                                                {"2026-11-25T12:00:00.5Z", noon},
                                                                {"2026-11-25T12:00:00,999999", noon},
                                                                {"2026-11-25T17:30:00+05:30", noon},
                                                                {"2026-11-25T17:30:00+0530", noon},
                                                                {"2026-11-25T08:30:00-03:30", noon},
                                                                {"2026-11-25T08:30:00-0330", noon},
                                                                {"2024-02-29", 1'709'164'800}};
  for (const auto& row : table) EXPECT_EQ(parse_utc(row.first), row.second) << row.first;
  for (const char* const wrong : {"2026-11-25T24:00:00Z",
                                  "2026-11-25T12:60:00Z",
                                  "2026-11-25T12:00:61Z",
                                  "2026-11-25T12:00:00+05:3",
                                  "2026-11-25T12:00:00+05:300",
                                  "2026-11-25T12:00:00+053",
                                  "2026-11-25T12:00:00+5:30",
                                  "2026-11-25T12:00:00Zx",
                                  "2026/11-25",
                                  "2026-11/25",
                                  "2026-1x-25",
                                  "2026-11-2x",
                                  "202x-11-25",
                                  "2026-11-25T1x:00:00Z",
                                  "2026-11-25T12:0x:00Z",
                                  "2026-11-25T12:00:0xZ",
                                  "2026-11-25x12:00:00Z",
                                  "2026-11-25T12.00:00Z",
                                  "2026-11-25T12:00.00Z",
                                  "2026-11-25T12:00",
                                  "2026-11-25T",
                                  "2023-02-29",
                                  "2026-00-01",
                                  "2026-01-00"}) {
    EXPECT_EQ(parse_utc(wrong), std::nullopt) << wrong;
  }
}

TEST(LogTimes, AreWrittenWithAllDigits) {
  EXPECT_EQ(utc_text(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(utc_text(-1), "1969-12-31T23:59:59Z");
  EXPECT_EQ(utc_text(noon + 9 * 60 + 8), "2026-11-25T12:09:08Z");
}

TEST(LogWords, OfSeverity) {
  EXPECT_EQ(is_fatal("fatal"), true);
  EXPECT_EQ(is_fatal("nonfatal"), false);
  EXPECT_EQ(is_fatal("nonfatal nonfatal"), false);
  EXPECT_EQ(is_fatal("nonfatalfatal"), true);
  EXPECT_EQ(is_fatal("non fatal"), true);
  EXPECT_EQ(is_fatal(""), std::nullopt);
}

/// The message and the time of each line.
std::vector<std::pair<std::string, std::int64_t>> timed_lines(std::string_view log) {
  std::vector<std::pair<std::string, std::int64_t>> lines;
  for_each_log_line(log, {.boot_s = noon, .read_s = noon},
                    [&lines](const LogLine& line) { lines.emplace_back(line.message, line.time_s.value_or(-1)); });
  return lines;
}
std::pair<std::string, std::int64_t> timed_line(std::string_view log) {
  const auto lines = timed_lines(log);
  return lines.size() == 1 ? lines.front() : std::pair<std::string, std::int64_t>("not one line", 0);
}

using Timed = std::pair<std::string, std::int64_t>;

TEST(LogLineEdges, WhatIsNotWholeIsAMessage) {
  for (const char* const line :
       {"4,1,2000000,-", "4,1,2000000;a", "4,1,x,-;a", "4,x,2,-;a", "x,1,2,-;a", "[ 2.5 a", "[x] a", "[2] a", "2.5] a",
        "Nov 25 10:32:31", "Nov 25 10:32:3", "Foo 25 10:32:31 a", "Nov 25 10:32:31x a", "{\"A\":\"b\"}"}) {
    EXPECT_EQ(timed_line(line), Timed(line, -1));
  }
}

TEST(LogLineEdges, EachFormWithItsShortestMessage) {
  EXPECT_EQ(timed_line("4,1,2000000,-;a"), Timed("a", noon + 2));
  EXPECT_EQ(timed_line("4,1,2999999,-;"), Timed("", noon + 2));
  EXPECT_EQ(timed_line("[2.5]a"), Timed("a", noon + 2));
  EXPECT_EQ(timed_line("[2.5]"), Timed("", noon + 2));
  EXPECT_EQ(timed_line("2026-11-25T12:00:01Z"), Timed("", noon + 1));
  EXPECT_EQ(timed_line("Nov 25 12:00:01 a"), Timed("a", noon + 1));
  EXPECT_EQ(timed_line("[Wed Nov 25 12:00:01 2026] a"), Timed("a", noon + 1));
  EXPECT_EQ(timed_lines("a\r\nb\r\n"), (std::vector<Timed>{{"a", -1}, {"b", -1}}));
}

// Tomorrow's time of day can be another zone's today; what is later still was a year ago.
TEST(LogLineEdges, ADateWithoutAYearIsTheLatestThatCanBe) {
  EXPECT_EQ(timed_line("Nov 25 12:00:00 a"), Timed("a", noon));
  EXPECT_EQ(timed_line("Nov 26 12:00:00 a"), Timed("a", noon + 24 * 3600));
  EXPECT_EQ(timed_line("Nov 26 12:00:01 a"), Timed("a", noon + 24 * 3600 + 1 - std::int64_t{365} * 24 * 3600));
  EXPECT_EQ(timed_line("Jan  1 00:00:00 a"), Timed("a", 1'767'225'600));
}

TEST(LogLineEdges, AJournalsFieldsAreNoLines) {
  const std::string time = "__REALTIME_TIMESTAMP=" + std::to_string(noon) + "999999\n";
  EXPECT_EQ(timed_lines(time + "MESSAGE=a\n"), (std::vector<Timed>{{"a", noon}}));
  EXPECT_EQ(timed_line("{\"MESSAGE\":\"a \\\"b\\\" c\",\"X\":\"y\"}"), Timed("a \\\"b\\\" c", -1));
  EXPECT_EQ(timed_line("{\"MESSAGE\":\"cut"), Timed("cut", -1));
  EXPECT_EQ(timed_line("{\"MESSAGE\":\"a\",\"__REALTIME_TIMESTAMP\":\"" + std::to_string(noon) + "000000\"}"),
            Timed("a", noon));
}

TEST(LogLineEdges, AMessageOfTheJournalEndsAtItsOwnQuotationMark) {
  EXPECT_EQ(timed_line("{\"MESSAGE\":\"a \\\"b\\\"\",\"X\":\"y\"}"), Timed("a \\\"b\\\"", -1));
  EXPECT_EQ(timed_line("{\"MESSAGE\":\"a\\\\\",\"X\":\"y\"}"), Timed("a\\\\", -1));
  EXPECT_EQ(timed_line("{\"MESSAGE\":\"\",\"X\":\"y\"}"), Timed("", -1));
}

TEST(PlacesInAGpu, AreWholeAndShort) {
  // With its bracket 39 characters, and one more.
  EXPECT_EQ(place_in_gpu("(GPC 1, TPC 2, SM 3, and what is left ov)"), "");
  EXPECT_EQ(place_in_gpu("(GPC 1, TPC 2, SM 3, and what is left o)"), "GPC 1, TPC 2, SM 3, and what is left o");
  EXPECT_EQ(place_in_gpu("(GPC 1, TPC 2"), "");
  EXPECT_EQ(place_in_gpu("(GPC )"), "GPC ");
  EXPECT_EQ(place_in_gpu("ENGINE GRAPHICS GPC2"), "");
  EXPECT_EQ(place_in_gpu("ENGINE GRAPHICS GPC2 faulted"), "GPC2");
  EXPECT_EQ(place_in_gpu("(GPC 1 ENGINE GRAPHICS GPC2 faulted"), "GPC2") << "a bracket that is not closed";
  EXPECT_EQ(place_in_gpu(""), "");
}

/// "NUMBER at ADDRESS", or nothing.
std::string xid_in_line(const std::string& message) {
  const auto event = NvidiaLines().read(message);
  return event && event->kind == KernelEventKind::xid ? fmt::format("{} at {}", event->xid, event->pci_address) : "";
}

TEST(NvidiaLineEdges, NumbersEndWhereTheyMay) {
  const auto numbered_line = [](const std::string& number) { return "NVRM: Xid (PCI:0000:3b:00): " + number; };
  EXPECT_EQ(xid_in_line(numbered_line("1")), "1 at 0000:3b:00.0");
  EXPECT_EQ(xid_in_line(numbered_line("31, a")), "31 at 0000:3b:00.0");
  EXPECT_EQ(xid_in_line(numbered_line("31 a")), "31 at 0000:3b:00.0");
  EXPECT_EQ(xid_in_line(numbered_line("31\r")), "31 at 0000:3b:00.0");
  EXPECT_EQ(xid_in_line(numbered_line("99999")), "99999 at 0000:3b:00.0");
  for (const char* const none : {"0", "100000", "31;", "31-", "-1"}) EXPECT_EQ(xid_in_line(numbered_line(none)), "");
}

TEST(NvidiaLineEdges, AddressesAreWhole) {
  const auto at = [](const std::string& address) { return xid_in_line("NVRM: Xid (" + address + "): 31"); };
  EXPECT_EQ(at("0000:3b:00.0"), "31 at 0000:3b:00.0");
  EXPECT_EQ(at("0000:3b:00.7"), "31 at 0000:3b:00.7");
  EXPECT_EQ(at("0000:3b:00.8"), "31 at 0000:3b:00.0");
  EXPECT_EQ(at("0000:3b:00./"), "31 at 0000:3b:00.0");
  EXPECT_EQ(at("0000:3b:00."), "31 at 0000:3b:00.0");
  EXPECT_EQ(at("0000:3b:00 7"), "31 at 0000:3b:00.0");
  for (const char* const none :
       {"000:3b:00", "000000000:3b:00", "0000-3b:00", "0000:3:00", "0000:3b-00", "0000:3b:0"}) {
    EXPECT_EQ(at(none), "31 at ") << none;
  }
}

// The first that is whole, wherever other colons stand.
TEST(NvidiaLineEdges, AnAddressIsFoundInALine) {
  const auto address_of = [](const std::string& message) { return NvidiaLines().read(message)->pci_address; };
  EXPECT_EQ(address_of("0000:3b:00.0: NVRM: GPU has fallen off the bus."), "0000:3b:00.0");
  EXPECT_EQ(address_of("NVRM: a:b 0000:3c:00.0 and 0000:3d:00.0 fallen off the bus"), "0000:3c:00.0");
  EXPECT_EQ(address_of("NVRM: fallen off the bus"), "");
}

TEST(NvidiaLineEdges, EscapedNewlinesAreSpaces) {
  const auto event = NvidiaLines().read("NVRM: one\\x0aNVRM: two\\x0afallen off the bus");
  ASSERT_TRUE(event);
  EXPECT_EQ(event->text, "NVRM: one NVRM: two fallen off the bus");
}

std::string kmsg_xid(int number, const std::string& text, const char* address = "0000:3b:00") {
  return fmt::format("4,1,1000000,-;NVRM: Xid (PCI:{}): {}, {}\n", address, number, text);
}

// An XID 48 whose text speaks of an action, and a 154 that says another than none, end nothing.
TEST(LogEventEdges, OnlyAnActionOfNoneEnds) {
  const std::string to_none = "changed from 0x1 (a) to 0x0 (None)";
  EXPECT_FALSE(is_ended(events_in_log(kmsg_xid(48, "a") + kmsg_xid(63, to_none), {}).events, 0));
  EXPECT_FALSE(
      is_ended(events_in_log(kmsg_xid(48, "a") + kmsg_xid(154, "changed from 0x0 (None) to 0x1 (a)"), {}).events, 0));
  EXPECT_TRUE(is_ended(events_in_log(kmsg_xid(48, "a") + kmsg_xid(154, to_none), {}).events, 0));
  EXPECT_FALSE(is_ended(events_in_log(kmsg_xid(48, "a") + kmsg_xid(63, "b"), {}).events, 0))
      << "another error of the same GPU";
}

// What has no address is ended by no reset of a GPU that has none either.
TEST(LogEventEdges, WithoutAnAddressNothingIsTheSameGpu) {
  const KernelEvent error{.kind = KernelEventKind::xid, .pci_address = "", .xid = 48, .text = "a"};
  const KernelEvent reset{.kind = KernelEventKind::gpu_reset, .pci_address = "", .text = "b"};
  const KernelEvent load{.kind = KernelEventKind::driver_load, .pci_address = "", .text = "c"};
  EXPECT_FALSE(is_ended({error, reset}, 0));
  EXPECT_TRUE(is_ended({error, load}, 0));
  EXPECT_FALSE(is_ended({load, error}, 1));
  EXPECT_FALSE(is_ended({load}, 0));
}

// Errors of one shape before an end, and those after it, are two events.
TEST(LogEventEdges, AnEndPartsWhatIsAlike) {
  const std::string reset = "4,1,1000000,-;nvidia 0000:3b:00.0: reset done\n";
  const auto counts = [](const std::string& log) {
    std::vector<std::int64_t> found;
    for (const KernelEvent& event : events_in_log(log, {}).events) found.push_back(event.count);
    return found;
  };
  const std::string error = kmsg_xid(48, "a");
  EXPECT_THAT(counts(error + error + reset + error), ElementsAre(2, 1, 1));
  EXPECT_THAT(counts(error + reset + error + reset + error), ElementsAre(1, 1, 2, 1));
  EXPECT_THAT(counts(kmsg_xid(48, "a", "0000:3c:00") + reset + kmsg_xid(48, "a", "0000:3c:00")), ElementsAre(1, 2))
      << "another GPU's";
}

}  // namespace
}  // namespace gpucheck::telemetry
