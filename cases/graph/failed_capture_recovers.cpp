#include <algorithm>
#include <memory>
#include <utility>

#include "cases/shared/graph_support.hpp"
#include "device/fault/common_plans.hpp"
#include "device/forwarding/forwarding_device.hpp"
#include "harness/case/case.hpp"
#include "runtime/graphs/capture_query.hpp"
#include "tensor/random/distributions.hpp"

namespace gpucheck::cases::in_graph::failed_capture_recovers {
namespace {

using runtime::Buffer;
using runtime::Graph;
using runtime::Runtime;

/// Can lose a graph that was captured, and say that all is well.
class LosingDevice final : public device::ForwardingDevice {
 public:
  using ForwardingDevice::ForwardingDevice;
  void lose_next_graph() { loses_ = true; }
  [[nodiscard]] device::Result<device::Graph> end_capture(device::Stream stream) override {
    const device::Result<device::Graph> ended = ForwardingDevice::end_capture(stream);
    if (!ended || !std::exchange(loses_, false)) return ended;
    device::check(*this, destroy_graph(*ended), "destroy_graph");
    return device::Graph{};
  }

 private:
  bool loses_ = false;
};

struct Broken {
  LosingDevice& device;
  Runtime& runtime;
  std::unique_ptr<Graph>& graph;
};

/// How an open capture fails.
struct Ending {
  std::string_view name;
  bool has_error;  ///< that says how it ended
  void (*run)(const Broken& broken);
};
constexpr Ending endings[] = {
    {"invalidated", true,
     [](const Broken& broken) {
       static_cast<void>(broken.device.synchronize(broken.runtime.current_stream()));  // which a capture forbids
       static_cast<void>(broken.device.last_error());
       broken.graph->capture_end();
     }},
    {"lost", true,
     [](const Broken& broken) {
       broken.device.lose_next_graph();
       broken.graph->capture_end();
     }},
    {"reset", false, [](const Broken& broken) { broken.graph->reset(); }},
    {"destroyed", false, [](const Broken& broken) { broken.graph = std::make_unique<Graph>(broken.runtime); }},
};

bool has_private_segments(Runtime& runtime) {
  return std::ranges::any_of(runtime.allocator().snapshot(),
                             [](const auto& segment) { return !segment.pool.is_default(); });
}

/// Whether the current stream still captures; it does not any more afterwards.
bool leaves_open(Runtime& runtime) {
  if (!runtime::is_current_stream_capturing(runtime)) return false;
  device::Device& device = runtime.device();
  if (const auto graph = device.end_capture(runtime.current_stream())) static_cast<void>(device.destroy_graph(*graph));
  static_cast<void>(device.last_error());
  return true;
}

/// The names of the endings after which something is not as it should be.
struct Found {
  std::vector<std::string> stream_captures;
  std::vector<std::string> draw_fails;
  std::vector<std::string> next_capture_fails;
  std::vector<std::string> memory_stays;
};

/// The sum of a result that a graph makes of a thousand ones: 1 + 1 + 1 of each.
std::int64_t capture_and_replay(Runtime& runtime, Graph& graph, const Buffer<std::int64_t>& ones) {
  graph.capture_begin();
  const Buffer<std::int64_t> result = add_repeatedly(runtime, ones, 1, 2);
  graph.capture_end();
  graph.replay();
  return sum(runtime, result);
}

/// The text of the error with which the capture ends.
std::string break_and_try_again(LosingDevice& device, Runtime& runtime, const Ending& ending, Found& found) {
  const device::Stream stream = runtime.current_stream();
  Buffer<std::int64_t> ones(runtime, element_count, stream);
  tensor::ops::fill(runtime, ones.data(), ones.size(), std::int64_t{1}, stream);
  auto graph = std::make_unique<Graph>(runtime);
  std::string error = error_text<Error>([&] {
    graph->capture_begin();
    static_cast<void>(add_repeatedly(runtime, ones, 1, 2));
    ending.run({device, runtime, graph});
  });
  const std::string name(ending.name);
  if (leaves_open(runtime)) found.stream_captures.push_back(name);
  const auto draw = [&] { static_cast<void>(tensor::ops::rand(default_generator(runtime), 4)); };
  if (!error_text<Error>(draw).empty()) found.draw_fails.push_back(name);
  std::int64_t next_sum = 0;
  static_cast<void>(error_text<Error>([&] { next_sum = capture_and_replay(runtime, *graph, ones); }));
  if (next_sum != 3 * static_cast<std::int64_t>(element_count)) found.next_capture_fails.push_back(name);
  graph.reset();
  runtime.allocator().empty_cache();
  if (has_private_segments(runtime)) found.memory_stays.push_back(name);
  return error;
}

void run(harness::Context& context) {
  LosingDevice device(context.driver().open(context.device().ordinal()).value());
  Runtime runtime(device);
  const runtime::CurrentStreamGuard on_side(runtime, runtime.streams().next());
  Found found;
  for (const Ending& ending : endings) {
    const std::string error = break_and_try_again(device, runtime, ending, found);
    if (ending.has_error) context.observe(std::string(ending.name) + "_error", harness::Value(error));
  }
  context.observe("stream_captures_after", found.stream_captures);
  context.observe("draw_fails_after", found.draw_fails);
  context.observe("next_capture_fails_after", found.next_capture_fails);
  context.observe("memory_stays_after", found.memory_stays);
}

}  // namespace

harness::Case define() {
  return {
      .name = "graph.failed_capture_recovers",
      .summary = "A capture that failed is over: work, random draws, another capture and memory go on",
      .source = "torch.cuda.CUDAGraph.capture_end() and reset() of PyTorch 2.11",
      .faults = {{.name = "broken_capture_passes",
                  .summary = "the end of the broken capture is said to be a good one, with no graph",
                  .plan =
                      fault::broken(fault::Operation::end_capture, fault::Effect::report_success, fault::nth_call(1))},
                 {.name = "end_of_an_abandoned_capture_lost",
                  .summary = "ending the capture of the graph that is reset does nothing",
                  .plan = fault::broken(fault::Operation::end_capture, fault::Effect::drop, fault::nth_call(5))},
                 {.name = "draw_fails",
                  .summary = "the kernel that draws after the broken capture cannot be launched",
                  .plan = fault::failing(fault::Operation::launch_kernel, device::Status::unknown, fault::nth_call(4))},
                 {.name = "replay_lost",
                  .summary = "launching a graph does nothing",
                  .plan = fault::replay_lost(fault::every_call)}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_graph::failed_capture_recovers
