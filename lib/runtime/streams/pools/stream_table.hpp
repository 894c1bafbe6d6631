#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace gpucheck::runtime::detail {

/// Values by the id of a stream of one device (`StreamPool::stream_id`), visited in the
/// order in which PyTorch's hash table of streams (c10/util/flat_hash_map.h) visits
/// them. That order decides which of the blocks whose events are complete is merged
/// first, hence what it merges with. The table: open addressing; a stream's home is the
/// upper bits of its id times 2^64 / phi; who is farther from home displaces who is
/// nearer; at most half full; it never shrinks. Not thread-safe.
template <typename Value>
class StreamTable {
 public:
  explicit StreamTable(int device_ordinal) noexcept
      : device_bits_(cuda_device_type << 56U | static_cast<std::uint64_t>(device_ordinal) << 48U) {}

  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }

  /// The stream's value; a new one is made by default. Valid until the next call.
  Value& operator[](std::int64_t id) {
    if (const std::size_t found = find(id); found != slots_.size()) return slots_[found].entry.value;
    insert({id, {}});
    return slots_[find(id)].entry.value;
  }

  /// Calls `is_done(id, value)` for every stream and forgets those it returns true for.
  template <typename IsDone>
  void erase_if(IsDone&& is_done) {
    for (std::size_t at = 0; at < slots_.size();) {
      Slot& slot = slots_[at];
      if (!slot.is_empty() && is_done(slot.entry.id, slot.entry.value)) {
        erase(at);  // the next one may now be here
      } else {
        ++at;
      }
    }
  }

 private:
  static constexpr std::uint64_t cuda_device_type = 1;  // c10::DeviceType::CUDA
  static constexpr std::uint64_t id_mask = (std::uint64_t{1} << 48U) - 1;
  static constexpr std::uint64_t fibonacci = 11400714819323198485U;  // 2^64 / phi
  static constexpr std::size_t min_homes = 4;
  static constexpr int min_lookups = 4;

  struct Entry {
    std::int64_t id = 0;
    Value value;
  };
  struct Slot {
    int distance = -1;  ///< from home; negative when empty
    Entry entry;
    [[nodiscard]] bool is_empty() const noexcept { return distance < 0; }
  };

  [[nodiscard]] std::size_t home_of(std::int64_t id) const noexcept {
    const std::uint64_t hash = device_bits_ | (static_cast<std::uint64_t>(id) & id_mask);
    return (hash * fibonacci) >> (65U - static_cast<unsigned>(std::bit_width(homes_)));
  }

  /// slots_.size() when there is none.
  [[nodiscard]] std::size_t find(std::int64_t id) const noexcept {
    if (empty()) return slots_.size();
    std::size_t at = home_of(id);
    for (int distance = 0; slots_[at].distance >= distance; ++distance, ++at) {
      if (slots_[at].entry.id == id) return at;
    }
    return slots_.size();
  }

  void insert(Entry entry) {
    if (2 * (size_ + 1) > homes_) grow();
    int distance = 0;
    std::size_t at = home_of(entry.id);
    for (; slots_[at].distance >= distance; ++at) ++distance;
    const std::size_t first = at;
    for (; distance < lookups_; ++at, ++distance) {
      if (slots_[at].is_empty()) {
        slots_[at] = {distance, std::move(entry)};
        ++size_;
        return;
      }
      if (slots_[at].distance < distance) {
        std::swap(distance, slots_[at].distance);
        std::swap(entry, slots_[at].entry);
      }
    }
    // No place for the one displaced last: the new one cedes its own to it.
    if (at != first) std::swap(entry, slots_[first].entry);
    grow();
    insert(std::move(entry));
  }

  void erase(std::size_t at) {
    for (; slots_[at + 1].distance > 0; ++at) {
      slots_[at] = {slots_[at + 1].distance - 1, std::move(slots_[at + 1].entry)};
    }
    slots_[at] = {};
    --size_;
  }

  void grow() {
    homes_ = std::max(min_homes, 2 * homes_);
    lookups_ = std::max(min_lookups, static_cast<int>(std::bit_width(homes_)) - 1);
    // The last slot stays empty and ends every search.
    std::vector<Slot> old(homes_ + static_cast<std::size_t>(lookups_));
    std::swap(old, slots_);
    size_ = 0;
    for (Slot& slot : old) {
      if (!slot.is_empty()) insert(std::move(slot.entry));
    }
  }

  std::uint64_t device_bits_;
  std::vector<Slot> slots_;
  std::size_t homes_ = 0;  ///< a power of two
  int lookups_ = 0;        ///< slots from home that an entry may be in
  std::size_t size_ = 0;
};

}  // namespace gpucheck::runtime::detail
