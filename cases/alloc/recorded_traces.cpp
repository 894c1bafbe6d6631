#include <fmt/format.h>
#include <variant>

#include "base/text/units.hpp"
#include "cases/support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"
#include "replay/analysis/compare.hpp"
#include "replay/formats/file.hpp"
#include "replay/recorded/recorded_files.hpp"
#include "replay/targets/make_target.hpp"

namespace gpucheck::cases::in_alloc::recorded_traces {
namespace {

using namespace literals;

/// How much of a file's traces came out as PyTorch reported it.
struct Outcome {
  std::int64_t equal_steps = 0;
  std::int64_t equal_ends = 0;   ///< traces whose statistics and segments at the end are PyTorch's
  std::string first_difference;  ///< empty where there is none
};

std::string first_difference(const replay::Comparison& found) {
  if (!found.first_differences.empty()) {
    const replay::Difference& first = found.first_differences.front();
    return fmt::format("step {}, {}: {} instead of {}", first.step, first.statistic, first.seen, first.expected);
  }
  if (!found.final_differences.empty()) {
    const replay::FinalDifference& first = found.final_differences.front();
    return fmt::format("at the end, {}: {} instead of {}", first.what, first.seen, first.expected);
  }
  return "";
}

/// Plays one trace on an allocator of its own. What that throws is a difference too: PyTorch threw nothing.
void play(const replay::Trace& trace, device::Device& device, Outcome& outcome) {
  std::string difference;
  try {
    const auto target = replay::make_comparable_target(trace, device, replay::options_of(trace));
    const replay::Comparison found = replay::compare(trace, *target);
    outcome.equal_steps += static_cast<std::int64_t>(found.equal_steps);
    outcome.equal_ends += found.final_difference_count == 0 && found.final_statistics_compared > 0 ? 1 : 0;
    difference = first_difference(found);
  } catch (const Error& error) {
    difference = error.what();
  }
  if (outcome.first_difference.empty() && !difference.empty()) {
    outcome.first_difference = fmt::format("{}: {}", trace.name, difference);
  }
}

/// "pytorch_caching.json" is observed as "caching".
std::string name_of(std::string_view file) {
  constexpr std::string_view before = "pytorch_";
  return std::string(file.substr(before.size(), file.rfind('.') - before.size()));
}

void run(harness::Context& context) {
  for (const replay::RecordedFile& file : replay::recorded_files()) {
    const auto traces = std::get<std::vector<replay::Trace>>(replay::read_bytes(std::string(file.name), file.content));
    Outcome outcome;
    for (const replay::Trace& trace : traces) play(trace, context.device(), outcome);
    const std::string name = name_of(file.name);
    context.observe(name + "_equal_steps", outcome.equal_steps);
    // Nothing but the steps was recorded of pinned memory.
    if (name != "pinned") context.observe(name + "_equal_ends", outcome.equal_ends);
    context.observe(name + "_first_difference", harness::Value(outcome.first_difference));
  }
}

}  // namespace

harness::Case define() {
  return {
      .name = "alloc.recorded_traces",
      .summary = "43,214 calls that PyTorch made lead to the statistics, segments and blocks that PyTorch reported",
      .source =
          "torch.cuda.memory_stats(), torch.cuda.host_memory_stats() and torch.cuda.memory_snapshot() of PyTorch 2.11",
      // On a GPU, where each call has to wait for what is under way, they take a minute, and addresses decide between
      // equal blocks: `gpucheck replay` plays traces there.
      .needs = {.memory_bytes = 6_GiB, .caching_allocator = true, .simulated_device = true},
      .faults = {{.name = "allocation_fails",
                  .summary = "the device fails to allocate memory that it has",
                  .plan = fault::allocation_fails(fault::every_call)},
                 {.name = "pinned_allocation_fails",
                  .summary = "the driver fails to allocate pinned memory",
                  .plan = fault::failing(fault::Operation::allocate_pinned, device::Status::out_of_memory,
                                         fault::every_call)},
                 {.name = "events_complete_early",
                  .summary = "events say that they are done while the work before them goes on",
                  .plan = fault::event_completes_early(fault::every_call)},
                 {.name = "capture_fails",
                  .summary = "the device fails to capture",
                  .plan = fault::failing(fault::Operation::begin_capture, device::Status::stream_capture_unsupported,
                                         fault::every_call)}},
      .deadline = std::chrono::seconds(30),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_alloc::recorded_traces
