#pragma once

#include <cstdint>
#include <mutex>
#include <random>

#include "runtime/random/generator.hpp"

namespace gpucheck::tensor {

/// A source of random numbers for tensors of the host: the Mersenne twister that PyTorch's host generator is, too.
/// Thread-safe.
class HostGenerator {
 public:
  explicit HostGenerator(std::uint64_t seed = runtime::Generator::default_seed) { manual_seed(seed); }

  void manual_seed(std::uint64_t seed) {
    const std::lock_guard lock(mutex_);
    seed_ = seed;
    twister_.seed(static_cast<std::uint32_t>(seed));
  }
  [[nodiscard]] std::uint64_t initial_seed() const {
    const std::lock_guard lock(mutex_);
    return seed_;
  }
  /// Calls `draw` with the source of 32-bit numbers, which is nobody else's meanwhile.
  template <typename Draw>
  void use(Draw draw) {
    const std::lock_guard lock(mutex_);
    draw(twister_);
  }

 private:
  mutable std::mutex mutex_;
  std::uint64_t seed_ = 0;
  std::mt19937 twister_;
};

/// The host generator that is drawn from when nobody chose one.
[[nodiscard]] HostGenerator& default_host_generator();

/// The generator that an operator was given; none where nobody chose one.
struct GeneratorChoice {
  runtime::Generator* device = nullptr;
  HostGenerator* host = nullptr;
  GeneratorChoice() noexcept = default;
  // NOLINTBEGIN(google-explicit-constructor): a generator is meant wherever one is written
  GeneratorChoice(runtime::Generator& generator) noexcept : device(&generator) {}
  GeneratorChoice(HostGenerator& generator) noexcept : host(&generator) {}
  // NOLINTEND(google-explicit-constructor)
  bool operator==(const GeneratorChoice&) const noexcept = default;
};

}  // namespace gpucheck::tensor
