#include "cases/rng/support.hpp"
#include "cases/shared/graph_support.hpp"
#include "runtime/random/with_state.hpp"

namespace gpucheck::cases::in_rng::graph_checkpoint_preserves_state {
namespace {

using runtime::CurrentStreamGuard;

constexpr std::size_t elements = 16;
constexpr std::uint64_t seed = 42;

/// What is drawn in a forward pass with activation checkpointing, and in the backward pass that recomputes it.
struct Step {
  explicit Step(Generator& generator) : before(tensor::ops::randn(generator, elements)) {
    const Generator::StateBytes state = generator.state();
    forward = tensor::ops::randn(generator, elements);
    between = tensor::ops::randn(generator, elements);
    runtime::with_state(generator, state, [&] { recomputed = tensor::ops::randn(generator, elements); });
    after = tensor::ops::randn(generator, elements);
  }
  Buffer<float> before;
  Buffer<float> forward;
  Buffer<float> between;
  Buffer<float> recomputed;
  Buffer<float> after;
};

struct Numbers {
  std::vector<float> forward;
  std::vector<float> recomputed;
  std::vector<float> others;
};

Numbers numbers_of(runtime::Runtime& runtime, const Step& step) {
  Numbers numbers{values_of(runtime, step.forward), values_of(runtime, step.recomputed), {}};
  for (const Buffer<float>* drawn : {&step.before, &step.between, &step.after}) {
    const std::vector<float> values = values_of(runtime, *drawn);
    numbers.others.insert(numbers.others.end(), values.begin(), values.end());
  }
  return numbers;
}

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  Generator& generator = default_generator(runtime);
  generator.manual_seed(seed);
  const Numbers eager = numbers_of(runtime, Step(generator));
  context.observe("eager_recomputed_differing", differing(eager.forward, eager.recomputed));
  context.observe("eager_offset_after", static_cast<std::int64_t>(generator.offset()));

  const CurrentStreamGuard on_side(runtime, runtime.streams().next());
  runtime::Graph graph(runtime);
  graph.capture_begin();
  const Step captured(generator);
  graph.capture_end();
  generator.manual_seed(seed);
  graph.replay();
  const Numbers replayed = numbers_of(runtime, captured);
  context.observe("graph_recomputed_differing", differing(replayed.forward, replayed.recomputed));
  context.observe("graph_recomputed_unlike_eager", differing(eager.recomputed, replayed.recomputed));
  context.observe("graph_others_unlike_eager", differing(eager.others, replayed.others));
  context.observe("graph_offset_after", static_cast<std::int64_t>(generator.offset()));
}

}  // namespace

harness::Case define() {
  return {
      .name = "rng.graph_checkpoint_preserves_state",
      .summary = "What is recomputed from a saved state draws the same numbers again, in a graph as without one",
      .source = "test_cuda.py::TestCuda::test_graph_checkpoint_preserve_rng_state",
      .faults = {{.name = "no_replay",
                  .summary = "no replay does anything",
                  .plan = fault::replay_lost(fault::every_call)},
                 {.name = "lost_recomputation",
                  .summary = "the recomputation without a graph is never run",
                  .plan = fault::kernel_lost(fault::nth_call(4))},
                 {.name = "recomputation_left_out",
                  .summary = "the graph has no recomputation",
                  .plan = fault::kernel_lost(fault::nth_call(9))}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_rng::graph_checkpoint_preserves_state
