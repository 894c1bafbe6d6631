#pragma once

#include <concepts>
#include <memory>
#include <utility>

#include "device/forwarding/forwarding_device.hpp"
#include "observe/device_trace/trace_recorder.hpp"

namespace gpucheck::observe {

/// What a call is about, where its arguments say more than its name.
template <device::Operation operation>
struct Describe {
  HostCall& call;
  template <typename... Arguments>
  void operator()(const Arguments&...) const {}
};
template <>
struct Describe<device::Operation::launch_kernel> {
  HostCall& call;
  void operator()(const device::KernelLaunch& launch, device::Stream) const { call.subject = launch.kernel->name; }
};

/// Reports the recorder of every call.
class TracedCalls : public device::ForwardingDevice {
 public:
  TracedCalls(std::unique_ptr<device::Device> inner, std::shared_ptr<TraceRecorder> recorder) noexcept
      : ForwardingDevice(std::move(inner)), recorder_(std::move(recorder)) {}

#define GPUCHECK_TRACE(operation, result, method, parameters, arguments)          \
  result method parameters override {                                             \
    using device::Operation;                                                      \
    if constexpr (Operation::operation == Operation::default_stream) {            \
      return ForwardingDevice::method arguments; /* asks nothing of the device */ \
    } else {                                                                      \
      HostCall call = recorder_->begin_call();                                    \
      Describe<Operation::operation>{call} arguments;                             \
      auto answer = ForwardingDevice::method arguments;                           \
      end(std::move(call), Operation::operation, status_of(answer));              \
      return answer;                                                              \
    }                                                                             \
  }
  GPUCHECK_DEVICE_OPERATIONS(GPUCHECK_TRACE, GPUCHECK_TRACE)
#undef GPUCHECK_TRACE

 protected:
  [[nodiscard]] TraceRecorder& recorder() noexcept { return *recorder_; }
  /// The number of this thread's last call.
  [[nodiscard]] static std::uint64_t last_call() noexcept { return last_call_; }

 private:
  static device::Status status_of(device::Status status) noexcept { return status; }
  template <typename T>
  static device::Status status_of(const device::Result<T>& result) noexcept {
    return result ? device::Status::success : result.error();
  }
  template <typename Other>
  static device::Status status_of(const Other&) noexcept {
    return device::Status::success;
  }

  void end(HostCall call, device::Operation operation, device::Status status) const {
    call.operation = device::to_text(operation);
    call.device = ordinal();
    call.status = status;
    last_call_ = call.number;
    recorder_->end_call(std::move(call));
  }

  inline static thread_local std::uint64_t last_call_ = 0;
  std::shared_ptr<TraceRecorder> recorder_;
};

}  // namespace gpucheck::observe
