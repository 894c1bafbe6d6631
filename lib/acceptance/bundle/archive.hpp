#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

/// A POSIX archive (ustar, as `tar` reads it) in one form only: plain files, the same owner, mode and time for all. The
/// same files in the same order give the same bytes, and a reader accepts no other bytes for them.
namespace gpucheck::acceptance {

/// The next bytes, at most as many as have room; 0 at the end. @throws EnvironmentError for what cannot be read.
using ReadBytes = std::function<std::size_t(std::span<char> room)>;
/// Takes the next bytes.
using WriteBytes = std::function<void(std::string_view bytes)>;

/// What stands before a file of this name and size.
/// @throws Error for a name that is longer than 100 bytes.
std::string archive_header(std::string_view name, std::uint64_t size);

/// What stands behind a file of this size.
std::string archive_padding(std::uint64_t size);

/// What stands behind the last file.
std::string archive_end();

struct ArchivedFile {
  std::string name;
  std::string content;
};

/// Reads an archive from its start to its end. Of a file no more is held than is there, whatever its header says. Used
/// by one thread.
class ArchiveReader {
 public:
  explicit ArchiveReader(ReadBytes read) : read_(std::move(read)) {}

  /// @param most how many bytes a file of this name may have
  /// @return nothing at the end, behind which nothing may stand
  /// @throws Error with the place in bytes, for whatever is not written as here.
  std::optional<ArchivedFile> next(const std::function<std::uint64_t(std::string_view name)>& most);

 private:
  /// Bytes that have to be there.
  [[nodiscard]] std::string take(std::uint64_t count);
  [[noreturn]] void fail(std::uint64_t place, std::string_view why) const;

  ReadBytes read_;
  std::uint64_t place_ = 0;
};

}  // namespace gpucheck::acceptance
