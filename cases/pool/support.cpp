#include "cases/pool/support.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "device/fault/common_plans.hpp"

namespace gpucheck::cases::in_pool {
namespace {

std::uint8_t* bytes_of(const Storage& storage) { return static_cast<std::uint8_t*>(storage.data()); }

std::string layout(const runtime::SegmentInfo& segment) {
  std::vector<std::string> blocks;
  for (const runtime::BlockInfo& block : segment.blocks) {
    const bool used = block.state == runtime::BlockState::active_allocated;
    const bool pending = block.state == runtime::BlockState::active_pending_free;
    blocks.push_back(fmt::format("{} {}", block.size, used ? "used" : pending ? "pending" : "free"));
  }
  return fmt::format("{} {}: {}", segment.is_large ? "large" : "small", segment.total_size, fmt::join(blocks, ", "));
}

bool same_blocks(const runtime::SegmentInfo& before, const runtime::SegmentInfo& after) {
  return std::ranges::equal(before.blocks, after.blocks,
                            [](const auto& a, const auto& b) { return a.size == b.size && a.state == b.state; });
}

bool same_segment(const runtime::SegmentInfo& before, const runtime::SegmentInfo& after) {
  return before.address == after.address && before.total_size == after.total_size &&
         before.allocated_size == after.allocated_size && before.active_size == after.active_size &&
         before.is_large == after.is_large && before.pool == after.pool && same_blocks(before, after);
}

}  // namespace

void fill(runtime::Runtime& runtime, const Storage& storage, std::uint8_t value, device::Stream stream) {
  tensor::ops::fill(runtime, bytes_of(storage), storage.bytes(), value, stream);
}

Storage ones(runtime::Runtime& runtime, std::size_t bytes) {
  const device::Stream stream = runtime.current_stream();
  Storage result(runtime.allocator(), bytes, stream);
  fill(runtime, result, 1, stream);
  return result;
}

Storage plus(runtime::Runtime& runtime, const Storage& a, const Storage& b) {
  const device::Stream stream = runtime.current_stream();
  Storage result(runtime.allocator(), a.bytes(), stream);
  tensor::ops::add(runtime, bytes_of(a), bytes_of(b), bytes_of(result), a.bytes(), stream);
  return result;
}

Outputs kept_of_eleven(runtime::Runtime& runtime, const std::vector<std::size_t>& positions) {
  Outputs blocks;
  for (int i = 0; i < 11; ++i) blocks.push_back(ones(runtime, min_block_bytes));
  Outputs kept;
  for (const std::size_t position : positions) kept.push_back(std::move(blocks.at(position)));
  return kept;
}

Outputs without_owners(const Outputs& outputs) {
  Outputs result;
  for (const Storage& output : outputs) result.emplace_back(output.data(), output.bytes());
  return result;
}

void synchronize(runtime::Runtime& runtime) {
  device::check(runtime.device(), runtime.device().synchronize(), "synchronize");
}

std::unique_ptr<Captured> capture(runtime::Runtime& runtime, const Function& function, PoolId pool) {
  synchronize(runtime);  // what the function works on may come from another stream
  auto captured = std::make_unique<Captured>(runtime);
  const runtime::CurrentStreamGuard on_side(runtime, captured->stream);
  static_cast<void>(function(runtime));
  synchronize(runtime);
  captured->graph.capture_begin(pool);
  captured->outputs = function(runtime);
  captured->graph.capture_end();
  return captured;
}

void replay(runtime::Runtime& runtime, Captured& captured) {
  const runtime::CurrentStreamGuard on_side(runtime, captured.stream);
  for (const Storage& output : captured.outputs) fill(runtime, output, 0xA5, captured.stream);
  captured.graph.replay();
  device::check(runtime.device(), runtime.device().synchronize(captured.stream), "synchronize");
}

std::int64_t wrong_bytes(runtime::Runtime& runtime, const Storage& storage, std::uint8_t value) {
  const device::Stream stream = runtime.current_stream();
  runtime::Buffer<tensor::ops::Tally> tally(runtime, 1, stream);
  device::check(runtime.device(), runtime.device().fill(tally.data(), 0, sizeof(tensor::ops::Tally), stream), "fill");
  tensor::ops::verify(runtime, bytes_of(storage), storage.bytes(), value, 1, tally.data(), stream);
  const tensor::ops::Tally found = read_one(runtime, tally.data(), stream);
  return found.verified == storage.bytes() ? static_cast<std::int64_t>(found.wrong) : -1;
}

std::int64_t wrong_bytes_in_all(runtime::Runtime& runtime, const Outputs& outputs,
                                const std::vector<std::uint8_t>& values) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::int64_t wrong = wrong_bytes(runtime, outputs[i], values.at(i));
    if (wrong < 0) return -1;
    sum += wrong;
  }
  return sum;
}

