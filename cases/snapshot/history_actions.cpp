#include <string>
#include <vector>

#include "base/text/units.hpp"
#include "cases/snapshot/support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_snapshot::history_actions {
namespace {

using namespace literals;
using observe::HistoryOptions;
using runtime::MemoryAction;

constexpr std::size_t first_bytes = 100;
constexpr std::size_t rounds = 9;

/// Blocks of 100, 101, ... bytes, each freed before the next.
void churn(runtime::Runtime& runtime) {
  for (std::size_t i = 0; i < rounds; ++i)
    runtime::Buffer<std::uint8_t>(runtime, first_bytes + i, runtime.current_stream());
}

/// "action size" of each event, the oldest first.
std::vector<std::string> events(observe::MemoryHistory& history) {
  std::vector<std::string> texts;
  for (const observe::TraceEntry& entry : history.snapshot().trace) {
    texts.push_back(std::string(runtime::name_of(entry.action)) + " " + std::to_string(entry.size));
  }
  return texts;
}

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  runtime.allocator().empty_cache();
  observe::MemoryHistory history(runtime.caching_allocator(), context.device().ordinal());
  const auto observe_events = [&](const std::string& key) { context.observe(key, harness::Value(events(history))); };

  history.record({.context = observe::ContextLevel::none, .max_entries = 5});
  observe_error_of(context, "error", [&] { churn(runtime); });
  observe_events("last_five_events");

  history.record({.context = observe::ContextLevel::none, .clear_history = true});
  observe_error_of(context, "error_after_clearing",
                   [&] { const runtime::Buffer<std::uint8_t> block(runtime, 32_MiB, runtime.current_stream()); });
  runtime.allocator().empty_cache();
  observe_events("events_after_clearing");

  history.record({.context = observe::ContextLevel::none,
                  .clear_history = true,
                  .skip_actions = {MemoryAction::free_requested, MemoryAction::segment_alloc}});
  observe_error_of(context, "error_when_skipping",
                   [&] { const runtime::Buffer<std::uint8_t> block(runtime, 1000, runtime.current_stream()); });
  runtime.allocator().empty_cache();
  observe_events("events_without_the_skipped");
}

}  // namespace

harness::Case define() {
  return {
      .name = "snapshot.history_actions",
      .summary =
          "A memory history keeps its last events in order, forgets them when asked to, and leaves out what is "
          "skipped",
      .source = "torch.cuda.memory._record_memory_history() of PyTorch 2.11",
      .needs = {.memory_bytes = 64_MiB, .caching_allocator = true},
      .faults = {{.name = "allocation_fails",
                  .summary = "the device fails to allocate memory that it has",
                  .plan = fault::allocation_fails(fault::every_call)},
                 {.name = "large_blocks_fail",
                  .summary = "the device fails to allocate from the second segment on",
                  .plan = fault::allocation_fails(fault::from_call(2))},
                 {.name = "synchronize_fails",
                  .summary = "waiting for the device fails",
                  .plan = fault::failing(fault::Operation::synchronize, device::Status::unknown, fault::every_call)}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_snapshot::history_actions
