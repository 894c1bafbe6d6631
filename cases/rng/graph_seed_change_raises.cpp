#include "cases/rng/support.hpp"
#include "runtime/graphs/graph.hpp"

namespace gpucheck::cases::in_rng::graph_seed_change_raises {
namespace {

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  Generator& generator = default_generator(runtime);
  generator.manual_seed(0);
  runtime::Graph graph(runtime);
  graph.capture_begin();
  const std::string same = error_text<Error>([&] { generator.manual_seed(0); });
  const std::string other = error_text<Error>([&] { generator.manual_seed(1); });
  graph.capture_end();
  context.observe("other_seed_error", other);
  context.observe("same_seed_error", same);
  context.observe("initial_seed_after", static_cast<std::int64_t>(generator.initial_seed()));
}

}  // namespace

harness::Case define() {
  return {
      .name = "rng.graph_seed_change_raises",
      .summary = "A generator cannot get another seed while the current stream is captured",
      .source = "test_cuda.py::TestCuda::test_graph_manual_seed_mismatch_raises",
      .faults = {{.name = "lost_capture",
                  .summary = "beginning a capture does nothing",
                  .plan = fault::broken(fault::Operation::begin_capture, fault::Effect::drop, fault::nth_call(1))},
                 {.name = "never_captured",
                  .summary = "the device does not say that the stream is captured",
                  .plan =
                      fault::broken(fault::Operation::capture_info, fault::Effect::wrong_answer, fault::every_call)}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_rng::graph_seed_change_raises
