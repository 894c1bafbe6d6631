#pragma once

#include <optional>
#include <string>
#include <vector>

#include "input/environment.hpp"

namespace gpucheck::application {

/// An environment that has cases of the site's own among its cases.
class SiteEnvironment {
 public:
  /// @param folders of cases, as --cases names them; none: nothing is added.
  /// @throws UsageError naming the file, and the place in it, of what is not a case, and a name that is taken.
  SiteEnvironment(const Environment& environment, const std::vector<std::string>& folders);
  SiteEnvironment(const SiteEnvironment&) = delete;
  SiteEnvironment& operator=(const SiteEnvironment&) = delete;

  /// Valid as long as this object.
  [[nodiscard]] const Environment& get() const noexcept { return environment_; }

 private:
  std::optional<harness::Registry> registry_;
  Environment environment_;
};

}  // namespace gpucheck::application
