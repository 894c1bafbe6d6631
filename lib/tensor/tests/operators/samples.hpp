#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "tensor/call/entry.hpp"
#include "tensor/core/value.hpp"

/// Arguments for tests that are made from an operator's schema alone.
namespace gpucheck::tensor::test {

/// How a tensor lies in its storage.
enum class Lay {
  contiguous,
  transposed,    ///< the first and the last dimension exchanged
  every_second,  ///< gaps in the last dimension
  shifted,       ///< begins at the second element of its storage
  expanded,      ///< the first dimension repeats one row
};

struct Shape {
  Sizes sizes;
  Lay lay = Lay::contiguous;
};

/// Shapes of an operator's tensors: the k-th gets the k-th, or the last.
struct ShapeSet {
  std::string name;
  std::vector<Shape> shapes;
};

/// Empty ones, one element, none of the dimensions, broadcasts, and every way to lie.
[[nodiscard]] const std::vector<ShapeSet>& shape_sets();

/// A tensor on the host with whole numbers from -4 to 4 (0 to 8 where the type has no signs), so that sums are exact in
/// every type: other ones for other seeds.
[[nodiscard]] Tensor make_sample(const Shape& shape, DType dtype, unsigned seed);

/// Arguments for a schema, on the host. Numbers are 2, lists of dimensions the first one, types float32; tensors called
/// "index" or "indices" have places along the first dimension of the first tensor; what has a default is left out.
[[nodiscard]] std::vector<Value> make_arguments(const Schema& schema, const ShapeSet& shapes, DType dtype);

/// What an argument with a default is when it is not given.
[[nodiscard]] Value default_value(const Argument& argument);

/// The name that PyTorch's exception of this kind has: "RuntimeError".
[[nodiscard]] std::string python_name(const Error& error);

/// The same arguments with their tensors on another device, in the same layout.
[[nodiscard]] std::vector<Value> on_device(const std::vector<Value>& arguments, Device device);
[[nodiscard]] Tensor on_device(const Tensor& tensor, Device device);

/// Bytes of the elements, the last dimension fastest, wherever the tensor is.
[[nodiscard]] std::vector<std::byte> bytes_of(const Tensor& tensor);

}  // namespace gpucheck::tensor::test
