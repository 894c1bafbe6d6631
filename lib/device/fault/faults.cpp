#include "device/fault/faults.hpp"

#include <chrono>
#include <csignal>
#include <thread>

namespace gpucheck::fault {
namespace {

[[noreturn]] void hang() {
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

}  // namespace

bool ArmedRule::has_condition() const noexcept {
  switch (rule_.effect) {
    case Effect::flip_bit:
    case Effect::flip_low_bit:
    case Effect::not_finite:
    case Effect::stick_bit:
    case Effect::alias_address_line:
    case Effect::alias:
    case Effect::slow_multiprocessor:
    case Effect::wrong_multiprocessor:
    case Effect::run_now:
      return true;
    case Effect::wrong_answer:
      return rule_.operation == Operation::query_event || rule_.operation == Operation::query_stream;
    default:
      return false;
  }
}

bool ArmedRule::is_due(Operation operation, std::uint64_t number) const noexcept {
  if (operation != rule_.operation || number < rule_.first) return false;
  if (rule_.times == 0) return true;
  return (has_condition() ? claimed_.load() : number - rule_.first) < rule_.times;
}

bool ArmedRule::claim() noexcept {
  if (rule_.times == 0) return true;
  std::uint64_t claimed = claimed_.load();
  while (claimed < rule_.times) {
    if (claimed_.compare_exchange_weak(claimed, claimed + 1)) return true;
  }
  return false;
}

Faults::Faults(const Plan& plan) {
  for (const Rule& rule : plan.rules) rules_.emplace_back(rule);
}

ArmedRule* Faults::find_due(Operation operation) noexcept {
  const std::uint64_t number = calls_[static_cast<std::size_t>(operation)].fetch_add(1) + 1;
  for (ArmedRule& rule : rules_) {
    if (rule.is_due(operation, number)) return &rule;
  }
  return nullptr;
}

ArmedRule* Faults::next(Operation operation) noexcept {
  ArmedRule* rule = find_due(operation);
  if (rule == nullptr) return nullptr;
  switch (rule->effect()) {
    case Effect::hang:
      hang();
    case Effect::kill_process:
      std::raise(SIGKILL);
      hang();  // the signal is on its way
    case Effect::lose_device:
      lost_.store(rule->status());
      return nullptr;
    case Effect::hide_sticky_errors:
      hides_sticky_errors_.store(true);
      return nullptr;
    default:
      return rule;
  }
}

}  // namespace gpucheck::fault
