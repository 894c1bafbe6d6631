#include "cases/pairs.hpp"

#include <algorithm>

#include "base/text/units.hpp"
#include "cases/nccl/support.hpp"
#include "device/fault/common_plans.hpp"

namespace gpucheck::cases::in_nccl::pairs {
namespace {

using namespace literals;

constexpr std::uint64_t on_gpu = 256_MiB;

/// The summary of all pairs.
struct Totals {
  PairSpeeds speeds;
  std::vector<Pair> pairs = {};
  Summary summary = {};
  std::size_t fewest_samples = in_bandwidth::sample_count;
  std::string first_mismatch = {};
  bool healthy = true;
};

void measure_pair(harness::Context& context, std::size_t first, std::size_t second, std::uint64_t bytes,
                  Totals& totals) {
  Ranks ranks(context, {first, second}, bytes);
  const Samples samples =
      ranks.measure(ranks.largest(device::CollectiveKind::all_reduce, device::ElementType::fp32, bytes));
  totals.pairs.push_back({first, second, samples.gbps(), ranks.summary().mismatches != 0});
  totals.speeds.set(first, second, samples.gbps());
  totals.speeds.set(second, first, samples.gbps());
  totals.summary.add(ranks.summary());
  totals.fewest_samples = std::min(totals.fewest_samples, samples.measured());
  totals.healthy = totals.healthy && ranks.is_healthy();
  if (totals.first_mismatch.empty()) totals.first_mismatch = ranks.first_mismatch();
}

void observe(harness::Context& context, const Totals& totals) {
  observe_pairs(context, totals.pairs);
  totals.speeds.observe(context, "all_reduce_gbps");
  context.observe("slowest_gbps", std::ranges::min_element(totals.pairs, {}, &Pair::gbps)->gbps);
  context.observe("samples_of_each", totals.fewest_samples);
  context.observe("held", totals.summary.held);
  context.observe("percent_verified", totals.summary.percent_verified);
  context.observe("mismatches", totals.summary.mismatches);
  context.observe("first_mismatch", totals.first_mismatch);
  context.observe("healthy", totals.healthy);
}

void run(harness::Context& context) {
  const std::uint64_t bytes = in_bandwidth::buffer_bytes(context, on_gpu);
  Totals totals{.speeds = PairSpeeds(context.device_count())};
  for_each_pair(context,
                [&](std::size_t first, std::size_t second) { measure_pair(context, first, second, bytes, totals); });
  observe(context, totals);
}

}  // namespace

harness::Case define() {
  harness::Case defined = collective_case(
      "nccl.pairs", "Each two devices add up what both have; the one that all wrong or slow pairs share is named",
      "gcm nccl pairwise", run);
  defined.parameters = {in_bandwidth::bytes_parameter(on_gpu)};
  // The spread of one pair is not reported: the slowest pair counts.
  std::erase_if(defined.faults, [](const harness::Fault& fault) { return fault.name == "some_collectives_are_slow"; });
  // The first kernel writes what the first device sends in its first pair.
  defined.faults.push_back({.name = "wrong_data_in_one_pair",
                            .summary = "the first device has a number with the wrong sign for one of the others",
                            .plan = fault::kernel_flips_bit(fault::nth_call(1))});
  return defined;
}

}  // namespace gpucheck::cases::in_nccl::pairs
