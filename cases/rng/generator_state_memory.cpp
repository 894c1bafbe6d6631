#include <fmt/format.h>
#include <memory>

#include "cases/rng/support.hpp"
#include "cases/shared/graph_support.hpp"

namespace gpucheck::cases::in_rng::generator_state_memory {
namespace {

using runtime::CurrentStreamGuard;

struct Active {
  std::int64_t blocks = 0;
  std::int64_t bytes = 0;
};

Active active(runtime::Runtime& runtime) {
  const runtime::MemoryStatistics statistics = runtime.allocator().stats();
  return {statistics.active.all.current, statistics.active_bytes.all.current};
}

void capture_a_draw(runtime::Runtime& runtime, runtime::Graph& graph) {
  const device::Stream side = runtime.streams().next();
  {
    const CurrentStreamGuard on_side(runtime, side);
    graph.capture_begin();
    static_cast<void>(tensor::ops::rand(default_generator(runtime), 1));
    graph.capture_end();
  }
  in_graph::wait_for(runtime, side);
  graph.replay();
}

/// What so many graphs that draw from so many states take, and what is left beyond what there was `at_first`.
void observe(harness::Context& context, const Active& at_first, int graph_count, int generator_count) {
  runtime::Runtime& runtime = context.runtime();
  const Active before = active(runtime);
  std::vector<Generator> generators{default_generator(runtime).graphsafe_state()};
  while (generators.size() < static_cast<std::size_t>(generator_count)) {
    generators.push_back(default_generator(runtime).clone());
  }
  std::vector<std::unique_ptr<runtime::Graph>> graphs;
  for (int i = 0; i < graph_count; ++i) {
    graphs.push_back(std::make_unique<runtime::Graph>(runtime));
    for (const Generator& generator : generators) graphs.back()->register_generator_state(generator);
    capture_a_draw(runtime, *graphs.back());
  }
  const Active with = active(runtime);
  const std::string label = fmt::format("{}_graphs_{}_generators", graph_count, generator_count);
  context.observe("blocks_of_" + label, with.blocks - before.blocks);
  context.observe("bytes_of_" + label, with.bytes - before.bytes);
  device::check(context.device(), context.device().synchronize(runtime.current_stream()), "synchronize");
  graphs.clear();
  runtime.allocator().empty_cache();
  const Active after = active(runtime);
  context.observe("blocks_after_" + label, after.blocks - at_first.blocks);
  context.observe("bytes_after_" + label, after.bytes - at_first.bytes);
}

/// What a capture says of a generator that nobody registered with it.
void observe_misuse(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  Generator unregistered(runtime);
  runtime::Graph graph(runtime);
  graph.capture_begin();
  const std::string copy = error_text<Error>([&] { static_cast<void>(unregistered.clone()); });
  const std::string draw = error_text<Error>([&] { static_cast<void>(tensor::ops::rand(unregistered, 1)); });
  const std::string registration = error_text<Error>([&] { graph.register_generator_state(unregistered); });
  graph.capture_end();
  context.observe("clone_in_capture_error", copy);
  context.observe("unregistered_draw_error", draw);
  context.observe("late_registration_error", registration);
}

void run(harness::Context& context) {
  const Active at_first = active(context.runtime());
  observe_misuse(context);
  observe(context, at_first, 1, 1);
  observe(context, at_first, 3, 2);
  observe(context, at_first, 10, 20);
}

}  // namespace

harness::Case define() {
  return {
      .name = "rng.generator_state_memory",
      .summary = "A generator's state takes two blocks on the device while any graph draws from it, and no more",
      .source = "test_cuda.py::TestCuda::test_memory_stats_of_multiple_generators_and_graphs",
      .needs = {.caching_allocator = true},
      .faults =
          {{.name = "clone_unseen",
            .summary = "the device says once that nothing is captured, when a generator is cloned",
            .plan = fault::broken(fault::Operation::capture_info, fault::Effect::wrong_answer, fault::nth_call(8))},
           {.name = "draw_unseen",
            .summary = "the device says once that nothing is captured, when numbers are drawn",
            .plan = fault::broken(fault::Operation::capture_info, fault::Effect::wrong_answer, fault::nth_call(11))},
           {.name = "never_captured",
            .summary = "the device does not say that the stream is captured",
            .plan = fault::broken(fault::Operation::capture_info, fault::Effect::wrong_answer, fault::every_call)},
           {.name = "lost_capture",
            .summary = "beginning a capture does nothing",
            .plan = fault::broken(fault::Operation::begin_capture, fault::Effect::drop, fault::every_call)}},
      .deadline = std::chrono::milliseconds(20'000),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_rng::generator_state_memory
