#pragma once

#include <cstddef>
#include <span>
#include <string>

/// The files that this process has begun and not finished, kept where a signal handler
/// may look at them.
namespace gpucheck {

/// One of them, while it lives. Any thread may make one. Of more than there is room for
/// (sixteen), the last ones are not known.
class UnfinishedFile {
 public:
  /// @param name what it will be called, for people.
  /// @param temporary_path where it is until then; empty when there is nothing to remove.
  UnfinishedFile(const std::string& name, const std::string& temporary_path) noexcept;
  ~UnfinishedFile();
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;

 private:
  std::size_t slot_;
};

/// Their names, with commas between them and control characters replaced, cut where the
/// buffer ends. Gives the number of bytes written. Safe in a signal handler.
std::size_t name_unfinished_files(std::span<char> buffer) noexcept;

/// Removes their temporary files. Safe in a signal handler, for one that ends the process.
void remove_unfinished_files() noexcept;

}  // namespace gpucheck
