#include "output/outputs.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "base/text/shell_text.hpp"

namespace gpucheck::application {

namespace {

/// Those that the command writes.
std::vector<const report::Format*> formats_for(bool with_journal) {
  std::vector<const report::Format*> formats;
  for (const report::Format& format : report::formats()) {
    if (with_journal || format.write != nullptr) formats.push_back(&format);
  }
  return formats;
}

bool is_or_will_be_a_file(const std::string& path) {
  std::error_code problem;
  const std::filesystem::file_status status = std::filesystem::status(path, problem);
  return !std::filesystem::exists(status) || std::filesystem::is_regular_file(status);
}

}  // namespace

std::string Output::option() const {
  return fmt::format("{}{}", format->has_short_form ? "--" : "--output ", format->name);
}

std::string Output::words() const {
  return fmt::format("{}{}{}", option(), format->has_short_form ? ' ' : '=', shell_quoted(path));
}

Output parse_output(std::string_view text, bool with_journal) {
  const std::size_t equals = text.find('=');
  const std::string_view name = text.substr(0, equals);
  const std::vector<const report::Format*> known = formats_for(with_journal);
  if (equals == std::string_view::npos || equals + 1 == text.size()) {
    throw UsageError(
        fmt::format("--output: \"{}\" is not FORMAT=FILE: write {}=FILE, for example", text, known.front()->name));
  }
  const auto format = std::ranges::find(known, name, &report::Format::name);
  if (format != known.end()) return {.format = *format, .path = std::string(text.substr(equals + 1))};
  const bool is_journal = report::find_format(name) != nullptr;
  throw UsageError(fmt::format("--output: {}; there are: {}",
                               is_journal ? fmt::format("a {} is what this command reads", name)
                                          : fmt::format("\"{}\" is not a format of reports", name),
                               format_names(with_journal)));
}

std::string format_names(bool with_journal) {
  std::vector<std::string_view> names;
  for (const report::Format* format : formats_for(with_journal)) names.push_back(format->name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string formats_text(bool with_journal) {
  std::vector<std::string> texts;
  for (const report::Format* format : formats_for(with_journal)) {
    texts.push_back(fmt::format("{} ({})", format->name, format->summary));
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

std::string default_journal(const std::vector<Output>& outputs) {
  const auto beside = std::ranges::find_if(outputs, [](const Output& output) {
    return output.format->name == "json" && output.path != "-" && is_or_will_be_a_file(output.path);
  });
  return beside == outputs.end() ? "" : beside->path + ".journal";
}

bool has_journal(const std::vector<Output>& outputs) {
  return std::ranges::any_of(outputs, [](const Output& output) { return output.format->write == nullptr; });
}

}  // namespace gpucheck::application
