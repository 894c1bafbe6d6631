#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>

#include "device/fault/plan.hpp"

namespace gpucheck::fault {

/// A rule being carried out. Thread-safe.
class ArmedRule {
 public:
  explicit ArmedRule(const Rule& rule) noexcept : rule_(rule) {}

  [[nodiscard]] Effect effect() const noexcept { return rule_.effect; }
  [[nodiscard]] device::Status status() const noexcept { return rule_.status; }
  [[nodiscard]] const Place& place() const noexcept { return rule_.place; }
  [[nodiscard]] std::chrono::nanoseconds delay() const noexcept { return rule_.delay; }
  /// Whether the rule is about the `number`-th call (1-based) of `operation`. A rule
  /// with a condition stays due until it was claimed as often as it says.
  [[nodiscard]] bool is_due(Operation operation, std::uint64_t number) const noexcept;
  /// To be called when the condition of such a rule holds, before acting on it: true
  /// for as many callers as the rule has times.
  [[nodiscard]] bool claim() noexcept;

 private:
  [[nodiscard]] bool has_condition() const noexcept;

  Rule rule_;
  std::atomic<std::uint64_t> claimed_{0};
};

/// A plan being carried out: counts the calls and says what goes wrong with each. One
/// for a driver and all its devices. Thread-safe.
class Faults {
 public:
  explicit Faults(const Plan& plan);

  /// Counts a call. Null when nothing is wrong with it. Does not return when the call
  /// shall hang or kill the process.
  [[nodiscard]] ArmedRule* next(Operation operation) noexcept;
  /// What every call returns since the device was lost; success as long as it was not.
  [[nodiscard]] device::Status lost() const noexcept { return lost_.load(); }
  [[nodiscard]] bool hides_sticky_errors() const noexcept { return hides_sticky_errors_.load(); }

 private:
  [[nodiscard]] ArmedRule* find_due(Operation operation) noexcept;

  std::deque<ArmedRule> rules_;  // a vector would move the atomics
  std::array<std::atomic<std::uint64_t>, operation_count> calls_{};
  std::atomic<device::Status> lost_{device::Status::success};
  std::atomic<bool> hides_sticky_errors_{false};
};

}  // namespace gpucheck::fault
