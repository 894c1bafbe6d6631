#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cases/support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"
#include "tensor/operators/arithmetic/arithmetic.hpp"
#include "tensor/operators/comparison/comparison.hpp"
#include "tensor/operators/copies/copies.hpp"
#include "tensor/operators/factories/factories.hpp"
#include "tensor/operators/indexing/indexing.hpp"
#include "tensor/operators/random/random.hpp"
#include "tensor/operators/reductions/reductions.hpp"
#include "tensor/operators/views/views.hpp"

/// What the cases about numbers share.
namespace gpucheck::cases::in_numeric {

using tensor::Device;
using tensor::Tensor;

/// @throws harness::Skip on a simulated device: so many elements take it minutes, and a host's memory.
void need_gpu(harness::Context& context, std::string_view elements);

/// The one element, as the host sees it.
[[nodiscard]] double number_of(const Tensor& tensor);

/// "float32 on the device", "int32 on the host".
[[nodiscard]] std::string type_and_place(const Tensor& tensor);

/// Elements that differ between two tensors of one shape and type, wherever they are.
[[nodiscard]] std::int64_t differing(const Tensor& a, const Tensor& b);

/// Real elements as they are observed.
[[nodiscard]] std::vector<double> numbers_of(const Tensor& tensor);

/// A kernel, or the copy of a result, that is lost, and a bit of the first kernel's result that flips.
[[nodiscard]] std::vector<harness::Fault> operator_faults(std::uint64_t lost_kernel = 1);

}  // namespace gpucheck::cases::in_numeric
