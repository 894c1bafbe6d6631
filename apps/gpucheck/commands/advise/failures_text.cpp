#include <algorithm>
#include <fmt/format.h>

#include "base/text/count_text.hpp"
#include "base/text/sanitize.hpp"
#include "base/text/units.hpp"
#include "commands/advise/advice_report.hpp"
#include "output/text_table.hpp"
#include "replay/analysis/snapshot_summary.hpp"
#include "replay/analysis/telling_frames.hpp"

namespace gpucheck::application {

namespace {

using replay::HoleReason;
using replay::OutOfMemory;

const char* reason_text(HoleReason reason) {
  switch (reason) {
    case HoleReason::of_another_pool:
      return "belong to another memory pool";
    case HoleReason::of_another_stream:
      return "belong to another stream";
    case HoleReason::of_another_class:
      return "lie in segments for small blocks, or for large ones";
    case HoleReason::too_small:
      return "are too small, each by itself";
    case HoleReason::expandable_off:
      return "lie in expandable segments, which were switched off by then";
    case HoleReason::split_limit:
      return "are above max_split_size, or too much above the request";
    case HoleReason::free_too_late:
      return "became free only when PyTorch, short of memory, waited for other streams";
    case HoleReason::unexplained:
      break;
  }
  return "should have served: the file does not say all";
}

std::string asked_text(const OutOfMemory& failure, const replay::StackTable& stacks) {
  const std::string frame = one_line(replay::telling_frame(stacks, failure.stack), 90);
  std::string text = fmt::format("\n  Memory ran out at event {}{}: {} asked for on stream 0x{:x}, from the {} pool",
                                 failure.event, frame.empty() ? "" : ", in " + frame, format_bytes(failure.asked_bytes),
                                 failure.stream, replay::pool_name(failure.pool));
  if (failure.segment_bytes != failure.asked_bytes) {
    text += fmt::format(" (as a segment of {})", format_bytes(failure.segment_bytes));
  }
  if (!failure.device_free_bytes) return text + "; how much was free on the device the file does not say.\n";
  return text + fmt::format(", with {} free on the device.\n", format_bytes(*failure.device_free_bytes));
}

std::string holes_text(const OutOfMemory& failure) {
  if (failure.reserved_bytes == 0) return "  The file holds no segments: what was free in which holes is not known.\n";
  std::string text = fmt::format("  {} were reserved then, {} of it in use; {} lay free in {}",
                                 format_bytes(failure.reserved_bytes), format_bytes(failure.in_use_bytes),
                                 format_bytes(failure.hole_bytes()), count_text(failure.hole_count(), "hole"));
  if (failure.holes.empty()) return text + ".\n";
  std::vector<TextRow> rows{{"holes that", "count", "bytes", "largest"}};
  for (const OutOfMemory::Holes& holes : failure.holes) {
    rows.push_back({reason_text(holes.reason), fmt::format("{}", holes.count), format_bytes(holes.bytes),
                    format_bytes(holes.largest_bytes)});
  }
  return text + ", none of which served:\n\n" + text_table(rows, 1, "    ") + "\n";
}

const OutOfMemory::Holes* holes_for(const OutOfMemory& failure, HoleReason reason) {
  const auto found = std::ranges::find(failure.holes, reason, &OutOfMemory::Holes::reason);
  return found == failure.holes.end() ? nullptr : &*found;
}

/// The settings that play it within the same memory, those with fewest keys first.
std::string serving_settings(const replay::Advice& advice) {
  const auto serves = [](const replay::RankedSettings& row) { return row.at_limit && row.at_limit->runs_to_its_end(); };
  if (const replay::RankedSettings* const recorded = advice.as_recorded(); recorded != nullptr && serves(*recorded)) {
    return "    (Played within the same memory all that is recorded runs, under the settings it ran with: something "
           "that is not in the file held the rest.)\n";
  }
  const replay::RankedSettings* simplest = nullptr;
  for (const replay::RankedSettings& row : advice.search.ranking) {
    if (serves(row) && (simplest == nullptr || row.keys < simplest->keys)) simplest = &row;
  }
  if (simplest == nullptr) return "";
  return fmt::format("    - the settings {}: under them all that is recorded runs within the same memory\n",
                     simplest->settings.empty() ? "that PyTorch has by default" : simplest->settings);
}

std::string changes_text(const replay::Advice& advice, const OutOfMemory& failure) {
  std::string text = "  What would have served it:\n";
  const std::uint64_t missing = failure.missing_bytes().value_or(0);
  if (failure.would_be_served_again()) {
    text += fmt::format(
        "    - to ask again, or to synchronize before: {} in one piece became free while PyTorch waited for other "
        "streams, and after that wait it asks the device alone\n",
        format_bytes(holes_for(failure, HoleReason::free_too_late)->largest_bytes));
  } else if (missing > 0) {
    text += fmt::format("    - {} more memory, or so much less in use in segments that can be released\n",
                        format_bytes(missing));
  } else if (failure.device_free_bytes) {
    text += fmt::format(
        "    - a limit of the program's own (set_per_process_memory_fraction) of {}: the device itself had room\n",
        format_bytes(failure.reserved_bytes + failure.segment_bytes));
  }
  if (advice.limit_is_recorded) text += serving_settings(advice);
  if (failure.is_fragmentation()) {
    text += "    - the same free memory in one piece: the holes that were too small are enough together\n";
  }
  const auto add = [&](HoleReason reason, std::string_view change) {
    const OutOfMemory::Holes* const holes = holes_for(failure, reason);
    if (holes == nullptr || holes->largest_bytes < failure.asked_bytes) return;
    text += fmt::format("    - {}: the largest such hole has {}\n", change, format_bytes(holes->largest_bytes));
  };
  add(HoleReason::expandable_off, "expandable_segments:True, as it was when the hole's segment was made");
  add(HoleReason::split_limit, "a higher max_split_size_mb, or none");
  add(HoleReason::of_another_stream, "the same stream as that of the hole");
  add(HoleReason::of_another_pool, "the same memory pool as that of the hole");
  if (failure.waiting_bytes >= failure.asked_bytes) {
    text += fmt::format("    - a wait for other streams: {} were freed, and waited for them\n",
                        format_bytes(failure.waiting_bytes));
  }
  return text;
}

}  // namespace

std::string failures_text(const replay::Advice& advice, const replay::StackTable& stacks) {
  std::string text;
  for (const OutOfMemory& failure : advice.failures) {
    text += asked_text(failure, stacks) + holes_text(failure) + changes_text(advice, failure);
  }
  const std::size_t more = advice.recorded.out_of_memory - std::min<std::size_t>(advice.recorded.out_of_memory, 2);
  if (more > 0) text += fmt::format("  It ran out {} in between.\n", count_text(more, "time"));
  if (!advice.failures.empty()) {
    text +=
        "  Those allocations count as needed above. What the program would have done with them, and after them, is not "
        "recorded: where it went on without, the predicted and the recorded events differ there.\n";
  }
  return text;
}

}  // namespace gpucheck::application
