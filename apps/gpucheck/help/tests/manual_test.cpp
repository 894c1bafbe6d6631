#include <algorithm>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <regex>
#include <set>
#include <sstream>

#include "cases/registry.hpp"
#include "commands/cli/cli.hpp"
#include "config/config.hpp"
#include "harness/result/failure_kinds.hpp"
#include "harness/run/exit_codes.hpp"
#include "help/topic.hpp"
#include "help/topics.hpp"
#include "input/selection.hpp"
#include "tests/support/subprocess.hpp"

/// What the manual and the READMEs say must exist: commands, options, cases, topics, codes.
namespace gpucheck::application {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Words = std::vector<std::string>;

const harness::Registry& registry() {
  static const harness::Registry all(cases::all());
  return all;
}

std::vector<Topic> topics() {
  std::vector<Topic> result;
  for (const TopicFile& file : embedded_topics()) result.push_back(parse_topic(file.path, file.text));
  return result;
}

const Topic& topic(const std::string& name) {
  static const std::vector<Topic> all = topics();
  return *std::ranges::find(all, name, &Topic::name);
}

/// A text of the manual, by its name.
struct Document {
  std::string name;
  std::string text;
};

std::vector<Document> documents() {
  std::vector<Document> result;
  for (const TopicFile& file : embedded_topics()) result.push_back({std::string(file.path), std::string(file.text)});
  for (const char* name : {"README.md", "lib/README.md"}) {
    result.push_back({name, read_file(std::string(GPUCHECK_SOURCE) + "/" + name)});
  }
  return result;
}

/// What matches, the first group where there is one.
Words all_matches(const std::string& text, const std::string& pattern) {
  const std::regex expression(pattern);
  Words words;
  for (std::sregex_iterator at(text.begin(), text.end(), expression), end; at != end; ++at) {
    words.push_back((*at)[at->size() > 1 ? 1 : 0]);
  }
  return words;
}

/// The blocks of code behind a mark, as one text of lines.
std::string code_of(const std::string& text, const std::string& mark) {
  std::string code;
  std::istringstream lines(text);
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) {
      inside = !inside && line.starts_with("```" + mark);
    } else if (inside) {
      code += line + "\n";
    }
  }
  return code;
}

/// As a shell takes a line apart; none of the manual's has a backslash.
Words shell_words(const std::string& line) {
  Words words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (const char c : line) {
    if (quote != 0) {
      if (c == quote)
        quote = 0;
      else
        word += c;
    } else if (c == '\'' || c == '"') {
      quote = c;
      in_word = true;
    } else if (c == '#' && !in_word) {
      break;
    } else if (c != ' ') {
      word += c;
      in_word = true;
    } else if (in_word) {
      words.push_back(std::exchange(word, ""));
      in_word = false;
    }
  }
  if (in_word) words.push_back(word);
  return words;
}

std::vector<Words> shown_commands(const std::string& text) {
  std::vector<Words> commands;
  std::istringstream lines(code_of(text, "sh"));
  for (std::string line; std::getline(lines, line);) {
    Words words = shell_words(line);
    if (!words.empty() && words.front() == "scripts/gpucheck") words.front() = "gpucheck";
    if (!words.empty() && words.front() == "gpucheck") commands.push_back(std::move(words));
  }
  return commands;
}

TEST(Manual, EveryCommandShownIsUnderstood) {
  const GoldenFactory goldens = [] { return golden::GoldenSet::from_embedded({}); };
  int count = 0;
  for (const Document& document : documents()) {
    for (const Words& command : shown_commands(document.text)) {
      ++count;
      EXPECT_NO_THROW(check_command_line({registry(), goldens, command}))
          << document.name << ": " << ::testing::PrintToString(command);
    }
  }
  EXPECT_GE(count, 50);
}

TEST(Manual, EveryParameterShownExists) {
  for (const Document& document : documents()) {
    for (const std::string& name : all_matches(document.text, "-p ([a-z_]+)=")) {
      const auto has_it = [&name](const harness::Case& test_case) {
        return std::ranges::find(test_case.parameters, name, &harness::Parameter::name) != test_case.parameters.end();
      };
      EXPECT_TRUE(std::ranges::any_of(registry().cases(), has_it)) << document.name << ": -p " << name;
    }
  }
}

