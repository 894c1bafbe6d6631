#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/subprocess.hpp"
#include "tests/support/test_files.hpp"

namespace gpucheck::application {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

CommandResult inspect(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "inspect");
  return fixture(arguments);
}

TEST(Snapshot, SumsUpWhatPyTorchWrote) {
  for (const char* name : {"pytorch_snapshot.json", "pytorch_snapshot_protocol_4.pickle"}) {
    const CommandResult result = inspect({test_file(name)});
    EXPECT_EQ(result.exit_code, 0) << result.error_output;
    EXPECT_THAT(result.output, AllOf(HasSubstr("1 segment, 3 blocks, 16 events"),
                                     ContainsRegex("default, small, stream 0x0 +1 +2.00 MiB +64.00 KiB"),
                                     ContainsRegex("64.00 KiB +0x7f83e7e30000")));
  }
}

TEST(Snapshot, JsonHasUnitsInItsKeys) {
  const json document = json::parse(inspect({test_file("pytorch_snapshot.json"), "--json"}).output);
  EXPECT_EQ(document["schema"], "gpucheck.snapshot/1");
  const json& device = document["devices"].at(0);
  EXPECT_EQ(device["total"]["reserved_bytes"], 2 << 20);
  EXPECT_EQ(device["total"]["inactive_bytes"], (2 << 20) - (64 << 10));
  EXPECT_EQ(device["largest"].at(0)["stack"].at(0)["name"], "torch::unwind::unwind()");
}

TEST(Snapshot, SaysOfEachBlockInUseWhetherItWaitsForOtherStreams) {
  const TemporaryFolder folder;
  write_file(folder / "snapshot", R"({"segments": [{"device": 0, "address": 4096, "total_size": 1536, "stream": 0,
      "blocks": [{"size": 1024, "state": "active_allocated"}, {"size": 512, "state": "active_pending_free"}]}]})");
  const json document = json::parse(inspect({folder / "snapshot", "--json"}).output);
  const json& largest = document["devices"].at(0)["largest"];
  ASSERT_EQ(largest.size(), 2U) << document;
  EXPECT_EQ(largest[0]["state"], "active_allocated");
  EXPECT_EQ(largest[0]["size_bytes"], 1024);
  EXPECT_EQ(largest[1]["state"], "active_pending_free");
  EXPECT_EQ(largest[1]["size_bytes"], 512);
}

TEST(Snapshot, StreamsAndPoolsHaveTheirNamesWhereTheFileTellsThem) {
  const TemporaryFolder folder;
  write_file(folder / "snapshot", R"({"segments": [{"device": 0, "address": 4096, "total_size": 1024, "stream": 77,
      "segment_pool_id": [1, 0], "blocks": [{"size": 1024, "state": "active_allocated"}]}],
      "gpucheck_objects": {"streams": [{"device": 0, "stream": 77, "stream_id": 35, "name": "priority 0, stream 1"}],
                           "pools": [{"device": 0, "segment_pool_id": [1, 0], "use_count": 1, "graphs": [3]}]}})");
  EXPECT_THAT(inspect({folder / "snapshot"}).output,
              AllOf(HasSubstr("private (1, 0) of graph 3, small, stream 35 (priority 0, stream 1)"),
                    ContainsRegex("0x1000 +private \\(1, 0\\) of graph 3")));
  const json document = json::parse(inspect({folder / "snapshot", "--json"}).output);
  const json& pool = document["devices"].at(0)["pools"].at(0);
  EXPECT_EQ(pool["stream_id"], 35);
  EXPECT_EQ(pool["stream_name"], "priority 0, stream 1");
  EXPECT_EQ(pool["use_count"], 1);
  EXPECT_EQ(pool["graphs"], json::array({3}));
  EXPECT_THAT(inspect({folder / "snapshot", "--html", "-"}).output,
              HasSubstr("private (1, 0) of graph 3, small, stream 35 (priority 0, stream 1)"));
}

