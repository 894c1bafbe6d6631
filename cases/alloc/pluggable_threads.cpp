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
  /// Every address is entered before it is given on and taken out before it is freed.
  void hand_on(std::size_t to, const LibraryBlock& block) {
    const std::scoped_lock lock(mutex_);
    if (block.data == nullptr) {
      ++failed_;
      return;
    }
    ++given_;
    if (!in_use_.insert(block.data).second) ++given_twice_;
    waiting_[to].push_back(block);
  }
  /// Blocks for `thread` to free, all but the youngest few.
  std::vector<LibraryBlock> take(std::size_t thread, std::size_t keep) {
    const std::scoped_lock lock(mutex_);
    std::vector<LibraryBlock>& mine = waiting_[thread];
    std::vector<LibraryBlock> taken;
    while (mine.size() > keep) {
      taken.push_back(mine.front());
      in_use_.erase(mine.front().data);
      mine.erase(mine.begin());
    }
    return taken;
  }
  void observe(harness::Context& context) const {
    context.observe("requests_refused", failed_);
    context.observe("blocks_given", given_);
    context.observe("handed_out_while_in_use", given_twice_);
  }

 private:
  std::mutex mutex_;
  std::array<std::vector<LibraryBlock>, thread_count> waiting_;
  std::set<std::uint8_t*> in_use_;
  std::int64_t failed_ = 0;
  std::int64_t given_ = 0;
  std::int64_t given_twice_ = 0;
};

void work(const runtime::PluggableLibrary& library, device::Stream stream, std::uint64_t seed, std::size_t number,
          Exchange& exchange) {
  std::mt19937_64 random(seed + number);
  for (std::size_t i = 0; i < blocks_each; ++i) {
    const std::size_t bytes = std::size_t{512} << (random() % 6);
    const LibraryBlock block{static_cast<std::uint8_t*>(library.allocate(bytes, stream)), bytes, stream};
    exchange.hand_on((number + 1) % thread_count, block);
    for (const LibraryBlock& other : exchange.take(number, max_waiting)) {
      library.free(other.data, other.bytes, other.stream);
    }
  }
}

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  const runtime::PluggableLibrary& library = runtime.pluggable_library();
  const device::Stream stream = runtime.current_stream();
  Exchange exchange;
  {
    std::vector<std::jthread> threads;
    for (std::size_t number = 0; number < thread_count; ++number) {
      threads.emplace_back([&, number] { work(library, stream, context.seed(), number, exchange); });
    }
  }
  for (std::size_t number = 0; number < thread_count; ++number) {
    for (const LibraryBlock& block : exchange.take(number, 0)) library.free(block.data, block.bytes, block.stream);
  }
  exchange.observe(context);
}

}  // namespace

harness::Case pluggable_threads() {
  return {
      .name = "alloc.pluggable_threads",
      .summary = "Threads that take memory from the library and free each other's never hold the same block",
      .source = "PyTorch's pluggable allocator interface",
      .needs = pluggable_needs(),
      .faults = {memory_given_twice(2), no_memory(4)},
      .deadline = std::chrono::seconds(30),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_alloc
