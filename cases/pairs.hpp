#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "harness/case/context.hpp"

/// What is measured of each two devices, and what it says of each of them.
namespace gpucheck::cases {

/// Two devices of a case, by their index there, and how fast they bring each other memory.
struct Pair {
  std::size_t first = 0;
  std::size_t second = 0;
  double gbps = 0;
  bool wrong = false;  ///< what arrived was not what was sent
};

/// A speed from each device of a case to each other one. What is never set was not measured.
class PairSpeeds {
 public:
  explicit PairSpeeds(std::size_t devices);

  void set(std::size_t from, std::size_t to, double gbps) { values_.at(from * devices_ + to) = gbps; }
  /// As a matrix (harness/result/pair_matrix.hpp): what reports show each pair by.
  void observe(harness::Context& context, const std::string& metric) const;

 private:
  std::size_t devices_;
  std::vector<double> values_;
};

/// Those that are wrong, or slower than three quarters of the median pair.
std::vector<Pair> bad_pairs(const std::vector<Pair>& pairs);

/// The devices that all bad pairs have in common, ascending; none where no pair is bad. One bad pair alone points at
/// both of its devices; bad pairs with nothing in common at none, but at what is between them.
std::vector<std::size_t> suspects(const std::vector<Pair>& pairs);

/// Calls it with each two devices of the case, the first before the second.
void for_each_pair(const harness::Context& context, const std::function<void(std::size_t, std::size_t)>& measure);

/// Observes how many there are, and which are bad and whom they point at, by the numbers that the driver gives devices:
/// `pairs`, `slowest_pair`, `bad_pairs`, `suspects`. By the last a run's verdicts on devices say whom a failure counts
/// against (harness/device_verdicts.hpp).
void observe_pairs(harness::Context& context, const std::vector<Pair>& pairs);

}  // namespace gpucheck::cases
