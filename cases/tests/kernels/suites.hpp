#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "cases/shared/kernels/collectives.hpp"
#include "device/tests/contract.hpp"

/// Every suite that the kernels of the cases are put under, on every device: a contract like the device's own, whose
/// name space and fixtures it shares. A device is put under all of them with
/// GPUCHECK_INSTANTIATE_KERNELS_OF_CASES(prefix, backends).
namespace gpucheck::device::contract {

class BandwidthKernels : public Contract {};
class MemoryKernels : public Contract {};
class ProductKernels : public Contract {
 protected:
  /// That a comparison with a known product finds elements planted at (row, column, value), and no others.
  template <typename T>
  void expect_found(const std::vector<std::array<double, 3>>& planted, std::uint64_t not_a_number,
                    std::uint64_t infinite) const;
  std::uint64_t digest_of(const std::vector<std::uint64_t>& words) const;
};
class ContributionKernels : public Contract {
 protected:
  /// What a comparison with known contributions finds in what arrived.
  template <typename T>
  kernels::ContributionFindings compare_contributions(const std::vector<T>& arrived, std::uint64_t ranks,
                                                      Reduction reduction) const;
  /// That contributions of this type are written, and compared, as the host works them out.
  template <typename T>
  void expect_contributions() const;
};

}  // namespace gpucheck::device::contract

#define GPUCHECK_INSTANTIATE_KERNELS_OF_CASES(prefix, backends)   \
  GPUCHECK_INSTANTIATE_SUITE(prefix, BandwidthKernels, backends); \
  GPUCHECK_INSTANTIATE_SUITE(prefix, MemoryKernels, backends);    \
  GPUCHECK_INSTANTIATE_SUITE(prefix, ProductKernels, backends);   \
  GPUCHECK_INSTANTIATE_SUITE(prefix, ContributionKernels, backends)
