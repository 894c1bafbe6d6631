#pragma once

#include <cstddef>
#include <string_view>

#include "device/device.hpp"

/// Every operation of every topic, for what is made from the list: the forwarding wrapper,
/// the declarations in each device, the names in fault plans, the counters of calls.
///
/// A line is OPERATION(operation, result, method, (parameters) qualifiers, (arguments)).
/// `operation` is the name that plans and counters know: the method's, with the object named
/// where methods are overloaded. ALSO is a further method that counts as an operation that
/// there is already. A method without a line, or a line without a method, does not compile:
/// `ForwardingDevice` is made of the lines and derives from the methods.
#define GPUCHECK_DEVICE_OPERATIONS(OPERATION, ALSO)          \
  GPUCHECK_MEMORY_OPERATIONS(OPERATION, ALSO)                \
  GPUCHECK_STREAM_ORDERED_MEMORY_OPERATIONS(OPERATION, ALSO) \
  GPUCHECK_VIRTUAL_MEMORY_OPERATIONS(OPERATION, ALSO)        \
  GPUCHECK_STREAMS_OPERATIONS(OPERATION, ALSO)               \
  GPUCHECK_WORK_OPERATIONS(OPERATION, ALSO)                  \
  GPUCHECK_GRAPHS_OPERATIONS(OPERATION, ALSO)                \
  GPUCHECK_ERRORS_OPERATIONS(OPERATION, ALSO)                \
  GPUCHECK_PEERS_OPERATIONS(OPERATION, ALSO)                 \
  GPUCHECK_MATRIX_PRODUCTS_OPERATIONS(OPERATION, ALSO)       \
  GPUCHECK_COLLECTIVES_OPERATIONS(OPERATION, ALSO)

/// A line that is of no interest.
#define GPUCHECK_NO_LINE(operation, result, method, parameters, arguments)
/// A line as the declaration in a class derived from `Device`.
#define GPUCHECK_OVERRIDE(operation, result, method, parameters, arguments) result method parameters override;
/// Declares, in a class derived from `Device`, every operation.
#define GPUCHECK_OVERRIDE_OPERATIONS GPUCHECK_DEVICE_OPERATIONS(GPUCHECK_OVERRIDE, GPUCHECK_OVERRIDE)

namespace gpucheck::device {

#define GPUCHECK_ENUMERATOR(operation, result, method, parameters, arguments) operation,
enum class Operation {
  initialize,  ///< of the driver: its construction, and whatever counts or opens devices
  GPUCHECK_DEVICE_OPERATIONS(GPUCHECK_ENUMERATOR, GPUCHECK_NO_LINE)
};
#undef GPUCHECK_ENUMERATOR

// NOLINTNEXTLINE(bugprone-macro-parentheses): a sum is made of as many of them as there are operations.
#define GPUCHECK_ONE_MORE(operation, result, method, parameters, arguments) +1
inline constexpr std::size_t operation_count = 1 GPUCHECK_DEVICE_OPERATIONS(GPUCHECK_ONE_MORE, GPUCHECK_NO_LINE);
#undef GPUCHECK_ONE_MORE

/// The enumerator's name.
std::string_view to_text(Operation operation) noexcept;

}  // namespace gpucheck::device