/// Words in `code` that are the name of a case, or of something that a case observes.
TEST(Manual, EveryCaseNamedExists) {
  std::set<std::string> groups;
  for (const harness::Case& test_case : registry().cases()) groups.insert(std::string(test_case.group()));
  int count = 0;
  for (const Document& document : documents()) {
    for (const std::string& name : all_matches(document.text, "[ `']([a-z]+\\.[a-z_0-9*]+)[.`' \n]")) {
      if (!groups.contains(name.substr(0, name.find('.'))) || name == "snapshot.pickle") continue;
      ++count;
      EXPECT_TRUE(std::ranges::any_of(
          registry().cases(),
          [&name](const harness::Case& test_case) { return harness::selects(name, test_case.name); }))
          << document.name << ": " << name;
    }
  }
  EXPECT_GE(count, 40);
}

/// gpucheck(1) has the options of all commands.
TEST(Manual, EveryOptionNamedExists) {
  const TemporaryFolder folder;
  ASSERT_EQ(gpucheck({"help", "--man-pages", folder.path()}).exit_code, 0);
  std::string page = std::regex_replace(read_file(folder / "man1/gpucheck.1"), std::regex("\\\\f[BR]"), " ");
  std::erase(page, '\\');
  const Words found = all_matches(page, "--[a-z-]+");
  const std::set<std::string> options(found.begin(), found.end());
  // Options of CMake, Slurm and MPI, of a training program, and of every program.
  const std::set<std::string> of_others{"--build",           "--component",  "--enable-recovery", "--help",
                                        "--install",         "--iterations", "--map-by",          "--no-kill",
                                        "--ntasks-per-node", "--prefix",     "--preset",          "--version"};
  for (const Document& document : documents()) {
    if (document.name == "lib/README.md") continue;  // the scripts have options of their own
    for (const std::string& option : all_matches(document.text, "[` ](--[a-z][a-z-]+)[` =]")) {
      EXPECT_TRUE(of_others.contains(option) || options.contains(option)) << document.name << ": " << option;
    }
  }
}

TEST(Manual, EveryCrossReferenceLeadsSomewhere) {
  int count = 0;
  for (const Document& document : documents()) {
    for (const std::string& name : all_matches(document.text, "gpucheck help ([a-z][a-z-]*)")) {
      ++count;
      const CommandResult result = gpucheck({"help", name});
      EXPECT_EQ(result.exit_code, 0) << document.name << ": " << result.error_output;
    }
  }
  EXPECT_GE(count, 15);
}

TEST(Manual, EveryFailureNamedExists) {
  for (const Document& document : documents()) {
    for (const std::string& code : all_matches(document.text, "GC[0-9]{4}")) {
      EXPECT_NE(harness::find_failure_kind(code), nullptr) << document.name << ": " << code;
    }
  }
}

TEST(Manual, TheConfigurationShownIsOne) {
  const std::string text = code_of(read_file(GPUCHECK_SOURCE "/apps/gpucheck/help/topics/configuration.md"), "toml");
  EXPECT_EQ(read_config({.path = "/gpucheck.toml", .text = text}, "acceptance").settings.size(), 9U);
}

TEST(Manual, TheReadmeIsShort) {
  EXPECT_LE(std::filesystem::file_size(std::string(GPUCHECK_SOURCE) + "/README.md"), 8192U);
}

/// Terms of the tables of a topic, those of one row apart.
std::set<std::string> terms(const std::string& topic_name) {
  std::set<std::string> result;
  for (const Block& block : topic(topic_name).blocks) {
    for (const std::string& term : all_matches(block.term, "`([^`]+)`|^[0-9]+$")) result.insert(term);
    if (std::ranges::all_of(block.term, [](char c) { return c >= '0' && c <= '9'; })) result.insert(block.term);
  }
  return result;
}

TEST(Manual, NamesEverySuiteOutcomeAndExitCode) {
  for (const Suite& suite : suites()) EXPECT_TRUE(terms("cases").contains(std::string(suite.name))) << suite.name;
  using harness::Outcome;
  for (const Outcome outcome :
       {Outcome::pass, Outcome::fail, Outcome::error, Outcome::crash, Outcome::hang, Outcome::skip}) {
    EXPECT_TRUE(terms("results").contains(std::string(to_text(outcome)))) << to_text(outcome);
  }
  using harness::ExitCode;
  for (const ExitCode code : {ExitCode::passed, ExitCode::failed, ExitCode::usage, ExitCode::not_judged}) {
    EXPECT_TRUE(terms("exit-codes").contains(std::to_string(static_cast<int>(code)))) << static_cast<int>(code);
  }
}

