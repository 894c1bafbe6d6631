#include <algorithm>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <vector>

#include "tests/support/subprocess.hpp"

namespace gpucheck::application {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Words = std::vector<std::string>;

/// A folder of cases whose programs are scripts; each must observe {"ok": true}.
class SiteCasesCommand : public ::testing::Test {
 protected:
  [[nodiscard]] std::string cases() const { return folder_ / "cases"; }
  [[nodiscard]] std::string own(const std::string& name) const { return cases() + "/" + name; }

  void add(const std::string& name, const std::string& script, const std::string& description = "") const {
    write_file(own(name) + "/case.toml",
               fmt::format("name = 'site.{}'\nsummary = 's'\nprogram = 'check'\n{}", name, description));
    write_file(own(name) + "/golden.json",
               fmt::format(R"({{"case": "site.{}", "expect": {{"ok": {{"equals": true, "basis": "site"}}}}}})", name));
    write_file(own(name) + "/check", script.starts_with("#!") ? script : "#!/bin/sh\n" + script);
    ::chmod((own(name) + "/check").c_str(), 0755);
  }

  [[nodiscard]] CommandResult run(const Words& more = {}, const std::string& device = "sim") const {
    Words words{
        "run", "site.*", "--cases", cases(), "--device", device, "--no-config", "--json", folder_ / "result.json"};
    words.insert(words.end(), more.begin(), more.end());
    return fixture(words);
  }
  [[nodiscard]] json result() const { return json::parse(read_file(folder_ / "result.json")); }
  /// The result of each case by its name.
  [[nodiscard]] std::map<std::string, json> results() const {
    std::map<std::string, json> by_name;
    const json document = result();
    for (const json& one : document["cases"]) by_name[one["name"]] = one;
    return by_name;
  }

