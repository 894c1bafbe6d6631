#include <algorithm>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/commands/advise/advise_command.hpp"
#include "tests/support/subprocess.hpp"
#include "tests/support/test_files.hpp"

namespace gpucheck::application {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(Advise, SaysWhatToSetAndWhatThatSaves) {
  const CommandResult result = advise({file_});
  EXPECT_EQ(result.exit_code, 0) << result.error_output;
  EXPECT_THAT(result.output, AllOf(HasSubstr("export PYTORCH_CUDA_ALLOC_CONF='expandable_segments:True'"),
                                   HasSubstr("runs to its end in 120.00 MiB, 50.00 MiB (29.4%) less"),
                                   ContainsRegex("expandable_segments:True +120.00 MiB +0 +120.00 MiB +0.0% +"),
                                   ContainsRegex("\\(defaults\\), as recorded +170.00 MiB +0 +170.00 MiB +29.4% +3"),
                                   HasSubstr("No settings can go below 120.00 MiB")));
}

TEST_F(Advise, NamesWhatIsLiveAtThePeak) {
  EXPECT_THAT(advise({file_}).output, AllOf(HasSubstr("after event 1: 120.00 MiB in 2 allocations"),
                                            ContainsRegex("layer_1 \\(model.py:11\\) +1 +60.00 MiB +50.0%"),
                                            ContainsRegex("60.00 MiB +2 +120.00 MiB +100.0%"),
                                            ContainsRegex("10 MiB to 100 MiB +2 +120.00 MiB")));
}

TEST_F(Advise, JsonFitsItsSchema) {
  const json document = advise_json({file_, "--memory-limit", "150MiB"});
  EXPECT_EQ(document["schema"], "gpucheck.advice/1");
  const json& device = document["devices"].at(0);
  EXPECT_EQ(device["advised"]["settings"], "expandable_segments:True");
  EXPECT_EQ(device["least_bytes"], 120 * mib);
  EXPECT_EQ(device["fits"], true);
  EXPECT_EQ(device["fits_as_recorded"], false);
  EXPECT_EQ(device["memory_limit_source"], "option");
  EXPECT_EQ(device["ranking"].at(0)["smallest_memory_bytes"], 120 * mib);
  EXPECT_GE(device["tried"].size(), 200U);
  EXPECT_EQ(device["live_at_peak"]["by_stack"].at(0)["stack"].at(0)["filename"], "/home/me/model.py");
}

TEST_F(Advise, SaysWhereTheFileDoesNotTellTheSettings) {
  EXPECT_THAT(advise({file_}).output, HasSubstr("does not say the allocator's settings"));
  EXPECT_EQ(advise_json({file_})["devices"].at(0)["recorded"]["settings_told"], false);
  const std::string told = fragmenting_snapshot();
  write_file(file_, told.substr(0, told.size() - 1) + R"(, "allocator_settings": {"PYTORCH_CUDA_ALLOC_CONF": ""}})");
  EXPECT_THAT(advise({file_}).output, Not(HasSubstr("does not say the allocator's settings")));
  EXPECT_EQ(advise_json({file_})["devices"].at(0)["recorded"]["settings_told"], true);
}

TEST_F(Advise, ALimitOfTheProgramsOwnIsNotTakenForAFullDevice) {
  write_file(file_, R"({"segments": [{"address": 0, "total_size": 62914560, "stream": 0, "blocks": [
      {"size": 62914560, "state": "active_allocated"}]}], "device_traces": [[
      {"action": "segment_alloc", "addr": 0, "size": 62914560, "stream": 0},
      {"action": "alloc", "addr": 0, "size": 62914560, "stream": 0},
      {"action": "oom", "device_free": 85899345920, "size": 41943040, "stream": 0}]]})");
  EXPECT_THAT(advise({file_}).output,
              AllOf(HasSubstr("memory    60.00 MiB, what was reserved at most"),
                    HasSubstr("No settings can help within 60.00 MiB"),
                    HasSubstr("a limit of the program's own (set_per_process_memory_fraction) of 100.00 MiB")));
  const json recorded = advise_json({file_})["devices"].at(0)["recorded"];
  EXPECT_EQ(recorded["capacity_bytes"], 60 * mib);
  EXPECT_EQ(recorded["capacity_is_own_limit"], true);
}

TEST_F(Advise, TheExitCodeTellsWhetherItFits) {
  EXPECT_EQ(advise({file_, "--memory-limit", "120MiB"}).exit_code, 0);
  const CommandResult beyond = advise({file_, "--memory-limit", "118MiB"});
  EXPECT_EQ(beyond.exit_code, 1);
  EXPECT_THAT(beyond.output,
              AllOf(HasSubstr("No settings can help"), HasSubstr("2.00 MiB more."), Not(HasSubstr("Set this"))));
}

