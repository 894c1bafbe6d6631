#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "replay/formats/bytes/huge_pages.hpp"

namespace gpucheck::replay {

/// How much a reader takes before it rejects the file.
struct ReadLimits {
  /// Offsets are kept in 32 bits.
  std::uint64_t file_bytes = (std::uint64_t{1} << 31) - 1;
  /// The same of what shows its size only when it ends, and so may have no end. Such bytes are copied once.
  std::uint64_t stream_bytes = std::uint64_t{1} << 29;
  std::size_t depth = 64;  ///< open containers; a snapshot needs 7
  /// Values of a pickle that wait for their container. Picklers write lists and dictionaries a thousand items at a
  /// time.
  std::size_t waiting_values = std::size_t{1} << 22;
  /// Memory that a pickle's values may take for each of its bytes, besides the first 64 MiB. Snapshots take 4 to 6.
  std::uint64_t memory_per_byte = 12;
};

/// The longest names, and the longest settings strings, that are read. People's have some dozen bytes.
inline constexpr std::size_t longest_name = 1024;
inline constexpr std::size_t longest_settings = 65536;

/// A whole file in memory. Zeros follow its last byte, so that readers can look at 8
/// bytes at once, and so that a text ends with a byte that stops every token.
struct FileBytes {
  static constexpr std::size_t padding = 16;

  std::string name;  ///< for error texts
  HugePages<char> bytes;
  std::size_t size = 0;

  /// Bytes to be filled in.
  FileBytes(std::string file, std::size_t length)
      : name(std::move(file)), bytes(huge_pages<char>(length + padding)), size(length) {
    std::fill_n(bytes.get() + size, padding, '\0');
  }
  FileBytes(std::string file, std::string_view content) : FileBytes(std::move(file), content.size()) {
    if (!content.empty()) std::memcpy(bytes.get(), content.data(), content.size());
  }
  [[nodiscard]] std::string_view view() const noexcept { return {bytes.get(), size}; }
};

template <typename Number>
Number load(const char* at) noexcept {
  static_assert(std::endian::native == std::endian::little, "files are read as little-endian numbers");
  Number number;
  std::memcpy(&number, at, sizeof number);
  return number;
}

/// a == b, without the call that a comparison of unknown length costs.
inline bool is_same(std::string_view a, std::string_view b) noexcept {
  const std::size_t size = a.size();
  if (size != b.size()) return false;
  if (size >= 8) {
    for (std::size_t i = 0; i + 8 < size; i += 8) {
      if (load<std::uint64_t>(a.data() + i) != load<std::uint64_t>(b.data() + i)) return false;
    }
    return load<std::uint64_t>(a.data() + size - 8) == load<std::uint64_t>(b.data() + size - 8);
  }
  if (size >= 4) {
    return load<std::uint32_t>(a.data()) == load<std::uint32_t>(b.data()) &&
           load<std::uint32_t>(a.data() + size - 4) == load<std::uint32_t>(b.data() + size - 4);
  }
  for (std::size_t i = 0; i < size; ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

}  // namespace gpucheck::replay
