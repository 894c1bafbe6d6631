#include <algorithm>
#include <fmt/format.h>

#include "base/text/sanitize.hpp"
#include "base/text/units.hpp"
#include "commands/advise/advice_report.hpp"
#include "commands/replay/replay_report.hpp"
#include "output/text_table.hpp"

namespace gpucheck::application {

namespace {

using replay::Advice;
using replay::AdviceOutcome;
using replay::RankedSettings;

std::string smallest_text(const RankedSettings* row) {
  if (row == nullptr) return "-";
  return row->smallest_memory_bytes ? format_bytes(*row->smallest_memory_bytes) : "more than any card";
}

/// ", 50.00 MiB (29.4%) less than with the settings it ran with"
std::string saving_text(std::uint64_t before, std::uint64_t after, std::string_view than) {
  const std::uint64_t saved = before - std::min(after, before);
  return fmt::format(", {} ({}) less than {}", format_bytes(saved), format_share(saved, before), than);
}

/// What better settings save.
std::string better_text(const AdviceReport& report, const Advice& advice, const RankedSettings& best, bool wants_line) {
  const RankedSettings* const recorded = advice.as_recorded();
  std::string text =
      fmt::format("\n  {}: the program then runs to its end in {}",
                  wants_line ? "Set this" : "With what is advised for all programs", smallest_text(&best));
  if (recorded != nullptr && recorded->smallest_memory_bytes) {
    const std::uint64_t before = *recorded->smallest_memory_bytes;
    const std::uint64_t reserved = recorded->unlimited.peak_reserved_bytes;
    const std::uint64_t peak = best.unlimited.peak_reserved_bytes;
    if (best.smallest_memory_bytes.value_or(UINT64_MAX) < before) {
      text += saving_text(before, *best.smallest_memory_bytes, "with the settings it ran with");
    } else if (peak < reserved) {
      text += fmt::format(" and, without a limit, reserves {}{}", format_bytes(peak),
                          saving_text(reserved, peak, "with the settings it ran with"));
    }
  }
  if (best.at_limit && best.at_limit->runs_to_its_end()) {
    text += best.at_limit->retries == 0
                ? fmt::format("; within {} without a retry", format_bytes(*advice.memory_limit_bytes))
                : fmt::format("; within {} with {} retries", format_bytes(*advice.memory_limit_bytes),
                              best.at_limit->retries);
  }
  return text + ".\n" + (wants_line ? to_paste_text(report, advice, best) : "");
}

/// What settings cannot do anything about.
std::string floor_text(const Advice& advice) {
  const std::string least = format_bytes(advice.search.least_bytes);
  if (advice.is_beyond_all_settings()) {
    return fmt::format(
        "\n  No settings can help within {}: the program has {} allocated at once, {} more. It has to allocate less: "
        "what is live at that moment is shown below.\n",
        format_bytes(*advice.memory_limit_bytes), least,
        format_bytes(advice.search.least_bytes - *advice.memory_limit_bytes));
  }
  const RankedSettings* const best = advice.search.ranking.empty() ? nullptr : &advice.search.ranking.front();
  if (best == nullptr || !best->smallest_memory_bytes || *best->smallest_memory_bytes == 0) return "";
  return fmt::format("  No settings can go below {}, which is allocated at once: {} of that memory.\n", least,
                     format_share(advice.search.least_bytes, *best->smallest_memory_bytes));
}

/// Why nothing is advised.
std::string kept_text(const Advice& advice) {
  switch (advice.search.outcome) {
    case AdviceOutcome::recorded_fits:
      return fmt::format("\n  The settings it ran with suffice: under them all of it runs within {}{}.\n",
                         advice.memory_limit_bytes ? format_bytes(*advice.memory_limit_bytes) : "what there is",
                         advice.as_recorded() != nullptr && advice.as_recorded()->at_limit &&
                                 advice.as_recorded()->at_limit->retries > 0
                             ? ", and no others do with fewer retries"
                             : " without a retry");
    case AdviceOutcome::recorded_is_as_good:
      if (advice.as_recorded() == nullptr || !advice.as_recorded()->smallest_memory_bytes) return "";
      return "\n  The settings it ran with are as good as any: no others save a hundredth of its memory.\n";
    case AdviceOutcome::nothing_else:
      return "\n  Nothing is advised: the settings it ran with may not stay (--exclude-key, --torch, or expandable "
             "segments together with max_split_size_mb), and all others reserve over a tenth more than these, or need "
             "more than any card has.\n";
    case AdviceOutcome::advised:
      break;
  }
  return "";
}

/// Settings that are shown and known for harm.
std::string warnings_text(const Advice& advice) {
  std::string text;
  for (const RankedSettings& row : advice.search.ranking) {
    if (!row.is_reference || !replay::combines_expandable_with_split_limit(row.settings)) continue;
    text += fmt::format(
        "\n  {} is never advised: it combines expandable_segments with max_split_size_mb, under which what is reserved "
        "can grow without end (github.com/pytorch/pytorch/issues/123548).\n",
        settings_label(row.settings));
  }
  return text;
}

}  // namespace

std::string verdict_text(const AdviceReport& report, const Advice& advice, bool wants_line) {
  if (advice.is_beyond_all_settings()) return floor_text(advice);
  std::string text = warnings_text(advice);
  if (!advice.fits()) {
    text += fmt::format("\n  It does not fit: of all settings tried, none runs to its end within {}.\n",
                        format_bytes(*advice.memory_limit_bytes));
  }
  const RankedSettings* const best = advice.advised();
  text += best != nullptr ? better_text(report, advice, *best, wants_line) : kept_text(advice);
  return text + floor_text(advice);
}

std::string programs_text(const AdviceReport& report) {
  std::vector<TextRow> rows{{"file", "device", "as recorded", "as advised", "retries in it", "peak reserved", "fits"}};
  for (std::size_t i = 0; i < report.advices.size(); ++i) {
    const Advice& advice = report.advices[i];
    const RankedSettings* const row = advice.advised() != nullptr ? advice.advised() : advice.as_recorded();
    rows.push_back({one_line(report.subjects[i].file, 200), fmt::format("{}", advice.device),
                    smallest_text(advice.as_recorded()), smallest_text(row),
                    row == nullptr ? "-" : fmt::format("{}", row->at_smallest.retries),
                    row == nullptr ? "-" : format_bytes(row->unlimited.peak_reserved_bytes),
                    !advice.memory_limit_bytes ? "no limit"
                    : row != nullptr && row->at_limit && row->at_limit->runs_to_its_end()
                        ? "within " + format_bytes(*advice.memory_limit_bytes)
                        : "NOT within " + format_bytes(*advice.memory_limit_bytes)});
  }
  const std::size_t worst = worst_of(report.advices);
  std::string text = fmt::format("{} programs, which are to run under one setting\n\n{}", report.advices.size(),
                                 text_table(rows, 1, "  "));
  text += fmt::format("\n  {}, device {} needs most.\n", one_line(report.subjects[worst].file, 200),
                      report.advices[worst].device);
  if (outcome_of(report.advices) == replay::Outcome::failed) {
    text += "\n  They do not all fit: under none of the settings tried does each of them run within its limit.\n";
  }
  return text + verdict_text(report, report.advices[worst], true);
}

}  // namespace gpucheck::application
