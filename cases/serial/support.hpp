#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/case/context.hpp"
#include "runtime/machine.hpp"
#include "tensor/core/tensor.hpp"
#include "tensor/files/files.hpp"

namespace gpucheck::cases::in_serial {

/// The name of a file of this process's own in the folder for temporary files; the file goes with it.
class TemporaryFile {
 public:
  /// @throws EnvironmentError where none can be made.
  TemporaryFile();
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  /// False where there was nothing in it, or it is still there.
  bool remove();

 private:
  std::string path_;
};

/// The case's devices by their numbers.
[[nodiscard]] runtime::Machine machine_of(harness::Context& context);

/// Normal numbers that the seed alone decides, on the host.
[[nodiscard]] tensor::Tensor normal_numbers(const tensor::Sizes& sizes, std::uint64_t seed);

/// The elements of a contiguous tensor, once the current stream has them. @throws DeviceError.
template <typename T>
std::vector<T> elements_of(const tensor::Tensor& tensor);

/// A tensor's type and sizes, and whether it is in the memory of that runtime's device, as the driver has it where it
/// has elements: "float32 [2, 3] on the device".
[[nodiscard]] std::string kind_of(const tensor::Tensor& tensor, runtime::Runtime& runtime);

/// What comes back of an object through a file.
[[nodiscard]] tensor::files::Object through_file(const tensor::files::Object& object, harness::Context& context);

}  // namespace gpucheck::cases::in_serial
