#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tensor/call/entry.hpp"
#include "tensor/core/value.hpp"

/// The chain that a call of an operator passes: observe, autocast, autograd, record, kernel. A layer acts on calls
/// whose operator it knows by schema alone, and passes them on.
namespace gpucheck::tensor {

/// A call of an operator: what layers see and change. Lives as long as the call.
struct Call {
  const Entry& entry;
  std::span<Value> arguments;  ///< as many as the schema has
  std::span<Value> results;    ///< set by whoever answers the call
};

/// The places of the chain, in the order in which a call passes them.
enum class LayerKind : std::uint8_t { observe, autocast, autograd, record };
inline constexpr std::size_t layer_count = 4;

class Layer;

namespace detail {

struct ActiveLayers {
  unsigned mask = 0;  ///< bit k: the layer of kind k acts
  std::array<Layer*, layer_count> layers{};
};

inline constinit thread_local ActiveLayers active_layers;

constexpr unsigned bit_of(LayerKind kind) { return 1U << static_cast<unsigned>(kind); }

}  // namespace detail

/// The rest of the chain behind a layer.
class Next {
 public:
  /// Calls the next layer that acts on this thread, or the kernel. @throws whatever they throw.
  void operator()(Call& call) const;

 private:
  friend void call_through_layers(Call& call);
  explicit Next(unsigned behind) noexcept : behind_(behind) {}
  unsigned behind_;  ///< bits of the layers that the call has yet to pass
};

class Layer {
 public:
  Layer() = default;
  Layer(const Layer&) = delete;
  Layer& operator=(const Layer&) = delete;
  virtual ~Layer() = default;
  /// Acts on the call, and passes it on or answers it. May call operators itself: those pass the chain from its
  /// beginning, so that a layer which must not see its own calls excludes itself meanwhile (`LayersExcluded`).
  virtual void call(Call& call, const Next& next) = 0;
};

/// Makes a layer act on the calling thread for a scope, in place of the one of its kind before.
class LayerScope {
 public:
  LayerScope(LayerKind kind, Layer& layer) noexcept : kind_(kind), before_(detail::active_layers) {
    detail::active_layers.layers[static_cast<std::size_t>(kind)] = &layer;
    detail::active_layers.mask |= detail::bit_of(kind);
  }
  ~LayerScope() {
    const auto place = static_cast<std::size_t>(kind_);
    detail::active_layers.layers[place] = before_.layers[place];
    const unsigned bit = detail::bit_of(kind_);
    detail::active_layers.mask = (detail::active_layers.mask & ~bit) | (before_.mask & bit);
  }
  LayerScope(const LayerScope&) = delete;
  LayerScope& operator=(const LayerScope&) = delete;

 private:
  LayerKind kind_;
  detail::ActiveLayers before_;
};

/// Excludes layers on the calling thread for a scope.
class LayersExcluded {
 public:
  /// These kinds.
  template <typename... Kinds>
  explicit LayersExcluded(LayerKind first, Kinds... others) noexcept
      : LayersExcluded((detail::bit_of(first) | ... | detail::bit_of(others))) {}
  /// All but the observing one: what a kernel does by other operators is seen, but not done twice.
  static LayersExcluded all_but_observe() noexcept { return LayersExcluded(~detail::bit_of(LayerKind::observe)); }
  ~LayersExcluded() { detail::active_layers.mask = before_; }
  LayersExcluded(const LayersExcluded&) = delete;
  LayersExcluded& operator=(const LayersExcluded&) = delete;

 private:
  explicit LayersExcluded(unsigned bits) noexcept : before_(detail::active_layers.mask) {
    detail::active_layers.mask &= ~bits;
  }
  unsigned before_;
};

/// The layer of a kind that acts on the calling thread; null where none does.
[[nodiscard]] inline Layer* active_layer(LayerKind kind) noexcept {
  const detail::ActiveLayers& active = detail::active_layers;
  return (active.mask & detail::bit_of(kind)) != 0 ? active.layers[static_cast<std::size_t>(kind)] : nullptr;
}

/// Passes the chain from its beginning.
void call_through_layers(Call& call);

/// Calls an operator with values, as its typed call would: through the layers that act on this thread.
/// @param arguments as many as the schema has. @throws Error for another number; std::bad_variant_access for a value of
/// another type than its argument; what kernel and layers throw.
[[nodiscard]] std::vector<Value> call_boxed(const Entry& entry, std::vector<Value> arguments);

}  // namespace gpucheck::tensor
