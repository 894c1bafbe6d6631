#include "device/forwarding/operations.hpp"

#include <type_traits>

#include "device/forwarding/forwarding_device.hpp"

namespace gpucheck::device {

// A method that no line lists would be left without an implementation.
static_assert(!std::is_abstract_v<ForwardingDevice>);

std::string_view to_text(Operation operation) noexcept {
#define GPUCHECK_NAME(operation, result, method, parameters, arguments) \
  case Operation::operation:                                            \
    return #operation;
  switch (operation) {
    case Operation::initialize:
      return "initialize";
      GPUCHECK_DEVICE_OPERATIONS(GPUCHECK_NAME, GPUCHECK_NO_LINE)
  }
#undef GPUCHECK_NAME
  return "(no operation)";
}

}  // namespace gpucheck::device
