#include <algorithm>
#include <fmt/format.h>

#include "base/text/count_text.hpp"
#include "base/text/sanitize.hpp"
#include "base/text/units.hpp"
#include "commands/replay/replay_report.hpp"
#include "output/text_table.hpp"

namespace gpucheck::application {

namespace {

using replay::UsageSample;
using replay::WhatIf;

constexpr const char* unknown = "unknown";

std::string bytes(std::int64_t count) {
  return format_bytes(static_cast<std::uint64_t>(std::max<std::int64_t>(count, 0)));
}

std::string reserved(const std::optional<UsageSample>& sample) {
  return sample && sample->reserved_bytes ? bytes(*sample->reserved_bytes) : unknown;
}

std::string percent_unused(const std::optional<UsageSample>& sample) {
  const std::optional<double> share = sample ? sample->fragmentation() : std::nullopt;
  return share ? fmt::format("{:.1f}%", 100 * *share) : unknown;
}

/// "event 12" of the recording where there is one, else the step of the trace.
std::string place(const replay::Subject& subject, std::size_t step) {
  if (!subject.recorded) return fmt::format("step {}", step);
  const std::uint32_t event = subject.recorded_events[step];
  if (event == replay::Conversion::no_event) return "the blocks from before the first event";
  return fmt::format("event {}", event);
}

std::string memory_text(const replay::Replay& replay, const replay::Subject& subject) {
  const std::string device =
      fmt::format("{} ({})", one_line(replay.device_name, 60), format_bytes(replay.device_memory_bytes));
  const std::string limit = replay.limit.bytes ? format_bytes(*replay.limit.bytes) : "";
  switch (replay.limit.source) {
    case replay::MemoryLimit::Source::requested:
      return limit + ", by --memory-limit";
    case replay::MemoryLimit::Source::trace:
      return limit + ", as recorded";
    case replay::MemoryLimit::Source::recorded:
      return fmt::format("{}, {}; --memory-limit sets another", limit, recorded_limit_text(*subject.recorded));
    case replay::MemoryLimit::Source::not_recorded:
      return "as much as needed: the file does not say the device's size; --memory-limit sets one";
    case replay::MemoryLimit::Source::device:
      break;
  }
  return "all of " + device + ": the file does not say another size; --memory-limit sets one";
}

/// The settings that a recording begins with, marked where they changed and are played so.
std::string settings_text(const replay::Subject& subject, const replay::Replay& replay) {
  const bool change = subject.recorded && subject.recorded->setting_changes > 0;
  return settings_label(replay.settings) + (change ? " at first" : "");
}

TextRow summary_row(const replay::Subject& subject, const replay::Replay& replay) {
  const WhatIf& what_if = *replay.what_if;
  return {settings_text(subject, replay),
          reserved(what_if.peak_reserved),
          bytes(what_if.peak_allocated.allocated_bytes),
          percent_unused(what_if.peak_reserved),
          percent_unused(what_if.worst_fragmentation),
          what_if.retry_count ? fmt::format("{}", *what_if.retry_count) : unknown,
          what_if.runs_out_of_memory() ? count_text(what_if.out_of_memory_count, "TIME", "TIMES") : "no"};
}

std::string out_of_memory_text(const replay::Subject& subject, const replay::Replay& replay) {
  const WhatIf& what_if = *replay.what_if;
  std::string text;
  if (what_if.first_out_of_memory) {
    const UsageSample& at = *what_if.first_out_of_memory;
    text += fmt::format("  {} runs out of memory first at {}: {} asked for, with {} reserved and {} of it allocated\n",
                        settings_label(replay.settings), place(subject, at.step),
                        format_bytes(what_if.first_out_of_memory_bytes), reserved(at), bytes(at.allocated_bytes));
  }
  if (what_if.rescued_count > 0) {
    text += fmt::format("  {} has room for {} that failed when recorded\n", settings_label(replay.settings),
                        count_text(what_if.rescued_count, "allocation"));
  }
  for (const std::string& remark : what_if.remarks) {
    text += fmt::format("  {}: {}\n", settings_label(replay.settings), one_line(remark, 400));
  }
  return text;
}

/// What is reserved, and the share of it that lies unused, at some points in time.
std::string usage_over_time(const replay::SubjectReplays& result) {
  constexpr std::size_t shown = 10;
  const std::size_t samples = result.replays.front().what_if->samples.size();
  const std::size_t count = std::min(shown, samples);
  if (count == 0) return "";
  TextRow header{result.subject->recorded ? "after event" : "after step"};
  for (std::size_t i = 1; i <= result.replays.size(); ++i) {
    const std::string label = result.replays.size() == 1 ? "" : fmt::format(" [{}]", i);
    header.insert(header.end(), {"reserved" + label, "unused"});
  }
  std::vector<TextRow> rows{header};
  for (std::size_t i = 1; i <= count; ++i) {
    const std::size_t index = i * samples / count - 1;
    const std::size_t step = result.replays.front().what_if->samples[index].step;
    TextRow& row = rows.emplace_back(TextRow{place(*result.subject, step)});
    for (const replay::Replay& replay : result.replays) {
      const UsageSample& sample = replay.what_if->samples[index];
      row.insert(row.end(), {reserved(sample), percent_unused(sample)});
    }
  }
  return fmt::format("\n{}", text_table(rows, 1, "  "));
}

}  // namespace

std::string recorded_limit_text(const replay::ConversionReport& report) {
  return report.recorded_capacity_is_own_limit
             ? "what was reserved at most until memory first ran out: the device had room for more, so that a limit of "
               "the program's own (set_per_process_memory_fraction) refused it; how high that was is not recorded"
             : "what was reserved and free when memory first ran out";
}

std::string recorded_text(const replay::ConversionReport& report) {
  std::string text =
      fmt::format("  recorded  {}, peak reserved {}, peak allocated {} (as asked for), memory ran out {}\n",
                  count_text(report.recorded_events, "event"), format_bytes(report.recorded_peak_reserved_bytes),
                  format_bytes(report.recorded_peak_active_bytes), count_text(report.out_of_memory, "time"));
  if (!report.settings_are_recorded) {
    text += fmt::format(
        "            the file does not say the allocator's settings, PyTorch 2.3 and later do: {}\n",
        report.settings.played.empty() ? "taken for the defaults" : report.settings.played + ", by its segments");
  }
  for (const replay::SettingsItem& item : report.settings.skipped) {
    text +=
        fmt::format("            setting {} of {} is not known here (PyTorch 2.11's are): left out of what is played\n",
                    one_line(item.key, 80), one_line(item.value.empty() ? "no value" : item.value, 200));
  }
  for (const std::string& remark : report.settings.remarks) {
    text += fmt::format("            {}\n", one_line(remark, 600));
  }
  const auto remark = [&text](std::uint64_t count, std::string_view what, std::string_view remarks) {
    if (count > 0) text += fmt::format("            {} {}\n", count_text(count, what), remarks);
  };
  remark(report.initial_blocks, "block", "in use before the first event: allocated first");
  remark(report.deferred_frees, "free",
         "with a wait for other streams: completed as in the recording, or where memory is short, since PyTorch waits "
         "for them then");
  remark(report.private_pool_events, "event",
         report.private_pools > 0
             ? fmt::format("of private pools: replayed in {}; whether one serves others when memory runs out, or never "
                           "splits, is not recorded: taken for not so",
                           report.private_pools == 1 ? "one" : fmt::format("{} of them", report.private_pools))
             : std::string("of private pools: replayed in the default pools"));
  remark(report.ignored_events, "event", "without a meaning for a replay: left out");
  remark(report.contradictions, "contradiction",
         "(events missing, or the file was changed): left out, so take the statistics with care");
  return text;
}

std::string what_if_text(const replay::SubjectReplays& result, const replay::Request& request) {
  const replay::Subject& subject = *result.subject;
  std::string text = fmt::format("{}, {}\n", one_line(subject.file, 200), one_line(subject.trace.name, 60));
  if (result.verdict == replay::Verdict::empty) return text + "  holds no events: nothing was replayed\n";
  if (subject.recorded) text += recorded_text(*subject.recorded);
  text += fmt::format("  memory    {}\n", memory_text(result.replays.front(), subject));
  if (const std::string why = why_not_compared(subject, request); !why.empty()) text += "  " + why + "\n";
  text += "\n";
  std::vector<TextRow> rows{
      {"settings", "peak reserved", "peak allocated", "unused then", "worst unused", "retries", "out of memory"}};
  for (std::size_t i = 0; i < result.replays.size(); ++i) {
    TextRow row = summary_row(subject, result.replays[i]);
    if (result.replays.size() > 1) row[0] = fmt::format("[{}] {}", i + 1, row[0]);
    rows.push_back(std::move(row));
  }
  text += text_table(rows, 1, "  ");
  std::string outcomes;
  for (const replay::Replay& replay : result.replays) outcomes += out_of_memory_text(subject, replay);
  return text + (outcomes.empty() ? "" : "\n" + outcomes) + usage_over_time(result);
}

}  // namespace gpucheck::application
