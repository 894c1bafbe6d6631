#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "telemetry/machine/reading.hpp"

/// What shall be wrong with the answers of a driver, and from which on. A plan is data: the decorator of
/// `fault_source.hpp` carries it out over any source, a recording or a GPU's driver.
namespace gpucheck::telemetry {

/// Besides readings. The effect is `set`, and the comments say what the value is; `links_down` and
/// `cuda_version` can `fail` as well.
enum class Aspect : std::uint8_t {
  gpu,                    ///< the GPU is gone: the driver lists it no more
  neighbour,              ///< another GPU is there, in all like this one as the rules before leave it
  process,                ///< a process computes on the GPU. Its number
  xid,                    ///< the driver reports a critical error. Its number; reported once
  kernel_xid,             ///< the kernel's log does. Its number
  kernel_lines,           ///< and these lines; ADDRESS in them stands for the GPU's
  kernel_log,             ///< the log cannot be read. Why
  unbound_gpu,            ///< the bus has one more GPU, to which no driver is bound. Its PCI address
  device_file,            ///< the GPU's device file cannot be opened. Why
  library,                ///< a library of the driver cannot be loaded. Why
  kernel_module_version,  ///< of the loaded driver
  cuda_version,           ///< the newest that the driver offers; with `fail`, the driver cannot say it
  links_down,             ///< none of the GPU's NVLinks is up; with `fail`, they cannot be listed
  network_file,           ///< a file about adapters holds another text: "PATH=TEXT"; "PATH" cannot be read
};
inline constexpr std::size_t aspect_count = static_cast<std::size_t>(Aspect::network_file) + 1;

/// What happens to a reading.
enum class FaultEffect : std::uint8_t {
  set,            ///< it is `value`
  rise,           ///< it is larger by `value` (a number) at the first such answer, by twice as much at the next
  not_supported,  ///< the driver does not offer it
  fail,           ///< the driver fails to answer
  hang,           ///< no answer ever comes
};

/// Applies to the GPU that is looked at; a link's reading to its first link.
struct FaultRule {
  std::variant<Reading, LinkReading, Aspect> what;
  FaultEffect effect = FaultEffect::set;
  Value value = {};
  /// The answers in which this is asked are counted from 1: from this one on.
  std::uint64_t first = 1;
};

struct FaultPlan {
  std::vector<FaultRule> rules;
  [[nodiscard]] bool empty() const noexcept { return rules.empty(); }
};

/// @throws Error naming a rule that makes no sense.
void check(const FaultPlan& plan);

// -- plans of one rule --------------------------------------------------------------------------

template <typename What>
FaultPlan always(What what, const Value& value) {
  return {{{.what = what, .effect = FaultEffect::set, .value = value}}};
}
/// Grows by `step` with each answer from the second on, as if while the case ran.
template <typename What>
FaultPlan rising(What what, std::int64_t step) {
  return {{{.what = what, .effect = FaultEffect::rise, .value = step, .first = 2}}};
}
/// Is as it should be at first, and then this.
template <typename What>
FaultPlan becoming(What what, const Value& value) {
  return {{{.what = what, .effect = FaultEffect::set, .value = value, .first = 2}}};
}
template <typename What>
FaultPlan not_supported(What what) {
  return {{{.what = what, .effect = FaultEffect::not_supported}}};
}
template <typename What>
FaultPlan failing(What what) {
  return {{{.what = what, .effect = FaultEffect::fail}}};
}
template <typename What>
FaultPlan hanging(What what) {
  return {{{.what = what, .effect = FaultEffect::hang}}};
}
/// All rules of both.
inline FaultPlan operator+(FaultPlan one, const FaultPlan& other) {
  one.rules.insert(one.rules.end(), other.rules.begin(), other.rules.end());
  return one;
}

}  // namespace gpucheck::telemetry