  const std::string passes_ = "echo '{\"ok\": true}' >&3\n";
  TemporaryFolder folder_;
};

struct Behaviour {
  std::string name;
  std::string script;
  std::string outcome;
  std::string reason;  ///< a part of it
};

TEST_F(SiteCasesCommand, EndInADefinedWayWhateverTheirProgramsDo) {
  const std::string observe = passes_;
  const std::vector<Behaviour> behaviours{
      {"passes", observe, "pass", ""},
      {"wrong", "echo '{\"ok\": false}' >&3", "fail", "ok: expected true, seen false"},
      {"silent", "exit 0", "fail", "ok: expected true, seen nothing"},
      {"unexpected", observe + "echo '{\"more\": 1}' >&3", "fail", "more: expected nothing"},
      {"stdout_counts_nothing", "echo '{\"ok\": true}'", "fail", "ok: expected true, seen nothing"},
      {"exits", observe + "echo 'no such thing' >&2; exit 3", "crash",
       "its program exited with code 3, where 0 says that it observed all: no such thing"},
      {"is_killed", observe + "kill -SEGV $$", "crash", "its program was killed by signal 11 (SIGSEGV)"},
      {"kills_its_group", "kill -KILL 0", "crash", "its program was killed by signal 9 (SIGKILL)"},
      {"hangs", observe + "sleep 100 & setsid sleep 100 & wait", "hang", "not finished within its deadline of 700 ms"},
      {"ignores_orders", "trap '' TERM INT HUP; while :; do sleep 1; done", "hang", "not finished within"},
      {"malformed", "echo 'ok: true' >&3; sleep 100", "error", "line 1 of what the program observed: \"ok: true\""},
      {"endless_line", "cat /dev/zero >&3", "error", "is longer than 64.00 KiB"},
      {"twice", observe + observe, "error", "line 2 of what the program observed"},
      {"too_much", "yes '' >&3", "error", "observed more than 1024.00 KiB"},
      {"loud", "head -c 5000000 /dev/zero | tr '\\0' x; " + observe, "pass", ""},
      {"leaves_a_daemon",
       "setsid sh -c 'echo $$ >daemon; exec sleep 100' & while [ ! -s daemon ]; do sleep 0.01; done\n" + observe,
       "pass", ""},
      {"closes", observe + "exec 3>&-; exec >&- 2>&-; sleep 0.05", "pass", ""},
      {"skips", "echo 'no disk here' >&2; exit 77", "skip", "its program skips it (exit code 77): no disk here"},
      {"cannot_judge", "echo 'the server is away' >&2; exit 99", "error",
       "its program could not judge (exit code 99): the server is away"},
      {"without_interpreter", "#!/no/such/interpreter\n", "error",
       "the interpreter that its first line names is not on this machine"},
  };
  for (const Behaviour& one : behaviours) {
    const bool hangs = one.outcome == "hang";
    add(one.name, one.script, hangs ? "deadline = '700ms'\n" : "");
  }
  const CommandResult command = run();
  EXPECT_EQ(command.exit_code, 1) << command.error_output;
  const std::map<std::string, json> found = results();
  ASSERT_EQ(found.size(), behaviours.size()) << command.error_output;
  for (const Behaviour& one : behaviours) {
    const json& result = found.at("site." + one.name);
    EXPECT_EQ(result["outcome"], one.outcome) << one.name << ": " << result["reason"];
    EXPECT_THAT(result["reason"].get<std::string>(), HasSubstr(one.reason)) << one.name;
  }
  EXPECT_EQ(found.at("site.exits").value("exit_code", -1), 3);
  EXPECT_EQ(found.at("site.is_killed").value("signal", -1), SIGSEGV);
  EXPECT_EQ(found.at("site.is_killed")["observations"], (json{{"ok", true}})) << "what came before stays";
  EXPECT_EQ(found.at("site.hangs")["observations"], (json{{"ok", true}}));
  EXPECT_LT(fs::file_size(folder_ / "result.json"), std::size_t{1} << 20) << "of 5 MB, only the end is kept";
  pid_t daemon = 0;
  std::ifstream(own("leaves_a_daemon") + "/daemon") >> daemon;
  EXPECT_GT(daemon, 0);
  EXPECT_NE(::kill(daemon, 0), 0) << "it has outlived its case";
}

TEST_F(SiteCasesCommand, AreRunOnEachDeviceWithTheirParametersAndSeed) {
  add("sees",
      R"(printf '{"ok": true}\n{"ordinals": "%s"}\n{"uuids": "%s"}\n{"visible": "%s"}\n{"kind": "%s"}\n{"least": %s}\n{"seed": %s}\n' \
  "$GPUCHECK_DEVICE_ORDINALS" "$GPUCHECK_DEVICE_UUIDS" "$CUDA_VISIBLE_DEVICES" "$GPUCHECK_DEVICE_KIND" \
  "$GPUCHECK_PARAMETER_LEAST" "$GPUCHECK_SEED" >&"$GPUCHECK_OBSERVATIONS"
)",
      "[parameters.least]\nsummary = 's'\ndefault = 16\nminimum = 1\nmaximum = 20\n");
  write_file(own("sees") + "/golden.json", R"({"case": "site.sees", "expect": {
    "ok": {"equals": true, "basis": "site"}, "least": {"equals": 17, "basis": "site"},
    "kind": {"equals": "sim", "basis": "site"}, "visible": {"equals": "", "basis": "site"},
    "ordinals": {"informational": true, "basis": "site"}, "uuids": {"informational": true, "basis": "site"},
    "seed": {"informational": true, "basis": "site"}}})");
  const CommandResult command = run({"-p", "least=17", "--seed", "5"}, "sim:devices=2");
  EXPECT_EQ(command.exit_code, 0) << command.output << command.error_output;
  const json document = result();
  ASSERT_EQ(document["cases"].size(), 2U);
  for (const std::size_t device : {0U, 1U}) {
    const json& one = document["cases"][device];
    EXPECT_EQ(one["observations"]["ordinals"], std::to_string(device));
    EXPECT_EQ(one["observations"]["uuids"], document["devices"][device]["uuid"]);
    EXPECT_EQ(one["observations"]["seed"], one["seed"]);
    EXPECT_THAT(one["rerun_command"].get<std::string>(), AllOf(HasSubstr("--cases " + cases()), HasSubstr("least=17")));
  }
  EXPECT_THAT(run({"-p", "least=21"}).error_output, HasSubstr("too large"));
}

