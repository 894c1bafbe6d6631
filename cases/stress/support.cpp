#include "cases/stress/support.hpp"

#include <algorithm>
#include <cmath>

#include "device/fault/common_plans.hpp"

namespace gpucheck::cases::in_stress {
namespace {

/// One of so many products is a known one.
constexpr std::uint64_t known_share = 8;
constexpr std::uint64_t random_seed = 1;

const in_gemm::ProductType& type_of(harness::Context& context) {
  const auto& name = context.parameter<std::string>("type");
  return *std::ranges::find(load_types, name, &NamedType::name)->type;
}

bool is_simulated(harness::Context& context) { return context.driver().kind() == "sim"; }

}  // namespace

harness::Parameter type_parameter() {
  harness::Parameter parameter{.name = "type", .summary = "what is multiplied", .default_value = std::string("bf16")};
  for (const NamedType& type : load_types) parameter.choices.emplace_back(type.name);
  return parameter;
}

double seconds_of(harness::Context& context) {
  const double given = context.parameter<double>("seconds");
  if (given > 0) return given;
  return is_simulated(context) ? 0.0002 : 5;
}

Rhythm rhythm_of(harness::Context& context) {
  const auto pulses = static_cast<std::size_t>(context.parameter<std::int64_t>("pulses"));
  const double period_ms = context.parameter<double>("period_ms");
  return {.pulses = pulses != 0 ? pulses : (is_simulated(context) ? 4U : 20U),
          .half_ms = (period_ms > 0 ? period_ms : (is_simulated(context) ? 0.05 : 100.0)) / 2};
}

std::size_t products_within(double ms, double one_ms) {
  constexpr double most = 1e6;
  return one_ms > 0 ? static_cast<std::size_t>(std::clamp(std::ceil(ms / one_ms), 1.0, most)) : 1;
}

Load::Load(harness::Context& context, device::Stream stream) : Load(context, stream, type_of(context)) {}

Load::Load(harness::Context& context, device::Stream stream, const in_gemm::ProductType& type)
    : random_(context.runtime(), type, in_gemm::size_of(context), stream),
      known_(context.runtime(), type, in_gemm::size_of(context), stream) {
  known_.fill_known(in_gemm::known_products(type, in_gemm::size_of(context)).front());
  random_.fill_random(random_seed);
  random_.multiply();
  static_cast<void>(random_.digest());
}

void Load::add(std::size_t products) {
  for (std::size_t i = 0; i < products; ++i) {
    if (++products_ % known_share == 0) {
      known_.multiply();
      known_.check();
    } else {
      random_.multiply();
      random_.compare_digest();
    }
  }
}

void Load::observe(harness::Context& context) {
  const in_gemm::Findings found = known_.findings();
  const device::kernels::DigestTally digests = random_.digest_tally();
  const auto checked = static_cast<std::int64_t>(digests.compared + found.tally.checked / known_.elements());
  context.observe("library", harness::Value(random_.library()));
  context.observe("algorithm", harness::Value(random_.algorithm()));
  context.observe("checked_products", checked);
  context.observe("unchecked_products", static_cast<std::int64_t>(products_) - checked);
  context.observe("different_products", digests.different);
  context.observe("wrong_elements", found.tally.wrong);
  context.observe("not_a_number_elements", found.tally.not_a_number);
  context.observe("infinite_elements", found.tally.infinite);
  context.observe("wrong_places", harness::Value(known_.wrong_places(found)));
}

device::UniqueEvent Clock::now() {
  auto event = device::own<device::UniqueEvent>(device_, device_.create_event(device::EventKind::timing));
  device::check(device_, device_.record(event.get(), stream_), "record");
  return event;
}

double Clock::elapsed_ms(const device::UniqueEvent& from, const device::UniqueEvent& to) {
  device::check(device_, device_.synchronize(to.get()), "synchronize");
  return device::check_and_clear(device_, device_.elapsed_ms(from.get(), to.get()), "elapsed_ms");
}

std::vector<harness::Fault> load_faults() {
  return {
      {.name = "same_wrong_product",
       .summary = "each product has the same wrong element",
       .plan = fault::product_flips_bit(fault::every_call)},
      {.name = "wrong_now_and_then",
       .summary = "one product of many has an element that is wrong in its last bit",
       .plan = fault::product_flips_low_bit(fault::nth_call(2))},
      {.name = "not_finite",
       .summary = "each product has an element that is not a number, and an infinite one",
       .plan = fault::product_not_finite(fault::every_call)},
      {.name = "lost_products",
       .summary = "only the first product is ever multiplied",
       .plan = fault::product_lost(fault::from_call(2))},
      {.name = "failed_product", .summary = "the library fails", .plan = fault::product_fails(fault::nth_call(2))},
      // Kernels 1 to 4 fill in the known product, 5 and 6 random numbers, 7 works out the first digest; 8 and 9 are
      // a digest and its comparison.
      {.name = "comparison_lost",
       .summary = "a product is not compared with the first one",
       .plan = fault::kernel_lost(fault::nth_call(9))},
      {.name = "nothing_compared",
       .summary = "no product is compared with anything",
       .plan = fault::kernel_lost(fault::from_call(8))},
      {.name = "times_unknown",
       .summary = "no time passes between events",
       .plan = fault::broken(fault::Operation::elapsed_ms, fault::Effect::wrong_answer, fault::every_call)},
  };
}

}  // namespace gpucheck::cases::in_stress
