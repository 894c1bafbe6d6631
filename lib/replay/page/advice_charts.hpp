#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "replay/advice/advice.hpp"
#include "replay/formats/snapshot/stacks.hpp"

namespace gpucheck::replay {

/// Pictures of advice, each one <svg> element as wide as what it stands in. Text from a file
/// is escaped. Empty where there is nothing to draw.

/// The memory limit, where it is near enough to what the settings need to be in one picture
/// with it: up to twice as much.
std::optional<std::uint64_t> shown_limit(const Advice& advice);

/// A bar for each of the ranked settings: the smallest memory, and behind it the peak that is
/// reserved without a limit.
std::string ranking_chart(const Advice& advice);

/// Reserved memory under each of the curves' settings, and what is allocated beneath.
std::string usage_chart(const Advice& advice);

/// What is live at the peak, by stack.
std::string live_chart(const Advice& advice, const StackTable& stacks);

}  // namespace gpucheck::replay