TEST_F(SiteCasesCommand, AreSelectedListedAndDescribedLikeAnyOther) {
  add("disk", passes_, "[needs]\ndevices = 0\n");
  EXPECT_EQ(run({"--suite", "quick", "--exclude", "site.disk"}).exit_code, 3) << "nothing is left";
  const CommandResult list = fixture({"list", "site", "--cases", cases()});
  EXPECT_EQ(list.output, "site.disk  s\n");
  const json listed = json::parse(fixture({"list", "site", "demo.parameters", "--json", "--cases", cases()}).output);
  ASSERT_EQ(listed["cases"].size(), 2U);
  EXPECT_TRUE(listed["cases"][0]["program"].is_null());
  EXPECT_EQ(listed["cases"][1]["program"]["file"], "check");
  EXPECT_EQ(fixture({"list", "--basis", "site", "--cases", cases()}).output, "site.disk.ok: true\n");
  const CommandResult described = fixture({"describe", "site.disk", "--cases", cases()});
  EXPECT_THAT(described.output,
              AllOf(HasSubstr("program   " + fs::canonical(own("disk")).string() + "/check\ndigest    "),
                    HasSubstr("ok: true  [site; else")));
  EXPECT_THAT(fixture({"run", "site.disk", "--device", "sim", "--no-config"}).error_output,
              HasSubstr("there is no case named \"site.disk\""));
  // What needs no device is about the machine, and runs once.
  EXPECT_EQ(run({}, "sim:devices=2").exit_code, 0);
  EXPECT_EQ(result()["cases"].size(), 1U);
}

TEST_F(SiteCasesCommand, ThatAreBrokenAreRefusedBeforeAnythingRuns) {
  add("first", "touch ran\n" + passes_);
  add("second", passes_, "needs.gpus = 1\n");
  const auto refusal = [this] {
    const CommandResult command = run();
    EXPECT_EQ(command.exit_code, 2);
    EXPECT_FALSE(fs::exists(own("first") + "/ran"));
    return command.error_output;
  };
  EXPECT_THAT(refusal(), HasSubstr("/second/case.toml:4:7: [needs] has no \"gpus\"; it can have: devices, "));
  add("second", passes_);
  write_file(own("second") + "/golden.json", "{");
  EXPECT_THAT(refusal(), HasSubstr("/second/golden.json:1:2: not JSON"));
  fs::remove(own("second") + "/golden.json");
  EXPECT_THAT(refusal(), HasSubstr("there is no golden file, without which nothing is judged"));
  write_file(own("second") + "/case.toml", "name = 'demo.parameters'\nsummary = 's'\nprogram = 'check'\n");
  EXPECT_THAT(refusal(), HasSubstr("the name demo.parameters is that of a case of gpucheck's"));
  write_file(own("second") + "/case.toml", "name = 'site.first'\nsummary = 's'\nprogram = 'check'\n");
  EXPECT_THAT(refusal(), HasSubstr("the name site.first is taken by"));
  add("second", passes_);
  fs::permissions(own("second"), fs::perms::others_write, fs::perm_options::add);
  EXPECT_THAT(refusal(), HasSubstr("everybody can write it"));
  fs::remove_all(own("second"));
  EXPECT_EQ(run().exit_code, 0);
  EXPECT_TRUE(fs::exists(own("first") + "/ran"));
}

