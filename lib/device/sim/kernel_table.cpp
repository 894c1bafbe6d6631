#include "device/sim/kernel_table.hpp"

#include <array>
#include <tuple>
#include <type_traits>
#include <utility>

#include "device/kernels/kernel_list.hpp"

namespace gpucheck::sim {

namespace {

using device::kernels::FailedAssertion;
using device::kernels::KernelList;
using device::kernels::Thread;

template <typename Functor>
std::size_t run(const void* functor, std::size_t count, FailedAssertion& failed) {
  static_assert(std::is_trivially_copyable_v<Functor>, "a kernel's parameters are copied byte by byte");
  const auto& kernel = *static_cast<const Functor*>(functor);
  for (std::size_t index = 0; index < count; ++index) {
    kernel(Thread{.index = index, .count = count, .failed_assertion = &failed});
    if (failed.expression != nullptr) return index;
  }
  return count;
}

template <std::size_t... positions>
constexpr auto make_table(std::index_sequence<positions...>) {
  return std::array{KernelEntry{.name = std::tuple_element_t<positions, KernelList>::name,
                                .functor_bytes = sizeof(std::tuple_element_t<positions, KernelList>),
                                .run = &run<std::tuple_element_t<positions, KernelList>>}...};
}

}  // namespace

std::span<const KernelEntry> kernel_table() noexcept {
  static constexpr auto table = make_table(std::make_index_sequence<std::tuple_size_v<KernelList>>{});
  return table;
}

}  // namespace gpucheck::sim