TEST(Manual, TopicsAreNotCalledLikeCommandsOrGroups) {
  for (const Topic& topic : topics()) {
    EXPECT_NE(gpucheck({topic.name, "--help"}).exit_code, 0) << topic.name;
    EXPECT_EQ(topic.summary.find('`'), std::string::npos) << topic.name;
    EXPECT_NE(topic.blocks.front().kind, BlockKind::heading) << topic.name << ": its page begins with an empty section";
    std::istringstream code;
    for (const Block& block : topic.blocks) {
      if (block.kind == BlockKind::code) code.str(code.str() + block.text);
    }
    for (std::string line; std::getline(code, line);) EXPECT_LE(line.size(), 96U) << topic.name << ": " << line;
  }
}

TEST(Help, ShowsTopicsCommandsAndWhatIsNearest) {
  EXPECT_THAT(gpucheck({"help"}).output, AllOf(HasSubstr("\n  run "), HasSubstr("\n  limits ")));
  EXPECT_THAT(gpucheck({"help", "limits"}).output, AllOf(HasSubstr("limits: "), HasSubstr("fail_below")));
  EXPECT_THAT(gpucheck({"help", "run"}).output, HasSubstr("--fail-fast"));
  EXPECT_THAT(gpucheck({"help", "limits"}).output, ::testing::Not(HasSubstr("\x1b")));
  const CommandResult typing_error = gpucheck({"help", "limts"});
  EXPECT_EQ(typing_error.exit_code, 2);
  EXPECT_THAT(typing_error.error_output, HasSubstr("the nearest: limits"));
  const CommandResult other_word = gpucheck({"help", "Slurm"});
  EXPECT_EQ(other_word.exit_code, 2);
  EXPECT_THAT(other_word.error_output, HasSubstr("topics that mention it: between-nodes, fleet"));
  EXPECT_EQ(gpucheck({"help", "limits", "--man-pages", "x"}).exit_code, 2);
  EXPECT_EQ(gpucheck({"help", "--man-pages", "/proc/nowhere"}).exit_code, 3);
}

TEST(Help, WritesPagesThatGroffReadsWithoutAWarning) {
  const TemporaryFolder folder;
  ASSERT_EQ(gpucheck({"help", "--man-pages", folder.path()}).exit_code, 0);
  if (shell("command -v groff >/dev/null").exit_code != 0) GTEST_SKIP() << "no groff here";
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path())) {
    if (!entry.is_regular_file()) continue;
    ++count;
    const CommandResult result =
        run_program("/usr/bin/groff", {"-K", "utf8", "-man", "-Tutf8", "-ww", "-P-cbou", entry.path()});
    EXPECT_EQ(result.error_output, "") << entry.path();
    EXPECT_THAT(result.output, AllOf(HasSubstr("DESCRIPTION"), HasSubstr("SEE ALSO"))) << entry.path();
  }
  EXPECT_EQ(count, topics().size() + 1);
}

/// Runs what is marked "sh try", on the simulated device, where the files it names are at hand.
TEST(Manual, WhatIsMarkedWorks) {
  const TemporaryFolder folder;
  write_file(folder / "bin/gpucheck", "#!/bin/sh\ntest \"$1\" = run && set -- \"$@\" --device sim\nexec '" +
                                          std::string(GPUCHECK_PROGRAM) + "' \"$@\"\n");
  std::filesystem::permissions(folder / "bin/gpucheck", std::filesystem::perms::owner_all);
  const std::string data = GPUCHECK_REPLAY_TEST_DATA;
  std::filesystem::copy_file(data + "/pytorch_snapshot_protocol_4.pickle", folder / "snapshot.pickle");
  std::filesystem::copy_file(data + "/pytorch_traces.json", folder / "traces.json");
  const std::string begin = "cd " + folder.path() + " && PATH=" + folder / "bin" + ":$PATH && ";
  ASSERT_EQ(shell(begin + "gpucheck run alloc.oom_retry --journal node1.journal").exit_code, 0);
  ASSERT_EQ(
      shell(begin + "sed 's/\"host_name\":\"[^\"]*\"/\"host_name\":\"other\"/' node1.journal >node2.journal").exit_code,
      0);
  int count = 0;
  for (const Document& document : documents()) {
    std::istringstream lines(code_of(document.text, "sh try"));
    for (std::string line; std::getline(lines, line); ++count) {
      const CommandResult result = shell(begin + line);
      EXPECT_EQ(result.exit_code, 0) << document.name << ": " << line << "\n" << result.output << result.error_output;
    }
  }
  EXPECT_GE(count, 6);
}

}  // namespace
}  // namespace gpucheck::application
