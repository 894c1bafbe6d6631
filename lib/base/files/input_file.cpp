#include "base/files/input_file.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "base/error.hpp"
#include "base/files/waiting_for_files.hpp"

namespace gpucheck {
namespace {

[[noreturn]] void fail(const std::string& path, std::string_view kind) {
  throw EnvironmentError(fmt::format("cannot read the {} {}: {}", kind, path, std::strerror(errno)));
}

[[noreturn]] void too_large(const std::string& path, std::string_view kind, std::uint64_t limit) {
  throw EnvironmentError(
      fmt::format("cannot read the {} {}: it is longer than {}, the most that is read of such a file", kind, path,
                  format_bytes(limit)));
}

}  // namespace

InputFile::InputFile(std::string path) : path_(std::move(path)), descriptor_(open_for_reading(path_)) {}

InputFile::~InputFile() {
  if (is_open()) ::close(descriptor_);
}

std::optional<std::uint64_t> InputFile::size() const {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return static_cast<std::uint64_t>(status.st_size);
}

std::optional<std::size_t> InputFile::read(std::span<char> room) const {
  const ssize_t count = read_when_ready(descriptor_, room.data(), room.size(), path_);
  if (count < 0) return std::nullopt;
  return static_cast<std::size_t>(count);
}

std::string read_to_end(const InputFile& file, const std::string& path, std::string_view kind, std::uint64_t limit) {
  if (file.size().value_or(0) > limit) too_large(path, kind, limit);
  std::string text;
  std::array<char, 65536> buffer;
  while (true) {
    const std::optional<std::size_t> count = file.read(buffer);
    if (!count) fail(path, kind);
    if (*count == 0) return text;
    if (*count > limit - text.size()) too_large(path, kind, limit);
    text.append(buffer.data(), *count);
  }
}

std::optional<std::string> read_input_file_if_any(const std::string& path, std::string_view kind, std::uint64_t limit) {
  const InputFile file(path);
  if (!file.is_open() && errno == ENOENT) return std::nullopt;
  if (!file.is_open()) fail(path, kind);
  return read_to_end(file, path, kind, limit);
}

std::string read_input_file(const std::string& path, std::string_view kind, std::uint64_t limit) {
  std::optional<std::string> text = read_input_file_if_any(path, kind, limit);
  if (!text) {
    errno = ENOENT;
    fail(path, kind);
  }
  return *std::move(text);
}

}  // namespace gpucheck
