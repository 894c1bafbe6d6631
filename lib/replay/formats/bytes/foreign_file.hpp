#pragma once

#include <cstddef>
#include <string_view>

namespace gpucheck::replay {

/// So much of a file's start says what it is.
inline constexpr std::size_t telling_bytes = 65536;

/// The start of a JSON text's value, behind white space and a byte order mark (which Windows' editors write).
[[nodiscard]] std::size_t start_of_json(std::string_view bytes) noexcept;

/// Why a file with this start, which may be all of it, is neither a JSON text nor a pickle that is read, and what to do
/// about it: a whole sentence without a full stop. Empty where it may be one.
[[nodiscard]] std::string_view why_not_read(std::string_view start) noexcept;

}  // namespace gpucheck::replay
