#include <array>
#include <deque>
#include <iterator>
#include <map>
#include <mutex>
#include <random>
#include <thread>

#include "cases/alloc/pluggable/pluggable_support.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_alloc::pluggable_threads {
namespace {

constexpr std::size_t thread_count = 4;
constexpr std::size_t blocks_each = 200;
constexpr std::size_t max_waiting = 8;
constexpr std::size_t granularity = 128;  ///< bytes between one size and the next

/// A block and what every byte of it holds.
struct Marked {
  LibraryBlock block;
  std::uint8_t value = 0;
};

/// Blocks on their way to the thread that frees them, and the memory that is in use.
class Exchange {
 public:
  explicit Exchange(runtime::Runtime& runtime) : tally_(runtime) {}

  /// Every block is entered before it is passed on and removed before it is freed.
  void pass_on(std::size_t to, const Marked& marked) {
    const std::scoped_lock lock(mutex_);
    ++allocated_;
    overlaps_ += enter(marked.block) ? 0 : 1;
    waiting_[to].push_back(marked);
  }
  void note_failure() {
    const std::scoped_lock lock(mutex_);
    ++failed_;
  }
  /// Blocks for `thread` to free, all but the youngest few, whose contents are looked at.
  std::vector<LibraryBlock> next_to_free(std::size_t thread, std::size_t keep) {
    const std::scoped_lock lock(mutex_);
    std::deque<Marked>& mine = waiting_[thread];
    std::vector<LibraryBlock> to_free;
    for (; mine.size() > keep; mine.pop_front()) {
      tally_.verify(mine.front().block, mine.front().value);
      in_use_.erase(mine.front().block.data);
      to_free.push_back(mine.front().block);
    }
    return to_free;
  }
  void observe(harness::Context& context) {
    context.observe("requests_failed", failed_);
    context.observe("blocks_allocated", allocated_);
    context.observe("overlaps_while_in_use", overlaps_);
    tally_.observe(context);
  }

 private:
  /// False when some byte of the block is in use already.
  bool enter(const LibraryBlock& block) {
    const auto next = in_use_.lower_bound(block.data);
    const bool reaches_next = next != in_use_.end() && block.data + block.bytes > next->first;
    const bool previous_reaches =
        next != in_use_.begin() && std::prev(next)->first + std::prev(next)->second > block.data;
    in_use_.insert_or_assign(block.data, block.bytes);
    return !reaches_next && !previous_reaches;
  }

  std::mutex mutex_;
  ByteTally tally_;
  std::array<std::deque<Marked>, thread_count> waiting_;
  std::map<std::uint8_t*, std::size_t> in_use_;  ///< bytes by address
  std::int64_t failed_ = 0;
  std::int64_t allocated_ = 0;
  std::int64_t overlaps_ = 0;
};

/// Allocates, writes and passes on; frees what others passed on.
void work(runtime::Runtime& runtime, device::Stream stream, std::uint64_t seed, std::size_t number,
          Exchange& exchange) {
  const runtime::PluggableLibrary& library = runtime.pluggable_library();
  std::mt19937_64 random(seed + number);
  for (std::size_t i = 0; i < blocks_each; ++i) {
    // Few sizes, so that what one thread freed is soon given to another, however the threads take turns.
    const std::size_t bytes = (std::size_t{512} << (random() % 6)) - granularity * (random() % 4);
    const LibraryBlock block{static_cast<std::uint8_t*>(library.allocate(bytes, stream)), bytes, stream};
    if (block.data == nullptr) {
      exchange.note_failure();
    } else {
      const auto value = static_cast<std::uint8_t>(1 + (number * blocks_each + i) % 255);
      tensor::ops::fill(runtime, block.data, block.bytes, value, stream);
      exchange.pass_on((number + 1) % thread_count, {block, value});
    }
    for (const LibraryBlock& other : exchange.next_to_free(number, max_waiting)) {
      library.free(other.data, other.bytes, other.stream);
    }
  }
}

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  const runtime::PluggableLibrary& library = runtime.pluggable_library();
  const device::Stream stream = runtime.current_stream();
  Exchange exchange(runtime);
  std::vector<std::exception_ptr> thrown(thread_count);
  {
    std::vector<std::jthread> threads;
    for (std::size_t number = 0; number < thread_count; ++number) {
      threads.emplace_back(
          guarded(thrown[number], [&, number] { work(runtime, stream, context.seed(), number, exchange); }));
    }
  }
  for (const std::exception_ptr& error : thrown) {
    if (error) std::rethrow_exception(error);
  }
  for (std::size_t number = 0; number < thread_count; ++number) {
    for (const LibraryBlock& block : exchange.next_to_free(number, 0))
      library.free(block.data, block.bytes, block.stream);
  }
  exchange.observe(context);
}

}  // namespace

harness::Case define() {
  return {
      .name = "alloc.pluggable_threads",
      .summary =
          "Threads that allocate from the library and free each other's never hold the same byte twice, and find it as "
          "written",
      .source = "PyTorch's pluggable allocator interface",
      .needs = pluggable_needs(),
      .faults = {memory_allocated_twice(2), no_memory(4), lost_kernels()},
      .deadline = std::chrono::seconds(30),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_alloc::pluggable_threads
