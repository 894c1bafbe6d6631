#pragma once

#include <concepts>
#include <type_traits>

#include "device/kernels/support/run_on_host.hpp"
#include "device/kernels/support/thread.hpp"

namespace gpucheck::device::kernels {

/// Called once for each index.
template <typename Functor>
concept IndexKernel = std::is_trivially_copyable_v<Functor> && requires(const Functor& functor, const Thread& thread) {
  functor(thread);
};

/// Called once for each thread of each block, in each of its phases.
template <typename Functor>
concept BlockKernel = std::is_trivially_copyable_v<Functor> &&
    requires(const Functor& functor, const BlockThread& thread) {
  functor(thread, 0U);
  { Functor::phases } -> std::convertible_to<unsigned>;
};

template <typename Functor>
void run_on_host(const void* functor, std::size_t count, const BlockShape& shape, FailedAssertion& failed) {
  const auto& typed = *static_cast<const Functor*>(functor);
  if constexpr (BlockKernel<Functor>) {
    run_blocks_on_host(typed, count, shape, {0, blocks_of(count, shape)}, failed);
  } else {
    run_indices_on_host(typed, count, failed);
  }
}

/// The one object that stands for a kernel.
template <typename Functor>
requires IndexKernel<Functor> || BlockKernel<Functor>
inline constexpr Kernel kernel{.name = Functor::name,
                               .functor_bytes = sizeof(Functor),
                               .by_block = BlockKernel<Functor>,
                               .run_on_host = &run_on_host<Functor>};

/// The kernels of one header, which are compiled together. A header `reduce.hpp` ends with
/// its list, `families::reduce`, and with the specialisation of `FamilyOf` for it.
template <typename... Functors>
struct Family {
  template <typename Functor>
  static constexpr bool has = (std::is_same_v<Functor, Functors> || ...);
};

namespace detail {

template <typename... Families>
struct JoinedFamilies;
template <typename... Functors>
struct JoinedFamilies<Family<Functors...>> {
  using type = Family<Functors...>;
};
template <typename... First, typename... Second, typename... Others>
struct JoinedFamilies<Family<First...>, Family<Second...>, Others...>
    : JoinedFamilies<Family<First..., Second...>, Others...> {};

}  // namespace detail

/// The kernels of several lists, as one.
template <typename... Families>
using Joined = typename detail::JoinedFamilies<Families...>::type;

/// The family that a functor is listed in. One that is in none cannot be launched: no GPU
/// would have code for it.
template <typename Functor>
struct FamilyOf;

}  // namespace gpucheck::device::kernels
