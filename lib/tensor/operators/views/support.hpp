#pragma once

#include <optional>

#include "tensor/core/tensor.hpp"

/// What views of other sizes share.
namespace gpucheck::tensor::operators::in_views {

/// Sizes in which -1 stands for what is left of so many elements. @throws Error with PyTorch's text where nothing fits.
[[nodiscard]] Sizes inferred_sizes(const Sizes& sizes, std::int64_t count);

/// The strides with which a tensor's elements, in order, have other sizes; nothing where no strides do that.
[[nodiscard]] std::optional<Sizes> strides_of_view(const Tensor& tensor, const Sizes& sizes);

}  // namespace gpucheck::tensor::operators::in_views
