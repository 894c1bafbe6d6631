#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace gpucheck::replay {

/// Which allocation an address belongs to while recorded events are followed in order.
class LiveAllocations {
 public:
  /// @return the allocation that lived there already, which thereby ends.
  std::optional<std::uint32_t> begin_life(std::uint64_t address, std::uint32_t id) {
    const auto [entry, is_new] = ids_.try_emplace(address, id);
    if (is_new || entry->second == no_id) {
      entry->second = id;
      ++living_count_;
      return std::nullopt;
    }
    const std::uint32_t replaced = entry->second;
    entry->second = id;
    return replaced;
  }
  /// @pre `living(address)`
  std::uint32_t end_life(std::uint64_t address) {
    --living_count_;
    return std::exchange(ids_.at(address), no_id);
  }
  /// @pre `living(address)`
  [[nodiscard]] std::uint32_t id(std::uint64_t address) const { return ids_.at(address); }
  [[nodiscard]] bool known(std::uint64_t address) const { return ids_.contains(address); }
  [[nodiscard]] bool living(std::uint64_t address) const { return known(address) && ids_.at(address) != no_id; }
  /// Lived once and does no more.
  [[nodiscard]] bool ended(std::uint64_t address) const { return known(address) && ids_.at(address) == no_id; }
  [[nodiscard]] std::uint64_t living_count() const noexcept { return living_count_; }

 private:
  static constexpr std::uint32_t no_id = UINT32_MAX;
  std::unordered_map<std::uint64_t, std::uint32_t> ids_;
  std::uint64_t living_count_ = 0;
};

/// Numbers stream handles in order of appearance; handle 0, the default stream, is 0.
class StreamNumbers {
 public:
  /// @throws EnvironmentError beyond 65,535 streams.
  std::uint16_t index(std::uint64_t handle);
  [[nodiscard]] const std::vector<std::uint64_t>& handles() const noexcept { return handles_; }

 private:
  std::vector<std::uint64_t> handles_{0};
  std::unordered_map<std::uint64_t, std::uint16_t> indices_{{0, std::uint16_t{0}}};
};

}  // namespace gpucheck::replay
