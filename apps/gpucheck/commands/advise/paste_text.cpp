#include <algorithm>
#include <fmt/format.h>

#include "base/text/sanitize.hpp"
#include "base/text/shell_text.hpp"
#include "commands/advise/advice_report.hpp"
#include "replay/advice/search/setting_facts.hpp"

namespace gpucheck::application {

namespace {

/// Keys alone: what stands beside a line to paste is pasted with it.
std::string key_of(const std::string& item) {
  const std::string key = item.substr(0, item.find(':'));
  const bool is_plain =
      std::ranges::all_of(key, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
  return is_plain ? one_line(key, 100) : "a key with other characters than letters";
}

/// What the program ran with and the line does not carry over.
std::string left_out_text(const std::vector<std::string>& items, std::string_view why) {
  constexpr std::size_t most = 10;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, items.size()); ++i) {
    text += fmt::format("    (left out, {}: {})\n", why, key_of(items[i]));
  }
  if (items.size() > most) text += fmt::format("    (left out, {}: {} more)\n", why, items.size() - most);
  return text;
}

}  // namespace

std::string export_line(std::string_view settings) {
  return "export PYTORCH_CUDA_ALLOC_CONF=" + in_single_quotes(settings);
}

std::vector<std::string> remarks_on(std::string_view settings, const replay::KeyRules& rules) {
  std::vector<std::string> remarks{"PyTorch 2.9 and later also call it PYTORCH_ALLOC_CONF, and warn of the older name"};
  // Older releases than this record no snapshot that can be read.
  constexpr replay::TorchVersion oldest{2, 1};
  const replay::TorchVersion first = replay::first_release_of(settings);
  if (!rules.torch && first > oldest) {
    remarks.push_back(fmt::format(
        "PyTorch {} and later know all of these keys; an older one ends with an error: --torch VERSION advises for it",
        to_text(first)));
  }
  return remarks;
}

std::string to_paste_text(const AdviceReport& report, const replay::Advice& advice,
                          const replay::RankedSettings& advised) {
  std::string text = fmt::format("\n    {}\n", export_line(advice.to_paste(advised.settings)));
  for (const std::string& remark : remarks_on(advised.settings, report.rules)) {
    text += fmt::format("    ({})\n", remark);
  }
  const replay::OtherSettings& others = advice.carried_over;
  text += left_out_text(others.not_clean, "because its value is not one to paste into a shell");
  text += left_out_text(others.not_common, "because not all of the programs ran with it");
  text += left_out_text(others.forbidden, "because --exclude-key or --torch forbids it");
  const auto known = replay::known_to_break(advised.settings, report.rules.torch);
  if (known.empty()) return text;
  text += "\n  Known to go wrong with it:\n";
  for (const replay::KnownBreakage& each : known) {
    const std::string releases = each.before ? fmt::format(", before PyTorch {}", to_text(*each.before))
                                 : each.from ? fmt::format(", from PyTorch {} on", to_text(*each.from))
                                             : "";
    text += fmt::format("    - {}{}: {} ({})\n", each.key, releases, each.what, each.source);
  }
  return text + "    --exclude-key KEY looks for settings without one of them.\n";
}

}  // namespace gpucheck::application
