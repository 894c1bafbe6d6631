#include "device/fault/plan.hpp"

#include <array>
#include <fmt/format.h>
#include <iterator>

#include "base/error.hpp"

namespace gpucheck::fault {
namespace {

/// What a call gives back, which decides what can be done to it.
enum class Returns { nothing, status, value_or_status, value };

struct OperationRow {
  Operation operation;
  std::string_view name;
  Returns returns;
};

constexpr OperationRow operations[] = {
    {Operation::initialize, "initialize", Returns::nothing},
    {Operation::free, "free", Returns::status},
    {Operation::free_async, "free_async", Returns::status},
    {Operation::reset_async_pool_peaks, "reset_async_pool_peaks", Returns::status},
    {Operation::set_async_pool_threshold, "set_async_pool_threshold", Returns::status},
    {Operation::trim_async_pool, "trim_async_pool", Returns::status},
    {Operation::free_pinned, "free_pinned", Returns::status},
    {Operation::register_host, "register_host", Returns::status},
    {Operation::unregister_host, "unregister_host", Returns::status},
    {Operation::release_addresses, "release_addresses", Returns::status},
    {Operation::map_memory, "map_memory", Returns::status},
    {Operation::unmap_memory, "unmap_memory", Returns::status},
    {Operation::destroy_stream, "destroy_stream", Returns::status},
    {Operation::query_stream, "query_stream", Returns::status},
    {Operation::wait, "wait", Returns::status},
    {Operation::destroy_event, "destroy_event", Returns::status},
    {Operation::record, "record", Returns::status},
    {Operation::query_event, "query_event", Returns::status},
    {Operation::synchronize, "synchronize", Returns::status},
    {Operation::copy, "copy", Returns::status},
    {Operation::fill, "fill", Returns::status},
    {Operation::launch_kernel, "launch_kernel", Returns::status},
    {Operation::host_callback, "host_callback", Returns::status},
    {Operation::begin_capture, "begin_capture", Returns::status},
    {Operation::launch_graph, "launch_graph", Returns::status},
    {Operation::update_graph, "update_graph", Returns::status},
    {Operation::destroy_graph, "destroy_graph", Returns::status},
    {Operation::destroy_executable, "destroy_executable", Returns::status},
    {Operation::last_error, "last_error", Returns::status},
    {Operation::enable_peer_access, "enable_peer_access", Returns::status},
    {Operation::allocate, "allocate", Returns::value_or_status},
    {Operation::allocate_async, "allocate_async", Returns::value_or_status},
    {Operation::async_pool_usage, "async_pool_usage", Returns::value_or_status},
    {Operation::allocate_pinned, "allocate_pinned", Returns::value_or_status},
    {Operation::reserve_addresses, "reserve_addresses", Returns::value_or_status},
    {Operation::memory_info, "memory_info", Returns::value_or_status},
    {Operation::pointer_info, "pointer_info", Returns::value_or_status},
    {Operation::create_stream, "create_stream", Returns::value_or_status},
    {Operation::create_event, "create_event", Returns::value_or_status},
    {Operation::elapsed_ms, "elapsed_ms", Returns::value_or_status},
    {Operation::end_capture, "end_capture", Returns::value_or_status},
    {Operation::capture_info, "capture_info", Returns::value_or_status},
    {Operation::capture_dependencies, "capture_dependencies", Returns::value_or_status},
    {Operation::node_dependencies, "node_dependencies", Returns::value_or_status},
    {Operation::exchange_capture_mode, "exchange_capture_mode", Returns::value_or_status},
    {Operation::node_count, "node_count", Returns::value_or_status},
    {Operation::instantiate, "instantiate", Returns::value_or_status},
    {Operation::can_access_peer, "can_access_peer", Returns::value_or_status},
    {Operation::default_stream, "default_stream", Returns::value},
    {Operation::error_text, "error_text", Returns::value},
};
static_assert(std::size(operations) == operation_count);

constexpr std::array<std::string_view, effect_count> effects{
    "fail",         "drop",  "report_success", "flip_bit",     "alias",       "run_now",
    "wrong_answer", "eager", "hang",           "kill_process", "lose_device", "hide_sticky_errors"};

const OperationRow* find(Operation operation) noexcept {
  const auto index = static_cast<std::size_t>(operation);
  return index < std::size(operations) ? &operations[index] : nullptr;
}

template <typename... Operations>
bool any_of(Operation operation, Operations... wanted) {
  return ((operation == wanted) || ...);
}

bool has_wrong_answer(Operation operation) {
  using enum Operation;
  return any_of(operation, node_count, default_stream, error_text, memory_info, pointer_info, elapsed_ms, capture_info,
                can_access_peer, query_event, query_stream);
}

bool takes(const OperationRow& row, Effect effect) {
  const bool has_status = row.returns == Returns::status || row.returns == Returns::value_or_status;
  switch (effect) {
    case Effect::fail:
      return has_status || row.operation == Operation::initialize;
    case Effect::drop:
    case Effect::report_success:
    case Effect::lose_device:
    case Effect::hide_sticky_errors:
      return has_status;
    case Effect::flip_bit:
      return any_of(row.operation, Operation::copy, Operation::fill, Operation::launch_kernel);
    case Effect::alias:
      return row.operation == Operation::allocate;
    case Effect::run_now:
      return row.operation == Operation::launch_kernel;
    case Effect::wrong_answer:
      return has_wrong_answer(row.operation);
    case Effect::eager:
      return row.operation == Operation::initialize;
    case Effect::hang:
    case Effect::kill_process:
      return true;
  }
  return false;
}

[[noreturn]] void refuse(const Rule& rule, std::string_view problem) {
  throw Error(fmt::format("this fault plan makes no sense: effect {} on operation {}: {}", to_text(rule.effect),
                          to_text(rule.operation), problem));
}

void check(const Rule& rule) {
  const OperationRow* row = find(rule.operation);
  if (row == nullptr || !takes(*row, rule.effect)) refuse(rule, "the operation cannot take this effect");
  if (rule.first == 0) refuse(rule, "the first call is number 1, not 0");
  const bool uses_status = rule.effect == Effect::fail || rule.effect == Effect::lose_device;
  if (uses_status && rule.status == device::Status::success) refuse(rule, "it would fail with success");
}

}  // namespace

void check(const Plan& plan) {
  for (const Rule& rule : plan.rules) check(rule);
}

std::string_view to_text(Operation operation) noexcept {
  const OperationRow* row = find(operation);
  return row != nullptr ? row->name : "(no operation)";
}

std::string_view to_text(Effect effect) noexcept {
  const auto index = static_cast<std::size_t>(effect);
  return index < effects.size() ? effects[index] : "(no effect)";
}

}  // namespace gpucheck::fault
