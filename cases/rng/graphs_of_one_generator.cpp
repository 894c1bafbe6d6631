#include "cases/rng/support.hpp"
#include "cases/shared/graph_support.hpp"

namespace gpucheck::cases::in_rng::graphs_of_one_generator {
namespace {

using runtime::CurrentStreamGuard;

constexpr std::size_t elements = 4 * 4;

/// A graph that draws from the default generator.
struct Drawing {
  explicit Drawing(runtime::Runtime& runtime) : graph(runtime) {
    graph.capture_begin();
    numbers = tensor::ops::rand(default_generator(runtime), elements);
    graph.capture_end();
  }
  runtime::Graph graph;
  Buffer<float> numbers;
};

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  Generator& generator = default_generator(runtime);
  const device::Stream side = runtime.streams().next();
  const CurrentStreamGuard on_side(runtime, side);
  Drawing former(runtime);
  Drawing latter(runtime);
  const auto replayed = [&](Drawing& drawing) {
    drawing.graph.replay();
    return values_of(runtime, drawing.numbers);
  };
  generator.manual_seed(2);
  context.observe("first_numbers", first_of(replayed(former), 8));
  context.observe("second_numbers", first_of(replayed(latter), 8));
  const std::vector<float> third = replayed(former);
  context.observe("offset_after", static_cast<std::int64_t>(generator.offset()));

  generator.manual_seed(2);
  std::vector<float> expected;
  for (int draw = 0; draw < 3; ++draw) expected = values_of(runtime, tensor::ops::rand(generator, elements));
  context.observe("differing_third", differing(expected, third));
}

}  // namespace

harness::Case define() {
  return {
      .name = "rng.graphs_of_one_generator",
      .summary = "Two graphs that draw from one generator take turns: each replay goes on where the other's ended",
      .source = "CUDAGeneratorImpl of PyTorch 2.11, whose state graphs share",
      .faults = {{.name = "no_replay",
                  .summary = "no replay does anything",
                  .plan = fault::replay_lost(fault::every_call)},
                 {.name = "lost_replay",
                  .summary = "the last replay does nothing",
                  .plan = fault::replay_lost(fault::nth_call(3))}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_rng::graphs_of_one_generator
