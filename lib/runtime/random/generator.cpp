#include "runtime/random/generator.hpp"

#include <cstring>
#include <random>

#include "base/error.hpp"
#include "runtime/runtime.hpp"

namespace gpucheck::runtime {

Generator::Generator(Runtime& runtime, std::uint64_t seed) : runtime_(&runtime) {
  require_no_capture(runtime, "Cannot construct a new CUDAGeneratorImpl");
  state_ = std::make_shared<GeneratorState>(runtime, seed, 0);
}

std::uint64_t Generator::seed() {
  require_no_capture(*runtime_, "Cannot call CUDAGeneratorImpl::seed");
  std::random_device random;
  const std::uint64_t high = random();
  const std::uint64_t seed = (high << 32U) | random();
  manual_seed(seed);
  return seed;
}

std::uint64_t Generator::offset() const {
  require_no_capture(*runtime_, "Cannot call CUDAGeneratorImpl::get_offset");
  return state_->offset();
}

void Generator::set_offset(std::uint64_t offset) {
  require_no_capture(*runtime_, "Cannot call CUDAGeneratorImpl::set_offset");
  state_->set_offset(offset);
}

Generator::StateBytes Generator::state() const {
  const std::uint64_t seed = state_->seed();
  const std::uint64_t offset = state_->offset();
  StateBytes bytes{};
  std::memcpy(bytes.data(), &seed, sizeof(seed));
  std::memcpy(bytes.data() + sizeof(seed), &offset, sizeof(offset));
  return bytes;
}

void Generator::set_state(std::span<const std::uint8_t> bytes) {
  std::uint64_t seed = 0;
  std::uint64_t offset = 0;
  if (bytes.size() != state_bytes && bytes.size() != sizeof(seed)) throw Error("RNG state is wrong size");
  std::memcpy(&seed, bytes.data(), sizeof(seed));
  if (bytes.size() == state_bytes) std::memcpy(&offset, bytes.data() + sizeof(seed), sizeof(offset));
  manual_seed(seed);
  state_->set_offset(offset);
}

Generator Generator::clone() const {
  require_no_capture(*runtime_, "Cannot call CUDAGeneratorImpl::clone_impl");
  return {*runtime_, std::make_shared<GeneratorState>(*runtime_, state_->seed(), state_->offset())};
}

Generator& default_generator(Runtime& runtime) {
  static constexpr char key = 0;
  return *static_cast<Generator*>(runtime.kept(&key, [&runtime] {
    auto generator = std::make_shared<Generator>(runtime);
    generator->seed();
    return generator;
  }));
}

void manual_seed(std::uint64_t seed) {
  detail::for_each_runtime([seed](Runtime& runtime) { default_generator(runtime).manual_seed(seed); });
}

}  // namespace gpucheck::runtime
