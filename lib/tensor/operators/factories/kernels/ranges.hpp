#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "device/kernels/support/family.hpp"
#include "tensor/core/elements.hpp"

namespace gpucheck::device::kernels {

/// out[i] = start + i step, without gaps.
template <typename Number>
struct Arange {
  static constexpr std::string_view name = "arange";
  void* out;
  DType dtype;
  std::int64_t elements;
  Number start;
  Number step;

  [[nodiscard]] std::size_t invocations() const { return static_cast<std::size_t>(elements); }
  [[nodiscard]] std::array<MemoryAccess, 1> accesses(std::size_t) const {
    const std::size_t size = element_bytes(dtype);
    return {MemoryAccess{out, static_cast<std::size_t>(elements) * size, AccessMode::write, size}};
  }
  GPUCHECK_HOST_DEVICE void operator()(const Thread& thread) const { store(static_cast<std::int64_t>(thread.index)); }
  void run_whole_on_host() const {
    for (std::int64_t i = 0; i < elements; ++i) store(i);
  }

 private:
  GPUCHECK_HOST_DEVICE void store(std::int64_t i) const {
    const Number number = start + static_cast<Number>(i) * step;
    with_stored_type(dtype,
                     [&]<typename T>(std::type_identity<T>) { static_cast<T*>(out)[i] = convert_element<T>(number); });
  }
};

namespace families {
using ranges = Family<Arange<std::int64_t>, Arange<double>>;
}
template <typename Functor>
requires(families::ranges::has<Functor>) struct FamilyOf<Functor> : families::ranges {
};

}  // namespace gpucheck::device::kernels