TEST(Snapshot, TellsWhatGrewByStack) {
  const TemporaryFolder folder;
  const auto snapshot = [](std::uint64_t kept, std::uint64_t lost) {
    const auto block = [](std::uint64_t bytes, const char* name) {
      return json{{"size", bytes},
                  {"state", "active_allocated"},
                  {"frames", {{{"name", name}, {"filename", "/home/me/model.py"}, {"line", 7}}}}};
    };
    const json blocks{block(kept, "keeps"), block(lost, "loses"), block(64, "same")};
    return json{
        {"segments",
         {{{"device", 0}, {"address", 4096}, {"total_size", kept + lost + 64}, {"stream", 0}, {"blocks", blocks}}}}}
        .dump();
  };
  write_file(folder / "first", snapshot(2 << 20, 5 << 20));
  write_file(folder / "second", snapshot(6 << 20, 3 << 20));
  const CommandResult result = inspect({folder / "first", "--compare", folder / "second"});
  EXPECT_EQ(result.exit_code, 0) << result.error_output;
  EXPECT_THAT(result.output, AllOf(ContainsRegex("keeps \\(model.py:7\\) +2.00 MiB +6.00 MiB +\\+4.00 MiB +1 +1"),
                                   ContainsRegex("loses \\(model.py:7\\) +5.00 MiB +3.00 MiB +-2.00 MiB"),
                                   Not(HasSubstr("same")), ContainsRegex("reserved +7.00 MiB +9.00 MiB +\\+2.00 MiB")));
  EXPECT_LT(result.output.find("keeps"), result.output.find("loses"));
  const json document = json::parse(inspect({folder / "first", "--compare", folder / "second", "--json"}).output);
  EXPECT_EQ(document["schema"], "gpucheck.snapshot_growth/1");
  const json& stacks = document["devices"].at(0)["by_stack"];
  ASSERT_EQ(stacks.size(), 2U);
  EXPECT_EQ(stacks.at(0)["grew_bytes"], 4 << 20);
  EXPECT_EQ(stacks.at(0)["stack"].at(0)["name"], "keeps");
  EXPECT_EQ(stacks.at(1)["grew_bytes"], -(2 << 20));
  EXPECT_THAT(inspect({folder / "first", "--compare", folder / "first"}).output,
              HasSubstr("No stack has more or less"));
  EXPECT_EQ(inspect({folder / "first", "--compare", folder / "none"}).exit_code, 3);
  EXPECT_EQ(inspect({folder / "first", "--compare", folder / "second", "--html", "-"}).exit_code, 2);
  EXPECT_EQ(inspect({folder / "first", "--compare", folder / "second", "--device-index", "4"}).exit_code, 3);
}

TEST(Snapshot, RejectsWhatItCannotShow) {
  EXPECT_EQ(inspect({test_file("pytorch_traces.json")}).exit_code, 3) << "traces";
  EXPECT_EQ(inspect({"/nonexistent"}).exit_code, 3);
  EXPECT_EQ(inspect({test_file("pytorch_snapshot.json"), "--device-index", "1"}).exit_code, 3);
  EXPECT_EQ(inspect({test_file("pytorch_snapshot.json"), "--html", "/nonexistent/page.html"}).exit_code, 3);
  EXPECT_EQ(inspect({test_file("pytorch_snapshot.json"), "--json", "--html", "-"}).exit_code, 2);
  const TemporaryFolder folder;
  write_file(folder / "empty", R"({"segments": []})");
  EXPECT_EQ(inspect({folder / "empty"}).exit_code, 3);
  write_file(folder / "cut", read_file(test_file("pytorch_snapshot_protocol_4.pickle")).substr(0, 500));
  const CommandResult cut = inspect({folder / "cut", "--html", folder / "page.html"});
  EXPECT_EQ(cut.exit_code, 3);
  EXPECT_THAT(cut.error_output, HasSubstr(": byte "));
  EXPECT_EQ(read_file(folder / "page.html"), "") << "no page of half a file";
}

TEST(Snapshot, ThePageCanGoToStdout) {
  const CommandResult result = inspect({test_file("pytorch_snapshot.json"), "--html", "-"});
  EXPECT_THAT(result.output,
              AllOf(StartsWith("<!DOCTYPE html>"), HasSubstr("</html>"), Not(HasSubstr("  settings: "))));
}

// ---- in a browser -------------------------------------------------------------------

std::string browser() {
  for (const char* program : {"/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"}) {
    if (!read_file(program).empty()) return program;
  }
  return "";
}

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

class SnapshotPage : public ::testing::Test {
 protected:
  void SetUp() override {
    if (browser().empty()) GTEST_SKIP() << "there is no Chromium on this machine to draw the page";
  }

  /// The document after the page's script, and then `script`, have run.
  [[nodiscard]] std::string drawn(const std::string& file, const std::string& script = "") const {
    const std::string page = folder_ / "page.html";
    const CommandResult written = inspect({file, "--html", page});
    EXPECT_EQ(written.exit_code, 0) << written.error_output;
    std::string text = read_file(page);
    text.insert(text.rfind("</body>"), "<script>" + script + "</script>");
    write_file(page, text);
    return run_program(browser(),
                       {"--headless=new", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=5000",
                        "--user-data-dir=" + (folder_ / "profile"), "--dump-dom", "file://" + page},
                       {"HOME=" + folder_.path()})
        .output;
  }
  [[nodiscard]] std::string drawn_text(const std::string& text, const std::string& script = "") const {
    write_file(folder_ / "snapshot.json", text);
    return drawn(folder_ / "snapshot.json", script);
  }

  TemporaryFolder folder_;
};

TEST_F(SnapshotPage, DrawsEveryBandAndBlock) {
  for (const char* name : {"pytorch_snapshot.json", "pytorch_snapshot_protocol_4.pickle"}) {
    const std::string document = drawn(test_file(name));
    EXPECT_EQ(count(document, "class=\"band\""), 5U) << "x, x*x, x*x, their sum, 30 MiB";
    EXPECT_THAT(document, AllOf(HasSubstr("data-bands=\"5\""), HasSubstr("data-segments=\"1\""),
                                HasSubstr("data-blocks=\"3\""), HasSubstr("data-failures=\"0\"")));
    EXPECT_EQ(count(document, "class=\"block state0\""), 2U);
    EXPECT_EQ(count(document, "class=\"block state1\""), 1U);
    EXPECT_EQ(count(document, "class=\"segment\""), 1U);
  }
}

