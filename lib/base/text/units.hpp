#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gpucheck {

inline namespace literals {

constexpr std::uint64_t operator""_B(unsigned long long n) { return n; }
constexpr std::uint64_t operator""_KiB(unsigned long long n) { return n << 10; }
constexpr std::uint64_t operator""_MiB(unsigned long long n) { return n << 20; }
constexpr std::uint64_t operator""_GiB(unsigned long long n) { return n << 30; }

}  // namespace literals

/// Prints a byte count the way PyTorch's allocator does in its error texts:
/// "N bytes" up to 1 KiB, then KiB, MiB or GiB with two decimals.
std::string format_bytes(std::uint64_t bytes);

/// A part of a whole in percent with one decimal, "12.5%"; "-" of nothing.
std::string format_share(std::uint64_t part, std::uint64_t whole);

/// Reads "1048576", "512KiB", "79.18 GiB" or "24GB": KiB, MiB, GiB, TiB are powers of 1024, kB to TB of 1000.
/// @throws UsageError naming the text and the accepted forms.
std::uint64_t parse_bytes(std::string_view text);

}  // namespace gpucheck
