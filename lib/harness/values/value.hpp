#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace gpucheck::harness {

/// What a case can observe: a JSON scalar or a flat array of one kind.
using Value = std::variant<bool, std::int64_t, double, std::string, std::vector<bool>, std::vector<std::int64_t>,
                           std::vector<double>, std::vector<std::string>>;

struct Observation {
  std::string key;
  Value value;
  bool operator==(const Observation&) const = default;
};

/// In the order observed; each key once.
using Observations = std::vector<Observation>;

/// One line of compact JSON, for messages: `true`, `12`, `"text"`, `[1, 2]`.
std::string to_text(const Value& value);

}  // namespace gpucheck::harness
