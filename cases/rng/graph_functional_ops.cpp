#include <optional>

#include "cases/rng/support.hpp"
#include "cases/shared/graph_support.hpp"
#include "tensor/random/inputs.hpp"

namespace gpucheck::cases::in_rng::graph_functional_ops {
namespace {

using runtime::CurrentStreamGuard;

constexpr std::size_t elements = 10'000;

/// What makes a new array of one, with random numbers of the default generator.
using Operator = Buffer<float> (*)(runtime::Runtime& runtime, const Buffer<float>& in);

Buffer<float> dropout(runtime::Runtime& runtime, const Buffer<float>& in) {
  Buffer<float> out = empty<float>(runtime, in.size());
  Buffer<bool> mask = empty<bool>(runtime, in.size());
  tensor::ops::dropout(default_generator(runtime), in.data(), out.data(), mask.data(), in.size(), 0.1);
  return out;
}

Buffer<float> rrelu(runtime::Runtime& runtime, const Buffer<float>& in) {
  Buffer<float> out = empty<float>(runtime, in.size());
  Buffer<float> slopes = empty<float>(runtime, in.size());
  tensor::ops::rrelu(default_generator(runtime), in.data(), out.data(), slopes.data(), in.size());
  return out;
}

Buffer<float> repeated(runtime::Runtime& runtime, Operator apply, const Buffer<float>& in, int times) {
  Buffer<float> out = apply(runtime, in);
  for (int i = 1; i < times; ++i) out = apply(runtime, out);
  return out;
}

void observe(harness::Context& context, const std::string& name, Operator apply) {
  runtime::Runtime& runtime = context.runtime();
  Generator& generator = default_generator(runtime);
  generator.manual_seed(1);
  const Buffer<float> input = tensor::ops::randn(generator, elements);
  generator.manual_seed(5);
  std::vector<float> former = values_of(runtime, repeated(runtime, apply, input, 6));

  Buffer<float> graph_in = empty<float>(runtime, elements);
  copy_values(runtime, graph_in, input);
  device::check(context.device(), context.device().synchronize(runtime.current_stream()), "synchronize");
  runtime::Graph graph(runtime);
  Buffer<float> graph_out;
  const device::Stream side = runtime.streams().next();
  {
    const CurrentStreamGuard on_side(runtime, side);
    generator.manual_seed(5);
    graph.capture_begin();
    graph_out = repeated(runtime, apply, graph_in, 2);
    graph.capture_end();
  }
  in_graph::wait_for(runtime, side);
  graph.replay();
  copy_values(runtime, graph_in, repeated(runtime, apply, graph_out, 2));
  graph.replay();
  std::vector<float> replayed = values_of(runtime, graph_out);
  context.observe(name + "_differing_in_sequence", differing(former, replayed));
  context.observe(name + "_offset_after_sequence", static_cast<std::int64_t>(generator.offset()));

  const auto thrice = [&](std::uint64_t seed) {
    generator.manual_seed(seed);
    std::vector<float> last;
    for (int i = 0; i < 3; ++i) last = values_of(runtime, repeated(runtime, apply, input, 2));
    return last;
  };
  former = thrice(5);
  for (const std::uint64_t seed : {6U, 128U, 9999U}) {
    generator.manual_seed(seed);
    copy_values(runtime, graph_in, input);
    for (int i = 0; i < 3; ++i) graph.replay();
    replayed = values_of(runtime, graph_out);
    const std::string label = name + "_seed_" + std::to_string(seed);
    context.observe(label + "_unlike_former", differing(former, replayed));
    former = thrice(seed);
    context.observe(label + "_differing", differing(former, replayed));
  }
}

void run(harness::Context& context) {
  observe(context, "dropout", dropout);
  observe(context, "rrelu", rrelu);
}

}  // namespace

harness::Case define() {
  return {
      .name = "rng.graph_functional_ops",
      .summary = "Dropout and randomized ReLU in a graph draw on from where the generator stands, and as without one",
      .source = "test_cuda.py::TestCuda::test_graph_rng_functional",
      .faults =
          {{.name = "lost_replay", .summary = "a replay does nothing", .plan = fault::replay_lost(fault::nth_call(2))},
           {.name = "no_replay", .summary = "no replay does anything", .plan = fault::replay_lost(fault::every_call)},
           {.name = "lost_operator",
            .summary = "an operator outside of the graph is never run",
            .plan = fault::kernel_lost(fault::nth_call(7))}},
      .deadline = std::chrono::milliseconds(20'000),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_rng::graph_functional_ops
