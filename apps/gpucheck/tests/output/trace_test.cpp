#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>

#include "observe/device_trace/tests/trace_format.hpp"
#include "tests/support/subprocess.hpp"

namespace gpucheck::application {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::set<std::string> files_in(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.insert(entry.path().filename().string());
  return names;
}

std::set<std::string> categories_of(const json& trace) {
  std::set<std::string> categories;
  for (const json& event : trace["traceEvents"]) categories.insert(event.value("cat", ""));
  return categories;
}

TEST(Trace, EachCaseLeavesOneThatKeepsToTheFormat) {
  const TemporaryFolder folder;
  const std::string traces = folder / "new/traces";
  const CommandResult run =
      gpucheck({"run", "graph.capture_simple", "pinned.copy_non_blocking", "--device", "sim", "--trace", traces});
  EXPECT_EQ(run.exit_code, 0) << run.error_output;
  EXPECT_THAT(files_in(traces),
              ElementsAre("graph.capture_simple.sim-h100.json", "pinned.copy_non_blocking.sim-h100.json"));
  for (const std::string& name : files_in(traces)) {
    const json trace = json::parse(read_file(traces + "/" + name));
    EXPECT_THAT(observe::test::format_offences(trace), IsEmpty()) << name;
    EXPECT_EQ(trace["otherData"]["device_times_from"], "simulator");
  }
  const json graph = json::parse(read_file(traces + "/graph.capture_simple.sim-h100.json"));
  EXPECT_THAT(categories_of(graph), ::testing::IsSupersetOf({"kernel", "device_call", "call_to_device"}));
}

TEST(Trace, RepetitionsAndDevicesHaveTheirOwn) {
  const TemporaryFolder folder;
  const CommandResult run = gpucheck(
      {"run", "graph.capture_simple", "--device", "sim:h100,devices=2", "--repeat", "2", "--trace", folder.path()});
  EXPECT_EQ(run.exit_code, 0) << run.error_output;
  EXPECT_EQ(files_in(folder.path()).size(), 4U);
}

TEST(Trace, OneThatCannotBeWrittenChangesNoVerdict) {
  const TemporaryFolder folder;
  for (const char* name : {"demo.wrong", "proof.watchful"}) {
    std::filesystem::create_directories(folder / (std::string(name) + ".sim-h100.json"));
  }
  const auto run = [&folder](const std::string& test_case) {
    return fixture({"run", test_case, "--device", "sim", "--trace", folder.path(), "--json", folder / "r.json"});
  };
  const CommandResult failed = run("demo.wrong");
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_THAT(failed.error_output, HasSubstr("demo.wrong.sim-h100.json"));
  const json report = json::parse(read_file(folder / "r.json"));
  EXPECT_EQ(report["cases"][0]["outcome"], "fail");
  EXPECT_FALSE(report["cases"][0]["observations"].empty());

  const CommandResult passed = run("proof.watchful");
  EXPECT_EQ(passed.exit_code, 3) << "as with a report that cannot be written";
  const json other = json::parse(read_file(folder / "r.json"));
  EXPECT_EQ(other["cases"][0]["outcome"], "pass");
  EXPECT_EQ(other["exit_code"], 3);
}

TEST(Trace, AFullDiskChangesNoVerdict) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "full");
  const auto run = [&folder](const std::string& command) {
    return run_program("/usr/bin/unshare",
                       {"-rm", "/bin/sh", "-c", "mount -t tmpfs -o size=4k none " + folder / "full && " + command});
  };
  if (run("true").exit_code != 0) GTEST_SKIP() << "no mount namespaces here";
  const std::string words =
      " --device sim --trace " + folder / "full" + " --json " + folder / "r.json" + " --no-journal";
  const CommandResult failed = run(std::string("exec ") + GPUCHECK_FIXTURE_PROGRAM + " run demo.wrong" + words);
  EXPECT_EQ(failed.exit_code, 1);
  const json report = json::parse(read_file(folder / "r.json"));
  EXPECT_EQ(report["cases"][0]["outcome"], "fail");
  EXPECT_FALSE(report["cases"][0]["observations"].empty());
  const CommandResult passed = run(std::string("exec ") + GPUCHECK_PROGRAM + " run graph.capture_simple" + words);
  EXPECT_EQ(passed.exit_code, 3);
  EXPECT_THAT(passed.error_output, HasSubstr("No space left on device"));
  EXPECT_EQ(json::parse(read_file(folder / "r.json"))["cases"][0]["outcome"], "pass");
}

TEST(Trace, ReplacesALinkAndNotWhatItLeadsTo) {
  const TemporaryFolder folder;
  write_file(folder / "precious", "kept");
  const std::string trace = folder / "graph.capture_simple.sim-h100.json";
  std::filesystem::create_symlink(folder / "precious", trace);
  EXPECT_EQ(gpucheck({"run", "graph.capture_simple", "--device", "sim", "--trace", folder.path()}).exit_code, 0);
  EXPECT_EQ(read_file(folder / "precious"), "kept");
  EXPECT_FALSE(std::filesystem::is_symlink(trace));
  EXPECT_TRUE(json::parse(read_file(trace)).contains("traceEvents"));
}

TEST(Trace, AFolderThatCannotBeMadeIsSaidAtOnce) {
  const TemporaryFolder folder;
  write_file(folder / "file", "");
  const CommandResult run =
      gpucheck({"run", "graph.capture_simple", "--device", "sim", "--trace", folder / "file/traces"});
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_THAT(run.error_output, HasSubstr("file/traces for the traces: Not a directory"));
}

TEST(Trace, AFileThatCannotBeWrittenIsNoPass) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "graph.capture_simple.sim-h100.json/in the way");
  const CommandResult run = gpucheck({"run", "graph.capture_simple", "--device", "sim", "--trace", folder.path()});
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_THAT(run.error_output, HasSubstr("graph.capture_simple.sim-h100.json"));
}

}  // namespace
}  // namespace gpucheck::application
