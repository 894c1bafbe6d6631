#include "telemetry/machine.hpp"

namespace gpucheck::telemetry {
namespace {

template <typename Kind>
std::optional<Kind> value_of(const Value& value) noexcept {
  const auto* const held = std::get_if<Kind>(&value);
  return held == nullptr ? std::nullopt : std::optional(*held);
}

}  // namespace

std::optional<std::int64_t> number(const Value& value) noexcept { return value_of<std::int64_t>(value); }
std::optional<bool> flag(const Value& value) noexcept { return value_of<bool>(value); }
const std::string* text(const Value& value) noexcept { return std::get_if<std::string>(&value); }
const std::string* problem(const Value& value) noexcept {
  const auto* const held = std::get_if<Unavailable>(&value);
  return held == nullptr ? nullptr : &held->reason;
}

}  // namespace gpucheck::telemetry
