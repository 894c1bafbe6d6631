#include "telemetry/machine/machine.hpp"

#include <algorithm>
#include <cctype>

#include "base/text/pci_address.hpp"

namespace gpucheck::telemetry {
namespace {

bool is_text(const Value& value, std::string_view expected) {
  const std::string* const seen = text(value);
  return seen != nullptr && !expected.empty() && *seen == expected;
}

template <typename Kind>
std::optional<Kind> value_of(const Value& value) noexcept {
  const auto* const held = std::get_if<Kind>(&value);
  return held == nullptr ? std::nullopt : std::optional(*held);
}

}  // namespace

bool is_gpu(const Gpu& gpu, const GpuId& id) {
  if (is_text(gpu[Reading::uuid], id.uuid)) return true;
  const std::string* const address = text(gpu[Reading::pci_address]);
  return address != nullptr && !id.pci_address.empty() &&
         normal_pci_address(*address) == normal_pci_address(id.pci_address);
}

const Gpu* find_gpu(const Machine& machine, const GpuId& id) {
  const auto found = std::ranges::find_if(machine.gpus, [&id](const Gpu& gpu) { return is_gpu(gpu, id); });
  return found == machine.gpus.end() ? nullptr : &*found;
}

std::optional<std::int64_t> number(const Value& value) noexcept { return value_of<std::int64_t>(value); }
std::optional<bool> flag(const Value& value) noexcept { return value_of<bool>(value); }
const std::string* text(const Value& value) noexcept { return std::get_if<std::string>(&value); }
bool is_failure(const Value& value) noexcept {
  const auto* const held = std::get_if<Unavailable>(&value);
  return held != nullptr && held->is_failure;
}
const std::string* problem(const Value& value) noexcept {
  const auto* const held = std::get_if<Unavailable>(&value);
  return held == nullptr ? nullptr : &held->reason;
}

}  // namespace gpucheck::telemetry
