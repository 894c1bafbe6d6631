#include "cases/rng/support.hpp"
#include "cases/shared/graph_support.hpp"

namespace gpucheck::cases::in_rng::graphsafe_state_switch {
namespace {

using runtime::CurrentStreamGuard;

constexpr std::size_t elements = 5;

/// A generator, the state it was made with and a copy of that, which it is switched between.
struct Switched {
  Generator generator;
  Generator old_state;
  Generator new_state;
};

Switched seeded(Generator generator) {
  generator.manual_seed(0);
  return {generator, generator.graphsafe_state(), generator.clone()};
}

/// Once with the new state, then twice with the old one.
std::vector<Buffer<float>> draw(Switched& switched) {
  std::vector<Buffer<float>> drawn;
  switched.generator.graphsafe_set_state(switched.new_state);
  drawn.push_back(tensor::ops::rand(switched.generator, elements));
  switched.generator.graphsafe_set_state(switched.old_state);
  drawn.push_back(tensor::ops::rand(switched.generator, elements));
  drawn.push_back(tensor::ops::rand(switched.generator, elements));
  return drawn;
}

std::vector<float> values(runtime::Runtime& runtime, const std::vector<Buffer<float>>& drawn) {
  std::vector<float> all;
  for (const Buffer<float>& part : drawn) {
    const std::vector<float> read_back = values_of(runtime, part);
    all.insert(all.end(), read_back.begin(), read_back.end());
  }
  return all;
}

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  Switched eager = seeded(Generator(runtime));
  Switched graphed = seeded(default_generator(runtime));
  runtime::Graph graph(runtime);
  graph.register_generator_state(graphed.old_state);
  graph.register_generator_state(graphed.new_state);
  const device::Stream side = runtime.streams().next();
  std::vector<Buffer<float>> drawn_in_graph;
  {
    const CurrentStreamGuard on_side(runtime, side);
    graph.capture_begin();
    drawn_in_graph = draw(graphed);
    graph.capture_end();
  }
  in_graph::wait_for(runtime, side);
  std::vector<float> first;
  std::int64_t different = 0;
  for (int round = 0; round < 3; ++round) {
    const std::vector<float> expected = values(runtime, draw(eager));
    graph.replay();
    const std::vector<float> seen = values(runtime, drawn_in_graph);
    if (round == 0) first = seen;
    different += differing(expected, seen);
  }
  context.observe("first_round", first_of(first, 3 * elements));
  context.observe("differing_numbers", different);
  context.observe("old_offset_of_graph", static_cast<std::int64_t>(graphed.old_state.offset()));
  context.observe("new_offset_of_graph", static_cast<std::int64_t>(graphed.new_state.offset()));
  context.observe("old_offset_without", static_cast<std::int64_t>(eager.old_state.offset()));
  context.observe("new_offset_without", static_cast<std::int64_t>(eager.new_state.offset()));
}

}  // namespace

harness::Case define() {
  return {
      .name = "rng.graphsafe_state_switch",
      .summary = "A graph draws from two states of a generator in turns as the generator does without a graph",
      .source = "test_cuda.py::TestCuda::test_graphsafe_set_get_rng_state",
      .faults = {{.name = "lost_replay",
                  .summary = "the first replay does nothing",
                  .plan = fault::replay_lost(fault::nth_call(1))},
                 {.name = "flipped_bit",
                  .summary = "one bit of what is drawn without a graph flips",
                  .plan = fault::kernel_flips_bit(fault::nth_call(4))}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_rng::graphsafe_state_switch
