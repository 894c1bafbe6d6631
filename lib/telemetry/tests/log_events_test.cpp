#include "telemetry/kernel_log/log_events.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpucheck::telemetry {
namespace {

using ::testing::ElementsAre;

constexpr std::int64_t boot = 1'795'600'000;

LogEvents events_of(const std::string& log) { return events_in_log(log, {.boot_s = boot, .read_s = boot + 100'000}); }

std::string line(std::int64_t seconds, const std::string& message) {
  return fmt::format("4,1,{}000000,-;{}\n", seconds, message);
}
std::string xid(std::int64_t seconds, int number, const std::string& text = "", const char* address = "0000:3b:00") {
  return line(seconds, fmt::format("NVRM: Xid (PCI:{}): {}, {}", address, number, text));
}

/// "48 x2", in their order.
std::vector<std::string> short_of(const LogEvents& found) {
  std::vector<std::string> texts;
  for (const KernelEvent& event : found.events) {
    texts.push_back(fmt::format(
        "{} x{}", event.kind == KernelEventKind::xid ? std::to_string(event.xid) : std::string(to_text(event.kind)),
        event.count));
  }
  return texts;
}

TEST(LogEvents, LinesThatSayTheSameAreOne) {
  const LogEvents found = events_of(line(1, "usb 1-1: new device") + xid(10, 48) + xid(20, 63) + xid(30, 48) +
                                    xid(40, 48, "", "0000:3c:00"));
  EXPECT_THAT(short_of(found), ElementsAre("63 x1", "48 x2", "48 x1"));
  EXPECT_EQ(found.events[1].first_time_s, boot + 10);
  EXPECT_EQ(found.events[1].last_time_s, boot + 30);
  EXPECT_EQ(found.begin_s, boot + 1);
  EXPECT_EQ(found.lines, 5);
}

TEST(LogEvents, WhatDiffersInSeverityActionOrPlaceIsNotOne) {
  EXPECT_THAT(short_of(events_of(xid(1, 145, "Nonfatal") + xid(2, 145, "Fatal") + xid(3, 145, "Nonfatal"))),
              ElementsAre("145 x1", "145 x2"));
  EXPECT_THAT(short_of(events_of(xid(1, 154, "from 0x0 (None) to 0x1 (a)") + xid(2, 154, "from 0x1 (a) to 0x2 (b)"))),
              ElementsAre("154 x1", "154 x1"));
  EXPECT_THAT(short_of(events_of(xid(1, 13, "on (GPC 1, TPC 0, SM 0): a") + xid(2, 13, "on (GPC 1, TPC 0, SM 1): a") +
                                 xid(3, 13, "on (GPC 1, TPC 0, SM 1): b"))),
              ElementsAre("13 x1", "13 x2"));
}

TEST(LogEvents, ResetsEndWhatWasBefore) {
  const std::string reset = line(20, "nvidia 0000:3b:00.0: reset done");
  const LogEvents found = events_of(xid(1, 48) + xid(2, 48, "", "0000:3c:00") + reset + xid(30, 48));
  ASSERT_THAT(short_of(found), ElementsAre("48 x1", "48 x1", "gpu_reset x1", "48 x1"));
  EXPECT_TRUE(is_ended(found.events, 0));
  EXPECT_FALSE(is_ended(found.events, 1)) << "another GPU's reset";
  EXPECT_FALSE(is_ended(found.events, 3));
}

TEST(LogEvents, ALoadOfTheDriverAndABootEndAll) {
  for (const char* beginning : {"NVRM: loading NVIDIA UNIX x86_64 Kernel Module  580.1", "Linux version 6.8.0 (a)"}) {
    const LogEvents found = events_of(xid(1, 48) + line(2, beginning) + xid(3, 79));
    ASSERT_EQ(found.events.size(), 3U);
    EXPECT_TRUE(is_ended(found.events, 0)) << beginning;
    EXPECT_FALSE(is_ended(found.events, 2)) << beginning;
  }
}

TEST(LogEvents, AnActionOfNoneEndsWhatWasBefore) {
  const std::string none = "GPU recovery action changed from 0x1 (GPU Reset Required) to 0x0 (None)";
  const LogEvents found =
      events_of(xid(1, 48) + xid(2, 154, "changed from 0x0 (None) to 0x1 (Reset)") + xid(3, 154, none));
  ASSERT_EQ(found.events.size(), 3U);
  EXPECT_TRUE(is_ended(found.events, 0));
  EXPECT_TRUE(is_ended(found.events, 1));
  EXPECT_FALSE(is_ended(events_of(xid(1, 48) + xid(3, 154, none, "0000:3c:00")).events, 0)) << "another GPU's";
}

TEST(LogEvents, TwentyThousandLinesAreFewEvents) {
  std::string log;
  for (int i = 0; i < 20'000; ++i) log += xid(i, 31 + i % 3, fmt::format("pid={}, MMU Fault", i));
  EXPECT_EQ(events_of(log).events.size(), 3U);
}

TEST(LogEvents, AListOfEventsIsMadeShortLikeALog) {
  const KernelEvent one{
      .kind = KernelEventKind::xid, .pci_address = "0000:3b:00.0", .xid = 48, .text = "a", .count = 2};
  const std::vector<KernelEvent> events = in_short({one, one, one});
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].count, 6);
}

TEST(LogEvents, WhateverALogHoldsWhatIsKeptIsBounded) {
  std::string log;
  for (int i = 0; i < 20'000; ++i) log += xid(i, 1 + i % 99'000, "", fmt::format("{:04x}:3b:00", i).c_str());
  const LogEvents found = events_of(log);
  EXPECT_LT(found.events.size(), 5000U);
  std::int64_t lines = 0;
  for (const KernelEvent& event : found.events) lines += event.count;
  EXPECT_EQ(lines, 20'000);
}

TEST(LogEvents, KeepFourHundredBytesOfATextAndThePlaceOfTheLastLine) {
  const std::string start = "NVRM: Xid (PCI:0000:3b:00): 48, ";
  const auto text_of_length = [&start](std::size_t length) {
    const std::string line = start + std::string(length - start.size(), 'x');
    return events_in_log(line, {}).events.at(0).text;
  };
  EXPECT_EQ(text_of_length(400).size(), 400U);
  EXPECT_EQ(text_of_length(401), start + std::string(400 - start.size(), 'x'));
  const std::vector<KernelEvent> events =
      events_in_log(start + "a\nNVRM: Xid (PCI:0000:3b:00): 79, b\n" + start + "c\n", {}).events;
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].xid, 79);
  EXPECT_EQ(events[1].text, start + "c");
  EXPECT_EQ(events[1].count, 2);
}

TEST(LogEvents, CountLinesAndThoseOfALogsForm) {
  const LogEvents found = events_in_log("[    2.5] a\nb\n\n[    3.5] c\n", {.boot_s = 100, .read_s = 200});
  EXPECT_EQ(found.lines, 3);
  EXPECT_EQ(found.lines_in_form, 2);
  EXPECT_EQ(found.begin_s, 102);
  EXPECT_EQ(events_in_log("", {}).lines, 0);
  EXPECT_EQ(events_in_log("", {}).begin_s, std::nullopt);
}

}  // namespace
}  // namespace gpucheck::telemetry
