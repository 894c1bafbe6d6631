#include <utility>

#include "cases/pool/support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_pool::nested_routing {
namespace {

/// Two pools that one thread's memory comes from, one routing within the other.
class Routed {
 public:
  explicit Routed(runtime::Runtime& runtime) : runtime_(runtime) {}

  /// The pool that new memory comes from: "outer", "inner", "default", or "no memory".
  [[nodiscard]] std::string source() const {
    std::string name;
    const std::string error = error_text<runtime::OutOfMemoryError>([&] {
      const Storage memory = ones(runtime_, min_block_bytes);
      name = name_of(pool_of(memory.data()));
    });
    return error.empty() ? name : "no memory";
  }
  void begin_outer() { runtime_.allocator().begin_allocate_to_pool(outer_, runtime::on_this_thread()); }
  void begin_inner(runtime::PoolFilter filter) {
    runtime_.allocator().begin_allocate_to_pool(inner_, std::move(filter));
  }
  void end_outer() { end("outer", outer_); }
  void end_inner() { end("inner", inner_); }
  /// Which of the routings were not there any more when they were to end.
  [[nodiscard]] const std::vector<std::string>& ended_before() const { return ended_before_; }

 private:
  void end(const std::string& name, PoolId pool) {
    const std::string error = error_text<Error>([&] { runtime_.allocator().end_allocate_to_pool(pool); });
    if (!error.empty()) ended_before_.push_back(name);
    runtime_.allocator().release_pool(pool);
  }
  [[nodiscard]] PoolId pool_of(const void* memory) const {
    const auto address = reinterpret_cast<std::uintptr_t>(memory);
    for (const runtime::SegmentInfo& segment : runtime_.allocator().snapshot()) {
      if (address >= segment.address && address - segment.address < segment.total_size) return segment.pool;
    }
    return {};
  }
  [[nodiscard]] std::string name_of(PoolId pool) const {
    if (pool == outer_) return "outer";
    return pool == inner_ ? "inner" : "default";
  }

  runtime::Runtime& runtime_;
  PoolId outer_ = runtime::graph_pool_handle();
  PoolId inner_ = runtime::graph_pool_handle();
  std::vector<std::string> ended_before_;
};

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  const std::int64_t segments_before = private_segments(runtime);
  const device::Stream elsewhere = runtime.streams().next();
  {
    Routed routed(runtime);
    routed.begin_outer();
    routed.begin_inner(runtime::on_this_thread());
    context.observe("with_both", routed.source());
    routed.end_inner();
    context.observe("after_the_inner_one", routed.source());
    routed.end_outer();
    context.observe("after_both", routed.source());
    context.observe("ended_before_their_end", routed.ended_before());
  }
  {
    Routed routed(runtime);
    routed.begin_outer();
    routed.begin_inner(runtime::on_stream(elsewhere));
    context.observe("with_an_inner_one_of_another_stream", routed.source());
    routed.end_outer();
    context.observe("after_the_outer_one", routed.source());
    const runtime::CurrentStreamGuard on_another(runtime, elsewhere);
    context.observe("on_the_other_stream", routed.source());
    routed.end_inner();
  }
  observe_nothing_left(context, segments_before);
}

}  // namespace

harness::Case define() {
  return {
      .name = "pool.nested_routing",
      .summary = "The newest of several routings that take an allocation decides, and each ends by itself",
      .source = "torch.cuda.use_mem_pool of PyTorch 2.11",
      .needs = {.caching_allocator = true},
      .faults = {{.name = "allocation_fails",
                  .summary = "the device has no memory for the inner pool",
                  .plan = fault::allocation_fails(fault::nth_call(1))},
                 {.name = "later_allocation_fails",
                  .summary = "the device has no memory for the other stream's pool",
                  .plan = fault::allocation_fails(fault::from_call(4))}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_pool::nested_routing
