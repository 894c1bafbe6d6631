#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/case/case.hpp"

namespace gpucheck::harness {

/// All cases of a binary, sorted by name. Immutable after construction, so safe to
/// share between threads.
class Registry {
 public:
  /// @throws Error for a duplicate or malformed name (both are bugs of the binary).
  explicit Registry(std::vector<Case> cases);

  [[nodiscard]] std::span<const Case> cases() const noexcept { return cases_; }
  /// Null when there is none.
  [[nodiscard]] const Case* find(std::string_view name) const noexcept;
  /// @throws UsageError with the nearest names.
  [[nodiscard]] const Case& require(std::string_view name) const;
  /// The cases that match any of the globs (`*` and `?`; `{a,b}` is not supported), in
  /// name order; all of them when no glob is given. A word without wildcards that is
  /// the name of a group selects the group.
  /// @throws UsageError with the nearest names for a word without wildcards that
  /// names nothing.
  [[nodiscard]] std::vector<const Case*> select(std::span<const std::string> globs) const;
  /// Up to `limit` names closest to `name` by edit distance, best first.
  [[nodiscard]] std::vector<std::string> nearest(std::string_view name, std::size_t limit = 3) const;

 private:
  std::vector<Case> cases_;
};

/// True when a word of a selection stands for the case: by a glob, or by its group.
bool selects(std::string_view word, std::string_view case_name) noexcept;

/// True when `text` matches `glob` (`*`, `?`).
bool matches_glob(std::string_view glob, std::string_view text) noexcept;

}  // namespace gpucheck::harness
