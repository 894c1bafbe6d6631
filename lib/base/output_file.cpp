#include "base/output_file.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "base/error.hpp"
#include "base/file_identity.hpp"

namespace gpucheck {
namespace {

namespace fs = std::filesystem;

std::string folder_of(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

}  // namespace

OutputFile::OutputFile(std::string path, std::string_view kind)
    : path_(std::move(path)), kind_(kind), final_path_(end_of_links(path_)) {
  if (path_ == "-") {
    unfinished_.emplace("stdout", "");
    descriptor_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    if (descriptor_ < 0) fail("open");
    return;
  }
  if (path_.empty()) throw EnvironmentError(fmt::format("cannot write the {}: its path is empty", kind_));
  struct stat present {};
  const bool exists = ::stat(path_.c_str(), &present) == 0;
  if (exists && S_ISDIR(present.st_mode)) {
    errno = EISDIR;
    fail("write");
  }
  if (!exists && errno != ENOENT) fail("write");  // links in a loop, for example: nothing may be put in their place
  if (!exists || S_ISREG(present.st_mode)) {
    open_temporary();
    return;
  }
  unfinished_.emplace(path_, "");
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor_ < 0) fail("open");
}

OutputFile::~OutputFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  if (!temporary_path_.empty()) ::unlink(temporary_path_.c_str());
}

void OutputFile::open_temporary() {
  // Two files of one process never share a path that both can rename to, but another
  // process may use the same folder: hence the process id, and O_EXCL for what a dead
  // one left behind. The final name is no part of it: that may be as long as names can be.
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
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor_, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      fail("write");
    }
  }
}

void OutputFile::close_file() {
  unfinished_.reset();
  // Some file systems tell only here that the disk was full.
  if (::close(std::exchange(descriptor_, -1)) != 0) fail("close");
}

void OutputFile::fail(std::string_view what) const {
  throw EnvironmentError(fmt::format("cannot {} the {} {}: {}", what, kind_, path_, std::strerror(errno)));
}

}  // namespace gpucheck
