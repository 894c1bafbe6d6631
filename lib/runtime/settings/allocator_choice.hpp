#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace gpucheck::runtime {

/// Which device allocator a runtime uses: what `--allocator` names.
struct AllocatorChoice {
  enum class Kind : std::uint8_t { caching, async, library };
  Kind kind = Kind::caching;
  std::string library;                        ///< a path, for `library` only
  std::string allocate_symbol = "my_malloc";  ///< the names of PyTorch's own example
  std::string free_symbol = "my_free";
  bool operator==(const AllocatorChoice&) const = default;
};

/// Reads "caching", "async", "FILE.so" or "FILE.so:allocate_name,free_name".
/// @throws UsageError. Does not open the file.
AllocatorChoice parse_allocator_choice(std::string_view text);
/// The text that `parse_allocator_choice` reads back.
std::string to_text(const AllocatorChoice& choice);

/// "caching", "async" or "library": what golden files ask about.
std::string_view kind_name(const AllocatorChoice& choice) noexcept;

/// What an allocator has to tell the user once.
using WarningSink = std::function<void(std::string)>;

}  // namespace gpucheck::runtime
