#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cases/support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"
#include "runtime/pluggable/pluggable_allocator.hpp"

namespace gpucheck::cases::in_alloc::user_functions {
namespace {

/// An allocator as a program passes it: plain functions. It can be asked to make mistakes, and
/// keeps what it was asked for.
struct Functions {
  void* (*allocate_with)(void* context, std::size_t bytes) = nullptr;
  void (*free_with)(void* context, void* pointer) = nullptr;
  int (*wait_with)(void* context) = nullptr;
  void* context = nullptr;

  void* given_twice = nullptr;  ///< returned instead of new memory, when set
  bool frees_twice = false;
  std::vector<std::int64_t> freed_bytes = {};
};
Functions functions;  // made anew by each allocator; the interface has no place for a context

void* allocate(std::size_t bytes, int /*device*/, void* /*stream*/) {
  return functions.given_twice != nullptr ? functions.given_twice : functions.allocate_with(functions.context, bytes);
}

void free(void* pointer, std::size_t bytes, int /*device*/, void* /*stream*/) {
  functions.freed_bytes.push_back(static_cast<std::int64_t>(bytes));
  functions.wait_with(functions.context);
  for (int i = functions.frees_twice ? 0 : 1; i < 2; ++i) functions.free_with(functions.context, pointer);
}

void set_device_memory(void* (*allocate_with)(void*, std::size_t), void (*free_with)(void*, void*),
                       int (*wait_with)(void*), void* context) {
  functions = {.allocate_with = allocate_with, .free_with = free_with, .wait_with = wait_with, .context = context};
}

void run(harness::Context& context) {
  device::Device& device = context.device();
  runtime::PluggableAllocator allocator(device, "functions of the case",
                                        {.allocate = allocate, .free = free, .set_device_memory = set_device_memory});
  const auto request = [&](std::size_t bytes) {
    void* block = nullptr;
    const std::string error = error_text<Error>([&] { block = allocator.allocate(bytes, device.default_stream()); });
    return std::pair(block, error);
  };

  const auto [first, first_error] = request(1000);
  context.observe("error", first_error);
  functions.given_twice = first;
  context.observe("error_of_a_block_given_out_twice", request(2000).second);
  functions.given_twice = nullptr;
  context.observe("live_bytes", allocator.live_allocations().bytes);

  allocator.free(first);
  context.observe("failed_frees", allocator.library().failed_frees());
  const auto second = request(3000).first;
  functions.frees_twice = true;
  allocator.free(second);
  context.observe("failed_frees_after_a_double_free", allocator.library().failed_frees());
  context.observe("freed_bytes", harness::Value(functions.freed_bytes));
}

}  // namespace

harness::Case define() {
  return {
      .name = "alloc.user_functions",
      .summary =
          "Functions of the user's as allocator are given the size of what they free, and their mistakes are seen",
      .source = "torch.cuda.memory.CUDAPluggableAllocator of PyTorch 2.11",
      .faults = {{.name = "allocation_fails",
                  .summary = "the device fails to allocate memory that it has",
                  .plan = fault::allocation_fails(fault::every_call)},
                 {.name = "free_fails",
                  .summary = "the device rejects what is freed",
                  .plan = fault::failing(fault::Operation::free, device::Status::invalid_value, fault::every_call)},
                 {.name = "free_lost",
                  .summary = "memory freed never comes back to the device, which does not say so",
                  .plan = fault::free_lost(fault::every_call)}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_alloc::user_functions
