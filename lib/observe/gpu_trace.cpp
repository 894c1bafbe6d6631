#include "observe/gpu_trace.hpp"

namespace gpucheck::observe {

class GpuTrace::Sink final : public runtime::GpuTraceSink {
 public:
  explicit Sink(runtime::Runtime& runtime)
      : allocation("CUDA memory allocation", [&runtime](std::string text) { runtime.warn(std::move(text)); }),
        deallocation("CUDA memory deallocation", [&runtime](std::string text) { runtime.warn(std::move(text)); }) {}

  void memory_allocation(std::uintptr_t address) noexcept override { allocation.fire(address); }
  void memory_deallocation(std::uintptr_t address) noexcept override { deallocation.fire(address); }

  CallbackRegistry<std::uintptr_t> allocation;
  CallbackRegistry<std::uintptr_t> deallocation;
};

GpuTrace::GpuTrace(runtime::Runtime& runtime) : runtime_(runtime), sink_(std::make_unique<Sink>(runtime)) {}

GpuTrace::~GpuTrace() {
  if (is_active_) runtime_.caching_allocator().set_gpu_trace_sink(nullptr);
}

void GpuTrace::activate() {
  runtime_.caching_allocator().set_gpu_trace_sink(sink_.get());
  is_active_ = true;
}

CallbackRegistry<std::uintptr_t>& GpuTrace::memory_allocation() noexcept { return sink_->allocation; }
CallbackRegistry<std::uintptr_t>& GpuTrace::memory_deallocation() noexcept { return sink_->deallocation; }

}  // namespace gpucheck::observe
