#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "device/kernels/support/family.hpp"
#include "tensor/iterator/atomic_addition.hpp"
#include "tensor/iterator/wide_plan.hpp"

/// Elements at places that an index says.
namespace gpucheck::device::kernels {

/// A loop over one tensor, the dense one, each of whose turns has a place in another, the indexed one: the place of the
/// turn there, and the index's number of steps from it.
struct IndexedLoop {
  void* dense;
  void* indexed;
  const void* index;
  bool is_32_bits;    ///< int32 indices, else int64
  bool from_the_end;  ///< indices below 0 count from the end
  std::int64_t size;  ///< of the dimension that the index goes along
  std::int64_t step;  ///< in bytes
  DType dtype;
  std::size_t element_size;  ///< in bytes
  std::int64_t turns;
  WidePlan<3> plan;            ///< operand 0: dense, 1: indexed, 2: index
  MemoryAccess whole_indexed;  ///< all of it: any element may be meant

  [[nodiscard]] std::array<MemoryAccess, 3> accesses(AccessMode of_dense, AccessMode of_indexed) const {
    MemoryAccess meant = whole_indexed;
    meant.mode = of_indexed;
    return {plan.access(of_dense, dense, dtype, 0), meant,
            plan.access(AccessMode::read, index, is_32_bits ? DType::int32 : DType::int64, 2)};
  }

  /// Where a turn's elements are.
  struct Turn {
    std::byte* dense;
    std::byte* indexed;
    bool is_inside;
  };
  [[nodiscard]] GPUCHECK_HOST_DEVICE Turn turn(std::int64_t number) const {
    std::int64_t offsets[3];
    plan.offsets(number, offsets);
    return turn_at(offsets, 0);
  }
  /// The one that is so many places further along the dimension that runs fastest.
  [[nodiscard]] GPUCHECK_HOST_DEVICE Turn turn_at(const std::int64_t (&offsets)[3], std::int64_t further) const {
    const auto place = [&](int operand) {
      return offsets[operand] + (further == 0 ? 0 : further * plan.strides[0][operand]);
    };
    const std::byte* const at = static_cast<const std::byte*>(index) + place(2);
    std::int64_t meant =
        is_32_bits ? *reinterpret_cast<const std::int32_t*>(at) : *reinterpret_cast<const std::int64_t*>(at);
    if (from_the_end && meant < 0) meant += size;
    const bool is_inside = meant >= 0 && meant < size;
    return {static_cast<std::byte*>(dense) + place(0),
            static_cast<std::byte*>(indexed) + place(1) + (is_inside ? meant * step : 0), is_inside};
  }

  /// The bytes of the dimension that runs fastest, where its elements lie without gaps in both tensors and have one
  /// index; else 0.
  [[nodiscard]] std::size_t row_bytes() const {
    const auto stride = static_cast<std::int64_t>(element_size);
    const bool is_row =
        plan.rank > 0 && plan.strides[0][0] == stride && plan.strides[0][1] == stride && plan.strides[0][2] == 0;
    return is_row ? static_cast<std::size_t>(plan.sizes[0]) * element_size : 0;
  }
  /// Calls `action` with every turn, one after the other.
  template <typename Action>
  void for_each_turn(const Action& action) const {
    const std::int64_t row = plan.rank == 0 ? 1 : plan.sizes[0];
    for (std::int64_t first = 0; first < turns; first += row) {
      std::int64_t offsets[3];
      plan.offsets(first, offsets);
      for (std::int64_t i = 0; i < row; ++i) action(turn_at(offsets, i));
    }
  }
};

/// Copies elements of one type, whichever it is.
GPUCHECK_HOST_DEVICE inline void copy_element(void* to, const void* from, std::size_t bytes) {
  switch (bytes) {
    case 1:
      *static_cast<std::uint8_t*>(to) = *static_cast<const std::uint8_t*>(from);
      break;
    case 2:
      *static_cast<std::uint16_t*>(to) = *static_cast<const std::uint16_t*>(from);
      break;
    case 4:
      *static_cast<std::uint32_t*>(to) = *static_cast<const std::uint32_t*>(from);
      break;
    case 8:
      *static_cast<std::uint64_t*>(to) = *static_cast<const std::uint64_t*>(from);
      break;
    default:
      *static_cast<Complex<double>*>(to) = *static_cast<const Complex<double>*>(from);
  }
}

/// dense[...] = indexed[..., index[...], ...], or the other way: then of several elements that mean one place any is
/// kept on a device, and the last on a host.
struct MoveIndexed {
  static constexpr std::string_view name = "index";
  IndexedLoop loop;
  bool to_indexed;

