#include "report/journal/journal_file.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "base/files/waiting_for_files.hpp"
#include "base/in_use_error.hpp"

namespace gpucheck::report {

JournalFile::JournalFile(std::string path) : path_(std::move(path)) {
  if (path_ == "-") {
    descriptor_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    if (descriptor_ < 0) fail("open");
    return;
  }
  struct stat present {};
  is_new_ = ::stat(path_.c_str(), &present) != 0;
  descriptor_ = open_for_writing(path_, O_WRONLY | O_APPEND | O_CREAT);
  if (descriptor_ < 0) fail("open");
  is_regular_ = ::fstat(descriptor_, &present) == 0 && S_ISREG(present.st_mode);
  if (!is_regular_) return;
  try {
    open_for_one_writer();
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

void JournalFile::open_for_one_writer() {
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;  // not every file system has locks
  throw InUseError(fmt::format("another run is writing the journal {}; give each run its own", path_));
}

JournalFile::~JournalFile() {
  if (is_new_ && is_regular_ && size_ == 0) ::unlink(path_.c_str());
  ::close(descriptor_);
}

void JournalFile::restart() {
  if (!is_regular_) return;
  if (::ftruncate(descriptor_, 0) != 0) fail("empty");
  const std::string folder = std::filesystem::path(path_).parent_path().string();
  const int handle = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (handle < 0) return;
  static_cast<void>(::fsync(handle));  // not every file system can
  ::close(handle);
}

void JournalFile::append(std::string_view lines) {
  const auto length = static_cast<long long>(lines.size());
  if (!write_when_ready(descriptor_, lines, path_ == "-" ? "stdout" : path_)) {
    const int reason = errno;
    if (is_regular_) static_cast<void>(::ftruncate(descriptor_, size_));
    errno = reason;
    fail("write");
  }
  size_ += length;
}

void JournalFile::synchronize() {
  if (is_regular_ && ::fdatasync(descriptor_) != 0) fail("write");
}

void JournalFile::fail(std::string_view what) const {
  throw EnvironmentError(fmt::format("cannot {} the journal {}: {}", what, path_, std::strerror(errno)));
}

}  // namespace gpucheck::report
