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
    if (text_.size() >= enough && !is_kept_) flush();
  }
  void put(std::string_view bytes) {
    text_.append(bytes);
    if (text_.size() >= enough && !is_kept_) flush();
  }
  void flush() {
    stream_.write(text_.data(), static_cast<std::streamsize>(text_.size()));
    text_.clear();
  }

  /// From here on, everything is also kept for `release_kept`.
  void keep() {
    is_kept_ = true;
    kept_from_ = text_.size();
  }
  [[nodiscard]] std::string release_kept() {
    is_kept_ = false;
    return text_.substr(kept_from_);
  }

 private:
  static constexpr std::size_t enough = std::size_t{64} * 1024;
  std::ostream& stream_;
  std::string text_;
  bool is_kept_ = false;
  std::size_t kept_from_ = 0;
};

}  // namespace gpucheck::observe::detail
