#pragma once

#include <array>
#include <string_view>

#include "cases/shared/graph_support.hpp"

/// What the seed's tests of graphs that share a pool have in common.
namespace gpucheck::cases::in_graph {

using Floats = runtime::Buffer<float>;

/// A tensor of ones, on the current stream, as everything here.
inline Floats ones(runtime::Runtime& runtime, std::size_t count) {
  Floats result(runtime, count, runtime.current_stream());
  tensor::ops::fill(runtime, result.data(), count, 1.0F, runtime.current_stream());
  return result;
}

inline Floats clone(runtime::Runtime& runtime, const Floats& values) {
  Floats result(runtime, values.size(), runtime.current_stream());
  device::check(runtime.device(),
                runtime.device().copy(result.data(), values.data(), values.size() * sizeof(float),
                                      device::CopyKind::device_to_device, runtime.current_stream()),
                "copy");
  return result;
}

inline Floats plus(runtime::Runtime& runtime, const Floats& values, float amount) {
  Floats result(runtime, values.size(), runtime.current_stream());
  tensor::ops::add(runtime, values.data(), result.data(), values.size(), amount, runtime.current_stream());
  return result;
}

inline Floats plus(runtime::Runtime& runtime, const Floats& a, const Floats& b) {
  Floats result(runtime, a.size(), runtime.current_stream());
  tensor::ops::add(runtime, a.data(), b.data(), result.data(), a.size(), runtime.current_stream());
  return result;
}

/// The seed's function with temporaries: twice "values + amount", each of a copy of its own.
inline Floats doubled(runtime::Runtime& runtime, const Floats& values, float amount) {
  const Floats x = plus(runtime, clone(runtime, values), amount);
  const Floats y = plus(runtime, clone(runtime, values), amount);
  return plus(runtime, x, y);
}

/// `doubled` so many times, each result in place of the one before.
inline void double_repeatedly(runtime::Runtime& runtime, Floats& values, float amount, int times) {
  for (int i = 0; i < times; ++i) values = doubled(runtime, values, amount);
}

inline double sum(runtime::Runtime& runtime, const Floats& values) {
  const device::Stream stream = runtime.current_stream();
  runtime::Buffer<double> total(runtime, 1, stream);
  tensor::ops::sum(runtime, values.data(), values.size(), total.data(), stream);
  return read_one(runtime, total.data(), stream);
}

/// How graphs share a pool.
enum class Sharing { none, by_pool, by_handle };

struct SharingName {
  Sharing sharing;
  std::string_view prefix;  ///< of the keys
};
inline constexpr std::array every_sharing{SharingName{Sharing::none, "separate_"},
                                          SharingName{Sharing::by_pool, "shared_pool_"},
                                          SharingName{Sharing::by_handle, "shared_handle_"}};

/// The pools to capture with: of the first graph, and of those after it.
class Pools {
 public:
  explicit Pools(Sharing sharing) : sharing_(sharing) {
    if (sharing == Sharing::by_handle) handle_ = runtime::graph_pool_handle();
  }
  [[nodiscard]] runtime::PoolId first() const { return handle_; }
  [[nodiscard]] runtime::PoolId next(const runtime::Graph& first) const {
    return sharing_ == Sharing::by_pool ? first.pool() : handle_;
  }

 private:
  Sharing sharing_;
  runtime::PoolId handle_;
};

/// Captures `work` into `graph` on the current stream.
template <typename Work>
void capture(runtime::Graph& graph, runtime::PoolId pool, Work work) {
  graph.capture_begin(pool);
  work();
  graph.capture_end();
}

/// Nothing runs any more, and memory that is not in use is the device's again.
inline void settle(runtime::Runtime& runtime) {
  device::check(runtime.device(), runtime.device().synchronize(), "synchronize");
  runtime.allocator().empty_cache();
}

}  // namespace gpucheck::cases::in_graph
