#include <algorithm>
#include <fmt/format.h>

#include "base/text/count_text.hpp"
#include "base/text/sanitize.hpp"
#include "base/text/units.hpp"
#include "commands/advise/advice_report.hpp"
#include "commands/replay/replay_report.hpp"
#include "output/text_table.hpp"

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
      "with too small a max_entries): the blocks from then are played as if they lay side by side, and an earlier peak "
      "is not seen, so that the program may need more than is said here\n",
      format_bytes(report.initial_reserved_bytes), format_bytes(report.initial_bytes));
}

std::string memory_text(const Advice& advice, const replay::Card* card) {
  if (!advice.memory_limit_bytes) {
    return "as much as needed: the file reports no limit; --memory-limit or --card sets one";
  }
  const std::string limit = format_bytes(*advice.memory_limit_bytes);
  if (card != nullptr) {
    return fmt::format("{}, what a program can have of {}: {}", limit, card->name, assumption_of(*card));
  }
  if (!advice.limit_is_recorded) return limit + ", by --memory-limit";
  return fmt::format("{}, {}; --memory-limit or --card sets another", limit, recorded_limit_text(advice.recorded));
}

std::string smallest_text(const RankedSettings& row) {
  if (!row.unlimited.problem.empty()) return "cannot be played";
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

/// What the plays at other paces did not suffice for.
std::string paces_not_tried_text(const Advice& advice) {
  std::string list;
  for (const RankedSettings& row : advice.search.ranking) {
    if (row.paces_not_tried == 0 || !row.smallest_memory_bytes) continue;
    list += fmt::format("{}{} of them with {}", list.empty() ? "" : ", ", row.paces_not_tried,
                        settings_label(row.settings));
  }
  if (list.empty()) return "";
  return fmt::format(
      " But not all was tried, because a search plays only so often at other paces ({}): the program may need more "
      "memory than is said here.",
      list);
}

std::string tried_text(const Advice& advice) {
  const auto count = [&advice](TriedSettings::Outcome outcome) {
    return std::ranges::count(advice.search.tried, outcome, &TriedSettings::outcome);
  };
  const std::string at_any_pace =
      advice.search.other_paces == 0
          ? ""
          : fmt::format(
                " How soon other streams are done with what is freed differs from run to run: it runs at {} other "
                "paces, too.{}",
                advice.search.other_paces, paces_not_tried_text(advice));
  return fmt::format(
      "\n  Smallest memory: in which all of it runs, to 2 MiB.{} Peak reserved, what lies unused of it and device "
      "allocations are those without a limit. A retry releases the cache; it stalls the program, as each device "
      "allocation does. All of it is PyTorch's own memory: what other libraries (NCCL, cuBLAS, cuDNN), other processes "
      "and tensors received from them (IPC) take comes on top; a card given by name leaves out what a context takes.\n"
      "  Of {} settings tried, {} cannot differ from others on this recording, {} do not save a hundredth of what "
      "simpler ones need, and {} reserve over a tenth more than the recorded ones; {} plays.\n",
      at_any_pace, advice.search.tried.size(), count(TriedSettings::Outcome::same_as),
      count(TriedSettings::Outcome::not_better) + count(TriedSettings::Outcome::surpassed),
      count(TriedSettings::Outcome::reserves_more), advice.search.play_count);
}

std::string one_text(const AdviceReport& report, std::size_t place, bool wants_line) {
  const Advice& advice = report.advices[place];
  const AdviceSubject& subject = report.subjects[place];
  std::string text = fmt::format("{}, device {}\n", one_line(subject.file, 200), advice.device);
  text += recorded_text(advice.recorded) + beginning_text(advice.recorded);
  text += fmt::format("  memory    {}\n", memory_text(advice, report.card));
  if (!advice.rejection.empty()) {
    text += fmt::format(
        "  The settings it was recorded under, {}, cannot be played: {}. All that follows is of PyTorch's native "
        "allocator\n",
        settings_label(advice.recorded_settings), one_line(advice.rejection, 200));
  }
  return text + ranking_text(advice) + tried_text(advice) + verdict_text(report, advice, wants_line) +
         failures_text(advice, *subject.stacks) + live_text(advice, *subject.stacks);
}

}  // namespace

std::string advice_text(const AdviceReport& report) {
  const bool is_one = report.advices.size() == 1;
  std::string text = is_one ? "" : programs_text(report);
  for (std::size_t i = 0; i < report.advices.size(); ++i) {
    text += fmt::format("{}{}", text.empty() ? "" : "\n", one_text(report, i, is_one));
  }
  return text;
}

}  // namespace gpucheck::application