TEST_F(Advise, ACardIsALimit) {
  const json document = advise_json({file_, "--card", "nvidia a100-40gb"});
  EXPECT_EQ(document["card"]["name"], "A100 40GB");
  EXPECT_EQ(document["devices"].at(0)["memory_limit_bytes"], document["card"]["usable_bytes"]);
  EXPECT_EQ(document["devices"].at(0)["memory_limit_source"], "card");
  EXPECT_THAT(advise({file_, "--card", "H100 80GB"}).output,
              AllOf(HasSubstr("what a program can have of H100 80GB"), HasSubstr("526.81 MiB of it")));
}

TEST_F(Advise, AdvisesNothingWhereNothingIsBetter) {
  write_file(file_, R"({"segments": [], "device_traces": [[{"action": "alloc", "addr": 512, "size": 31457280,
                                                            "stream": 0}]]})");
  EXPECT_THAT(advise({file_}).output,
              AllOf(HasSubstr("as good as any"), HasSubstr("holds no stacks"), Not(HasSubstr("export"))));
  EXPECT_EQ(advise_json({file_})["devices"].at(0)["advised"], nullptr);
}

TEST_F(Advise, MistakesOnTheCommandLine) {
  const auto complaint = [](const CommandResult& result) {
    EXPECT_EQ(result.exit_code, 2) << result.output;
    return result.error_output;
  };
  EXPECT_THAT(complaint(advise({file_, "--card", "Voodoo 2"})), HasSubstr("A100 40GB"));
  EXPECT_THAT(complaint(advise({file_, "--card", "T4 16GB", "--memory-limit", "1GiB"})), HasSubstr("--memory-limit"));
  EXPECT_THAT(complaint(advise({file_, "--settings", "max_split_size_mb:2"})),
              HasSubstr("--settings \"max_split_size_mb:2\": CachingAllocator option max_split_size_mb too small"));
  EXPECT_THAT(complaint(advise({file_, "--settings", "backend:cudaMallocAsync"})),
              AllOf(HasSubstr("native allocator"), HasSubstr("no memory history")));
  EXPECT_THAT(complaint(advise({file_, "--memory-limit", "2TiBs"})), HasSubstr("2TiBs"));
  EXPECT_THAT(complaint(advise({file_, "--memory-limit", "9000GiB"})), HasSubstr("largest simulated device"));
  EXPECT_THAT(complaint(advise({})), HasSubstr("snapshot"));
}

TEST_F(Advise, FilesThatCannotBeReadAreToldWithTheirPlace) {
  const auto complaint = [](const std::vector<std::string>& arguments) {
    const CommandResult result = advise(arguments);
    EXPECT_EQ(result.exit_code, 3) << result.output;
    EXPECT_EQ(result.output, "");
    return result.error_output;
  };
  EXPECT_THAT(complaint({folder_ / "none"}), HasSubstr("cannot be read"));
  write_file(file_, fragmenting_snapshot().substr(0, 300));
  EXPECT_THAT(complaint({file_}), ContainsRegex("byte [0-9]+"));
  EXPECT_THAT(complaint({test_file("pytorch_traces.json")}), HasSubstr("expected a memory snapshot"));
  write_file(file_, R"({"segments": []})");
  EXPECT_THAT(complaint({file_}), HasSubstr("_record_memory_history"));
  EXPECT_THAT(complaint({test_file("pytorch_snapshot.json"), "--device-index", "3"}),
              HasSubstr("no events of device 3"));
}

/// What the events of `fragmenting_snapshot` leave, and that 50 MiB more than the device has
/// were asked for.
std::string failing_snapshot() {
  std::string text = fragmenting_snapshot();
  text.resize(text.rfind(",{\"action\""));  // the last 50 MiB do not come about
  const auto segment = [](int number, std::uint64_t used) {
    return fmt::format(
        R"({{"device": 0, "address": {}, "total_size": {}, "stream": 0, "segment_type": "large", "blocks": [
           {{"size": {}, "state": "active_allocated"}}, {{"size": {}, "state": "inactive"}}]}})",
        (1ULL + static_cast<unsigned>(number)) << 30U, 60 * mib, used * mib, (60 - used) * mib);
  };
  text += R"(,{"action": "oom", "device_free": 31457280, "size": 52428800, "stream": 0,
              "frames": [{"name": "attention", "filename": "model.py", "line": 9}]}]]})";
  return R"({"segments": [)" + segment(3, 30) + "," + segment(4, 40) +
         text.substr(std::string(R"({"segments": [)").size());
}

TEST_F(Advise, ExplainsAFailure) {
  write_file(file_, failing_snapshot());
  const CommandResult result = advise({file_});
  EXPECT_EQ(result.exit_code, 0) << result.error_output;
  EXPECT_THAT(result.output,
              AllOf(HasSubstr("Memory ran out at event 6, in attention (model.py:9): 50.00 MiB asked for"),
                    HasSubstr("30.00 MiB free on the device"), ContainsRegex("too small, each by itself +2 +50.00 MiB"),
                    HasSubstr("20.00 MiB more memory"), HasSubstr("the settings expandable_segments:True"),
                    HasSubstr("in one piece")));
  const json failure = advise_json({file_})["devices"].at(0)["failures"].at(0);
  EXPECT_EQ(failure["missing_bytes"], 20 * mib);
  EXPECT_EQ(failure["is_fragmentation"], true);
  EXPECT_EQ(failure["holes"].at(0)["reason"], "too_small");
}

