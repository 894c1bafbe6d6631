#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace gpucheck::runner {

/// The last part of a stream of bytes: whatever is written to a process's stdout costs
/// at most twice `limit` bytes of memory.
class Tail {
 public:
  static constexpr std::size_t limit = std::size_t{64} << 10;

  void append(std::string_view bytes);
  /// At most `limit` bytes, from the end; empties the tail.
  [[nodiscard]] std::string take();

 private:
  std::string bytes_;
};

enum class ReadState {
  open,    ///< nothing more for now
  more,    ///< stopped at `at_most`; there may be more
  closed,  ///< end of file, or an error
};

/// Reads what a non-blocking descriptor has, in pieces, without waiting.
/// @param at_most keeps a writer that never stops from holding the reader for ever.
ReadState read_available(int descriptor, std::size_t at_most, const std::function<void(std::string_view)>& take);

}  // namespace gpucheck::runner
