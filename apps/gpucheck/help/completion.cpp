#include "help/completion.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <string_view>
#include <utility>

#include "base/text/sanitize.hpp"
#include "help/topic.hpp"
#include "help/topics.hpp"
#include "input/cli_options.hpp"
#include "input/devices/devices.hpp"
#include "input/selection.hpp"
#include "report/formats/formats.hpp"
#include "report/merged/merged_formats.hpp"

namespace gpucheck::application {
namespace {

std::vector<const CLI::App*> subcommands_of(const CLI::App& command) {
  return command.get_subcommands([](const CLI::App*) { return true; });
}

/// The words after which an option takes a value stand for it; null for others.
const CLI::Option* option_named(const CLI::App& command, const CLI::App& application, const std::string& word) {
  for (const CLI::App* one : {&command, &application}) {
    const auto options = one->get_options([&word](const CLI::Option* option) { return option->check_name(word); });
    if (!options.empty()) return options.front();
  }
  return nullptr;
}

bool takes_value(const CLI::Option& option) { return option.get_expected_max() > 0 && option.get_type_size() > 0; }

/// The text up to its first end of a sentence, on one line.
std::string first_sentence(const std::string& text) {
  return one_line(text.substr(0, std::min({text.find(". "), text.find("; "), text.find(" (")})), 120);
}

/// "pass", "warn", "fail" of "TEXT:{pass,warn,fail}"; "auto" of "I/N|auto", where words in capitals name what is to be
/// put there.
std::vector<std::string> listed_values(const std::string& type) {
  const std::size_t open = type.find('{');
  const bool is_list = open != type.npos;
  std::string_view rest = is_list ? std::string_view(type).substr(open + 1, type.find('}') - open - 1) : type;
  std::vector<std::string> values;
  while (!rest.empty()) {
    const std::string_view one = rest.substr(0, rest.find(is_list ? ',' : '|'));
    const bool is_word = std::ranges::all_of(one, [](char c) { return (c >= 'a' && c <= 'z') || c == '-'; });
    if (is_list || is_word) values.emplace_back(one);
    rest.remove_prefix(std::min(one.size() + 1, rest.size()));
  }
  return values;
}

class Candidates {
 public:
  Candidates(const Environment& environment, std::string typed, std::string before)
      : environment_(environment), typed_(std::move(typed)), before_(std::move(before)) {}

  void add(const std::string& word, std::string description = "") {
    if (word.starts_with(typed_) && seen_.insert(word).second)
      found_.push_back({before_ + word, std::move(description)});
  }

  void add_options(const CLI::App& command) {
    for (const CLI::Option* option : command.get_options()) {
      for (const std::string& name : option->get_lnames()) add("--" + name, first_sentence(option->get_description()));
      for (const std::string& name : option->get_snames()) add("-" + name, first_sentence(option->get_description()));
    }
  }

  void add_commands(const CLI::App& command) {
    for (const CLI::App* one : subcommands_of(command)) add(one->get_name(), first_sentence(one->get_description()));
  }

  void add_cases(bool with_groups) {
    for (const harness::Case& one : environment_.registry.cases()) {
      if (with_groups) add(one.name.substr(0, one.name.find('.')) + ".*", "all cases of the group");
      add(one.name, one_line(one.summary, 120));
    }
  }

  void add_cases_of(const std::string& group) {
    for (const harness::Case& one : environment_.registry.cases()) {
      if (one.group() == group) add(one.name.substr(group.size() + 1), one_line(one.summary, 120));
    }
  }

  void add_parameters_of(const harness::Case& test_case) {
    for (const harness::Parameter& parameter : test_case.parameters) {
      add(option_name(parameter), one_line(parameter.summary, 120));
    }
  }

  void add_parameters() {
    for (const harness::Case& one : environment_.registry.cases()) {
      for (const auto& parameter : one.parameters) add(parameter.name + "=", one_line(parameter.summary, 120));
    }
  }

  void add_devices() {
    for (const char* word : {"auto", "cuda", "cuda:", "sim"}) add(word);
    for (const std::string_view profile : simulator_profiles()) add(fmt::format("sim:{}", profile));
  }

