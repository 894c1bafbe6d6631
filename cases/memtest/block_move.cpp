#include <array>

#include "cases/memtest/support.hpp"

namespace gpucheck::cases::in_memtest::block_move {
namespace {

using device::kernels::NumberedBlocks;
using device::kernels::TestedMemory;

/// `vectors` of a stretch, from the `from`-th on, which hold the pattern from number `first` on.
TestedMemory part(const TestedMemory& stretch, std::uint64_t from, std::uint64_t vectors, std::uint64_t first) {
  return {.data = stretch.data + from, .vectors = vectors, .first = first};
}

/// As much as there is room for in `to`.
void move(MemoryTest& test, const TestedMemory& from, const TestedMemory& to) {
  device::check(test.device(),
                test.device().copy(to.data, from.data, to.bytes(), device::CopyKind::device_to_device, test.stream()),
                "copy");
}

/// Each half is moved: the lower one up, and back, there round about by one block. What each place must hold then.
std::vector<TestedMemory> move_blocks(MemoryTest& test) {
  std::vector<TestedMemory> held;
  for (const TestedMemory& stretch : test.memory()) {
    const std::uint64_t half = stretch.vectors / 2;
    constexpr std::uint64_t block = NumberedBlocks::vectors;
    const TestedMemory lower = part(stretch, 0, half, stretch.first);
    const TestedMemory upper = part(stretch, half, half, stretch.first);
    move(test, lower, upper);
    const TestedMemory shifted = part(stretch, block, half - block, stretch.first);
    const TestedMemory wrapped = part(stretch, 0, block, stretch.first + half - block);
    move(test, upper, shifted);
    move(test, part(upper, half - block, block, 0), wrapped);
    held.insert(held.end(), {wrapped, shifted, upper});
  }
  return held;
}

void run(harness::Context& context) {
  const std::array words{random_word(context, 0), ~random_word(context, 0)};
  MemoryTest test(context, words.size());
  for (const std::uint64_t word : words) {
    test.write(NumberedBlocks{word});
    test.passes().verify(move_blocks(test), NumberedBlocks{word}, as_it_is);
  }
  test.observe();
}

/// The same bit of two words next to each other that are to be equal: one as memory is written, one as it is moved.
fault::Plan neighbours_flip_alike() {
  const auto nth_word = [](std::uint64_t n) {
    return fault::Place{.from = fault::Place::From::start, .offset = n * sizeof(std::uint64_t)};
  };
  fault::Plan plan = fault::kernel_flips_bit(fault::nth_call(1), nth_word(0));
  fault::Plan other = fault::copy_flips_bit(fault::nth_call(1));
  other.rules.front().place = nth_word(1);
  plan.rules.push_back(other.rules.front());
  return plan;
}

}  // namespace

harness::Case define() {
  harness::Case test_case = memory_case(
      "memtest.block_move",
      "Numbered blocks are copied within memory, up and back by one block; every word must be that of its block",
      "cuda_memtest test 5, which compares neighbours");
  test_case.faults = {
      {"neighbours_flip_alike", "the same bit flips in two words that are to be equal", neighbours_flip_alike()},
      {"move_is_lost", "one copy does not happen", fault::copy_lost(fault::nth_call(2))},
      {"bit_is_stuck", "one bit in the middle of memory is always one", fault::bit_stuck(fault::nth_call(2))},
      {"last_byte_is_stuck", "one bit of memory's last byte is always one",
       fault::bit_stuck(fault::nth_call(2), {.from = fault::Place::From::end})},
      {"address_line_does_nothing", "words whose addresses differ in one bit are one",
       fault::address_line_aliased(fault::nth_call(2))},
      {"verification_is_lost", "one kernel that compares does not run", fault::kernel_lost(fault::nth_call(2))},
      {"no_memory", "no allocation but that of the log succeeds", fault::allocation_fails(fault::from_call(2))},
  };
  test_case.run = run;
  return test_case;
}

}  // namespace gpucheck::cases::in_memtest::block_move
