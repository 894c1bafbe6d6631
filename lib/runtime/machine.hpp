#pragma once

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/runtime.hpp"

namespace gpucheck::runtime {

/// The host and the runtimes of its devices, by the number that each device's driver gives it. A value; the runtimes
/// must outlive it. Thread-safe.
class Machine {
 public:
  /// The host alone.
  Machine() noexcept = default;
  /// @param runtimes one for each device, in any order
  explicit Machine(std::vector<Runtime*> runtimes) noexcept : runtimes_(std::move(runtimes)) {}

  [[nodiscard]] std::size_t device_count() const noexcept { return runtimes_.size(); }

  /// Where what was saved with this location belongs, as PyTorch's `torch.load` finds it: "cpu" is the host (null),
  /// "cuda:1" the device of that number, "cuda" the thread's current device, or the first one where that has no runtime
  /// here. @throws Error with PyTorch's text for another text, and for a device that is not there.
  [[nodiscard]] Runtime* runtime_at(std::string_view location) const;

 private:
  [[nodiscard]] Runtime* find(int index) const noexcept;

  std::vector<Runtime*> runtimes_;
};

}  // namespace gpucheck::runtime
