#include "cases/support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"
#include "tensor/ops.hpp"

namespace gpucheck::cases::in_alloc::raw_alloc_delete {
namespace {

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  auto& allocator = runtime.allocator();
  const device::Stream stream = runtime.current_stream();
  const auto allocated_bytes = [&] { return allocator.stats().allocated_bytes.all.current; };

  allocator.empty_cache();
  const std::int64_t before = allocated_bytes();
  std::uint8_t* byte = nullptr;
  std::int64_t growth = 0;
  int read_back = -1;
  context.observe("error", error_text<Error>([&] {
                    byte = static_cast<std::uint8_t*>(allocator.allocate(1, stream));
                    growth = allocated_bytes() - before;
                    tensor::ops::fill(runtime, byte, 1, std::uint8_t{0x5A}, stream);
                    read_back = read_one(runtime, byte, stream);
                  }));
  context.observe("allocated_bytes_growth", growth);
  context.observe("byte_read_back", read_back);
  allocator.free(byte);
  context.observe("allocated_bytes_left_over", allocated_bytes() - before);
}

}  // namespace

harness::Case define() {
  return {
      .name = "alloc.raw_alloc_delete",
      .summary = "A raw request for one byte gives usable memory, counts as allocated, and no more once it is deleted",
      .source = "test_cuda.py::TestCuda::test_memory_allocation",
      .faults = {{.name = "nothing_allocated",
                  .summary = "the device says that it allocated memory, but did not",
                  .plan = fault::allocation_lost(fault::every_call)},
                 {.name = "allocation_fails",
                  .summary = "the device fails to allocate memory that it has",
                  .plan = fault::allocation_fails(fault::every_call)},
                 {.name = "lost_write",
                  .summary = "what is written to the memory never arrives",
                  .plan = fault::kernel_lost(fault::nth_call(1))},
                 {.name = "flipped_bit",
                  .summary = "one bit of the memory flips",
                  .plan = fault::kernel_flips_bit(fault::nth_call(1))}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_alloc::raw_alloc_delete
