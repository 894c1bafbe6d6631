#include "observe/history/history_options.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "base/error.hpp"

namespace gpucheck::observe {
namespace {

using runtime::MemoryAction;

constexpr std::array skippable{MemoryAction::alloc,         MemoryAction::free_requested, MemoryAction::free_completed,
                               MemoryAction::segment_alloc, MemoryAction::segment_free,   MemoryAction::oom};

MemoryAction parse_action(std::string_view name) {
  const auto place = std::ranges::find(skippable, name, [](MemoryAction action) { return runtime::name_of(action); });
  if (place != skippable.end()) return *place;
  throw UsageError(fmt::format(
      "expected skip_actions to be 'alloc', 'free_requested', 'free_completed', 'segment_alloc', 'segment_free' or "
      "'oom', got '{}'",
      name));
}

}  // namespace

Recording parse_recording(std::optional<std::string_view> text) {
  if (!text) return Recording::off;
  if (*text == "state") return Recording::state;
  if (*text == "all") return Recording::all;
  throw UsageError(fmt::format("expected state to be 'state', 'all', or None, got '{}'", *text));
}

ContextLevel parse_context(std::optional<std::string_view> text) {
  if (!text) return ContextLevel::none;
  if (*text == "state") return ContextLevel::state;
  if (*text == "alloc") return ContextLevel::alloc;
  if (*text == "all") return ContextLevel::all;
  throw UsageError(fmt::format("expected context to be 'state', 'alloc', 'all', or None, got '{}'", *text));
}

StackKind parse_stacks(std::string_view text) {
  if (text == "python") return StackKind::brief;
  if (text == "all") return StackKind::full;
  throw UsageError(fmt::format("expected stacks to be 'python', or 'all', got '{}'", text));
}

std::vector<MemoryAction> parse_skip_actions(const std::vector<std::string_view>& names) {
  std::vector<MemoryAction> actions(names.size());
  std::ranges::transform(names, actions.begin(), parse_action);
  return actions;
}

}  // namespace gpucheck::observe
