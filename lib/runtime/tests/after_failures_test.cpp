#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <vector>

#include "base/text/units.hpp"
#include "device/fault/fault_driver.hpp"
#include "device/sim/sim_driver.hpp"
#include "runtime/graphs/graph.hpp"
#include "runtime/memory/transfer.hpp"
#include "runtime/runtime.hpp"
#include "runtime/tests/error_of.hpp"
#include "runtime/tests/tested_allocator.hpp"
#include "tensor/ops.hpp"

// Whatever was refused or failed, the next operation works: for each allocator, captures
// included.
namespace gpucheck::runtime::test {

namespace ops = tensor::ops;
namespace {

using namespace literals;
using device::Operation;

/// A runtime on a simulated device that misbehaves by a plan.
class BrokenMachine {
 public:
  BrokenMachine(const fault::Plan& plan, const std::string& allocator) {
    auto driver = sim::make_driver({.profile = sim::profile("small")});
    simulator = driver.get();
    driver_ = fault::inject(std::move(driver), plan);
    device_ = driver_->open(0).value();
    runtime_ = std::make_unique<Runtime>(*device_, parse_allocator_choice(allocator));
  }

  Runtime& runtime() { return *runtime_; }
  device::Device& device() { return *device_; }

  sim::Driver* simulator = nullptr;

 private:
  std::unique_ptr<device::Driver> driver_;
  std::unique_ptr<device::Device> device_;
  std::unique_ptr<Runtime> runtime_;
};

constexpr std::size_t count = 1000;
constexpr std::size_t array_bytes = count * sizeof(std::int64_t);

/// Something of everything that a runtime does. What it holds when a step throws it can
/// give back, as its user would.
class Program {
 public:
  Program(Runtime& runtime, bool captures) : runtime_(runtime), captures_(captures) {}
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() { give_back(); }

  /// Values that came back wrong. @throws what fails.
  int run() {
    side_ = runtime_.streams().next();
    other_ = runtime_.streams().next();
    const CurrentStreamGuard current(runtime_, side_);
    std::int64_t* const block = allocate();
    ops::fill(runtime_, block, count, std::int64_t{3}, side_);
    order_after(other_, side_);
    ops::add(runtime_, block, block, count, std::int64_t{4}, other_);
    runtime_.allocator().record_stream(block, other_);
    order_after(side_, other_);
    int wrong = read(block) == 7 ? 0 : 1;
    free(block);
    if (captures_) wrong += run_graph();
    runtime_.allocator().empty_cache();
    runtime_.pinned_allocator().empty_cache();
    return wrong;
  }

  /// Each step on its own: one that fails too holds up no other.
  void give_back() {
    const CurrentStreamGuard current(runtime_, side_);
    if (is_capturing_) attempt([&] { graph_->capture_end(); });
    is_capturing_ = false;
    while (!held_.empty()) {
      attempt([&] { runtime_.allocator().free(held_.back()); });
      held_.pop_back();
    }
    for (; context_ != nullptr; context_ = nullptr) attempt([&] { runtime_.pinned_allocator().free(context_); });
    if (graph_) attempt([&] { graph_->reset(); });
    graph_.reset();
    static_cast<void>(runtime_.device().exchange_capture_mode(device::CaptureMode::global));
  }

 private:
  template <typename Step>
  static void attempt(Step step) {
    try {
      step();
    } catch (const Error&) {  // as the test wants it
    }
  }

  std::int64_t* allocate() {
    held_.push_back(runtime_.allocator().allocate(array_bytes, side_));
    return static_cast<std::int64_t*>(held_.back());
  }
  void free(void* block) {
    std::erase(held_, block);
    runtime_.allocator().free(block);
  }
  void order_after(device::Stream later, device::Stream earlier) {
    device::Device& device = runtime_.device();
    const auto event = device::own<device::UniqueEvent>(device, device.create_event(device::EventKind::no_timing));
    device::check(device.record(event.get(), earlier), "record");
    device::check(device.wait(later, event.get()), "wait");
  }
  std::int64_t read(const std::int64_t* block) {
    const auto [pointer, context] = runtime_.pinned_allocator().allocate(array_bytes, side_);
    context_ = context;
    copy_to_host(runtime_, {pointer, context}, block, array_bytes, Transfer::non_blocking, side_);
    device::check(runtime_.device().synchronize(side_), "synchronize");
    const std::int64_t last = static_cast<std::int64_t*>(pointer)[count - 1];
    runtime_.pinned_allocator().free(std::exchange(context_, nullptr));
    return last;
  }
  int run_graph() {
    std::int64_t* const outside = allocate();
    ops::fill(runtime_, outside, count, std::int64_t{1}, side_);
    graph_ = std::make_unique<Graph>(runtime_);
    graph_->capture_begin();
    is_capturing_ = true;
    std::int64_t* const inside = allocate();
    ops::fill(runtime_, inside, count, std::int64_t{5}, side_);
    ops::add(runtime_, inside, outside, count, std::int64_t{6}, side_);
    free(inside);
    is_capturing_ = false;
    graph_->capture_end();
    graph_->replay();
    const int wrong = read(outside) == 11 ? 0 : 1;
    free(outside);
    graph_->reset();
    return wrong;
  }

