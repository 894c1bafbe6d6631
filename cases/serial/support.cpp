#include "cases/serial/support.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <random>
#include <unistd.h>

#include "cases/support.hpp"

namespace gpucheck::cases::in_serial {

TemporaryFile::TemporaryFile() : path_((std::filesystem::temp_directory_path() / "gpucheck_XXXXXX").string()) {
  const int descriptor = ::mkstemp(path_.data());
  if (descriptor < 0) {
    throw EnvironmentError(fmt::format("cannot make the temporary file {}: {}", path_, std::strerror(errno)));
  }
  ::close(descriptor);
}

TemporaryFile::~TemporaryFile() {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

bool TemporaryFile::remove() {
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(path_, error);
  return !error && bytes > 0 && std::filesystem::remove(path_, error) && !std::filesystem::exists(path_, error);
}

runtime::Machine machine_of(harness::Context& context) {
  std::vector<runtime::Runtime*> runtimes;
  for (std::size_t i = 0; i < context.device_count(); ++i) runtimes.push_back(&context.runtime(i));
  return runtime::Machine(std::move(runtimes));
}

tensor::Tensor normal_numbers(const tensor::Sizes& sizes, std::uint64_t seed) {
  tensor::Tensor numbers = tensor::make_empty(sizes, DType::float32, tensor::host);
  std::mt19937_64 source(seed);
  std::normal_distribution<float> normal;
  for (std::int64_t i = 0; i < numbers.count(); ++i) numbers.data_as<float>()[i] = normal(source);
  return numbers;
}

template <typename T>
std::vector<T> elements_of(const tensor::Tensor& tensor) {
  const auto* const elements = tensor.data_as<const T>();
  if (tensor.device().is_host()) return {elements, elements + tensor.count()};
  runtime::Runtime& runtime = tensor.device().runtime();
  return read(runtime, elements, static_cast<std::size_t>(tensor.count()), runtime.current_stream());
}
template std::vector<std::int32_t> elements_of<std::int32_t>(const tensor::Tensor&);
template std::vector<std::uint32_t> elements_of<std::uint32_t>(const tensor::Tensor&);

std::string kind_of(const tensor::Tensor& tensor, runtime::Runtime& runtime) {
  bool is_there = tensor.device() == tensor::Device(runtime);
  if (const void* const memory = tensor.data(); memory != nullptr && is_there) {
    device::Device& device = runtime.device();
    const device::Result<device::PointerInfo> info = device.pointer_info(memory);
    is_there = info.has_value() && info->kind == device::MemoryKind::device;
  }
  return fmt::format("{} {}{}", to_text(tensor.dtype()), tensor::to_text(tensor.sizes()),
                     is_there ? " on the device" : "");
}

tensor::files::Object through_file(const tensor::files::Object& object, harness::Context& context) {
  const TemporaryFile file;
  tensor::files::save(object, file.path());
  return tensor::files::load(file.path(), {.machine = machine_of(context)});
}

}  // namespace gpucheck::cases::in_serial