TEST_F(Advise, SaysWhatIsMissingOfARecordingThatBeganLate) {
  EXPECT_THAT(advise({file_}).output, Not(HasSubstr("missing   ")));
  write_file(file_, R"({"segments": [], "device_traces": [[
      {"action": "free_completed", "addr": 512, "size": 31457280, "stream": 0},
      {"action": "segment_free", "addr": 512, "size": 62914560, "stream": 0}]]})");
  EXPECT_THAT(
      advise({file_}).output,
      HasSubstr("missing   all before the first event, when 60.00 MiB were reserved and 30.00 MiB of it allocated"));
}

TEST_F(Advise, SaysWhereTheSmallestMemoryIsAMatterOfTime) {
  EXPECT_THAT(advise({file_}).output, Not(HasSubstr("other paces")));
  EXPECT_EQ(advise_json({file_})["devices"].at(0)["other_pace_count"], 0);
  // The 60 MiB are freed, and come free only when 40 more are allocated; they are whole when 60 are asked for again.
  write_file(file_, R"({"segments": [], "device_traces": [[
      {"action": "alloc", "addr": 1073741824, "size": 62914560, "stream": 0},
      {"action": "free_requested", "addr": 1073741824, "size": 62914560, "stream": 0},
      {"action": "alloc", "addr": 2147483648, "size": 41943040, "stream": 0},
      {"action": "free_completed", "addr": 1073741824, "size": 62914560, "stream": 0},
      {"action": "alloc", "addr": 1073741824, "size": 62914560, "stream": 0}]]})");
  EXPECT_THAT(advise({file_}).output, AllOf(HasSubstr("it runs at 64 other paces, too"),
                                            ContainsRegex("\\(defaults\\), as recorded +120.00 MiB")));
  EXPECT_EQ(advise_json({file_})["devices"].at(0)["other_pace_count"], 64);
}

TEST_F(Advise, SaysWhatWasNotTriedAtOtherPaces) {
  // As above, two hundred times as large: thousands of steps to more memory fail.
  write_file(file_, R"({"segments": [], "device_traces": [[
      {"action": "alloc", "addr": 1099511627776, "size": 12582912000, "stream": 0},
      {"action": "free_requested", "addr": 1099511627776, "size": 12582912000, "stream": 0},
      {"action": "alloc", "addr": 2199023255552, "size": 8388608000, "stream": 0},
      {"action": "free_completed", "addr": 1099511627776, "size": 12582912000, "stream": 0},
      {"action": "alloc", "addr": 1099511627776, "size": 12582912000, "stream": 0}]]})");
  EXPECT_THAT(advise({file_}).output, AllOf(HasSubstr("But not all was tried"), HasSubstr(" of them with (defaults)"),
                                            HasSubstr("may need more memory than is said here")));
  const json rows = advise_json({file_})["devices"].at(0)["ranking"];
  EXPECT_TRUE(std::ranges::any_of(rows, [](const json& row) { return row["other_paces_not_tried"] > 0; }));
}

TEST_F(Advise, APageIsWrittenBesides) {
  const CommandResult result = advise({file_, "--html", folder_ / "page.html"});
  EXPECT_THAT(result.output, HasSubstr("Set this"));
  EXPECT_THAT(read_file(folder_ / "page.html"),
              AllOf(HasSubstr("Memory over time"), HasSubstr("class=\"group\""),
                    HasSubstr("path class=\"reserved curve1\""), HasSubstr("Set this")));
  EXPECT_THAT(advise({file_, "--html", "-"}).output, ::testing::StartsWith("<!DOCTYPE html>"));
  EXPECT_EQ(advise({file_, "--html", "-", "--json"}).exit_code, 2);
  EXPECT_EQ(advise({file_, "--html", file_}).exit_code, 2);
}

TEST_F(Advise, HelpShowsHowToRecordASnapshot) {
  EXPECT_THAT(advise({"--help"}).output, AllOf(HasSubstr("torch.cuda.memory._record_memory_history("),
                                               HasSubstr("torch.cuda.memory._dump_snapshot(")));
}

TEST_F(Advise, ReadsWhatPyTorchWrote) {
  for (const char* name : {"pytorch_snapshot.json", "pytorch_snapshot_protocol_4.pickle"}) {
    const json document = advise_json({test_file(name)});
    EXPECT_EQ(document["devices"].at(0)["recorded"]["event_count"], 16) << name;
    // 2 MiB for three blocks of 64 KiB, and 30 MiB on another stream; its segment of 30 MiB.
    EXPECT_EQ(document["devices"].at(0)["ranking"].at(0)["smallest_memory_bytes"], 32 * mib);
  }
}

}  // namespace
}  // namespace gpucheck::application
