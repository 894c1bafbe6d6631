#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "observe/history/scope.hpp"
#include "observe/stacks/frame.hpp"
#include "observe/stacks/native_stack.hpp"
#include "runtime/allocator/memory_recorder.hpp"

namespace gpucheck::observe::detail {

/// Every different stack once, by number from 1: programs allocate from few places, so
/// that a number in each record is all that history needs. Thread-safe.
class StackTable {
 public:
  /// The number of the calling thread's present stack; 0 when there is no memory for it.
  /// `user_only` stacks are shown without library internals.
  [[nodiscard]] runtime::CallerNumber capture(bool user_only) noexcept;
  /// Scopes first, then native frames.
  [[nodiscard]] Stack stack(runtime::CallerNumber number, Symbolizer& symbolizer) const;

 private:
  struct Entry {
    std::vector<std::uintptr_t> counters;
    std::vector<ScopeId> scopes;
    bool user_only = false;
    bool operator==(const Entry&) const = default;
  };
  [[nodiscard]] static std::size_t hash(std::span<const std::uintptr_t> counters, std::span<const ScopeId> scopes,
                                        bool user_only) noexcept;

  mutable std::mutex mutex_;
  std::deque<Entry> entries_;
  std::unordered_multimap<std::size_t, runtime::CallerNumber> numbers_;  ///< by hash
};

}  // namespace gpucheck::observe::detail
