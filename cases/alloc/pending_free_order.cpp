#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <map>
#include <string>
#include <vector>

#include "base/text/units.hpp"
#include "cases/support.hpp"
#include "device/fault/common_plans.hpp"
#include "device/forwarding/forwarding_device.hpp"
#include "harness/case/case.hpp"
#include "observe/history/memory_history.hpp"

namespace gpucheck::cases::in_alloc::pending_free_order {
namespace {

using namespace literals;
using runtime::MemoryAction;

/// Blocks that are freed one after the other: of each the ids of the streams that use it.
using Round = std::vector<std::vector<std::int64_t>>;

/// What a process with PyTorch 2.11 did on an H100, in this order: one allocator, whose table
/// of streams grows from round to round. The golden has the order in which each round's blocks
/// came back.
const std::vector<Round> rounds{
    {{163, 35}, {451}, {611, 581}, {3, 581, 997, 67, 931}, {227, 69}, {0, 325, 419, 229, 901}},
    {{261}, {197, 611}, {645, 69, 867}, {195, 293, 133}, {899, 997, 389}, {645, 133, 485, 293, 357}},
    {{3}, {645, 549, 69, 739, 901}, {899, 773}, {163, 803, 101, 35, 899}, {707, 579, 3, 37, 805}},
    {{581, 741, 291, 611}, {165, 899, 325, 35}, {3, 291, 419, 837, 931}, {101, 37}, {483, 867, 261}, {421}},
    {{933, 643, 165}, {995, 131, 741}, {933, 899, 163, 451, 323}, {773}, {163}, {0, 995, 837, 547}},
    {{613, 677, 389}, {355, 163, 99, 517, 325}, {483, 867, 771, 517, 165}, {995, 37, 549, 901, 165}},
    {{517, 0, 869}, {739, 613, 133, 357}, {931, 773, 325, 581, 195}, {195, 581}, {37, 741, 3, 707, 709}},
    {{579, 837}, {773, 741}, {901, 3, 163, 803, 485}, {741, 163, 35, 901, 739}},
};

/// The order depends on a hash of the device's number too, and PyTorch's was 0.
class FirstDevice final : public device::ForwardingDevice {
 public:
  using ForwardingDevice::ForwardingDevice;
  [[nodiscard]] int ordinal() const noexcept override { return 0; }
};

/// All streams of two priorities, and the default one, by the ids that PyTorch gives them.
std::map<std::int64_t, device::Stream> streams_by_id(runtime::Runtime& runtime) {
  std::map<std::int64_t, device::Stream> streams{{0, runtime.device().default_stream()}};
  for (const int priority : {0, -1}) {
    for (int i = 0; i < runtime::StreamPool::streams_per_level; ++i) {
      const device::Stream stream = runtime.streams().next(priority);
      streams[runtime.streams().stream_id(stream)] = stream;
    }
  }
  return streams;
}

class Player {
 public:
  explicit Player(device::Device& device)
      : runtime_(device), streams_(streams_by_id(runtime_)), history_(runtime_.caching_allocator(), 0) {}

  /// In which order the round's frees are completed, by the positions of its blocks.
  std::vector<std::int64_t> play(const Round& round) {
    runtime::CachingAllocator& allocator = runtime_.caching_allocator();
    std::vector<void*> blocks;
    for (const auto& users : round) blocks.push_back(allocator.allocate(1_MiB, owner_for(users)));
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      for (const std::int64_t id : round[i]) allocator.record_stream(blocks[i], stream(id));
    }
    for (void* block : blocks) allocator.free(block);
    device::check(runtime_.device(), runtime_.device().synchronize(), "synchronize");
    history_.record({.context = observe::ContextLevel::none, .clear_history = true});
    void* const next = allocator.allocate(1, stream(0));  // which looks for frees that can be completed
    const std::vector<std::int64_t> order = completed(blocks);
    allocator.free(next);
    return order;
  }

 private:
  [[nodiscard]] device::Stream stream(std::int64_t id) const {
    const auto found = streams_.find(id);
    if (found == streams_.end()) throw Error(fmt::format("the device has no stream with the id {}", id));
    return found->second;
  }
  /// A stream that is not among those that use the block.
  [[nodiscard]] device::Stream owner_for(const std::vector<std::int64_t>& users) const {
    return std::ranges::find(users, 0) == users.end() ? stream(0) : streams_.rbegin()->second;
  }
  [[nodiscard]] std::vector<std::int64_t> completed(const std::vector<void*>& blocks) {
    std::vector<std::int64_t> positions;
    for (const observe::TraceEntry& entry : history_.snapshot().trace) {
      if (entry.action != MemoryAction::free_completed) continue;
      const auto block = std::ranges::find(blocks, reinterpret_cast<void*>(entry.address));
      positions.push_back(block - blocks.begin());
    }
    return positions;
  }

  runtime::Runtime runtime_;
  std::map<std::int64_t, device::Stream> streams_;
  observe::MemoryHistory history_;
};

void run(harness::Context& context) {
  FirstDevice device(context.driver().open(context.device().ordinal()).value());
  Player player(device);
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    context.observe(fmt::format("order_{}", i + 1), harness::Value(player.play(rounds[i])));
  }
}

}  // namespace

harness::Case define() {
  return {
      .name = "alloc.pending_free_order",
      .summary = "Blocks that other streams used come back in PyTorch's order, whatever streams those were",
      .source = "PyTorch 2.11 on an H100: the order of free_completed events",
      .needs = {.memory_bytes = 64_MiB},
      .faults = {{.name = "events_never_complete",
                  .summary = "events stay unfinished although all work is done",
                  .plan = fault::failing(fault::Operation::query_event, device::Status::not_ready, fault::every_call)},
                 {.name = "one_event_late",
                  .summary = "one event that is complete says that it is not",
                  .plan = fault::failing(fault::Operation::query_event, device::Status::not_ready, fault::nth_call(2))},
                 {.name = "allocation_fails",
                  .summary = "the device fails to allocate memory that it has",
                  .plan = fault::allocation_fails(fault::every_call)}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_alloc::pending_free_order
