#pragma once

#include <limits>
#include <memory>
#include <type_traits>
#include <utility>

#include "device/fault/faults.hpp"
#include "device/forwarding/forwarding_device.hpp"

namespace gpucheck::fault {

/// A device each of whose calls is counted, and fails, is dropped, lies about its status,
/// hangs or is the last one, as a plan says: the effects that every operation can take. As
/// thread-safe as the inner device.
class PlannedDevice : public device::ForwardingDevice {
 public:
  PlannedDevice(std::unique_ptr<device::Device> inner, std::shared_ptr<Faults> faults) noexcept
      : ForwardingDevice(std::move(inner)), faults_(std::move(faults)) {}

#define GPUCHECK_PLANNED(operation, result, method, parameters, arguments)   \
  result method parameters override {                                        \
    return planned<result>(Operation::operation, names_bad_stream arguments, \
                           [&] { return inner().method arguments; });        \
  }
  GPUCHECK_DEVICE_OPERATIONS(GPUCHECK_PLANNED, GPUCHECK_PLANNED)
#undef GPUCHECK_PLANNED

 protected:
  using Status = device::Status;
  template <typename T>
  using Result = device::Result<T>;

  /// What a wrong default stream is. No call is ever passed on with it: a real driver
  /// would take it for an address.
  static constexpr device::Stream not_a_stream{std::numeric_limits<std::uintptr_t>::max()};

  /// Counts a call without an effect of its own to carry out; null when nothing is wrong with it.
  [[nodiscard]] ArmedRule* next(Operation operation) const noexcept { return faults_->next(operation); }

  /// Makes one counted call, unless the plan says otherwise. `change` carries out the
  /// effects that only some operations take; it gets the rule and the call.
  template <typename Call, typename Change>
  Status status_of(Operation operation, Call call, Change change) const {
    ArmedRule* rule = next(operation);
    if (faults_->lost() != Status::success) return faults_->lost();
    if (rule == nullptr) return shown(call());
    switch (rule->effect()) {
      case Effect::fail:
        return rule->status();
      case Effect::drop:
        return Status::success;
      case Effect::report_success:
        static_cast<void>(call());
        return Status::success;
      default:
        return shown(change(*rule, call));
    }
  }

  /// The same for calls that return a value or a status.
  template <typename Call, typename Change>
  auto value_of(Operation operation, Call call, Change change) const -> decltype(call()) {
    using Zero = typename decltype(call())::value_type;
    ArmedRule* rule = next(operation);
    if (faults_->lost() != Status::success) return faults_->lost();
    if (rule == nullptr) return call();
    switch (rule->effect()) {
      case Effect::fail:
        return rule->status();
      case Effect::drop:
        return Zero{};
      case Effect::report_success: {
        auto result = call();
        return result ? result : Zero{};
      }
      default:
        return change(*rule, call);
    }
  }

  template <typename Call>
  Status status_of(Operation operation, Call call) const {
    return status_of(operation, call, [](ArmedRule&, auto& made) { return made(); });
  }
  template <typename Call>
  auto value_of(Operation operation, Call call) const -> decltype(call()) {
    return value_of(operation, call, [](ArmedRule&, auto& made) { return made(); });
  }

  /// The call, or the failure of one that names a stream which is none.
  template <typename Call>
  static auto on(device::Stream stream, Call call) {
    return [stream, call]() -> decltype(call()) {
      if (stream == not_a_stream) return Status::invalid_resource_handle;
      return call();
    };
  }

 private:
  template <typename... Arguments>
  static bool names_bad_stream(const Arguments&... arguments) {
    return (is_bad_stream(arguments) || ...);
  }
  static bool is_bad_stream(device::Stream stream) { return stream == not_a_stream; }
  template <typename Argument>
  static bool is_bad_stream(const Argument&) {
    return false;
  }

  template <typename Returned, typename Call>
  Returned planned(Operation operation, bool bad_stream, Call call) const {
    if constexpr (std::is_same_v<Returned, Status>) {
      return status_of(operation, [&] { return bad_stream ? Status::invalid_resource_handle : call(); });
    } else if constexpr (requires { typename Returned::error_type; }) {
      return value_of(operation, [&]() -> Returned {
        if (bad_stream) return Status::invalid_resource_handle;
        return call();
      });
    } else {
      static_cast<void>(next(operation));
      return call();
    }
  }

  [[nodiscard]] Status shown(Status status) const noexcept {
    return faults_->hides_sticky_errors() && device::is_sticky(status) ? Status::success : status;
  }

  std::shared_ptr<Faults> faults_;
};

}  // namespace gpucheck::fault