TEST_F(SiteCasesCommand, ThatChangeDuringTheRunAreNotJudged) {
  add("changes", passes_);
  add("a_changer", fmt::format("echo >>{}/check\n{}", own("changes"), passes_));
  const CommandResult command = run({"--jobs", "1"});
  EXPECT_EQ(command.exit_code, 3) << command.output;
  EXPECT_EQ(results().at("site.a_changer")["outcome"], "pass");
  EXPECT_EQ(results().at("site.changes")["outcome"], "error");
  EXPECT_THAT(results().at("site.changes")["reason"].get<std::string>(),
              HasSubstr("is not what it was when the run began"));
}

TEST_F(SiteCasesCommand, MayStandInAConfigurationFile) {
  add("disk", passes_);
  write_file(folder_ / "gpucheck.toml", "cases = ['cases']\ndevice = 'sim'\n");
  const CommandResult command = fixture({"run", "site.disk", "--config", folder_ / "gpucheck.toml"});
  EXPECT_EQ(command.exit_code, 0) << command.error_output;
  write_file(folder_ / "gpucheck.toml", "cases = 'cases'\n");
  EXPECT_THAT(fixture({"run", "--config", folder_ / "gpucheck.toml"}).error_output,
              HasSubstr("gpucheck.toml:1:1: \"cases\" must be a list of texts, and is text"));
}

TEST_F(SiteCasesCommand, GetAProposalOfTheirGoldenFileBesideThem) {
  add("disk", passes_);
  fs::remove(own("disk") + "/golden.json");
  const Words approve{"golden", "approve", "site.disk", "--cases", cases(), "--device", "sim"};
  const CommandResult command = fixture(approve);
  EXPECT_EQ(command.exit_code, 0) << command.error_output;
  EXPECT_EQ(json::parse(read_file(own("disk") + "/golden.json"))["expect"]["ok"]["basis"], "unapproved");
  const CommandResult refused = run();
  EXPECT_EQ(refused.exit_code, 2) << "until somebody answers for it";
  EXPECT_THAT(refused.error_output, HasSubstr("golden.json"));
  add("disk", passes_);
  EXPECT_EQ(fixture({"golden", "diff", "site.disk", "--cases", cases(), "--device", "sim"}).exit_code, 0);
  EXPECT_EQ(fixture(approve).output,
            fmt::format("site.disk: {}/golden.json already says what was seen\n", fs::canonical(own("disk")).string()));
  const CommandResult built_in = fixture({"golden", "approve", "demo.parameters", "--device", "sim"});
  EXPECT_EQ(built_in.exit_code, 2);
  EXPECT_THAT(built_in.error_output, HasSubstr("--golden DIR is missing"));
}

TEST_F(SiteCasesCommand, AreProvenByTheFaultsThatTheyPlayThemselves) {
  add("disk",
      "if [ \"$GPUCHECK_FAULT\" = full ]; then echo '{\"ok\": false}' >&3; else echo '{\"ok\": true}' >&3; fi\n",
      "[faults.full]\nsummary = 'the disk is full'\n[faults.ignored]\nsummary = 'something that it does not look "
      "at'\n");
  const CommandResult proof = fixture({"prove", "site.disk", "--cases", cases(), "--device", "sim"});
  EXPECT_EQ(proof.exit_code, 1);
  EXPECT_THAT(proof.output, AllOf(HasSubstr("full     caught (fail: ok)"), HasSubstr("ignored  NOT NOTICED")));
  EXPECT_EQ(run({"--fault", "full"}).exit_code, 1);
}

TEST_F(SiteCasesCommand, AreResumedOnlyAsTheyWere) {
  add("first", passes_);
  add("second", "kill -KILL $(ps -o ppid= -p $PPID)\n");  // the supervisor's own end
  Words words{"run",         "site.*", "--cases", cases(),    "--device",  "sim",
              "--no-config", "--jobs", "1",       "--resume", "--journal", folder_ / "run.journal"};
  EXPECT_EQ(fixture(words).exit_code, -1);
  add("second", passes_);
  const CommandResult changed = fixture(words);
  EXPECT_EQ(changed.exit_code, 2);
  EXPECT_THAT(changed.error_output, HasSubstr("with cases of the site's own that have changed since"));
}

