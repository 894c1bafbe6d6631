#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace gpucheck::test {

/// The SHA-256 of some bytes (FIPS 180-4), in hexadecimal: long arrays are compared by it.
std::string sha256(std::span<const std::uint8_t> bytes);

}  // namespace gpucheck::test
