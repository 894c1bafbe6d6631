#include "cases/nccl/suspects_support.hpp"

#include <algorithm>
#include <iterator>

namespace gpucheck::cases::in_nccl {
namespace {

double median_gbps(const std::vector<Pair>& pairs) {
  std::vector<double> speeds;
  std::ranges::transform(pairs, std::back_inserter(speeds), &Pair::gbps);
  const auto middle = speeds.begin() + static_cast<std::ptrdiff_t>(speeds.size() / 2);
  std::ranges::nth_element(speeds, middle);
  return *middle;
}

}  // namespace

std::vector<Pair> bad_pairs(const std::vector<Pair>& pairs) {
  constexpr double slow_share = 0.75;
  if (pairs.empty()) return {};
  const double slow_below = slow_share * median_gbps(pairs);
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

}  // namespace gpucheck::cases::in_nccl
