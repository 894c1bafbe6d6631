#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cases/shared/gemm_support.hpp"

/// Load that is checked while it lasts.
namespace gpucheck::cases::in_stress {

/// The types that load can be made of, by the names that the cases of gemm have.
struct NamedType {
  std::string_view name;
  const in_gemm::ProductType* type;
};
inline constexpr std::array<NamedType, 8> load_types{{{"fp64", &in_gemm::types::fp64},
                                                      {"fp32", &in_gemm::types::fp32},
                                                      {"tf32", &in_gemm::types::tf32},
                                                      {"fp16", &in_gemm::types::fp16},
                                                      {"bf16", &in_gemm::types::bf16},
                                                      {"fp8_e4m3", &in_gemm::types::fp8_e4m3},
                                                      {"fp8_e5m2", &in_gemm::types::fp8_e5m2},
                                                      {"int8", &in_gemm::types::int8}}};

/// "type", one of those names.
harness::Parameter type_parameter();

/// How long a load is to last: as "seconds" says; 0: what the device needs.
double seconds_of(harness::Context& context);

/// Load and rest in turns.
struct Rhythm {
  std::size_t pulses;
  double half_ms;  ///< of load, and as long without
};
/// As "pulses" and "period_ms" say; each 0: what the device needs.
Rhythm rhythm_of(harness::Context& context);

/// How many products of that length fill a time: one at least, and no more than a million.
std::size_t products_within(double ms, double one_ms);

/// Products one after the other, each checked on the device. Most are of random numbers, which
/// draw the most power: they must have the bits of the first one. Each eighth is a known product.
class Load {
 public:
  /// Multiplies once. @throws as in_gemm::Multiplication does.
  Load(harness::Context& context, device::Stream stream);

  /// Enqueues so many products and their checks.
  void add(std::size_t products);

  /// Products enqueued by `add`.
  [[nodiscard]] std::uint64_t products() const noexcept { return products_; }
  /// Operations of one product.
  [[nodiscard]] double operations() const noexcept { return random_.operations(); }
  /// Observes what all checks found. Waits for them.
  void observe(harness::Context& context);

 private:
  Load(harness::Context& context, device::Stream stream, const in_gemm::ProductType& type);

  in_gemm::Multiplication random_;
  in_gemm::Multiplication known_;
  std::uint64_t products_ = 0;
};

/// Events in the order of a stream.
class Clock {
 public:
  Clock(device::Device& device, device::Stream stream) : device_(device), stream_(stream) {}
  [[nodiscard]] device::UniqueEvent now();
  /// Milliseconds from one event to another, which the host waits for.
  [[nodiscard]] double elapsed_ms(const device::UniqueEvent& from, const device::UniqueEvent& to);

 private:
  device::Device& device_;
  device::Stream stream_;
};

/// The faults that strike a load in every case: by numbers of calls that `Load` makes.
std::vector<harness::Fault> load_faults();

}  // namespace gpucheck::cases::in_stress
