#include <cstring>

#include "cases/rng/support.hpp"
#include "cases/shared/graph_support.hpp"
#include "tensor/random/inputs.hpp"
#include "tensor/random/integers.hpp"
#include "tensor/view_ops.hpp"

namespace gpucheck::cases::in_rng::graph_distributions {
namespace {

using runtime::CurrentStreamGuard;

constexpr std::size_t elements = 10'000;
constexpr std::uint8_t untouched_byte = 0xA5;

/// Fills `out` from the default generator; `input` has uniform numbers, for what needs some.
using Fill = void (*)(Generator& generator, const float* input, float* out);

void normal_around(Generator& generator, const float* input, float* out) {
  runtime::Runtime& runtime = generator.runtime();
  const tensor::Layout layout = tensor::contiguous_layout({elements});
  tensor::ops::normal(generator, out, elements, 0, 1);
  tensor::ops::add(runtime, tensor::View<const float>{out, layout}, tensor::View<const float>{input, layout},
                   tensor::View<float>{out, layout}, runtime.current_stream());
}

struct Named {
  const char* name;
  Fill fill;
};
namespace ops = tensor::ops;
constexpr Named distributions[]{
    {"bernoulli", [](Generator& g, const float* in, float* out) { ops::bernoulli_each(g, in, out, elements); }},
    {"normal_around", normal_around},
    {"poisson", [](Generator& g, const float* in, float* out) { ops::poisson(g, in, out, elements); }},
    {"uniform", [](Generator& g, const float*, float* out) { ops::uniform(g, out, elements); }},
    {"integer", [](Generator& g, const float*, float* out) { ops::random(g, out, elements, 0, 3); }},
    {"normal", [](Generator& g, const float*, float* out) { ops::normal(g, out, elements); }},
    {"cauchy", [](Generator& g, const float*, float* out) { ops::cauchy(g, out, elements); }},
    {"exponential", [](Generator& g, const float*, float* out) { ops::exponential(g, out, elements); }},
    {"geometric", [](Generator& g, const float*, float* out) { ops::geometric(g, out, elements, 0.3); }},
    {"log_normal", [](Generator& g, const float*, float* out) { ops::log_normal(g, out, elements); }},
    {"any_integer", [](Generator& g, const float*, float* out) { ops::random(g, out, elements); }},
};

/// Two draws, after one that nobody looks at.
std::vector<float> controls(runtime::Runtime& runtime, const Named& distribution, const Buffer<float>& input) {
  Generator& generator = default_generator(runtime);
  Buffer<float> first = empty<float>(runtime, elements);
  Buffer<float> second = empty<float>(runtime, elements);
  for (Buffer<float>* out : {&first, &first, &second}) distribution.fill(generator, input.data(), out->data());
  std::vector<float> both = values_of(runtime, first);
  const std::vector<float> rest = values_of(runtime, second);
  both.insert(both.end(), rest.begin(), rest.end());
  return both;
}

void observe(harness::Context& context, const Named& distribution, const Buffer<float>& input) {
  runtime::Runtime& runtime = context.runtime();
  Generator& generator = default_generator(runtime);
  generator.manual_seed(5);
  std::vector<float> expected = controls(runtime, distribution, input);
  Buffer<float> dummy = empty<float>(runtime, elements);
  Buffer<float> out = empty<float>(runtime, 2 * elements);
  device::check(context.device(),
                context.device().fill(out.data(), untouched_byte, out.size_bytes(), runtime.current_stream()), "fill");
  device::check(context.device(), context.device().synchronize(runtime.current_stream()), "synchronize");
  runtime::Graph graph(runtime);
  const device::Stream side = runtime.streams().next();
  {
    const CurrentStreamGuard on_side(runtime, side);
    generator.manual_seed(5);
    graph.capture_begin();
    distribution.fill(generator, input.data(), out.data());
    distribution.fill(generator, input.data(), out.data() + elements);
    graph.capture_end();
  }
  in_graph::wait_for(runtime, side);
  const std::string name = distribution.name;
  float untouched = 0;
  std::memset(&untouched, untouched_byte, sizeof(untouched));
  context.observe(name + "_numbers_drawn_by_the_capture",
                  differing(std::vector<float>(2 * elements, untouched), values_of(runtime, out)));
  std::int64_t different = 0;
  for (const std::uint64_t seed : {6U, 314U, 271U}) {
    generator.manual_seed(seed);
    expected = controls(runtime, distribution, input);
    generator.manual_seed(seed);
    distribution.fill(generator, input.data(), dummy.data());
    graph.replay();
    different += differing(expected, values_of(runtime, out));
  }
  context.observe(name + "_differing", different);
}

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  default_generator(runtime).manual_seed(3);
  const Buffer<float> input = tensor::ops::rand(default_generator(runtime), elements);
  for (const Named& distribution : distributions) observe(context, distribution, input);
}

}  // namespace

harness::Case define() {
  return {
      .name = "rng.graph_distributions",
      .summary = "Each distribution draws in a graph what it draws without one, and nothing while it is captured",
      .source = "test_cuda.py::TestCuda::test_graph_rng_distributions",
      .faults = {{.name = "no_replay",
                  .summary = "no replay does anything",
                  .plan = fault::replay_lost(fault::every_call)},
                 {.name = "runs_while_captured",
                  .summary = "every kernel runs at once although it is captured",
                  .plan = fault::broken(fault::Operation::launch_kernel, fault::Effect::run_now, fault::every_call)}},
      .deadline = std::chrono::milliseconds(60'000),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_rng::graph_distributions
