#include <exception>
#include <thread>

#include "cases/pool/support.hpp"
#include "cases/sampling.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"
#include "tensor/view_ops.hpp"

namespace gpucheck::cases::in_pool::thread_routed_allocation {
namespace {

using runtime::Buffer;
using tensor::Layout;
using tensor::View;

constexpr int rounds = 10;
constexpr std::size_t tensor_floats = large_buffer_bytes / sizeof(float);

Outputs four_floats(runtime::Runtime& runtime) {
  Outputs outputs;
  outputs.push_back(ones(runtime, 4 * sizeof(float)));
  return outputs;
}

/// What was found in tensors, in elements.
struct Found {
  std::uint64_t to_verify = 0;
  std::uint64_t verified = 0;
  std::uint64_t wrong = 0;
  Found& operator+=(const Found& other) {
    to_verify += other.to_verify;
    verified += other.verified;
    wrong += other.wrong;
    return *this;
  }
};

/// Tensors of one thread on its current stream, no two with the same value: memory that
/// another one got as well shows.
class Tensors {
 public:
  Tensors(runtime::Runtime& runtime, const Layout& elements, float first_value)
      : runtime_(runtime),
        stream_(runtime_.current_stream()),
        elements_(elements),
        tally_(runtime_, 1, stream_),
        next_value_(first_value) {
    write(runtime_, tally_.data(), {tensor::ops::Tally{}}, stream_);
  }

  void make_two() {
    const float value = next_value_++;
    const Buffer<float> a = filled(value);
    const Buffer<float> b = filled(next_value_++);
    verify(a, value);
    verify(b, value + 1);
  }
  /// Two and their sum. All three are there for the memory that they use, and nothing else
  /// may allocate any here.
  void make_three() {
    const float value = next_value_++;
    const Buffer<float> a = filled(value);
    const Buffer<float> b = filled(next_value_++);
    Buffer<float> c(runtime_, tensor_floats, stream_);
    tensor::ops::add(runtime_, {a.data(), elements_}, {b.data(), elements_}, View<float>{c.data(), elements_}, stream_);
    verify(a, value);
    verify(b, value + 1);
    verify(c, 2 * value + 1);
  }
  [[nodiscard]] Found found() const {
    const auto tally = read_one(runtime_, tally_.data(), stream_);
    return {to_verify_, tally.verified, tally.wrong};
  }

 private:
  [[nodiscard]] Buffer<float> filled(float value) const {
    Buffer<float> result(runtime_, tensor_floats, stream_);
    tensor::ops::fill_strided(runtime_, result.data(), tensor_floats, value, elements_.strides[0], stream_);
    return result;
  }
  void verify(const Buffer<float>& tensor, float value) {
    tensor::ops::verify(runtime_, tensor.data(), elements_.extent(), value, elements_.strides[0], tally_.data(),
                        stream_);
    to_verify_ += elements_.count();
  }

  runtime::Runtime& runtime_;
  device::Stream stream_;
  Layout elements_;
  Buffer<tensor::ops::Tally> tally_;
  float next_value_;
  std::uint64_t to_verify_ = 0;
};

/// What the thread that uses the pool does.
Found use_pool(runtime::Runtime& runtime, const Layout& elements, PoolId pool) {
  runtime::DeviceAllocator& allocator = runtime.allocator();
  Found found;
  {
    const runtime::CurrentStreamGuard on_side(runtime, runtime.streams().next());
    Tensors tensors(runtime, elements, 1);
    allocator.begin_allocate_to_pool(pool, runtime::on_stream(runtime.current_stream()));
    for (int round = 0; round < rounds; ++round) tensors.make_three();
    allocator.end_allocate_to_pool(pool);
    allocator.release_pool(pool);
    found += tensors.found();
  }
  Tensors outside(runtime, elements, 1001);
  outside.make_three();
  return found += outside.found();
}

Found use_no_pool(runtime::Runtime& runtime, const Layout& elements) {
  Tensors tensors(runtime, elements, 2001);
  for (int round = 0; round < rounds; ++round) tensors.make_two();
  return tensors.found();
}

/// @throws what either thread threw.
Found use_both(runtime::Runtime& runtime, const Layout& elements, PoolId pool) {
  Found with_pool;
  Found without;
  std::exception_ptr thrown_with_pool;
  std::exception_ptr thrown_without;
  {
    const std::jthread one(guarded(thrown_with_pool, [&] { with_pool = use_pool(runtime, elements, pool); }));
    const std::jthread other(guarded(thrown_without, [&] { without = use_no_pool(runtime, elements); }));
  }
  if (thrown_with_pool) std::rethrow_exception(thrown_with_pool);
  if (thrown_without) std::rethrow_exception(thrown_without);
  return with_pool += without;
}

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  runtime::CachingAllocator& allocator = runtime.caching_allocator();
  const std::int64_t segments_before = private_segments(runtime);
  const PoolId pool = runtime::graph_pool_handle();
  {
    const std::unique_ptr<Captured> captured = capture(runtime, four_floats, pool);
    captured->outputs.clear();
    context.observe("pool_segments_before", allocator.snapshot(pool).size());
    const Found found = use_both(runtime, sampled_floats(context, large_buffer_bytes), pool);
    context.observe("every_element_verified", found.verified == found.to_verify);
    context.observe("wrong_elements", found.wrong);
    context.observe("pool_segments_after", allocator.snapshot(pool).size());
    context.observe("live_blocks_after", live_blocks(runtime, pool));
  }
  observe_nothing_left(context, segments_before);
}

}  // namespace

harness::Case define() {
  return {
      .name = "pool.thread_routed_allocation",
      .summary = "Only allocations on the routed stream go to a pool, while another thread allocates without it",
      .source = "test_cuda.py::TestBlockStateAbsorption::test_allocate_in_thread_to_pool",
      .needs = {.memory_bytes = 512 << 20},
      .faults = {{.name = "segment_fails",
                  .summary = "the device fails to allocate memory that it has",
                  .plan = fault::allocation_fails(fault::from_call(3))},
                 {.name = "memory_allocated_twice",
                  .summary = "the device allocates memory that is in use",
                  .plan = fault::memory_allocated_twice(fault::from_call(4))},
                 {.name = "kernels_lost",
                  .summary = "kernels do nothing",
                  .plan = fault::kernel_lost(fault::from_call(3))},
                 {.name = "free_fails",
                  .summary = "the device fails to free memory",
                  .plan = fault::failing(fault::Operation::free, device::Status::invalid_value, fault::every_call)}},
      .deadline = std::chrono::seconds(60),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_pool::thread_routed_allocation
