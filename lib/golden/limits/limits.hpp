#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/result/result.hpp"

namespace re2 {
class RE2;
}

/// What measured values are judged by. The manual's topic "limits" has the format of the file.
namespace gpucheck::golden {

/// The limit of one measured value. Numbers are in the value's own unit, or shares of what the device could do at its
/// best.
struct Limit {
  std::string of;  ///< a best value (best_values.hpp), of which the numbers are shares; empty: the value's own unit
  std::optional<double> fail_below = {};
  std::optional<double> warn_below = {};
  std::optional<double> warn_above = {};
  std::optional<double> fail_above = {};
  std::string source;  ///< on whose word
};

/// What a limits file may expect of a GPU: by these names it is a parameter of the health cases.
inline constexpr std::array<std::string_view, 3> expectation_names{"expected_links", "expected_width",
                                                                   "expected_generation"};

/// Limits for a class of devices or hosts.
struct LimitClass {
  std::string name;
  std::string device;                            ///< regular expression for the whole of a device's name; empty: any
  std::shared_ptr<const re2::RE2> device_regex;  ///< the same; null for any
  std::optional<std::string> kind = {};          ///< only on "cuda" or "sim"
  std::string uuid = {};                         ///< only the device with this one; empty: any
  std::string pci_address = {};                  ///< likewise
  /// Only devices of which this best value (best_values.hpp) is known; empty: any.
  std::string tells = {};
  /// By the value's name, "group.case.key", or a glob of such names; the first that matches counts.
  std::vector<std::pair<std::string, Limit>> limits;
  /// By a name of `expectation_names`.
  std::vector<std::pair<std::string, std::int64_t>> expectations = {};
};

/// All limits of a run. A value; may be read by several threads.
class Limits {
 public:
  Limits() = default;
  /// @param origin for messages: a path. @throws MalformedGolden.
  static Limits parse(std::string_view json, const std::string& origin);

  /// From now on `others` are asked first.
  void override_with(Limits others);

  /// Judges one value. The limit is that of the first class that the device belongs to and that has one of this name.
  /// "unknown", with the reason in `source`, where there is none, where what it is a share of cannot be worked out, and
  /// where a number in the value's own unit is so far from the device's best that it must be in another unit.
  /// @param name "group.case.key"
  /// @param device null where the case has none.
  [[nodiscard]] harness::Measurement judge(std::string_view name, std::string_view key, double value,
                                           const harness::DeviceIdentity* device) const;

  /// Names and globs that none of these values (names, or globs of them) has, in the file's order: such a limit would
  /// judge nothing, unnoticed.
  [[nodiscard]] std::vector<std::string> names_beside(std::span<const std::string> values) const;

  /// What is expected of a device by this name of `expectation_names`: of the first class that it belongs to and that
  /// says it; nothing where none does.
  [[nodiscard]] std::optional<std::int64_t> expectation(std::string_view name,
                                                        const harness::DeviceIdentity& device) const;
  [[nodiscard]] bool has_expectations() const noexcept;

  [[nodiscard]] const std::vector<LimitClass>& classes() const noexcept { return classes_; }

 private:
  struct Found {
    const LimitClass* owner = nullptr;
    const Limit* limit = nullptr;
  };
  /// All that apply, the one to judge by first.
  [[nodiscard]] std::vector<Found> find(std::string_view name, const harness::DeviceIdentity& device) const;

  std::vector<LimitClass> classes_;
};

/// "pass", "warn" or "fail": the verdict on a measurement's value by its bounds alone.
std::string verdict_by_bounds(const harness::Measurement& measurement);

/// "at least 4426 (90 % of 4918, 2 x 3201 MHz x 6144 bit; source)": what a failing measurement should have been.
std::string describe_limit(const harness::Measurement& measurement);

}  // namespace gpucheck::golden
