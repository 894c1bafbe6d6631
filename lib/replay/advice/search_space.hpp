#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpucheck::replay {

/// Settings that may be advised, in PyTorch's words.
struct Candidate {
  std::string settings;
  /// How many keys it sets. What sets more is advised only where it saves more.
  int keys = 0;
  bool operator==(const Candidate&) const = default;
};

/// All that is tried: README.md lists it. Fixed, without a string twice, those with fewer
/// keys first.
std::vector<Candidate> search_space();

/// What a settings string says of other things than those that are searched, such as
/// pinned memory: whoever follows the advice keeps it. Empty, or "key:value,...".
std::string other_settings(std::string_view recorded);

/// One settings string after the other; either may be empty.
std::string joined_settings(std::string_view first, std::string_view second);

}  // namespace gpucheck::replay
