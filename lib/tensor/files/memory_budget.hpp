#pragma once

#include <cstdint>
#include <fmt/format.h>
#include <string>

#include "base/error.hpp"

namespace gpucheck::tensor::files {

/// A file that is read, for errors, and the memory that this may take.
class MemoryBudget {
 public:
  MemoryBudget(std::string file, std::uint64_t limit) noexcept : file_(std::move(file)), limit_(limit) {}

  /// @throws Error once more is taken than the limit.
  void take(std::uint64_t bytes) {
    if (bytes > limit_ - taken_) fail(fmt::format("reading it takes more than the {} bytes that it may take", limit_));
    taken_ += bytes;
  }
  /// What was taken is free again.
  void give_back(std::uint64_t bytes) noexcept { taken_ -= bytes; }

  /// @throws Error that names the file.
  [[noreturn]] void fail(std::string_view problem) const { throw Error(fmt::format("{}: {}", file_, problem)); }

 private:
  std::string file_;
  std::uint64_t limit_;
  std::uint64_t taken_ = 0;
};

}  // namespace gpucheck::tensor::files
