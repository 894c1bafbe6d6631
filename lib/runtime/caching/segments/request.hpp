#pragma once

#include <cstdint>

#include "runtime/caching/arena/arena.hpp"

namespace gpucheck::runtime::detail {

/// What an allocation asks for, and of whom. Bytes.
struct Request {
  Arena* arena = nullptr;
  std::uint64_t bytes = 0;
  std::uint64_t rounded = 0;
  std::uint64_t segment_bytes = 0;
  [[nodiscard]] PoolKind kind() const noexcept { return kind_of(rounded); }
};

}  // namespace gpucheck::runtime::detail
