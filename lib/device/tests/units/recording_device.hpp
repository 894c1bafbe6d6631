#pragma once

#include <array>
#include <cstdint>
#include <ostream>
#include <type_traits>
#include <vector>

#include "device/forwarding/operations.hpp"

namespace gpucheck::device {

/// A device that does nothing but count its calls. What returns a value gives a zero.
class RecordingDevice final : public Device {
 public:
  [[nodiscard]] int ordinal() const noexcept override { return 0; }
  [[nodiscard]] const DeviceProperties& properties() const noexcept override { return properties_; }

#define GPUCHECK_RECORD(operation, result, method, parameters, arguments) \
  result method parameters override {                                     \
    [](const auto&...) {} arguments;                                      \
    return recorded<result>(Operation::operation);                        \
  }
  GPUCHECK_DEVICE_OPERATIONS(GPUCHECK_RECORD, GPUCHECK_RECORD)
#undef GPUCHECK_RECORD

  [[nodiscard]] std::uint64_t calls(Operation operation) const { return calls_[static_cast<std::size_t>(operation)]; }
  [[nodiscard]] std::uint64_t all_calls() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t count : calls_) sum += count;
    return sum;
  }
  /// From now on every call that returns a status returns this one.
  void answer_with(Status status) const { answer_ = status; }

 private:
  template <typename Returned>
  Returned recorded(Operation operation) const {
    ++calls_[static_cast<std::size_t>(operation)];
    if constexpr (std::is_same_v<Returned, Status>) {
      return answer_;
    } else if constexpr (requires { typename Returned::error_type; }) {
      if (answer_ != Status::success) return answer_;
      return typename Returned::value_type{};
    } else {
      return Returned{};
    }
  }

  DeviceProperties properties_;
  mutable Status answer_ = Status::success;
  mutable std::array<std::uint64_t, operation_count> calls_{};
};

/// One method of `Device`, called with zeros.
struct AnyCall {
  Operation operation;
  bool gives_status;  ///< or a value or a status
  Status (*make)(Device& device);
};
inline void PrintTo(const AnyCall& call, std::ostream* out) { *out << to_text(call.operation); }

namespace detail {

template <typename Returned>
Status status_in(const Returned& returned) {
  if constexpr (std::is_same_v<Returned, Status>) {
    return returned;
  } else if constexpr (requires { returned.error(); }) {
    return returned ? Status::success : returned.error();
  } else {
    return Status::success;
  }
}

template <typename Returned, typename... Parameters>
Status call_with_zeros(Device& device, Returned (Device::*method)(Parameters...)) {
  return status_in((device.*method)(std::remove_cvref_t<Parameters>{}...));
}
template <typename Returned, typename... Parameters>
Status call_with_zeros(Device& device, Returned (Device::*method)(Parameters...) const) {
  return status_in((device.*method)(std::remove_cvref_t<Parameters>{}...));
}

template <typename Returned>
inline constexpr bool gives_status = std::is_same_v<Returned, Status> || requires {
  typename Returned::error_type;
};

}  // namespace detail

/// Every method of the list, those that count as one operation each by itself.
inline std::vector<AnyCall> every_call() {
  std::vector<AnyCall> calls;
#define GPUCHECK_CALL(operation, result, method, parameters, arguments)                                          \
  calls.push_back({Operation::operation, detail::gives_status<result>, [](Device& device) {                      \
                     return detail::call_with_zeros(device,                                                      \
                                                    static_cast<result(Device::*) parameters>(&Device::method)); \
                   }});
  GPUCHECK_DEVICE_OPERATIONS(GPUCHECK_CALL, GPUCHECK_CALL)
#undef GPUCHECK_CALL
  return calls;
}

}  // namespace gpucheck::device