TEST_F(SnapshotPage, DrawsBandsWhereTheMemoryIs) {
  // 100 B from before, 300 B on top of it, then the first goes and the second comes down.
  // Steps: the start, event 0, event 1.
  const std::string document = drawn_text(R"({"segments": [], "device_traces": [[
      {"action": "alloc", "addr": 9000, "size": 300, "stream": 0, "time_us": 5},
      {"action": "free_completed", "addr": 1000, "size": 100, "stream": 0, "time_us": 9}]]})");
  EXPECT_THAT(document, HasSubstr("d=\"M0 0V0H2V-100H0Z\""));
  EXPECT_THAT(document, HasSubstr("d=\"M1 -100V-100H2V0H3V-300H2V-400H1Z\""));
}

TEST_F(SnapshotPage, MarksWhereMemoryRanOut) {
  const std::string document = drawn_text(R"({"segments": [], "device_traces": [[
      {"action": "alloc", "addr": 9000, "size": 300, "stream": 0, "time_us": 5},
      {"action": "oom", "device_free": 7, "size": 4096, "stream": 0, "time_us": 9}]]})",
                                          "document.querySelector('path.failure').dispatchEvent("
                                          "new PointerEvent('pointermove', {bubbles: true}))");
  EXPECT_EQ(count(document, "<path class=\"failure\""), 1U);
  EXPECT_THAT(document, HasSubstr("out of memory at event 1: 4.00 KiB asked for, 7 bytes free"));
}

TEST_F(SnapshotPage, TellsWhatThePointerIsOver) {
  const std::string point =
      "const all = document.querySelectorAll('.band');"
      "all[all.length - 1].dispatchEvent(new PointerEvent('pointermove', {bubbles: true}));"
      "document.querySelector('.state1').dispatchEvent(new MouseEvent('click', {bubbles: true}));";
  const std::string document = drawn(test_file("pytorch_snapshot.json"), point);
  const std::string tip = document.substr(document.find("<div id=\"tip\""), 600);
  EXPECT_THAT(tip, AllOf(HasSubstr("30.00 MiB (31457280 bytes) at 0x7f83d1a00000"), HasSubstr("stream 0x2cdc2660"),
                         HasSubstr("allocated: event 10"), HasSubstr("torch::unwind::unwind() (??:0)")));
  EXPECT_THAT(document.substr(document.find("<section id=\"details\"")),
              HasSubstr("64.00 KiB (65536 bytes) at 0x7f83e7e30000, allocated"));
}

TEST_F(SnapshotPage, ShowsTheDeviceThatIsChosen) {
  const auto segment = [](int device, const std::string& blocks) {
    return R"({"device": )" + std::to_string(device) + R"(, "address": 4096, "total_size": 1024, "stream": 0, )" +
           R"("segment_pool_id": [1, 0], "blocks": [)" + blocks + "]}";
  };
  const std::string half = R"({"size": 512, "state": "active_allocated", "frames": []})";
  const std::string text = R"({"segments": [)" + segment(0, half + "," + half) + "," +
                           segment(1, R"({"size": 1024, "state": "inactive"})") + "]}";
  const std::string first = drawn_text(text);
  EXPECT_THAT(first, AllOf(HasSubstr("data-blocks=\"2\""), HasSubstr("private (1, 0) pool"),
                           Not(HasSubstr("id=\"device-label\" hidden"))));
  const std::string second =
      drawn_text(text, "chooser.value = 1; chooser.dispatchEvent(new Event('change', {bubbles: true}))");
  EXPECT_THAT(second, AllOf(HasSubstr("data-blocks=\"1\""), HasSubstr("data-bands=\"0\"")));
}

TEST_F(SnapshotPage, HostileNamesRunNothing) {
  const std::string attack =
      R"(</script><script>document.title='owned'</script><img src=x onerror=document.title='owned'>)";
  const json frame{{"name", attack}, {"filename", attack}, {"line", 1}};
  const json block{{"size", 1024}, {"state", "active_allocated"}, {"frames", {frame}}};
  const json text{{"segments", {{{"address", 4096}, {"total_size", 1024}, {"stream", 0}, {"blocks", {block}}}}},
                  {"allocator_settings", {{"PYTORCH_CUDA_ALLOC_CONF", attack}}}};
  const std::string point =
      "document.querySelector('.band').dispatchEvent(new PointerEvent('pointermove', {bubbles: true}))";
  const std::string document = drawn_text(text.dump(), point);
  EXPECT_THAT(document, HasSubstr("<title>snapshot.json: memory snapshot</title>"));
  EXPECT_THAT(document, AllOf(HasSubstr("data-bands=\"1\""), HasSubstr("&lt;img src=x")));
  EXPECT_EQ(count(document, "<img"), 0U);
}

}  // namespace
}  // namespace gpucheck::application
