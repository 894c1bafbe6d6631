#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpucheck::runtime::detail {

/// A settings string cut at ',', ':', '[' and ']' (each a token of its own), without
/// white space. Reads in order. Every read @throws SettingsError past the end.
class SettingsTokens {
 public:
  explicit SettingsTokens(std::string_view text);

  [[nodiscard]] bool at_end() const noexcept { return position_ >= tokens_.size(); }
  [[nodiscard]] const std::string& peek() const;
  const std::string& next();
  /// Skips a separator. Which one stands there is not checked, as PyTorch does not.
  void skip_separator() { static_cast<void>(next()); }

  bool next_bool();
  std::uint64_t next_integer();
  double next_double();

 private:
  std::vector<std::string> tokens_;
  std::size_t position_ = 0;
};

/// @throws SettingsError unless the token starts with a number.
std::uint64_t to_integer(const std::string& token);

}  // namespace gpucheck::runtime::detail
