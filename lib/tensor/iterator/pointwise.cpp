#include "tensor/iterator/pointwise.hpp"

#include <fmt/format.h>

#include "tensor/core/errors.hpp"

namespace gpucheck::tensor {

void refuse_dtype(std::string_view name, DType dtype) {
  throw NotImplementedError(fmt::format("\"{}\" not implemented for '{}'", name, to_error_text(dtype)));
}

}  // namespace gpucheck::tensor
