#pragma once

#include <compare>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpucheck::replay {

struct TorchVersion {
  int major = 0;
  int minor = 0;
  auto operator<=>(const TorchVersion&) const = default;
};
/// "2.6", "2.6.0+cu124", "v2.6.1". @throws UsageError
TorchVersion parse_torch_version(std::string_view text);
std::string to_text(TorchVersion version);

/// The keys that advice may set.
std::span<const std::string_view> searched_keys();

/// What restricts the keys that are set.
struct KeyRules {
  std::vector<std::string> excluded = {};
  std::optional<TorchVersion> torch = std::nullopt;  ///< knows all of them; absent: any release
};
/// None of the keys is excluded, and the release knows them all, with their kind of value.
/// The releases that first know a key are stated for the keys that gpucheck knows.
bool are_allowed(std::string_view settings, const KeyRules& rules);

/// The first release that knows all keys of the settings, as far as gpucheck knows.
TorchVersion first_release_of(std::string_view settings);

/// Expandable segments together with a split limit. PyTorch then leaves a free block above the limit unused, in a
/// segment that cannot be released as a whole, so that what is reserved can grow without end: never advised.
bool combines_expandable_with_split_limit(std::string_view settings);

/// What is known to go wrong in some programs under a setting.
struct KnownBreakage {
  std::string_view key;
  std::string_view what;                              ///< a sentence without a full stop
  std::string_view source;                            ///< where that is from
  std::optional<TorchVersion> from = std::nullopt;    ///< absent: since the key is there
  std::optional<TorchVersion> before = std::nullopt;  ///< the first release that is free of it, if any is
};
/// What breaks under settings that PyTorch takes, in a release, or in any where none is named.
std::vector<KnownBreakage> known_to_break(std::string_view settings, std::optional<TorchVersion> torch = std::nullopt);

}  // namespace gpucheck::replay
