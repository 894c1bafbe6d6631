#include "help/cmd_help.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "base/files/output_file.hpp"
#include "harness/values/edit_distance.hpp"
#include "help/command_page.hpp"
#include "help/completion.hpp"
#include "help/exit_code_texts.hpp"
#include "help/manual_page.hpp"
#include "help/topic.hpp"
#include "help/topic_text.hpp"
#include "help/topics.hpp"
#include "output/terminal.hpp"
#include "output/text_table.hpp"
#include "output/version.hpp"
#include "report/progress_line.hpp"

namespace gpucheck::application {

namespace {

struct HelpOptions {
  std::string topic;
  std::string manual_folder;  ///< empty: a topic is shown
  std::string to_complete;    ///< words with unit separators between them
};

std::vector<Topic> all_topics() {
  std::vector<Topic> topics;
  for (const TopicFile& file : embedded_topics()) topics.push_back(parse_topic(file.path, file.text));
  return topics;
}

/// Topics that use the word, of somebody who does not know what it is filed under.
std::vector<std::string> topics_about(std::string_view word) {
  std::vector<std::string> names;
  for (const TopicFile& file : embedded_topics()) {
    if (word.size() > 2 && file.text.find(word) != std::string_view::npos) {
      names.push_back(topic_title(file.path, file.text).name);
    }
  }
  return names;
}

[[noreturn]] void reject(const CLI::App& application, const std::string& word) {
  std::vector<std::string> names;
  for (const TopicFile& file : embedded_topics()) names.push_back(topic_title(file.path, file.text).name);
  for (const CLI::App* command : application.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  const auto distance = [&word](const std::string& name) { return harness::edit_distance(word.substr(0, 100), name); };
  const std::string& nearest = *std::ranges::min_element(names, {}, distance);
  const std::vector<std::string> about = topics_about(word);
  const bool is_typing_error = distance(nearest) * 3 <= nearest.size();
  throw UsageError(fmt::format("there is no topic or command \"{}\"; {} (\"gpucheck help\" lists all)", word,
                               is_typing_error || about.empty()
                                   ? "the nearest: " + nearest
                                   : fmt::format("topics that mention it: {}", fmt::join(about, ", "))));
}

int show(const CLI::App& application, const std::string& name) {
  for (const TopicFile& file : embedded_topics()) {
    if (topic_title(file.path, file.text).name != name) continue;
    constexpr std::size_t widest = 100;
    const std::size_t columns = std::min(report::terminal_columns(stdout, 80), widest);
    print_document(topic_text(parse_topic(file.path, file.text), columns, use_colour(ColourChoice::automatic, stdout)));
    return 0;
  }
  reject(application, name);
}

void write_page(const std::filesystem::path& folder, const std::string& name, const std::string& text) {
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  if (problem) throw EnvironmentError(fmt::format("cannot make the folder {}: {}", folder.string(), problem.message()));
  OutputFile((folder / name).string(), "manual page").commit(text);
}

int write_pages(const CLI::App& application, const std::filesystem::path& folder) {
  const std::string_view version = build_information().version;
  const std::vector<Topic> topics = all_topics();
  write_page(folder / "man1", "gpucheck.1", command_page(application, version, topics));
  for (const Topic& topic : topics) {
    write_page(folder / "man7", "gpucheck-" + topic.name + ".7", topic_page(topic, version));
  }
  return 0;
}

/// No shell has a unit separator in a word, so that nothing has to be quoted.
std::vector<std::string> split_words(const std::string& joined) {
  constexpr char unit_separator = '\x1f';
  std::vector<std::string> words;
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = joined.find(unit_separator, begin);
    words.push_back(joined.substr(begin, end - begin));
    if (end == joined.npos) return words;
    begin = end + 1;
  }
}

int show_completions(const CLI::App& application, const Environment& environment, const std::string& joined) {
  std::string text;
  std::vector<std::string> words = split_words(joined);
  words.erase(words.begin());  // the program
  for (const Completion& one : completions(application, environment, std::move(words))) {
    text += fmt::format("{}\t{}\n", one.word, one.description);
  }
  print_document(text);
  return 0;
}

}  // namespace

std::string topics_text() {
  std::vector<TextRow> rows;
  for (const TopicFile& file : embedded_topics()) {
    const Topic topic = topic_title(file.path, file.text);
    rows.push_back({topic.name, topic.summary});
  }
  return "Topics (gpucheck help TOPIC):\n" + text_table(rows, 2, "  ");
}

void add_help(CLI::App& application, const Environment& environment, Action& action) {
  CLI::App* const command = application.add_subcommand("help", "Show a topic of the manual, or a command's options");
  command->footer(exit_codes::of_help);
  const auto options = std::make_shared<HelpOptions>();
  CLI::Option* const topic =
      command->add_option("topic", options->topic, "A topic, a command or a group of cases")->type_name("TOPIC");
  command
      ->add_option(
          "--man-pages", options->manual_folder,
          "Write gpucheck(1) and a manual page for each topic into the subfolders man1 and man7 of this folder")
      ->type_name("FOLDER")
      ->excludes(topic);
  CLI::Option* const complete = command
                                    ->add_option("--complete", options->to_complete,
                                                 "For shells: what the last of these words of a command line may "
                                                 "become, one a line with a tab before what "
                                                 "it means. Between words stands a unit separator (0x1F)")
                                    ->type_name("WORDS")
                                    ->excludes(topic);
  command->final_callback([&application, &environment, &action, options, complete] {
    action = [&application, &environment, options, complete] {
      if (complete->count() > 0) return show_completions(application, environment, options->to_complete);
      return options->manual_folder.empty() ? show(application, options->topic)
                                            : write_pages(application, options->manual_folder);
    };
  });
}

std::vector<std::string> with_help_spelled_out(const CLI::App& application, std::vector<std::string> command_line) {
  if (command_line.size() < 2 || command_line[1] != "help") return command_line;
  const auto is_named = [&command_line](const CLI::App* command) { return command->get_name() == command_line[2]; };
  if (command_line.size() == 2 || !application.get_subcommands(is_named).empty()) {
    command_line.erase(command_line.begin() + 1);
    command_line.emplace_back("--help");
  }
  return command_line;
}

}  // namespace gpucheck::application
