#include "worker.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/text/units.hpp"
#include "device/check.hpp"

namespace gpucheck::runtime::race_fuzz {

using namespace literals;

void Mailbox::put(Block block) {
  const std::scoped_lock lock(mutex_);
  blocks_.push_back(std::move(block));
}

std::optional<Block> Mailbox::take() {
  const std::scoped_lock lock(mutex_);
  if (blocks_.empty()) return std::nullopt;
  Block block = std::move(blocks_.back());
  blocks_.pop_back();
  return block;
}

namespace {

/// All threads share the default stream, except where captures exclude it.
std::vector<device::Stream> streams_for(Runtime& runtime, const Variant& variant) {
  std::vector<device::Stream> streams;
  if (!variant.captures) streams.push_back(runtime.device().default_stream());
  while (streams.size() < variant.streams) streams.push_back(runtime.streams().next());
  return streams;
}

}  // namespace

Worker::Worker(Runtime& runtime, const Variant& variant, std::uint64_t seed, Mailbox& mailbox, bool with_log)
    : runtime_(runtime),
      allocator_(runtime.caching_allocator()),
      variant_(variant),
      mailbox_(mailbox),
      work_(runtime, streams_for(runtime, variant)),
      random_(seed),
      with_log_(with_log) {}

void Worker::note(std::string text) {
  if (with_log_) log_.push_back(std::move(text));
}

void Worker::run(std::size_t steps) {
  for (std::size_t i = 0; i < steps; ++i) step();
}

void Worker::step() {
  if (live_.size() >= variant_.max_live) free(draw(live_.size()));
  if (variant_.captures && one_in(16)) {
    graphs_.size() < 3 ? capture() : drop(draw(graphs_.size()));
  } else if (!graphs_.empty() && one_in(6)) {
    replay(graphs_[draw(graphs_.size())]);
  } else if (variant_.threads > 1 && one_in(8)) {
    one_in(2) ? pass_on() : fetch();
  } else {
    act();
  }
}

void Worker::act() {
  const std::uint64_t ticket = draw(100);
  if (ticket < 32 || live_.empty()) {
    allocate();
  } else if (ticket < 64) {
    use();
  } else if (ticket < 68) {
    copy();
  } else if (ticket < 92) {
    free(draw(live_.size()));
  } else {
    pause();
  }
}

/// Mostly small, so that blocks share segments; sizes recur, so that they are reused.
std::uint64_t Worker::any_size() {
  const std::uint64_t limits[] = {2_KiB, 64_KiB, 1_MiB, 8_MiB, variant_.largest_bytes};
  const std::uint64_t limit = std::min(limits[draw(std::size(limits))], variant_.largest_bytes);
  return one_in(2) ? limit : 1 + draw(limit);
}

std::optional<Block> Worker::try_allocate(std::uint64_t bytes, device::Stream stream) {
  Block block;
  block.bytes = bytes;
  block.owner = stream;
  try {
    block.data = static_cast<std::uint8_t*>(allocator_.allocate(bytes, stream));
  } catch (const OutOfMemoryError&) {
    ++coverage_.shortages;
    return std::nullopt;
  }
  note(fmt::format("allocate {} bytes on {:#x}: {}", bytes, stream.value, fmt::ptr(block.data)));
  if (freed_.erase(block.data) > 0) ++coverage_.blocks_reused;
  return block;
}

void Worker::allocate() {
  std::optional<Block> block = try_allocate(any_size(), any_stream());
  if (!block) {
    note("out of memory");
    while (live_.size() > variant_.max_live / 4) free(draw(live_.size()));
    return;
  }
  block->writer = work_.mark(block->owner);
  if (one_in(2)) work_.write(*block, block->owner);
  live_.push_back(std::move(*block));
}

void Worker::use() {
  Block& block = any_block();
  const device::Stream stream = one_in(2) && work_.has(block.owner) ? block.owner : any_stream();
  if (stream != block.owner) ++coverage_.uses_on_other_streams;
  if (one_in(4)) work_.spin(stream, 1 + draw(200'000));
  const bool reads = block.value.has_value() && one_in(2);
  note(fmt::format("{} {} on {:#x}", reads ? "read" : "write", fmt::ptr(block.data), stream.value));
  reads ? work_.read(block, stream) : work_.write(block, stream);
  if (one_in(2)) record_some(block);
}

void Worker::copy() {
  Block& from = any_block();
  const auto to =
      std::ranges::find_if(live_, [&from](const Block& other) { return &other != &from && other.bytes == from.bytes; });
  if (to == live_.end() || !from.value || from.bytes > 1_MiB) return;
  const device::Stream stream = any_stream();
  note(fmt::format("copy {} to {} on {:#x}", fmt::ptr(from.data), fmt::ptr(to->data), stream.value));
  work_.copy(from, *to, stream);
}

/// Some streams are made known to the allocator at once, the others when the block is freed.
void Worker::record_some(Block& block) {
  for (const device::Stream stream : std::exchange(block.unrecorded, {})) {
    note(fmt::format("record_stream {} {:#x}", fmt::ptr(block.data), stream.value));
    allocator_.record_stream(block.data, stream);
  }
}

/// Before a free: either the allocator knows of another stream, or the block's own
/// stream waits for what was submitted there.
void Worker::make_known(Block& block) {
  if (!one_in(3)) return record_some(block);
  note(fmt::format("join {} into {:#x}", fmt::ptr(block.data), block.owner.value));
  work_.wait(block.owner, block.writer);
  for (const Use& reader : block.readers) work_.wait(block.owner, reader);
  block.unrecorded.clear();
}

void Worker::free(Block& block) {
  note(fmt::format("free {}", fmt::ptr(block.data)));
  allocator_.free(block.data);
  freed_.insert(block.data);
  if (variant_.threads > 1 && !one_in(8)) return;  // asking stops the others
  const MemoryStatistics stats = allocator_.stats();
  if (stats.active.all.current > stats.allocation.all.current) ++coverage_.frees_deferred;
}

void Worker::free(std::size_t index) {
  Block block = std::move(live_[index]);
  live_[index] = std::move(live_.back());
  live_.pop_back();
  make_known(block);
  free(block);
}

void Worker::pass_on() {
  if (live_.empty()) return;
  mailbox_.put(std::move(live_.back()));
  live_.pop_back();
  ++coverage_.blocks_passed_on;
}

void Worker::fetch() {
  if (std::optional<Block> block = mailbox_.take()) live_.push_back(std::move(*block));
}

/// The host waits, or keeps a stream busy, or empties the cache.
void Worker::pause() {
  const device::Stream stream = any_stream();
  if (one_in(8)) {
    note("empty_cache");
    allocator_.empty_cache();
  } else if (one_in(3)) {
    note(fmt::format("synchronize {:#x}", stream.value));
    device::check(runtime_.device(), runtime_.device().synchronize(stream), "synchronize");
  } else {
    work_.spin(stream, 1 + draw(400'000));
  }
}

void Worker::finish() {
  while (!graphs_.empty()) drop(0);
  while (std::optional<Block> block = mailbox_.take()) live_.push_back(std::move(*block));
  while (!live_.empty()) free(0);
}

}  // namespace gpucheck::runtime::race_fuzz
