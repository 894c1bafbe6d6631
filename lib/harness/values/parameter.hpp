#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace gpucheck::harness {

using ParameterValue = std::variant<bool, std::int64_t, double, std::string>;

/// One knob of a case. The default's type is the parameter's type.
struct Parameter {
  std::string name;  ///< lower case with underscores; `--with-dashes` as an option
  std::string summary;
  ParameterValue default_value;
  std::string unit = {};               ///< "bytes", "ms", ...; empty when it has none
  std::optional<double> minimum = {};  ///< inclusive; numbers only
  std::optional<double> maximum = {};
  /// Where 0 stands for a value of the case's own: the least besides, as less would test nothing.
  std::optional<double> smallest = {};
  std::vector<std::string> choices = {};  ///< strings only; empty means any

  /// Reads a value as typed at the command line. Integers with unit "bytes" also take
  /// a binary suffix ("64MiB").
  /// @throws UsageError saying what is allowed.
  [[nodiscard]] ParameterValue parse(std::string_view text) const;
  /// "integer from 1 to 1000000", for help texts and errors.
  [[nodiscard]] std::string allowed() const;
};

/// Values given for a case's parameters, by name; those left out have their defaults.
using ParameterValues = std::map<std::string, ParameterValue, std::less<>>;

std::string to_text(const ParameterValue& value);

}  // namespace gpucheck::harness