TEST_F(SiteCasesCommand, ThatDifferBetweenNodesAreADifferenceOfTheFleet) {
  add("disk", passes_);
  const std::string copy = folder_ / "copy";
  fs::copy(cases(), copy, fs::copy_options::recursive);
  const auto node = [this](const std::string& name, const std::string& folder) {
    return fixture({"run", "site.*", "--cases", folder, "--device", "sim", "--no-config", "--journal",
                    folder_ / (name + ".journal")},
                   {"SLURMD_NODENAME=" + name, "SLURM_JOB_ID=1", "SLURM_PROCID=0", "SLURM_NTASKS=1"});
  };
  EXPECT_EQ(node("n1", cases()).exit_code, 0);
  EXPECT_EQ(node("n2", copy).exit_code, 0);
  const auto merge = [this] {
    return fixture({"merge", folder_ / "n1.journal", folder_ / "n2.journal", "--expect-nodes", "n1,n2", "--output",
                    "json=" + (folder_ / "fleet.json")});
  };
  const CommandResult same = merge();
  EXPECT_EQ(same.exit_code, 0) << "the same files, wherever they lie: " << same.output << same.error_output;
  add("disk", passes_ + "\n");
  EXPECT_EQ(node("n2", cases()).exit_code, 0);
  EXPECT_EQ(merge().exit_code, 3);
  const json fleet = json::parse(read_file(folder_ / "fleet.json"));
  ASSERT_EQ(fleet["differences"].size(), 1U);
  EXPECT_EQ(fleet["differences"][0]["what"], "files of site.disk");
  const json site_cases = fleet["nodes"][0]["runs"][0]["site_cases"];
  EXPECT_EQ(site_cases[0]["name"], "site.disk");
  EXPECT_THAT(fixture({"compare", folder_ / "n1.journal", folder_ / "n2.journal"}).output, HasSubstr("site cases"));
}

// What "gpucheck case new" writes works at once, with the real command and its real cases.
TEST(CaseNew, WritesACaseThatPasses) {
  for (const std::string language : {"shell", "python"}) {
    const TemporaryFolder folder;
    const std::string cases = folder / "own cases";
    const CommandResult written = gpucheck({"case", "new", "site.scratch", "--language", language, "--folder", cases});
    EXPECT_EQ(written.exit_code, 0) << written.error_output;
    EXPECT_THAT(written.output, HasSubstr("run it:  gpucheck run site.scratch --cases '" + cases + "' --device sim\n"));
    const Words run{"run", "site.scratch", "--cases", cases, "--device", "sim", "--no-config", "-v"};
    const CommandResult green = gpucheck(run);
    EXPECT_EQ(green.exit_code, 0) << green.output << green.error_output;
    EXPECT_THAT(green.output, HasSubstr("has_room"));
    Words red = run;
    red.insert(red.end(), {"-p", "minimum_mib=100000000"});
    EXPECT_EQ(gpucheck(red).exit_code, 1) << "no disk is as large";
    Words skipped = run;
    skipped.insert(skipped.end(), {"-p", "path=/no/such/folder"});
    EXPECT_THAT(gpucheck(skipped).output, HasSubstr("there is no /no/such/folder"));
    const CommandResult again = gpucheck({"case", "new", "site.scratch", "--folder", cases});
    EXPECT_EQ(again.exit_code, 2);
    EXPECT_THAT(again.error_output, HasSubstr("is there already, and is not overwritten"));
  }
  EXPECT_EQ(gpucheck({"case", "new", "../scratch"}).exit_code, 2);
  EXPECT_EQ(gpucheck({"case", "new", "site.scratch", "--language", "perl"}).exit_code, 2);
}

}  // namespace
}  // namespace gpucheck::application
