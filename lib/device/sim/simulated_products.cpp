#include <algorithm>

#include "device/sim/reference/reference_product.hpp"
#include "device/sim/simulated_device.hpp"

namespace gpucheck::sim {

using device::Result;
using device::Status;

namespace {

/// What a product reads and writes, without what is not there.
std::vector<device::MemoryAccess> accesses_of(const device::MatrixProduct& product,
                                              const device::ProductAlgorithm& algorithm,
                                              const device::ProductOperands& operands) {
  const std::size_t result_bytes = bytes_of_d(product);
  std::vector<device::MemoryAccess> accesses{
      device::reads(operands.a, bytes_of_a(product)), device::reads(operands.b, bytes_of_b(product)),
      product.beta == 0 ? device::writes(operands.d, result_bytes) : device::updates(operands.d, result_bytes)};
  if (operands.scale_a != nullptr) accesses.push_back(device::reads(operands.scale_a, sizeof(float)));
  if (operands.scale_b != nullptr) accesses.push_back(device::reads(operands.scale_b, sizeof(float)));
  if (algorithm.workspace_bytes != 0) {
    accesses.push_back(device::updates(operands.workspace, algorithm.workspace_bytes));
  }
  return accesses;
}

}  // namespace

Result<device::VendorLibrary> SimulatedDevice::math_library() {
  return call(Operation::math_library, [&]() -> Result<device::VendorLibrary> {
    return device::VendorLibrary{.name = "reference", .version = "1", .problem = ""};
  });
}

// The library's own complaints are not the runtime's: it remembers none of them.
Result<device::ProductAlgorithm> SimulatedDevice::choose_algorithm(const device::MatrixProduct& product,
                                                                   std::uint64_t workspace_limit_bytes) {
  const auto body = [&]() -> Result<device::ProductAlgorithm> {
    if (const Status status = check_product(product); status != Status::success) return status;
    return choose_reference_algorithm(product, workspace_limit_bytes);
  };
  return call(Operation::choose_algorithm, body, AfterSticky::works, costs::api_call_ns, LastError::untouched);
}

Status SimulatedDevice::multiply(const device::MatrixProduct& product, const device::ProductAlgorithm& algorithm,
                                 const device::ProductOperands& operands, device::Stream on) {
  const auto body = [&] {
    if (const Status status = check_product(product); status != Status::success) return status;
    if (const Status status = check_operands(algorithm, operands); status != Status::success) return status;
    const auto stream = target(on);
    if (!stream) return stream.error();
    const bool is_odd = machine_->options.odd_device == (*stream)->device;
    submit(**stream, {.name = product_name,
                      .action = MultiplyMatrices{product, is_odd ? from_the_end(algorithm) : algorithm, operands},
                      .accesses = accesses_of(product, algorithm, operands),
                      .duration_ns = product_ns(product)});
    return Status::success;
  };
  return call(Operation::multiply, body, AfterSticky::fails, costs::api_call_ns, LastError::untouched);
}

std::uint64_t SimulatedDevice::product_ns(const device::MatrixProduct& product) const noexcept {
  const auto products = static_cast<std::uint64_t>(product.m) * static_cast<std::uint64_t>(product.n) *
                        static_cast<std::uint64_t>(product.k) * static_cast<std::uint64_t>(product.batch);
  const std::uint64_t flops_per_ns = machine_->options.profile.product_flops_per_ns.of(product);
  const std::uint64_t bytes = bytes_of_a(product) + bytes_of_b(product) + bytes_of_d(product);
  return std::max(costs::transfer_ns(2 * products, flops_per_ns), memory_ns(bytes));
}

}  // namespace gpucheck::sim
