#pragma once

#include <cstdint>

#include "device/kernels/support/philox_keys.hpp"
#include "device/kernels/support/vectors.hpp"

/// What memory tests write: each pattern says what a vector's two words are, from the vector's number and its address
/// alone, both of 64 bits, so that whoever verifies knows the word and not only its neighbours.
namespace gpucheck::device::kernels {

using TwoWords = Vector<std::uint64_t>;

/// The same word everywhere.
struct RepeatedWord {
  std::uint64_t word;
  GPUCHECK_HOST_DEVICE TwoWords at(std::uint64_t, std::uint64_t) const { return {{word, word}}; }
};

/// Each word is its own address.
struct OwnAddress {
  GPUCHECK_HOST_DEVICE TwoWords at(std::uint64_t, std::uint64_t address) const {
    return {{address, address + sizeof(std::uint64_t)}};
  }
};

/// `word`, turned left by one bit more from each word to the next.
struct TurningWord {
  std::uint64_t word;
  std::uint32_t turn;  ///< of the first
  GPUCHECK_HOST_DEVICE TwoWords at(std::uint64_t vector, std::uint64_t) const {
    const std::uint32_t first = turn + static_cast<std::uint32_t>(vector) * 2;
    return {{turned(first), turned(first + 1)}};
  }
  GPUCHECK_HOST_DEVICE std::uint64_t turned(std::uint32_t bits) const {
    return word << (bits % 64U) | word >> ((64U - bits % 64U) % 64U);
  }
};

/// The same with words of 32 bits.
struct TurningHalfWord {
  std::uint32_t word;
  std::uint32_t turn;
  GPUCHECK_HOST_DEVICE TwoWords at(std::uint64_t vector, std::uint64_t) const {
    const std::uint32_t first = turn + static_cast<std::uint32_t>(vector) * 4;
    return {{two(first), two(first + 2)}};
  }
  /// The first of them in the lower half, as memory has it.
  GPUCHECK_HOST_DEVICE std::uint64_t two(std::uint32_t bits) const {
    return std::uint64_t{turned(bits + 1)} << 32U | turned(bits);
  }
  GPUCHECK_HOST_DEVICE std::uint32_t turned(std::uint32_t bits) const {
    return word << (bits % 32U) | word >> ((32U - bits % 32U) % 32U);
  }
};

/// `word` in each twentieth word, its complement in all others.
struct EveryTwentiethWord {
  std::uint64_t word;
  std::uint32_t place;  ///< of the first one, below 20
  GPUCHECK_HOST_DEVICE TwoWords at(std::uint64_t vector, std::uint64_t) const {
    const auto first = static_cast<std::uint32_t>(vector % 10) * 2;
    return {{first == place ? word : ~word, first + 1 == place ? word : ~word}};
  }
};

/// 64 bytes at a time: a word of their own four times, and four times its complement.
struct NumberedBlocks {
  static constexpr std::uint64_t vectors = 4;  ///< of a block
  std::uint64_t word;
  GPUCHECK_HOST_DEVICE TwoWords at(std::uint64_t vector, std::uint64_t) const {
    const std::uint64_t own = word ^ (vector / vectors);
    const std::uint64_t here = vector % vectors < vectors / 2 ? own : ~own;
    return {{here, here}};
  }
};

/// Philox: vector n holds the n-th four numbers of a seed's first sequence.
struct RandomWords {
  PhiloxKeys keys;  ///< made by the host: better than 20 registers of each thread
  GPUCHECK_HOST_DEVICE TwoWords at(std::uint64_t vector, std::uint64_t) const {
    const PhiloxWords words = philox(keys, 0, vector);
    return {{std::uint64_t{words.word[1]} << 32U | words.word[0], std::uint64_t{words.word[3]} << 32U | words.word[2]}};
  }
};

}  // namespace gpucheck::device::kernels
