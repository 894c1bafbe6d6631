#pragma once

#include <functional>

#include "tensor/core/generator.hpp"
#include "tensor/core/tensor.hpp"

/// What operators that draw numbers share.
namespace gpucheck::tensor::operators::in_random {

/// Calls `fill` with the tensor's elements one after another, in the order in which a loop goes through them, and
/// counts a write.
void fill_in_order(const Tensor& self, const std::function<void(const Tensor&)>& fill);

/// The generator for a tensor of that device: the default one where none was chosen. @throws Error with PyTorch's text
/// for one of another device.
[[nodiscard]] runtime::Generator& device_generator(GeneratorChoice choice, Device device);
[[nodiscard]] HostGenerator& host_generator(GeneratorChoice choice);

}  // namespace gpucheck::tensor::operators::in_random
