#include "base/input_file.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/error.hpp"

namespace gpucheck {
namespace {

class OpenFile {
 public:
  explicit OpenFile(const std::string& path) : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (is_open()) ::close(descriptor_);
  }
  [[nodiscard]] bool is_open() const noexcept { return descriptor_ >= 0; }
  /// False when the system cannot read it; errno has the reason, a folder's too.
  bool read_all(std::string& text) const {
    std::array<char, 65536> buffer;
    while (true) {
      const ssize_t count = ::read(descriptor_, buffer.data(), buffer.size());
      if (count == 0) return true;
      if (count > 0) text.append(buffer.data(), static_cast<std::size_t>(count));
      if (count < 0 && errno != EINTR) return false;
    }
  }

 private:
  int descriptor_;
};

[[noreturn]] void fail(const std::string& path, std::string_view kind) {
  throw EnvironmentError(fmt::format("cannot read the {} {}: {}", kind, path, std::strerror(errno)));
}

}  // namespace

std::optional<std::string> read_input_file_if_any(const std::string& path, std::string_view kind) {
  const OpenFile file(path);
  if (!file.is_open() && errno == ENOENT) return std::nullopt;
  std::string text;
  if (!file.is_open() || !file.read_all(text)) fail(path, kind);
  return text;
}

std::string read_input_file(const std::string& path, std::string_view kind) {
  std::optional<std::string> text = read_input_file_if_any(path, kind);
  if (!text) {
    errno = ENOENT;
    fail(path, kind);
  }
  return *std::move(text);
}

}  // namespace gpucheck