  [[nodiscard]] std::size_t invocations() const { return static_cast<std::size_t>(loop.turns); }
  [[nodiscard]] std::array<MemoryAccess, 3> accesses(std::size_t) const {
    return to_indexed ? loop.accesses(AccessMode::read, AccessMode::write)
                      : loop.accesses(AccessMode::write, AccessMode::read);
  }
  GPUCHECK_HOST_DEVICE void operator()(const Thread& thread) const {
    const IndexedLoop::Turn turn = loop.turn(static_cast<std::int64_t>(thread.index));
    if (GPUCHECK_DEVICE_ASSERT(thread, turn.is_inside && "index out of bounds")) move(turn);
  }
  /// Rows that lie without gaps in both, and have one index, are copied as a whole.
  void run_whole_on_host() const {
    const std::size_t row = loop.row_bytes();
    if (row == 0) return loop.for_each_turn([this](const IndexedLoop::Turn& turn) { move(turn); });
    for (std::int64_t first = 0; first < loop.turns; first += loop.plan.sizes[0]) {
      const IndexedLoop::Turn turn = loop.turn(first);
      std::memmove(to_indexed ? turn.indexed : turn.dense, to_indexed ? turn.dense : turn.indexed, row);
    }
  }

 private:
  GPUCHECK_HOST_DEVICE void move(const IndexedLoop::Turn& turn) const {
    copy_element(to_indexed ? turn.indexed : turn.dense, to_indexed ? turn.dense : turn.indexed, loop.element_size);
  }
};

/// indexed[..., index[...], ...] += dense[...]
struct AddIndexed {
  static constexpr std::string_view name = "index_add";
  IndexedLoop loop;

  [[nodiscard]] std::size_t invocations() const { return static_cast<std::size_t>(loop.turns); }
  [[nodiscard]] std::array<MemoryAccess, 3> accesses(std::size_t) const {
    return loop.accesses(AccessMode::read, AccessMode::read_write);
  }
  GPUCHECK_HOST_DEVICE void operator()(const Thread& thread) const {
    const IndexedLoop::Turn turn = loop.turn(static_cast<std::int64_t>(thread.index));
    if (GPUCHECK_DEVICE_ASSERT(thread, turn.is_inside && "index out of bounds")) add(turn);
  }
  void run_whole_on_host() const {
    loop.for_each_turn([this](const IndexedLoop::Turn& turn) { add(turn); });
  }

 private:
  GPUCHECK_HOST_DEVICE void add(const IndexedLoop::Turn& turn) const {
    with_stored_type(loop.dtype, [&turn]<typename T>(std::type_identity<T>) {
      add_in_memory(reinterpret_cast<T*>(turn.indexed), *reinterpret_cast<const T*>(turn.dense));
    });
  }
};

/// steps[i] += index[i] steps of a dimension: several indices become one, which counts elements.
struct AddSteps {
  static constexpr std::string_view name = "index_steps";
  const std::int64_t* index;
  std::int64_t* steps;
  std::int64_t elements;
  std::int64_t size;  ///< of the dimension
  std::int64_t step;
  WidePlan<2> plan;  ///< operand 0: steps, 1: index

  [[nodiscard]] std::size_t invocations() const { return static_cast<std::size_t>(elements); }
  [[nodiscard]] std::array<MemoryAccess, 2> accesses(std::size_t) const {
    return {plan.access(AccessMode::read, index, DType::int64, 1),
            updates(steps, static_cast<std::size_t>(elements) * sizeof(std::int64_t))};
  }
  GPUCHECK_HOST_DEVICE void operator()(const Thread& thread) const {
    const auto number = static_cast<std::int64_t>(thread.index);
    const std::int64_t meant = index_of(number);
    if (GPUCHECK_DEVICE_ASSERT(thread, meant >= 0 && meant < size && "index out of bounds")) {
      steps[number] += meant * step;
    }
  }
  void run_whole_on_host() const {
    for (std::int64_t i = 0; i < elements; ++i) steps[i] += index_of(i) * step;
  }

 private:
  [[nodiscard]] GPUCHECK_HOST_DEVICE std::int64_t index_of(std::int64_t number) const {
    std::int64_t offsets[2];
    plan.offsets(number, offsets);
    const std::int64_t meant =
        *reinterpret_cast<const std::int64_t*>(reinterpret_cast<const std::byte*>(index) + offsets[1]);
    return meant < 0 ? meant + size : meant;
  }
};

namespace families {
using indexed = Family<MoveIndexed, AddIndexed, AddSteps>;
}
template <typename Functor>
requires(families::indexed::has<Functor>) struct FamilyOf<Functor> : families::indexed {
};

}  // namespace gpucheck::device::kernels