  Runtime& runtime_;
  bool captures_;
  device::Stream side_;
  device::Stream other_;
  std::vector<void*> held_;
  void* context_ = nullptr;
  std::unique_ptr<Graph> graph_;
  bool is_capturing_ = false;
};

class AfterFailures : public testing::TestWithParam<TestedAllocator> {
 protected:
  static std::unique_ptr<BrokenMachine> machine(const fault::Plan& plan = {}) {
    return std::make_unique<BrokenMachine>(plan, GetParam().allocator);
  }
  /// A whole program works, and leaves nothing.
  static void expect_usable(BrokenMachine& machine, const std::string& after) {
    Runtime& runtime = machine.runtime();
    const auto before = runtime.allocator().live_allocations();
    try {
      EXPECT_EQ(Program(runtime, !GetParam().is_library).run(), 0) << after;
    } catch (const Error& error) {
      ADD_FAILURE() << after << ", the next program fails: " << error.what();
    }
    EXPECT_EQ(runtime.allocator().live_allocations().count, before.count) << after;
    EXPECT_EQ(runtime.allocator().live_allocations().bytes, before.bytes) << after;
    EXPECT_EQ(runtime.pinned_allocator().live_allocations().count, 0U) << after;
    EXPECT_TRUE(machine.simulator->races().empty()) << after << ": " << machine.simulator->races()[0].description;
  }
  /// How often the program makes each call.
  static std::map<std::string, std::uint64_t> calls() {
    const auto clean = machine();
    Program(clean->runtime(), !GetParam().is_library).run();
    const auto counted = clean->simulator->api_calls().by_name;
    return {counted.begin(), counted.end()};
  }
};

/// What a driver may answer without having done the call. That a capture goes on although
/// its end failed, or that what was to be destroyed is still there, is for nobody to mend.
bool may_fail_alone(Operation operation) {
  using enum Operation;
  for (const Operation other : {initialize, default_stream, error_text, last_error, end_capture, destroy_stream,
                                destroy_event, destroy_graph, destroy_executable}) {
    if (operation == other) return false;
  }
  return true;
}

TEST_P(AfterFailures, OfAnyDeviceCallTheNextProgramWorks) {
  const auto made = calls();
  int failures = 0;
  for (std::size_t i = 0; i < device::operation_count; ++i) {
    const auto operation = static_cast<Operation>(i);
    const auto times = made.find(std::string(to_text(operation)));
    if (!may_fail_alone(operation) || times == made.end()) continue;
    for (std::uint64_t call = 1; call <= times->second; ++call) {
      const auto faulty = machine({{{.operation = operation, .effect = fault::Effect::fail, .first = call}}});
      const std::string after = std::string(to_text(operation)) + " failed, call " + std::to_string(call);
      {
        Program program(faulty->runtime(), !GetParam().is_library);
        try {
          EXPECT_EQ(program.run(), 0) << after << ", unnoticed";
        } catch (const Error&) {
          ++failures;
        }
      }
      static_cast<void>(faulty->device().synchronize());
      expect_usable(*faulty, after);
    }
  }
  EXPECT_GT(failures, 20) << "else nothing was tried";
}

TEST_P(AfterFailures, OfARefusalTheNextProgramWorks) {
  const auto clean = machine();
  Runtime& runtime = clean->runtime();
  DeviceAllocator& allocator = runtime.allocator();
  const device::Stream stream = runtime.streams().next();
  int on_stack = 0;
  void* freed = allocator.allocate(4096, stream);
  allocator.free(freed);
  const std::vector<std::pair<std::string, std::function<void()>>> refused{
      {"more than there is", [&] { static_cast<void>(allocator.allocate(512_MiB, stream)); }},
      {"an exabyte", [&] { static_cast<void>(allocator.allocate(std::size_t{1} << 60, stream)); }},
      {"the greatest size", [&] { static_cast<void>(allocator.allocate(~std::size_t{0}, stream)); }},
      {"a double free", [&] { allocator.free(freed); }},
      {"a foreign free", [&] { allocator.free(&on_stack); }},
      {"the base of nothing", [&] { static_cast<void>(allocator.base_allocation(&on_stack)); }},
      {"unknown settings", [&] { runtime.set_settings("no_such_key:1"); }},
      {"another backend", [&] { runtime.set_settings("backend:none"); }},
      {"much pinned memory", [&] { static_cast<void>(runtime.pinned_allocator().allocate(~std::size_t{0}, stream)); }},
      {"more pinned memory than there is",
       [&] { static_cast<void>(runtime.pinned_allocator().allocate(std::size_t{1} << 60, stream)); }},
      {"a copy to nowhere",
       [&] { copy_to_device(runtime, &on_stack, &on_stack, sizeof on_stack, Transfer::blocking, stream); }},
      {"a foreign free of pinned memory", [&] { runtime.pinned_allocator().free(&on_stack); }},
      {"no capture to end", [&] { allocator.end_allocate_to_pool(graph_pool_handle()); }},
      {"no capture of pinned memory", [&] { runtime.pinned_allocator().end_allocate_to_pool(graph_pool_handle()); }},
      {"no graph to replay", [&] { Graph(runtime).replay(); }},
      {"a capture that never began", [&] { Graph(runtime).capture_end(); }}};
  for (const auto& [what, call] : refused) {
    EXPECT_NE(error_of(call), "no error") << what;
    expect_usable(*clean, what);
  }
}

TEST_P(AfterFailures, OfACaptureThatWasRefusedTheNextOneWorks) {
  if (GetParam().is_library) GTEST_SKIP() << "a library knows no captures";
  const auto clean = machine();
  Runtime& runtime = clean->runtime();
  const device::Stream stream = runtime.streams().next();
  {
    Graph graph(runtime);  // the current stream is the default one
    EXPECT_NE(error_of([&] { graph.capture_begin(); }), "no error");
  }
  expect_usable(*clean, "a capture of the default stream");
  const CurrentStreamGuard current(runtime, stream);
  Graph graph(runtime);
  for (int again = 0; again < 2; ++again) {
    EXPECT_NE(error_of([&] { graph.capture_begin({}, static_cast<device::CaptureMode>(9)); }), "no error");
    expect_usable(*clean, "a capture of no known mode");
  }
  graph.capture_begin();
  {
    Graph second(runtime);
    EXPECT_NE(error_of([&] { second.capture_begin(); }), "no error") << "the stream is being captured";
  }
  {
    const CurrentStreamGuard other(runtime, runtime.streams().next());
    EXPECT_NE(error_of([&] { graph.capture_end(); }), "no error") << "another stream is current";
  }
  void* const block = runtime.allocator().allocate(array_bytes, stream);
  ops::fill(runtime, static_cast<std::int64_t*>(block), count, std::int64_t{2}, stream);
  runtime.allocator().free(block);
  EXPECT_NE(error_of([&] { runtime.allocator().free(block); }), "no error") << "a double free in a capture";
  graph.capture_end();
  EXPECT_EQ(error_of([&] { graph.replay(); }), "no error") << "what was refused meanwhile broke no capture";
  device::check(clean->device().synchronize(), "synchronize");
  EXPECT_NE(error_of([&] { graph.capture_begin(); }), "no error") << "it holds a capture";
  expect_usable(*clean, "a graph that holds a capture");
  graph.reset();
  graph.capture_begin();
  EXPECT_NE(clean->device().synchronize(stream), device::Status::success) << "which breaks the capture";
  EXPECT_NE(error_of([&] { graph.capture_end(); }), "no error");
  expect_usable(*clean, "a broken capture");
}

TEST_P(AfterFailures, OfAnAllocationBeyondTheFractionTheNextOneWorks) {
  if (GetParam().is_library) GTEST_SKIP() << "a library limits itself";
  const auto clean = machine();
  DeviceAllocator& allocator = clean->runtime().allocator();
  const std::uint64_t total = clean->device().properties().total_memory_bytes;
  for (const double wrong : {-0.1, 1.1, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_NE(error_of([&] { allocator.set_memory_fraction(wrong); }), "no error");
  }
  EXPECT_EQ(allocator.memory_fraction(), 1.0);
  allocator.set_memory_fraction(0.5);
  EXPECT_EQ(error_of([&] { allocator.free(allocator.allocate(total / 2, {})); }), "no error") << "exactly the limit";
  EXPECT_NE(error_of([&] { allocator.free(allocator.allocate(total / 2 + 2_MiB, {})); }), "no error");
  EXPECT_EQ(error_of([&] { allocator.free(allocator.allocate(total / 2, {})); }), "no error") << "after the refusal";
  expect_usable(*clean, "an allocation beyond the fraction");
  allocator.set_memory_fraction(1.0);
  device::check(clean->device().synchronize(), "synchronize");  // all that was freed is free
  EXPECT_EQ(error_of([&] { allocator.free(allocator.allocate(total / 2 + 2_MiB, {})); }), "no error");
}

INSTANTIATE_TEST_SUITE_P(Runtime, AfterFailures,
                         testing::Values(TestedAllocator{"caching", "caching"}, TestedAllocator{"async", "async"},
                                         TestedAllocator{"library", GPUCHECK_GOOD_ALLOCATOR, "", true}),
                         [](const auto& information) { return std::string(information.param.label); });

}  // namespace
}  // namespace gpucheck::runtime::test
