#include "telemetry/kernel_log/log_lines.hpp"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "telemetry/kernel_log/kernel_event.hpp"

namespace gpucheck::telemetry {
namespace {

constexpr std::int64_t boot_time = 1'795'600'000;
constexpr std::int64_t read_time = 1'795'700'000;  // 2026-11-26T13:33:20Z

struct Line {
  std::string message;
  std::string time;
  bool operator==(const Line&) const = default;
};

std::vector<Line> lines_of(std::string_view log, const LogClock& clock = {.boot_s = boot_time, .read_s = read_time}) {
  std::vector<Line> lines;
  for_each_log_line(log, clock, [&lines](const LogLine& line) {
    lines.push_back({std::string(line.message), line.time_s ? utc_text(*line.time_s) : "?"});
  });
  return lines;
}

Line only_line(std::string_view log) {
  const std::vector<Line> lines = lines_of(log);
  return lines.size() == 1 ? lines.front() : Line{"not one line", ""};
}

constexpr const char* message = "NVRM: Xid (PCI:0000:3b:00): 79, pid=1";
const Line expected{message, "2026-11-25T10:32:31Z"};  // NOLINT(cert-err58-cpp)

TEST(LogLines, OfTheKernel) {
  EXPECT_EQ(only_line(std::string("4,1044,2751000000,-;") + message + "\n"), expected);
  EXPECT_EQ(only_line(std::string("4,1044,2751000000,-,caller=T123;") + message), expected);
  EXPECT_EQ(lines_of(std::string("4,1,2751000000,-;") + message + "\n SUBSYSTEM=pci\n DEVICE=+pci:0000:3b:00.0\n"),
            std::vector{expected});
}

TEST(LogLines, OfDmesg) {
  EXPECT_EQ(only_line(std::string("[ 2751.999999] ") + message), expected);
  EXPECT_EQ(only_line(std::string("[Wed Nov 25 10:32:31 2026] ") + message), expected);
  EXPECT_EQ(only_line(std::string("2026-11-25T10:32:31,123456+00:00 ") + message), expected);
}

TEST(LogLines, OfLogDaemons) {
  EXPECT_EQ(only_line(std::string("Nov 25 10:32:31 node7 kernel: ") + message), expected);
  EXPECT_EQ(only_line(std::string("Nov 25 10:32:31 node7 kernel: [ 2751.052731] ") + message), expected);
  EXPECT_EQ(only_line(std::string("2026-11-25T12:32:31.123456+02:00 node7 kernel: ") + message), expected);
  EXPECT_EQ(only_line(std::string("2026-11-25T10:32:31+0000 node7 kernel: ") + message), expected);
  EXPECT_EQ(only_line(std::string("Dec  9 10:32:31 node7 kernel: ") + message).time, "2025-12-09T10:32:31Z")
      << "of last year: this year's is yet to come";
}

TEST(LogLines, OfTheJournal) {
  EXPECT_EQ(lines_of(std::string("__CURSOR=s=1\n__REALTIME_TIMESTAMP=1795602751123456\nPRIORITY=4\nMESSAGE=") +
                     message + "\n\n")
                .back(),
            expected);
  EXPECT_EQ(only_line(std::string(R"({"__REALTIME_TIMESTAMP":"1795602751123456","MESSAGE":")") + message + R"("})"),
            expected);
}

TEST(LogLines, WithoutATimeAreWhole) {
  EXPECT_EQ(only_line(message), (Line{message, "?"}));
  EXPECT_EQ(lines_of(std::string("4,1044,2751000000,-;") + message, {}), (std::vector<Line>{{message, "?"}}))
      << "the time of the boot is not known";
  EXPECT_EQ(lines_of("\n\n").size(), 0U);
}

}  // namespace
}  // namespace gpucheck::telemetry
