#include "config/apply_config.hpp"

#include <algorithm>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "base/error.hpp"
#include "input/cli_options.hpp"

/// What a configuration does to the options of a run.
namespace gpucheck::application {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// The options of `gpucheck run` after these words and this file.
class Applied {
 public:
  explicit Applied(const std::string& text, const std::vector<std::string>& words = {}) {
    add_globs(command_, options_.selection);
    add_case_folders(command_, options_.runner.settings.case_folders);
    add_parameters(command_, options_.runner);
    add_order(command_, options_);
    add_execution(command_, options_.runner);
    add_run_control(command_, options_, std::chrono::steady_clock::now());
    command_.parse(std::vector<std::string>(words.rbegin(), words.rend()));
    apply_config(read_config({.path = "/site/gpucheck.toml", .text = text}, ""), command_, options_);
  }

  [[nodiscard]] const RunOptions& options() const { return options_; }
  [[nodiscard]] const CLI::App& command() const { return command_; }
  /// "key=value" of what is in force.
  [[nodiscard]] std::vector<std::string> in_force() const {
    std::vector<std::string> texts;
    for (const harness::ConfiguredSetting& one : options_.runner.configuration->settings) {
      texts.push_back(one.key + "=" + one.value);
    }
    return texts;
  }

 private:
  CLI::App command_;
  RunOptions options_;
};

/// A line of a file, and what it makes of the options.
struct Effect {
  std::string line;
  std::string (*read)(const RunOptions& options);
  std::string expected;
};

std::string text(std::int64_t number) { return std::to_string(number); }

std::string outputs_text(const RunOptions& options) {
  std::string all;
  for (const Output& output : options.reports.outputs)
    all += std::string(output.format->name) + ":" + output.path + " ";
  return all;
}

const std::map<std::string_view, Effect>& effects() {
  using Options = RunOptions;
  static const std::map<std::string_view, Effect> all{
      {"suite", {"suite = 'quick'", [](const Options& o) { return o.selection.suite; }, "quick"}},
      {"exclude",
       {"exclude = ['a.*', 'b']",
        [](const Options& o) { return fmt::format("{}", fmt::join(o.selection.excluded, ",")); }, "a.*,b"}},
      {"cases",
       {"cases = ['c', '/d/../e']",
        [](const Options& o) { return fmt::format("{}", fmt::join(o.runner.settings.case_folders, ",")); },
        "/site/c,/e"}},
      {"no_cases", {"no_cases = 'warn'", [](const Options& o) { return o.runner.no_cases; }, "warn"}},
      {"parameters",
       {"parameters.a-b = 2.5",
        [](const Options& o) { return harness::to_text(o.runner.settings.parameters.at("a_b")); }, "2.5"}},
      {"device", {"device = 'sim'", [](const Options& o) { return o.runner.settings.device; }, "sim"}},
      {"allocator",
       {"allocator = 'async'", [](const Options& o) { return runtime::to_text(o.runner.settings.allocator); },
        "async"}},
      {"rendezvous",
       {"rendezvous = 'tcp://n1:5'", [](const Options& o) { return o.runner.world.rendezvous; }, "tcp://n1:5"}},
      {"seed", {"seed = 7", [](const Options& o) { return std::to_string(o.runner.settings.seed); }, "7"}},
      {"jobs", {"jobs = 3", [](const Options& o) { return text(o.runner.jobs); }, "3"}},
      {"isolate",
       {"isolate = 'process'",
        [](const Options& o) { return text(o.runner.isolation == runner::Isolation::process ? 1 : 0); }, "1"}},
      {"shuffle", {"shuffle = true", [](const Options& o) { return text(o.plan.shuffle ? 1 : 0); }, "1"}},
      {"repeat", {"repeat = 4", [](const Options& o) { return text(o.plan.repeat); }, "4"}},
      {"timeout", {"timeout = '5s'", [](const Options& o) { return text(o.runner.timeout->count()); }, "5000"}},
      {"deadline", {"deadline = '1min'", [](const Options& o) { return text(o.runner.deadline ? 1 : 0); }, "1"}},
      {"deadline_skips_ok",
       {"deadline_skips_ok = true\ndeadline = '1min'",
        [](const Options& o) { return text(o.runner.deadline_skips_ok ? 1 : 0); }, "1"}},
      {"retries", {"retries = 5", [](const Options& o) { return text(o.runner.retries); }, "5"}},
      {"remeasure", {"remeasure = 0", [](const Options& o) { return text(o.runner.remeasure); }, "0"}},
      {"fail_fast", {"fail_fast = true", [](const Options& o) { return text(o.runner.fail_fast ? 1 : 0); }, "1"}},
      {"max_skips", {"max_skips = 6", [](const Options& o) { return text(o.runner.max_skips); }, "6"}},
      {"skip_exit_code",
       {"skip_exit_code = 77", [](const Options& o) { return text(o.runner.skip_exit_code.value_or(-1)); }, "77"}},
      {"golden", {"golden = 'g'", [](const Options& o) { return o.runner.settings.golden_directory; }, "/site/g"}},
      {"limits", {"limits = 'l'", [](const Options& o) { return o.runner.settings.limits_path; }, "/site/l"}},
      {"waivers", {"waivers = 'w'", [](const Options& o) { return o.reports.waivers_path; }, "/site/w"}},
      {"outputs", {"outputs.junit = 'x'\noutputs.json = '-'", outputs_text, "junit:/site/x json:- "}},
      {"no_journal", {"no_journal = true", [](const Options& o) { return text(o.reports.no_journal ? 1 : 0); }, "1"}},
      {"trace", {"trace = 't'", [](const Options& o) { return o.runner.trace_folder; }, "/site/t"}},
      {"quiet", {"quiet = true", [](const Options& o) { return text(o.reports.quiet ? 1 : 0); }, "1"}},
      {"verbose", {"verbose = true", [](const Options& o) { return text(o.reports.verbose ? 1 : 0); }, "1"}},
      {"color",
       {"color = 'never'", [](const Options& o) { return text(o.reports.colour == ColourChoice::never ? 1 : 0); },
        "1"}},
  };
  return all;
}

TEST(ApplyConfig, EveryKeyDecidesItsOption) {
  EXPECT_EQ(effects().size(), config_keys().size());
  for (const ConfigKey& key : config_keys()) {
    ASSERT_TRUE(effects().contains(key.name)) << key.name;
    const Effect& effect = effects().at(key.name);
    const Applied applied(effect.line);
    EXPECT_EQ(effect.read(applied.options()), effect.expected) << key.name;
    EXPECT_THAT(applied.in_force(), ::testing::Contains(::testing::StartsWith(std::string(key.name)))) << key.name;
  }
}

/// A new option of a run is a new key, or has a reason here.
TEST(ApplyConfig, EveryOptionOfARunIsAKeyOrKnownNotToBe) {
  const std::set<std::string> others{"cases",       "--shard", "--rerun-failed", "--resume", "--fault",  // of one run
                                     "--telemetry",                                          // stands in for a driver
                                     "--json",      "--junit", "--journal",      "--help"};  // members of `outputs`
  const Applied applied("");
  for (const CLI::Option* option : applied.command().get_options()) {
    const bool is_key = std::ranges::find(config_keys(), option->get_name(), &ConfigKey::option) != config_keys().end();
    EXPECT_NE(is_key, others.contains(option->get_name())) << option->get_name();
  }
}

/// The bounds of the table are those of the options.
TEST(ApplyConfig, WholeNumbersHaveTheBoundsOfTheirOptions) {
  for (const ConfigKey& key : config_keys()) {
    if (key.type != ConfigKey::Type::whole_number) continue;
    for (const std::int64_t number : {key.minimum, key.maximum}) {
      EXPECT_NO_THROW(Applied(fmt::format("{} = {}", key.name, number))) << key.name;
    }
    const std::string option(key.option);
    EXPECT_THROW(Applied("", {option, std::to_string(key.minimum - 1)}), std::exception) << key.name;
    if (key.name == "seed") continue;  // TOML has no larger number
    EXPECT_THROW(Applied("", {option, std::to_string(key.maximum + 1)}), CLI::Error) << key.name;
  }
}

TEST(ApplyConfig, ChoicesAreThoseOfTheirOptions) {
  for (const ConfigKey& key : config_keys()) {
    for (const std::string_view choice : key.choices) {
      EXPECT_NO_THROW(Applied(fmt::format("{} = '{}'", key.name, choice))) << key.name << " " << choice;
    }
  }
}

TEST(ApplyConfig, TheCommandLineGoesBeforeTheFile) {
  const Applied applied("suite = 'quick'\njobs = 3\nexclude = ['a']\n", {"--suite", "burn", "-j", "5"});
  EXPECT_EQ(applied.options().selection.suite, "burn");
  EXPECT_EQ(applied.options().runner.jobs, 5);
  EXPECT_THAT(applied.options().selection.excluded, ElementsAre("a"));
  EXPECT_THAT(applied.in_force(), ElementsAre("exclude=a")) << "what was typed is not the file's";
  EXPECT_EQ(applied.options().runner.configuration->settings[0].line, 3);
}

TEST(ApplyConfig, OfTablesTheCommandLineGoesBeforeSingleMembers) {
  const Applied applied("[parameters]\na = 1\nb = 2\n[outputs]\njson = 'j'\njunit = 'x'\n",
                        {"-p", "a=9", "--json", "mine.json"});
  EXPECT_EQ(harness::to_text(applied.options().runner.settings.parameters.at("a")), "9");
  EXPECT_EQ(harness::to_text(applied.options().runner.settings.parameters.at("b")), "2");
  EXPECT_EQ(outputs_text(applied.options()), "json:mine.json junit:/site/x ");
  EXPECT_THAT(applied.in_force(), ElementsAre("parameters.b=2", "outputs.junit=/site/x"));
}

TEST(ApplyConfig, NamedCasesGoBeforeTheSuiteOfTheFileAndNotBeforeWhatItExcludes) {
  const Applied applied("suite = 'quick'\nexclude = ['a']\n", {"alloc.*"});
  EXPECT_EQ(applied.options().selection.suite, "all");
  EXPECT_THAT(applied.in_force(), ElementsAre("exclude=a"));
}

TEST(ApplyConfig, WhatTheCommandLineExcludesGives) {
  const Applied verbose("quiet = true", {"--verbose"});
  EXPECT_FALSE(verbose.options().reports.quiet);
  EXPECT_THAT(verbose.in_force(), ElementsAre());
  const Applied journal("no_journal = true", {"--journal", "j"});
  EXPECT_FALSE(journal.options().reports.no_journal);
  EXPECT_EQ(outputs_text(Applied("outputs.journal = 'j'", {"--no-journal"}).options()), "");
}

std::string complaint_about(const std::string& text) {
  try {
    const Applied applied(text);
  } catch (const UsageError& problem) {
    return problem.what();
  }
  return {};
}

TEST(ApplyConfig, WhatTheOptionRejectsIsToldWithItsPlace) {
  EXPECT_THAT(complaint_about("\ntimeout = '5'"),
              AllOf(HasSubstr("/site/gpucheck.toml:2: timeout:"), HasSubstr("500ms")));
  EXPECT_THAT(complaint_about("quiet = true\nverbose = true"), HasSubstr(":2: verbose:"));
  EXPECT_THAT(complaint_about("deadline_skips_ok = true"), AllOf(HasSubstr(":1:"), HasSubstr("--deadline")));
  EXPECT_EQ(complaint_about("deadline_skips_ok = false"), "");
  EXPECT_EQ(complaint_about("quiet = true\nverbose = false"), "");
}

}  // namespace
}  // namespace gpucheck::application