  /// What stands behind an option, or for a positional word.
  void add_values(const CLI::App& command, const CLI::Option& option) {
    const std::string type = option.get_type_name();
    if (option.check_name("--suite")) {
      for (const Suite& suite : suites()) add(std::string(suite.name), first_sentence(std::string(suite.summary)));
    } else if (option.check_name("--device")) {
      add_devices();
    } else if (option.check_name("--output") && command.get_name() == "merge") {
      for (const auto& format : report::merged_formats())
        add(fmt::format("{}=", format.name), std::string(format.summary));
    } else if (option.check_name("--output")) {
      for (const auto& format : report::formats()) add(fmt::format("{}=", format.name), std::string(format.summary));
    } else if (option.check_name("--parameter")) {
      add_parameters();
    } else if (type == "GLOB" || type == "CASE") {
      add_cases(type == "GLOB");
    } else if (type == "TOPIC") {
      for (const TopicFile& file : embedded_topics()) {
        const Topic topic = topic_title(file.path, file.text);
        add(topic.name, topic.summary);
      }
      add_commands(*command.get_parent());
    } else {
      for (const std::string& value : listed_values(type)) add(value);
    }
  }

  [[nodiscard]] std::vector<Completion> take() {
    std::ranges::sort(found_, {}, &Completion::word);
    return std::move(found_);
  }

 private:
  const Environment& environment_;
  std::string typed_;   ///< what a candidate has to begin with
  std::string before_;  ///< what stands before it in the same word
  std::set<std::string> seen_;
  std::vector<Completion> found_;
};

/// Where the word to be completed stands.
struct Position {
  const CLI::App* command = nullptr;
  const CLI::Option* option = nullptr;  ///< whose value it is; null for none
  const harness::Case* test_case =
      nullptr;  ///< behind a group and a case, whose options are those of `run` and its own
};

bool is_group(const CLI::App& command) { return command.get_group() == case_groups; }

/// The cases of groups are declared when they are parsed, and here nothing is.
void enter_case(Position& position, const CLI::App& application, const Environment& environment,
                const std::string& word) {
  position.test_case = environment.registry.find(fmt::format("{}.{}", position.command->get_name(), word));
  if (position.test_case != nullptr) position.command = application.get_subcommand("run");
}

Position position_behind(const CLI::App& application, const Environment& environment,
                         const std::vector<std::string>& words) {
  Position position{.command = &application};
  for (const std::string& word : words) {
    if (position.option != nullptr) {
      position.option = nullptr;
    } else if (word.starts_with('-')) {
      const CLI::Option* const option = option_named(*position.command, application, word);
      if (option != nullptr && takes_value(*option)) position.option = option;
    } else if (is_group(*position.command)) {
      enter_case(position, application, environment, word);
    } else {
      for (const CLI::App* one : subcommands_of(*position.command)) {
        if (one->check_name(word)) position.command = one;
      }
    }
  }
  return position;
}

}  // namespace

std::vector<Completion> completions(const CLI::App& application, const Environment& environment,
                                    std::vector<std::string> words) {
  if (words.empty()) words.emplace_back();
  std::string typed = std::move(words.back());
  words.pop_back();
  Position position = position_behind(application, environment, words);
  std::string before;
  if (const std::size_t equals = typed.find('='); typed.starts_with("--") && equals != typed.npos) {
    position.option = option_named(*position.command, application, typed.substr(0, equals));
    if (position.option == nullptr) return {};
    before = typed.substr(0, equals + 1);
    typed.erase(0, equals + 1);
  }
  Candidates candidates(environment, typed, before);
  if (position.option != nullptr) {
    candidates.add_values(*position.command, *position.option);
  } else if (typed.starts_with('-')) {
    if (position.test_case != nullptr) candidates.add_parameters_of(*position.test_case);
    candidates.add_options(*position.command);
    candidates.add_options(application);
  } else if (is_group(*position.command)) {
    candidates.add_cases_of(position.command->get_name());
  } else if (position.test_case == nullptr) {
    candidates.add_commands(*position.command);
    for (const CLI::Option* option : position.command->get_options()) {
      if (option->get_positional()) candidates.add_values(*position.command, *option);
    }
  }
  return candidates.take();
}

}  // namespace gpucheck::application
