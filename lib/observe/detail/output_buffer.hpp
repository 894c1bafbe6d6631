#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>

namespace gpucheck::observe::detail {

/// Collects small writes to a stream into large ones.
class OutputBuffer {
 public:
  explicit OutputBuffer(std::ostream& stream) : stream_(stream) {}

  void put(char byte) {
    text_.push_back(byte);
    if (text_.size() >= enough) flush();
  }
  void put(std::string_view bytes) {
    text_.append(bytes);
    if (text_.size() >= enough) flush();
  }
  void flush() {
    stream_.write(text_.data(), static_cast<std::streamsize>(text_.size()));
    text_.clear();
  }

 private:
  static constexpr std::size_t enough = std::size_t{64} * 1024;
  std::ostream& stream_;
  std::string text_;
};

}  // namespace gpucheck::observe::detail
