#include <array>
#include <mutex>
#include <random>
#include <set>
#include <thread>

#include "cases/alloc/pluggable_support.hpp"
#include "harness/case.hpp"

namespace gpucheck::cases::in_alloc {
namespace {

constexpr std::size_t thread_count = 4;
constexpr std::size_t blocks_each = 200;
constexpr std::size_t max_waiting = 8;

/// Blocks on their way to the thread that frees them, and who is in use.
class Exchange {
 public:
  /// Every address is entered before it is passed on and removed before it is freed.
  void pass_on(std::size_t to, const LibraryBlock& block) {
    const std::scoped_lock lock(mutex_);
    if (block.data == nullptr) {
      ++failed_;
      return;
    }
    ++allocated_;
    if (!in_use_.insert(block.data).second) ++allocated_twice_;
    waiting_[to].push_back(block);
  }
  /// Blocks for `thread` to free, all but the youngest few.
  std::vector<LibraryBlock> next_to_free(std::size_t thread, std::size_t keep) {
    const std::scoped_lock lock(mutex_);
    std::vector<LibraryBlock>& mine = waiting_[thread];
    std::vector<LibraryBlock> to_free;
    while (mine.size() > keep) {
      to_free.push_back(mine.front());
      in_use_.erase(mine.front().data);
      mine.erase(mine.begin());
    }
    return to_free;
  }
  void observe(harness::Context& context) const {
    context.observe("requests_failed", failed_);
    context.observe("blocks_allocated", allocated_);
    context.observe("allocated_while_in_use", allocated_twice_);
  }

 private:
  std::mutex mutex_;
  std::array<std::vector<LibraryBlock>, thread_count> waiting_;
  std::set<std::uint8_t*> in_use_;
  std::int64_t failed_ = 0;
  std::int64_t allocated_ = 0;
  std::int64_t allocated_twice_ = 0;
};

void work(const runtime::PluggableLibrary& library, device::Stream stream, std::uint64_t seed, std::size_t number,
          Exchange& exchange) {
  std::mt19937_64 random(seed + number);
  for (std::size_t i = 0; i < blocks_each; ++i) {
    const std::size_t bytes = std::size_t{512} << (random() % 6);
    const LibraryBlock block{static_cast<std::uint8_t*>(library.allocate(bytes, stream)), bytes, stream};
    exchange.pass_on((number + 1) % thread_count, block);
    for (const LibraryBlock& other : exchange.next_to_free(number, max_waiting)) {
      library.free(other.data, other.bytes, other.stream);
    }
  }
}

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  const runtime::PluggableLibrary& library = runtime.pluggable_library();
  const device::Stream stream = runtime.current_stream();
  Exchange exchange;
  std::vector<std::exception_ptr> thrown(thread_count);
  {
    std::vector<std::jthread> threads;
    for (std::size_t number = 0; number < thread_count; ++number) {
      threads.emplace_back(
          guarded(thrown[number], [&, number] { work(library, stream, context.seed(), number, exchange); }));
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

harness::Case pluggable_threads() {
  return {
      .name = "alloc.pluggable_threads",
      .summary = "Threads that allocate from the library and free each other's never hold the same block",
      .source = "PyTorch's pluggable allocator interface",
      .needs = pluggable_needs(),
      .faults = {memory_allocated_twice(2), no_memory(4)},
      .deadline = std::chrono::seconds(30),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_alloc
