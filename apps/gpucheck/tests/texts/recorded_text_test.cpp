// What is said of a recording, and of the memory that its replay may use.
#include <gtest/gtest.h>
#include <ostream>
#include <string>

#include "base/text/units.hpp"
#include "commands/replay/replay_report.hpp"

namespace gpucheck::application {
namespace {

using namespace literals;
using replay::ConversionReport;
using replay::MemoryLimit;

ConversionReport plain_recording() {
  ConversionReport report;
  report.settings_are_recorded = true;
  report.recorded_peak_reserved_bytes = 2_MiB;
  report.recorded_peak_active_bytes = 3_MiB;
  return report;
}

TEST(RecordedText, OfAPlainRecordingIsOneLine) {
  EXPECT_EQ(recorded_text(plain_recording()),
            "  recorded  0 events, peak reserved 2.00 MiB, peak allocated 3.00 MiB (as asked for), memory ran out 0 "
            "times\n");
}

TEST(RecordedText, HasALineForEachThingThatIsNotAsRecorded) {
  ConversionReport report = plain_recording();
  report.recorded_events = report.out_of_memory = report.initial_blocks = report.deferred_frees = 1;
  report.private_pool_events = report.private_pools = report.ignored_events = report.contradictions = 1;
  report.settings_are_recorded = false;
  report.settings.skipped = {{.key = "newer", .value = "", .text = "newer"},
                             {.key = "other", .value = "7", .text = "other:7"}};
  report.settings.remarks = {"first remark", "second remark"};
  const std::string margin = "            ";
  EXPECT_EQ(recorded_text(report),
            "  recorded  1 event, peak reserved 2.00 MiB, peak allocated 3.00 MiB (as asked for), memory ran out 1 "
            "time\n" +
                margin +
                "the file does not say the allocator's settings, PyTorch 2.3 and later do: taken for the "
                "defaults\n" +
                margin +
                "setting newer of no value is not known here (PyTorch 2.11's are): left out of what is "
                "played\n" +
                margin + "setting other of 7 is not known here (PyTorch 2.11's are): left out of what is played\n" +
                margin + "first remark\n" + margin + "second remark\n" + margin +
                "1 block in use before the first event: allocated first\n" + margin +
                "1 free with a wait for other streams: completed as in the recording, or where memory is short, since "
                "PyTorch waits for them then\n" +
                margin +
                "1 event of private pools: replayed in one; whether one serves others when memory runs out, or never "
                "splits, is not recorded: taken for not so\n" +
                margin + "1 event without a meaning for a replay: left out\n" + margin +
                "1 contradiction (events missing, or the file was changed): left out, so take the statistics with "
                "care\n");
}

TEST(RecordedText, SaysWhereTheSettingsAreFromAndWhereThePoolsWent) {
  ConversionReport report = plain_recording();
  report.settings_are_recorded = false;
  report.settings.played = "expandable_segments:True";
  report.private_pool_events = 2;
  const auto has = [&report](const std::string& line) {
    return recorded_text(report).find("\n            " + line + "\n") != std::string::npos;
  };
  EXPECT_TRUE(
      has("the file does not say the allocator's settings, PyTorch 2.3 and later do: "
          "expandable_segments:True, by its segments"));
  EXPECT_TRUE(has("2 events of private pools: replayed in the default pools"));
  report.private_pools = 2;
  EXPECT_TRUE(
      has("2 events of private pools: replayed in 2 of them; whether one serves others when memory runs out, "
          "or never splits, is not recorded: taken for not so"));
}

struct Limited {
  MemoryLimit::Source source;
  bool is_own_limit;
  std::string text;
};
void PrintTo(const Limited& limited, std::ostream* out) { *out << limited.text; }

class MemoryOfAReplay : public testing::TestWithParam<Limited> {};

TEST_P(MemoryOfAReplay, SaysWhoSetIt) {
  const Limited& limited = GetParam();
  replay::Subject subject;
  subject.file = "f";
  subject.trace.name = "t";
  subject.recorded = plain_recording();
  subject.recorded->recorded_capacity_is_own_limit = limited.is_own_limit;
  replay::Replay replay;
  replay.device_name = "Simulated H100";
  replay.device_memory_bytes = 80_GiB;
  replay.limit.source = limited.source;
  if (limited.source != MemoryLimit::Source::device && limited.source != MemoryLimit::Source::not_recorded) {
    replay.limit.bytes = 2_GiB;
  }
  replay.what_if.emplace();
  const std::string text =
      what_if_text({.subject = &subject, .replays = {replay}, .verdict = replay::Verdict::fits}, {});
  const std::string before = "f, t\n" + recorded_text(*subject.recorded) + "  memory    ";
  EXPECT_TRUE(text.starts_with(before + limited.text + "\n\n  settings  ")) << text;
}

INSTANTIATE_TEST_SUITE_P(
    Sources, MemoryOfAReplay,
    testing::Values(
        Limited{MemoryLimit::Source::requested, false, "2.00 GiB, by --memory-limit"},
        Limited{MemoryLimit::Source::trace, false, "2.00 GiB, as recorded"},
        Limited{MemoryLimit::Source::recorded, false,
                "2.00 GiB, what was reserved and free when memory first ran out; --memory-limit sets another"},
        Limited{MemoryLimit::Source::recorded, true,
                "2.00 GiB, what was reserved at most until memory first ran out: the device had room for more, so that "
                "a limit of the program's own (set_per_process_memory_fraction) refused it; how high that was is not "
                "recorded; --memory-limit sets another"},
        Limited{MemoryLimit::Source::not_recorded, false,
                "as much as needed: the file does not say the device's size; --memory-limit sets one"},
        Limited{MemoryLimit::Source::device, false,
                "all of Simulated H100 (80.00 GiB): the file does not say another size; --memory-limit sets one"}));

}  // namespace
}  // namespace gpucheck::application
