#include <fmt/format.h>
#include <gtest/gtest.h>
#include <random>
#include <set>
#include <string>
#include <unordered_map>

#include "base/text/units.hpp"
#include "runtime/tests/simulated.hpp"

// A freed block that waits, unmerged, for being asked for again must not show: neither
// in the addresses allocated nor in any statistic or snapshot.
namespace gpucheck::runtime::test {
namespace {

using namespace literals;

/// The same calls to two allocators, of which one merges every freed block at once: a
/// snapshot shows what is free, and has that effect.
class Twins {
 public:
  Twins(const std::string& settings, std::uint64_t seed) : random_(seed) {
    for (Simulated* machine : {&parking_, &merging_}) machine->allocator().set_settings(settings);
    parking_streams_ = {parking_.default_stream(), parking_.side_stream()};
    merging_streams_ = {merging_.default_stream(), merging_.side_stream()};
  }

  void step() {
    merge();
    if (live_.empty() || random_() % 100 < 53) {
      allocate();
    } else if (random_() % 4 == 0) {
      free_and_allocate_again();
    } else {
      free();
    }
    if (random_() % 50 == 0) reset_statistics();
  }
  /// Whenever one allocates an address again, the other does with the one that went with it.
  [[nodiscard]] bool last_addresses_agree() {
    if (live_.empty()) return true;
    const auto [parking, merging] = std::pair(live_.back().parking, live_.back().merging);
    return counterpart_.try_emplace(parking, merging).first->second == merging &&
           reverse_.try_emplace(merging, parking).first->second == parking;
  }
  void expect_equal() {
    EXPECT_EQ(flatten(parking_.allocator().stats()), flatten(merging_.allocator().stats()));
    EXPECT_EQ(layouts(parking_.allocator()), layouts(merging_.allocator()));
  }
  void free_everything() {
    while (!live_.empty()) free();
  }

 private:
  struct Pair {
    std::intptr_t parking = 0;
    std::intptr_t merging = 0;
    std::size_t bytes = 0;
  };

  void merge() { static_cast<void>(merging_.allocator().snapshot()); }
  /// One block to and fro: mostly with the same request, now and then in use at the end.
  void free_and_allocate_again() {
    const std::size_t rounds = 1 + random_() % 6;
    for (std::size_t round = 0; round < rounds; ++round) {
      free_at(live_.size() - 1);
      merge();
      allocate_bytes(random_() % 8 == 0 ? last_freed_ + 1 : last_freed_, 0);
      merge();
    }
    if (random_() % 2 == 0) free_at(live_.size() - 1);
  }
  void reset_statistics() {
    for (Simulated* machine : {&parking_, &merging_}) {
      machine->allocator().reset_peak_stats();
      machine->allocator().reset_accumulated_stats();
    }
  }

  std::size_t size() {
    if (random_() % 2 == 0) return last_freed_;
    const auto magnitude = static_cast<unsigned>(random_() % 17);
    return 1 + random_() % (512ULL << magnitude);
  }
  void allocate() {
    const std::size_t bytes = size();
    allocate_bytes(bytes, random_() % 8 == 0 ? 1 : 0);
  }
  void allocate_bytes(std::size_t bytes, std::size_t stream) {
    Pair pair;
    pair.bytes = bytes;
    pair.parking = reinterpret_cast<std::intptr_t>(parking_.allocator().allocate(pair.bytes, parking_streams_[stream]));
    pair.merging = reinterpret_cast<std::intptr_t>(merging_.allocator().allocate(pair.bytes, merging_streams_[stream]));
    live_.push_back(pair);
  }
  void free() {
    // Mostly what came last, as programs do.
    free_at(random_() % 3 == 0 ? random_() % live_.size() : live_.size() - 1);
  }
  void free_at(std::size_t index) {
    parking_.allocator().free(reinterpret_cast<void*>(live_[index].parking));
    merging_.allocator().free(reinterpret_cast<void*>(live_[index].merging));
    last_freed_ = live_[index].bytes;
    live_.erase(live_.begin() + static_cast<std::ptrdiff_t>(index));
  }
  /// Segments without their addresses, in no order.
  static std::multiset<std::string> layouts(CachingAllocator& allocator) {
    std::multiset<std::string> result;
    for (const SegmentInfo& segment : allocator.snapshot()) {
      std::string text =
          fmt::format("{} {} {} {}:", segment.is_large, segment.total_size, segment.requested_size, segment.was_split);
      for (const BlockInfo& block : segment.blocks) {
        text += fmt::format(" {}@{} {} {}", block.size, block.address - segment.address, block.requested_size,
                            name_of(block.state));
      }
      result.insert(std::move(text));
    }
    return result;
  }

  std::mt19937_64 random_;
  Simulated parking_;
  Simulated merging_;
  std::vector<device::Stream> parking_streams_;
  std::vector<device::Stream> merging_streams_;
  std::vector<Pair> live_;
  std::unordered_map<std::intptr_t, std::intptr_t> counterpart_;
  std::unordered_map<std::intptr_t, std::intptr_t> reverse_;
  std::size_t last_freed_ = 512;
};

class ParkedBlock : public testing::TestWithParam<std::tuple<const char*, int>> {};

TEST_P(ParkedBlock, DoesNotShow) {
  const auto [settings, seed] = GetParam();
  Twins twins(settings, static_cast<std::uint64_t>(seed));
  for (int step = 0; step < 4'000; ++step) {
    twins.step();
    ASSERT_TRUE(twins.last_addresses_agree()) << "step " << step;
    if (step % 97 == 0) twins.expect_equal();
    if (HasFailure()) FAIL() << "step " << step;
  }
  twins.free_everything();
  twins.expect_equal();
}

INSTANTIATE_TEST_SUITE_P(Settings, ParkedBlock,
                         testing::Combine(testing::Values("", "max_split_size_mb:21", "roundup_power2_divisions:4",
                                                          "expandable_segments:True",
                                                          "max_split_size_mb:24,roundup_power2_divisions:[1:2,>:8]"),
                                          testing::Range(1, 5)));

}  // namespace
}  // namespace gpucheck::runtime::test
