#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace gpucheck {

/// SHA-256 (FIPS 180-4) of bytes that come in pieces. Used by one thread.
class Sha256 {
 public:
  Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;
  ~Sha256();

  void add(std::string_view bytes);
  /// 64 lower-case hexadecimal digits, as sha256sum prints them. Call once.
  [[nodiscard]] std::string take();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The digest of a whole text.
[[nodiscard]] std::string sha256(std::string_view bytes);

}  // namespace gpucheck
