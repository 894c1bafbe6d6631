#include <cstdio>

#include "cases/support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"
#include "runtime/graphs/graph.hpp"

namespace gpucheck::cases::in_graph::default_stream_capture_refused {
namespace {

constexpr std::string_view expected_error = "CUDA graphs must be captured on a non-default stream.";

// Exit codes are the seed's: 0 rejected with the right words, 1 with others, 2 not rejected.
int capture_on_default_stream(harness::Context& context) {
  runtime::Graph graph(context.runtime());
  const std::string error = error_text<Error>([&] { graph.capture_begin(); });
  std::fputs(error.c_str(), stdout);
  if (error.empty()) return 2;
  return error.find(expected_error) != std::string::npos ? 0 : 1;
}

void run(harness::Context& context) {
  const harness::ChildResult child = context.run_child("capture_on_default_stream", std::chrono::seconds(10));
  context.observe("exit_code", child.exit_code.value_or(-child.signal.value_or(0)));
  context.observe("error", harness::Value(child.output));
}

}  // namespace

harness::Case define() {
  return {
      .name = "graph.default_stream_capture_refused",
      .summary = "A capture on the default stream is rejected, with the reason",
      .source = "test_cuda.py::TestCuda::test_graph_error",
      .needs = {.default_stream = true},
      .faults = {{.name = "default_stream_not_recognised",
                  .summary = "the device gives another answer about its default stream than before",
                  .plan = fault::broken(fault::Operation::default_stream, fault::Effect::wrong_answer,
                                        fault::from_call(13))},
                 {.name = "child_dies",
                  .summary = "the process dies before it can reject the capture",
                  .plan =
                      fault::broken(fault::Operation::default_stream, fault::Effect::kill_process, fault::every_call)}},
      .deadline = std::chrono::seconds(15),
      .run = run,
      .children = {{"capture_on_default_stream", capture_on_default_stream}},
  };
}

}  // namespace gpucheck::cases::in_graph::default_stream_capture_refused
