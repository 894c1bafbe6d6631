#include "cases/pairs.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <limits>

#include "harness/result/pair_matrix.hpp"

namespace gpucheck::cases {
namespace {

std::string name_of(harness::Context& context, const Pair& pair) {
  return fmt::format("{}-{}", context.device(pair.first).ordinal(), context.device(pair.second).ordinal());
}

}  // namespace

PairSpeeds::PairSpeeds(std::size_t devices)
    : devices_(devices), values_(devices * devices, std::numeric_limits<double>::quiet_NaN()) {}

void PairSpeeds::observe(harness::Context& context, const std::string& metric) const {
  context.observe(fmt::format("{}{}", metric, harness::pair_matrix_ending), values_);
}

std::vector<Pair> bad_pairs(const std::vector<Pair>& pairs) {
  std::vector<double> speeds;
  std::ranges::transform(pairs, std::back_inserter(speeds), &Pair::gbps);
  const double slow_below = harness::slow_pair_share * harness::median_of_pairs(speeds);
  std::vector<Pair> bad;
  std::ranges::copy_if(pairs, std::back_inserter(bad),
                       [&](const Pair& pair) { return pair.wrong || pair.gbps < slow_below; });
  return bad;
}

std::vector<std::size_t> suspects(const std::vector<Pair>& pairs) {
  const std::vector<Pair> bad = bad_pairs(pairs);
  if (bad.empty()) return {};
  std::vector<std::size_t> shared;
  for (const std::size_t device : {bad.front().first, bad.front().second}) {
    const auto has_it = [device](const Pair& pair) { return pair.first == device || pair.second == device; };
    if (std::ranges::all_of(bad, has_it)) shared.push_back(device);
  }
  std::ranges::sort(shared);
  return shared;
}

void for_each_pair(const harness::Context& context, const std::function<void(std::size_t, std::size_t)>& measure) {
  for (std::size_t first = 0; first < context.device_count(); ++first) {
    for (std::size_t second = first + 1; second < context.device_count(); ++second) measure(first, second);
  }
}

void observe_pairs(harness::Context& context, const std::vector<Pair>& pairs) {
  context.observe("pairs", pairs.size());
  const auto slowest = std::ranges::min_element(pairs, {}, &Pair::gbps);
  context.observe("slowest_pair", slowest == pairs.end() ? std::string() : name_of(context, *slowest));
  std::vector<std::string> bad;
  for (const Pair& pair : bad_pairs(pairs)) bad.push_back(name_of(context, pair));
  context.observe("bad_pairs", bad);
  std::vector<std::int64_t> suspected;
  for (const std::size_t index : suspects(pairs)) suspected.push_back(context.device(index).ordinal());
  context.observe("suspects", suspected);
}

}  // namespace gpucheck::cases
