#include "device/fault/plan.hpp"

#include <array>
#include <fmt/format.h>
#include <type_traits>

#include "base/error.hpp"

namespace gpucheck::fault {
namespace {

/// What a call returns, which decides what can be done to it.
enum class Returns { nothing, status, value_or_status, value };

template <typename Result>
constexpr Returns returns_as() {
  if (std::is_same_v<Result, device::Status>) return Returns::status;
  return requires { typename Result::error_type; }
  ? Returns::value_or_status : Returns::value;
}

Returns returns(Operation operation) {
#define GPUCHECK_RETURNS(operation, result, method, parameters, arguments) \
  case Operation::operation:                                               \
    return returns_as<result>();
  switch (operation) {
    case Operation::initialize:
      return Returns::nothing;
      GPUCHECK_DEVICE_OPERATIONS(GPUCHECK_RETURNS, GPUCHECK_NO_LINE)
  }
#undef GPUCHECK_RETURNS
  return Returns::nothing;
}

constexpr std::array<std::string_view, effect_count> effects{"fail",
                                                             "drop",
                                                             "report_success",
                                                             "flip_bit",
                                                             "flip_low_bit",
                                                             "not_finite",
                                                             "stick_bit",
                                                             "alias_address_line",
                                                             "delay",
                                                             "alias",
                                                             "misalign",
                                                             "slow_multiprocessor",
                                                             "wrong_multiprocessor",
                                                             "run_now",
                                                             "wrong_answer",
                                                             "eager",
                                                             "hang",
                                                             "kill_process",
                                                             "lose_device",
                                                             "hide_sticky_errors"};

template <typename... Operations>
bool any_of(Operation operation, Operations... wanted) {
  return ((operation == wanted) || ...);
}

bool has_wrong_answer(Operation operation) {
  using enum Operation;
  return any_of(operation, node_count, default_stream, error_text, memory_info, pointer_info, elapsed_ms, capture_info,
                can_access_peer, query_event, query_stream, math_library, collective_library, initialize);
}

bool takes(Operation operation, Effect effect) {
  const Returns returned = returns(operation);
  const bool has_status = returned == Returns::status || returned == Returns::value_or_status;
  switch (effect) {
    case Effect::fail:
      return has_status || operation == Operation::initialize;
    case Effect::drop:
    case Effect::report_success:
    case Effect::lose_device:
    case Effect::hide_sticky_errors:
      return has_status;
    case Effect::flip_bit:
    case Effect::delay:
      return any_of(operation, Operation::copy, Operation::fill, Operation::launch_kernel, Operation::multiply,
                    Operation::communicate);
    case Effect::flip_low_bit:
    case Effect::not_finite:
      return operation == Operation::multiply;
    case Effect::stick_bit:
    case Effect::alias_address_line:
    case Effect::alias:
    case Effect::misalign:
      return operation == Operation::allocate;
    case Effect::slow_multiprocessor:
    case Effect::wrong_multiprocessor:
    case Effect::run_now:
      return operation == Operation::launch_kernel;
    case Effect::wrong_answer:
      return has_wrong_answer(operation);
    case Effect::eager:
      return operation == Operation::initialize;
    case Effect::hang:
    case Effect::kill_process:
      return true;
  }
  return false;
}

[[noreturn]] void reject(const Rule& rule, std::string_view problem) {
  throw Error(fmt::format("this fault plan makes no sense: effect {} on operation {}: {}", to_text(rule.effect),
                          to_text(rule.operation), problem));
}

void check(const Rule& rule) {
  const bool exists = static_cast<std::size_t>(rule.operation) < operation_count;
  if (!exists || !takes(rule.operation, rule.effect)) reject(rule, "the operation cannot take this effect");
  if (rule.first == 0) reject(rule, "the first call is number 1, not 0");
  const bool uses_status = rule.effect == Effect::fail || rule.effect == Effect::lose_device;
  if (uses_status && rule.status == device::Status::success) reject(rule, "it would fail with success");
  if (rule.effect == Effect::delay && rule.delay.count() <= 0) reject(rule, "it would delay by no time");
  if (rule.place.from == Place::From::middle && rule.place.offset != 0) reject(rule, "the middle has no offset");
}

}  // namespace

void check(const Plan& plan) {
  for (const Rule& rule : plan.rules) check(rule);
}

std::string_view to_text(Effect effect) noexcept {
  const auto index = static_cast<std::size_t>(effect);
  return index < effects.size() ? effects[index] : "(no effect)";
}

}  // namespace gpucheck::fault
