#include "commands/replay/replay_settings.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text/sanitize.hpp"
#include "output/terminal.hpp"
#include "replay/settings/settings_items.hpp"
#include "runtime/allocator/errors.hpp"
#include "runtime/settings/settings.hpp"

namespace gpucheck::application {

namespace {

/// What newer releases of PyTorch know, and the played one does not, is said to be left out.
std::string without_newer_keys(const std::string& text) {
  std::vector<replay::SettingsItem> items = replay::settings_items(text);
  std::erase_if(items, [](const replay::SettingsItem& item) {
    const bool is_newer = replay::is_key_of_newer_releases(item.key);
    if (is_newer) {
      note(fmt::format("--settings: {} is of PyTorch after 2.11, which is played: left out", one_line(item.text, 200)));
    }
    return is_newer;
  });
  return items.size() == replay::settings_items(text).size() ? text : replay::settings_text(items);
}

}  // namespace

std::vector<std::string> checked_settings(std::span<const std::string> settings) {
  std::vector<std::string> checked;
  for (const std::string& given : settings) {
    const std::string& text = checked.emplace_back(without_newer_keys(given));
    try {
      static_cast<void>(runtime::parse_settings(text));
    } catch (const runtime::SettingsError& problem) {
      const std::string_view reason = problem.what();
      // All that PyTorch says, and so the allocator, is the name of the C function.
      const bool is_no_number = reason == "stoull" || reason == "stod";
      throw UsageError(fmt::format("--settings \"{}\": {}", text,
                                   is_no_number ? "a value is not a number, or one beyond 64 bits" : reason));
    }
  }
  return checked;
}

}  // namespace gpucheck::application
