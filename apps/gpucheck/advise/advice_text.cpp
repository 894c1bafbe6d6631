#include <algorithm>
#include <fmt/format.h>

#include "../replay/replay_report.hpp"
#include "advice_report.hpp"
#include "base/count_text.hpp"
#include "base/sanitize.hpp"
#include "base/units.hpp"
#include "text_table.hpp"

namespace gpucheck::application {

namespace {

using replay::Advice;
using replay::PlayFigures;
using replay::RankedSettings;
using replay::TriedSettings;

std::string percent(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "0%";
  return fmt::format("{:.1f}%", 100 * static_cast<double>(part) / static_cast<double>(whole));
}

/// What is missing of a recording that was switched on late, or whose ring was full, and what
/// that does to the answer.
std::string beginning_text(const replay::ConversionReport& report) {
  if (report.initial_blocks == 0 && report.initial_reserved_bytes == 0) return "";
  return fmt::format(
      "  missing   all before the first event, when {} were reserved and {} of it allocated (recorded too late, or "
      "with "
      "too small a max_entries): the blocks from then are played as if they lay side by side, and an earlier peak is "
      "not "
      "seen, so that the program may need more than is said here\n",
      format_bytes(report.initial_reserved_bytes), format_bytes(report.initial_bytes));
}

std::string memory_text(const Advice& advice, const AdviceSubject& subject) {
  if (!advice.memory_limit_bytes) {
    return "as much as needed: the file tells of no limit; --memory-limit or --card sets one";
  }
  const std::string limit = format_bytes(*advice.memory_limit_bytes);
  if (subject.card != nullptr) {
    return fmt::format("{}, what a program can have of {}: {}", limit, subject.card->name,
                       assumption_of(*subject.card));
  }
  if (!advice.limit_is_recorded) return limit + ", by --memory-limit";
  return fmt::format("{}, {}; --memory-limit or --card sets another", limit, recorded_limit_text(advice.recorded));
}

std::string smallest_text(const RankedSettings& row) {
  return row.smallest_memory_bytes ? format_bytes(*row.smallest_memory_bytes) : "more than any card";
}

std::string limit_text(const RankedSettings& row) {
  const PlayFigures& at_limit = *row.at_limit;
  if (!at_limit.runs_to_its_end()) return "OUT OF MEMORY, " + count_text(at_limit.out_of_memory_count, "time");
  return at_limit.retries == 0 ? "runs" : "runs, " + count_text(at_limit.retries, "retry", "retries");
}

std::string ranking_text(const Advice& advice) {
  std::vector<TextRow> rows{
      {"settings", "smallest memory", "retries in it", "peak reserved", "unused then", "device allocations"}};
  const bool has_limit = advice.memory_limit_bytes.has_value();
  if (has_limit) rows.front().push_back(fmt::format("within {}", format_bytes(*advice.memory_limit_bytes)));
  for (const RankedSettings& row : advice.search.ranking) {
    const bool is_recorded = &row == advice.as_recorded();
    TextRow& cells = rows.emplace_back(
        TextRow{settings_label(row.settings) + (is_recorded ? ", as recorded" : ""), smallest_text(row),
                row.smallest_memory_bytes ? fmt::format("{}", row.at_smallest.retries) : "-",
                format_bytes(row.unlimited.peak_reserved_bytes),
                percent(row.unlimited.unused_at_peak_bytes(), row.unlimited.peak_reserved_bytes),
                fmt::format("{}", row.unlimited.device_allocations)});
    if (has_limit) cells.push_back(limit_text(row));
  }
  return fmt::format("\n{}", text_table(rows, 1, "  "));
}

std::string tried_text(const Advice& advice) {
  const auto count = [&advice](TriedSettings::Outcome outcome) {
    return std::ranges::count(advice.search.tried, outcome, &TriedSettings::outcome);
  };
  const std::string at_any_pace =
      advice.search.other_paces == 0
          ? ""
          : fmt::format(
                " How soon other streams are done with what is freed differs from run to run: it runs at {} "
                "other paces, too.",
                advice.search.other_paces);
  return fmt::format(
      "\n  Smallest memory: in which all of it runs, to 2 MiB.{} Peak reserved, what lies unused of it and device "
      "allocations are those without a limit. A retry releases the cache; it stalls the program, as each device "
      "allocation does. All of it is PyTorch's own memory: what other libraries (NCCL, cuBLAS, cuDNN), other processes "
      "and tensors received from them (IPC) take comes on top; a card given by name leaves out what a context takes.\n"
      "  Of {} settings tried, {} cannot differ from others on this recording, and {} do not save a hundredth of what "
      "simpler ones need; {} plays.\n",
      at_any_pace, advice.search.tried.size(), count(TriedSettings::Outcome::same_as),
      count(TriedSettings::Outcome::not_better) + count(TriedSettings::Outcome::surpassed), advice.search.play_count);
}

std::string to_paste_text(const RankedSettings& row) {
  std::string text = fmt::format("\n    {}\n", export_line(row.settings));
  for (const std::string& remark : remarks_on(row.settings)) text += fmt::format("    ({})\n", remark);
  return text;
}

/// What better settings come to.
std::string better_text(const Advice& advice, const RankedSettings& best) {
  const RankedSettings* const recorded = advice.as_recorded();
  std::string text = fmt::format("\n  Set this: the program then runs to its end in {}", smallest_text(best));
  if (recorded != nullptr && recorded->smallest_memory_bytes) {
    const std::uint64_t before = *recorded->smallest_memory_bytes;
    const std::uint64_t saved = before - *best.smallest_memory_bytes;
    text +=
        fmt::format(", {} ({}) less than with the settings it ran with", format_bytes(saved), percent(saved, before));
  }
  return text + ".\n" + to_paste_text(best);
}

/// What settings cannot do anything about.
std::string floor_text(const Advice& advice) {
  const std::string least = format_bytes(advice.search.least_bytes);
  if (advice.is_beyond_all_settings()) {
    return fmt::format(
        "\n  No settings can help within {}: the program has {} allocated at once, {} more. It has to allocate less: "
        "what "
        "is live at that moment is shown below.\n",
        format_bytes(*advice.memory_limit_bytes), least,
        format_bytes(advice.search.least_bytes - *advice.memory_limit_bytes));
  }
  const RankedSettings* const best = advice.search.ranking.empty() ? nullptr : &advice.search.ranking.front();
  if (best == nullptr || !best->smallest_memory_bytes || *best->smallest_memory_bytes == 0) return "";
  return fmt::format("  No settings can go below {}, which is allocated at once: {} of that memory.\n", least,
                     percent(advice.search.least_bytes, *best->smallest_memory_bytes));
}

std::string verdict_text(const Advice& advice) {
  if (advice.is_beyond_all_settings()) return floor_text(advice);
  std::string text;
  const RankedSettings* const best = advice.advised();
  if (!advice.fits()) {
    text += fmt::format("\n  It does not fit: of all settings tried, none runs to its end within {}.\n",
                        format_bytes(*advice.memory_limit_bytes));
  }
  if (best != nullptr) {
    text += better_text(advice, *best);
  } else if (advice.as_recorded() != nullptr && advice.as_recorded()->smallest_memory_bytes) {
    text += "\n  The settings it ran with are as good as any: no others save a hundredth of its memory.\n";
  }
  return text + floor_text(advice);
}

std::string one_text(const Advice& advice, const AdviceSubject& subject) {
  std::string text = fmt::format("{}, device {}\n", one_line(subject.file, 200), advice.device);
  text += recorded_text(advice.recorded) + beginning_text(advice.recorded);
  text += fmt::format("  memory    {}\n", memory_text(advice, subject));
  if (!advice.rejection.empty()) {
    text += fmt::format(
        "  The settings it was recorded under, {}, cannot be played: {}. All that follows is of PyTorch's native "
        "allocator\n",
        settings_label(advice.recorded_settings), one_line(advice.rejection, 200));
  }
  return text + ranking_text(advice) + tried_text(advice) + verdict_text(advice) +
         failures_text(advice, subject.stacks) + live_text(advice, subject.stacks);
}

}  // namespace

std::string export_line(std::string_view settings) {
  return fmt::format("export PYTORCH_CUDA_ALLOC_CONF='{}'", one_line(settings, 400));
}

std::vector<std::string> remarks_on(std::string_view settings) {
  const auto has = [settings](std::string_view key) { return settings.find(key) != std::string_view::npos; };
  std::vector<std::string> remarks{"PyTorch 2.9 and later also call it PYTORCH_ALLOC_CONF, and warn of the older name"};
  if (has("large_segment_size_mb") || has("max_non_split_rounding_mb")) {
    remarks.emplace_back(
        "large_segment_size_mb and max_non_split_rounding_mb: PyTorch 2.11 takes them, older releases may not");
  }
  if (has("garbage_collection_threshold")) {
    remarks.emplace_back(
        "garbage_collection_threshold does something only where a limit is set, with "
        "torch.cuda.set_per_process_memory_fraction");
  }
  return remarks;
}

std::string advice_text(const std::vector<replay::Advice>& advices, const AdviceSubject& subject) {
  std::string text;
  for (const Advice& advice : advices) text += fmt::format("{}{}", text.empty() ? "" : "\n", one_text(advice, subject));
  return text;
}

}  // namespace gpucheck::application
