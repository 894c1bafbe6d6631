#include "observe/history/stack_table.hpp"

#include <algorithm>
#include <new>

namespace gpucheck::observe::detail {

std::size_t StackTable::hash(std::span<const std::uintptr_t> counters, std::span<const ScopeId> scopes,
                             bool user_only) noexcept {
  std::uint64_t value = user_only ? 1 : 0;
  const auto add = [&value](std::uint64_t part) {
    value = (value ^ part) * 0x9E3779B97F4A7C15U;
    value ^= value >> 32U;
  };
  for (const std::uintptr_t counter : counters) add(counter);
  for (const ScopeId scope : scopes) add(~std::uint64_t{scope});
  return value;
}

runtime::CallerNumber StackTable::capture(bool user_only) noexcept {
  ProgramCounters counters;
  unwind(counters);
  const std::span<const ScopeId> scopes = current_scopes();
  const std::size_t key = hash(counters.view(), scopes, user_only);
  const std::scoped_lock lock(mutex_);
  for (auto [place, end] = numbers_.equal_range(key); place != end; ++place) {
    const Entry& entry = entries_[place->second - 1];
    if (entry.user_only == user_only && std::ranges::equal(entry.counters, counters.view()) &&
        std::ranges::equal(entry.scopes, scopes)) {
      return place->second;
    }
  }
  try {
    const std::span<const std::uintptr_t> values = counters.view();
    entries_.push_back({{values.begin(), values.end()}, {scopes.begin(), scopes.end()}, user_only});
    const auto number = static_cast<runtime::CallerNumber>(entries_.size());
    numbers_.emplace(key, number);
    return number;
  } catch (const std::bad_alloc&) {
    return runtime::unknown_caller;
  }
}

Stack StackTable::stack(runtime::CallerNumber number, Symbolizer& symbolizer) const {
  if (number == runtime::unknown_caller) return {};
  Entry entry;
  {
    const std::scoped_lock lock(mutex_);
    entry = entries_[number - 1];
  }
  Stack stack;
  for (auto id = entry.scopes.rbegin(); id != entry.scopes.rend(); ++id) {
    const ScopeName scope = scope_name(*id);
    stack.push_back({scope.name, scope.file, scope.line});
  }
  const Stack native = entry.user_only ? symbolizer.user_frames(entry.counters) : symbolizer.frames(entry.counters);
  stack.insert(stack.end(), native.begin(), native.end());
  return stack;
}

}  // namespace gpucheck::observe::detail
