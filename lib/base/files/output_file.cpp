#include "base/files/output_file.hpp"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "base/error.hpp"
#include "base/files/file_identity.hpp"
#include "base/files/waiting_for_files.hpp"
#include "base/fnv.hpp"
#include "base/in_use_error.hpp"

namespace gpucheck {
namespace {

namespace fs = std::filesystem;

std::string folder_of(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

}  // namespace

OutputFile::OutputFile(std::string path, std::string_view kind, Writers writers, Links links)
    : path_(std::move(path)), kind_(kind), final_path_(links == Links::followed ? end_of_links(path_) : path_) {
  if (path_ == "-") {
    unfinished_.emplace("stdout", "");
    descriptor_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    if (descriptor_ < 0) fail("open");
    return;
  }
  if (path_.empty()) throw EnvironmentError(fmt::format("cannot write the {}: its path is empty", kind_));
  struct stat present {};
  const auto look = links == Links::followed ? ::stat : ::lstat;
  const bool exists = look(path_.c_str(), &present) == 0;
  if (exists && S_ISDIR(present.st_mode)) {
    errno = EISDIR;
    fail("write");
  }
  if (!exists && errno != ENOENT) fail("write");  // links in a loop, for example: nothing may be put in their place
  if (!exists || S_ISREG(present.st_mode) || S_ISLNK(present.st_mode)) {
    if (writers == Writers::any || !open_locked()) open_temporary();
    return;
  }
  unfinished_.emplace(path_, "");
  descriptor_ = open_for_writing(path_, O_WRONLY);
  if (descriptor_ < 0) fail("open");
}

OutputFile::~OutputFile() {
  if (descriptor_ < 0) return;
  // In this order: once it is closed, its name may be another writer's.
  if (!temporary_path_.empty()) ::unlink(temporary_path_.c_str());
  ::close(descriptor_);
}

/// Opens the temporary file that all writers of one final name share, which its lock gives to one of them. False where
/// there are no locks, or it is somebody else's.
bool OutputFile::open_locked() {
  const std::string name = fs::path(final_path_).filename().string();
  temporary_path_ = fmt::format("{}/gpucheck.{:016x}.tmp", folder_of(final_path_), fnv1a(name));
  for (int attempt = 0; attempt < 100; ++attempt) {
    descriptor_ = ::open(temporary_path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (descriptor_ < 0) return false;
    if (lock_temporary()) return true;
    const bool is_somebody_elses = errno == EWOULDBLOCK;
    const bool has_gone = errno == ESTALE;
    ::close(std::exchange(descriptor_, -1));
    if (is_somebody_elses) {
      temporary_path_.clear();
      throw InUseError(fmt::format("another process is writing the {} {}: give each run its own", kind_, path_));
    }
    if (!has_gone) break;
  }
  ::unlink(temporary_path_.c_str());
  return false;
}

/// False, and errno says why: ESTALE when it lost its name meanwhile, as whoever had it has finished.
bool OutputFile::lock_temporary() {
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) return false;
  struct stat opened {};
  struct stat named {};
  const bool is_named = ::fstat(descriptor_, &opened) == 0 && ::lstat(temporary_path_.c_str(), &named) == 0 &&
                        opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
  if (!is_named) {
    errno = ESTALE;
    return false;
  }
  unfinished_.emplace(path_, temporary_path_);
  return ::ftruncate(descriptor_, 0) == 0;
}

void OutputFile::open_temporary() {
  // Two files of one process never share a path that both can rename to, but another
  // process may use the same folder: hence the process id, and O_EXCL for what a dead
  // one left behind. The final name is not part of it: that may be as long as names can be.
  for (int attempt = 0; attempt < 100; ++attempt) {
    temporary_path_ = fmt::format("{}/gpucheck.{}.{}.tmp", folder_of(final_path_), ::getpid(), attempt);
    unfinished_.emplace(path_, temporary_path_);  // first: there is no moment in which nobody knows of it
    descriptor_ = ::open(temporary_path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ >= 0 || errno != EEXIST) break;
  }
  if (descriptor_ < 0) fail("create a file beside");
}

void OutputFile::discard_old() const {
  if (temporary_path_.empty()) return;
  if (::unlink(final_path_.c_str()) != 0 && errno != ENOENT) fail("replace");
}

void OutputFile::commit(std::string_view text) {
  write_all(text);
  if (temporary_path_.empty()) return close_file();
  if (::fsync(descriptor_) != 0) fail("write");
  if (::rename(temporary_path_.c_str(), final_path_.c_str()) != 0) fail("rename to");
  temporary_path_.clear();
  close_file();
  // Makes the new name survive a power cut; not every file system can.
  const int folder = ::open(folder_of(final_path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  static_cast<void>(::fsync(folder));
  ::close(folder);
}

void OutputFile::write_all(std::string_view text) const {
  if (!write_when_ready(descriptor_, text, path_ == "-" ? "stdout" : path_)) fail("write");
}

void OutputFile::close_file() {
  unfinished_.reset();
  // Some file systems say only here that the disk was full.
  if (::close(std::exchange(descriptor_, -1)) != 0) fail("close");
}

void OutputFile::fail(std::string_view what) const {
  throw EnvironmentError(fmt::format("cannot {} the {} {}: {}", what, kind_, path_, std::strerror(errno)));
}

}  // namespace gpucheck