std::string layout(runtime::Runtime& runtime, PoolId pool) {
  std::vector<std::string> segments;
  for (const auto& segment : runtime.caching_allocator().snapshot(pool)) segments.push_back(layout(segment));
  return fmt::format("{}", fmt::join(segments, "; "));
}

std::int64_t live_blocks(runtime::Runtime& runtime, PoolId pool) {
  std::int64_t live = 0;
  for (const auto& segment : runtime.caching_allocator().snapshot(pool)) {
    live += std::ranges::count(segment.blocks, runtime::BlockState::active_allocated, &runtime::BlockInfo::state);
  }
  return live;
}

std::int64_t private_segments(runtime::Runtime& runtime) {
  return std::ranges::count_if(runtime.caching_allocator().snapshot(),
                               [](const auto& segment) { return !segment.pool.is_default(); });
}

bool same_segments(const std::vector<runtime::SegmentInfo>& before, const std::vector<runtime::SegmentInfo>& after) {
  return std::ranges::all_of(before, [&](const runtime::SegmentInfo& segment) {
    return std::ranges::any_of(after, [&](const auto& other) { return same_segment(segment, other); });
  });
}

void observe_nothing_left(harness::Context& context, std::int64_t before) {
  runtime::Runtime& runtime = context.runtime();
  synchronize(runtime);
  // What a device does not take back is still there.
  static_cast<void>(error_text<device::DeviceError>([&] { runtime.allocator().empty_cache(); }));
  context.observe("private_segments_left", private_segments(runtime) - before);
}

Storage allocate_in_pool(runtime::Runtime& runtime, PoolId pool, device::Stream stream, std::size_t bytes) {
  runtime::DeviceAllocator& allocator = runtime.allocator();
  allocator.begin_allocate_to_pool(pool, runtime::on_stream(stream));
  Storage result(allocator, bytes, stream);
  allocator.end_allocate_to_pool(pool);
  allocator.release_pool(pool);
  return result;
}

void check_restored(harness::Context& context, const Function& function, const std::vector<std::uint8_t>& values,
                    bool observe_layout) {
  runtime::Runtime& runtime = context.runtime();
  runtime::CachingAllocator& allocator = runtime.caching_allocator();
  const std::int64_t segments_before = private_segments(runtime);
  {
    const std::unique_ptr<Captured> captured = capture(runtime, function);
    const PoolId pool = captured->graph.pool();
    replay(runtime, *captured);
    context.observe("wrong_bytes", wrong_bytes_in_all(runtime, captured->outputs, values));
    const std::vector<runtime::SegmentInfo> found = allocator.snapshot(pool);
    if (observe_layout) context.observe("layout", layout(runtime, pool));
    const runtime::PoolCheckpoint checkpoint = allocator.checkpoint(pool);
    context.observe("restored_at_once_error",
                    error_text<Error>([&] { runtime::restore_pool(allocator, checkpoint, {}, {}); }));
    context.observe("segments_equal_when_restored_at_once", same_segments(found, allocator.snapshot(pool)));

    Outputs rebuilt = without_owners(captured->outputs);
    captured->outputs.clear();
    Storage other = allocate_in_pool(runtime, pool, captured->stream, 3 * min_block_bytes);
    fill(runtime, other, 0xEE, captured->stream);
    if (observe_layout) context.observe("layout_when_changed", layout(runtime, pool));
    context.observe("segments_equal_when_changed", same_segments(found, allocator.snapshot(pool)));

    Storage* const stale[] = {&other};
    std::vector<Storage*> revived;
    for (Storage& storage : rebuilt) revived.push_back(&storage);
    runtime::restore_pool(allocator, checkpoint, stale, revived);
    context.observe("live_blocks", live_blocks(runtime, pool));
    context.observe("segments_equal_after_restore", same_segments(found, allocator.snapshot(pool)));
    context.observe("outputs_owned_after_restore", std::ranges::count_if(rebuilt, &Storage::owns));
    captured->outputs = std::move(rebuilt);
    replay(runtime, *captured);
    context.observe("wrong_bytes_after_restore", wrong_bytes_in_all(runtime, captured->outputs, values));
  }
  observe_nothing_left(context, segments_before);
}

std::vector<harness::Fault> capture_faults(std::uint64_t launch) {
  return {{.name = "replay_lost",
           .summary = "launching the graph does nothing",
           .plan = fault::replay_lost(fault::every_call)},
          {.name = "lost_node",
           .summary = "a captured kernel is missing from the graph",
           .plan = fault::kernel_lost(fault::nth_call(launch))},
          {.name = "flipped_bit",
           .summary = "one bit flips in what a captured kernel writes",
           .plan = fault::kernel_flips_bit(fault::nth_call(launch))},
          {.name = "segment_fails",
           .summary = "the device fails to allocate memory that it has",
           .plan = fault::allocation_fails(fault::every_call)}};
}

}  // namespace gpucheck::cases::in_pool
