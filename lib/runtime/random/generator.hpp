#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "runtime/random/generator_state.hpp"

namespace gpucheck::runtime {

/// A source of random numbers on a device: PyTorch's `torch.Generator(device="cuda")`. A copy
/// draws from the same state. Thread-safe but for `graphsafe_set_state`. The runtime must
/// outlive it. While the current stream is captured: what is said here for each call.
class Generator {
 public:
  /// The layout of PyTorch's CUDA state: seed and offset, 8 bytes each, lowest first.
  static constexpr std::size_t state_bytes = 16;
  using StateBytes = std::array<std::uint8_t, state_bytes>;
  static constexpr std::uint64_t default_seed = 67280421310721;

  /// @throws Error in a capture; DeviceError.
  explicit Generator(Runtime& runtime, std::uint64_t seed = default_seed);

  /// The seed it was last given.
  [[nodiscard]] std::uint64_t initial_seed() const { return state_->seed(); }
  /// Begins anew from a seed. @throws Error in a capture, unless it is the present one;
  /// DeviceError.
  void manual_seed(std::uint64_t seed) { state_->set_seed(seed); }
  /// Begins anew from a seed nobody can predict, and returns that. @throws Error in a capture;
  /// DeviceError.
  std::uint64_t seed();

  /// Numbers drawn so far of each sequence. @throws Error in a capture; DeviceError.
  [[nodiscard]] std::uint64_t offset() const;
  /// @throws Error in a capture, or unless it is a multiple of 4; DeviceError.
  void set_offset(std::uint64_t offset);

  /// In a capture with the offset within it. @throws DeviceError.
  [[nodiscard]] StateBytes state() const;
  /// Takes 16 bytes, or 8 with the seed alone. In a capture: the offset within it.
  /// @throws Error for another size, or as `manual_seed` does; DeviceError.
  void set_state(std::span<const std::uint8_t> bytes);

  /// A generator with a state of its own that is the same now. @throws Error in a capture;
  /// DeviceError.
  [[nodiscard]] Generator clone() const;
  /// A generator that shares this one's state, whatever state this one gets. Also in a capture.
  [[nodiscard]] Generator graphsafe_state() const { return *this; }
  /// Draws from the other's state from now on. Also in a capture.
  void graphsafe_set_state(const Generator& other) { state_ = other.state_; }

  /// See GeneratorState::take.
  [[nodiscard]] device::kernels::PhiloxStart take(std::uint64_t increment) { return state_->take(increment); }

  [[nodiscard]] Runtime& runtime() const noexcept { return *runtime_; }
  [[nodiscard]] const std::shared_ptr<GeneratorState>& shared_state() const noexcept { return state_; }

 private:
  Generator(Runtime& runtime, std::shared_ptr<GeneratorState> state) noexcept
      : runtime_(&runtime), state_(std::move(state)) {}

  Runtime* runtime_;
  std::shared_ptr<GeneratorState> state_;
};

/// The generator of a runtime that is drawn from when nobody chose one. It lives as long as the runtime. Its seed
/// cannot be predicted until it is given one. The first call throws as Generator's constructor does.
[[nodiscard]] Generator& default_generator(Runtime& runtime);

/// Seeds the default generators of all devices that have a runtime now: PyTorch's
/// `torch.manual_seed`. @throws as Generator::manual_seed does.
void manual_seed(std::uint64_t seed);

}  // namespace gpucheck::runtime
