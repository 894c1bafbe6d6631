#include "tensor/libraries/matrix_library.hpp"

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "device/check.hpp"
#include "tensor/libraries/workspaces.hpp"

namespace gpucheck::tensor {
namespace {

using device::MatrixProduct;
using device::ProductAlgorithm;

struct Question {
  MatrixProduct product;
  std::uint64_t workspace_bytes = 0;
  bool operator==(const Question&) const = default;
};

struct QuestionHash {
  std::size_t operator()(const Question& question) const noexcept {
    const MatrixProduct& product = question.product;
    std::size_t hash = 0;
    for (const std::int64_t number :
         {product.m, product.n, product.k, product.leading_a, product.leading_b, product.leading_d, product.batch,
          product.batch_stride_a, product.batch_stride_b, product.batch_stride_d, static_cast<std::int64_t>(product.d),
          static_cast<std::int64_t>(product.compute),
          std::int64_t{product.transpose_a} * 2 + std::int64_t{product.transpose_b}}) {
      hash = hash * 31 + std::hash<std::int64_t>{}(number);
    }
    return hash;
  }
};

/// One device's library and how it goes about the products that it was asked for.
class MatrixLibrary {
 public:
  explicit MatrixLibrary(device::Device& device)
      : device_(device),
        is_there_(device::check_and_clear(device, device.math_library(), "asking for the library that multiplies")
                      .problem.empty()) {}

  [[nodiscard]] bool is_there() const noexcept { return is_there_; }

  /// Nothing where the library does not do the product.
  std::optional<ProductAlgorithm> algorithm(const MatrixProduct& product, std::uint64_t workspace_bytes) {
    Question question{product, workspace_bytes};
    // Algorithms do not depend on factors, but on whether D is read.
    question.product.scale = 1;
    question.product.beta = product.beta == 0 ? 0 : 1;
    const std::scoped_lock lock(mutex_);
    const auto known = known_.find(question);
    if (known != known_.end()) return known->second;
    // Programs whose sizes change all the time must not fill the memory.
    if (known_.size() == most_known) known_.clear();
    return known_.emplace(question, ask(question)).first->second;
  }

  static MatrixLibrary& of(runtime::Runtime& runtime) {
    static const char key = 0;
    return *static_cast<MatrixLibrary*>(
        runtime.kept(&key, [&] { return std::make_shared<MatrixLibrary>(runtime.device()); }));
  }

 private:
  static constexpr std::size_t most_known = 4096;

  std::optional<ProductAlgorithm> ask(const Question& question) {
    device::Result<ProductAlgorithm> chosen = device_.choose_algorithm(question.product, question.workspace_bytes);
    if (!chosen && chosen.error() == device::Status::not_supported) return std::nullopt;
    ProductAlgorithm algorithm = device::check_and_clear(device_, std::move(chosen), "choosing an algorithm");
    // Each product copies what is kept: a text would need memory each time.
    algorithm.description.clear();
    return algorithm;
  }

  device::Device& device_;
  bool is_there_;
  std::mutex mutex_;
  std::unordered_map<Question, std::optional<ProductAlgorithm>, QuestionHash> known_;
};

}  // namespace

bool multiply_by_library(runtime::Runtime& runtime, const MatrixProduct& product, device::ProductOperands operands) {
  MatrixLibrary& library = MatrixLibrary::of(runtime);
  if (!library.is_there()) return false;
  const Workspace workspace = workspace_for_current_stream(runtime);
  const std::optional<ProductAlgorithm> algorithm = library.algorithm(product, workspace.bytes);
  if (!algorithm) return false;
  operands.workspace = workspace.data;
  operands.workspace_bytes = workspace.bytes;
  device::Device& device = runtime.device();
  device::check(device, device.multiply(product, *algorithm, operands, runtime.current_stream()), "matrix product");
  return true;
}

}  // namespace gpucheck::tensor
