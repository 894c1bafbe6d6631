#include "base/files/file_identity.hpp"

#include <filesystem>
#include <sys/stat.h>

namespace gpucheck {
namespace {

namespace fs = std::filesystem;

bool exists(const std::string& path, struct stat& found) {
  return path == "-" ? ::fstat(1, &found) == 0 : ::stat(path.c_str(), &found) == 0;
}

/// Without `.`, `..` and links in its folders.
fs::path canonical_place(const fs::path& path) {
  std::error_code problem;
  const fs::path absolute = fs::absolute(path, problem);
  fs::path place = fs::weakly_canonical(absolute, problem);
  return problem ? absolute.lexically_normal() : place;
}

}  // namespace

std::string end_of_links(const std::string& path) {
  constexpr int most_links = 40;  // as Linux follows
  struct stat present {};
  std::error_code problem;
  if (exists(path, present)) {
    const fs::path whole = fs::canonical(path, problem);
    return problem ? path : whole.string();
  }
  fs::path end = path;
  for (int links = 0; fs::is_symlink(fs::symlink_status(end, problem)); ++links) {
    if (links == most_links) return path;
    const fs::path next = fs::read_symlink(end, problem);
    if (problem) return path;
    end = end.parent_path() / next;
  }
  return end.string();
}

bool is_same_file(const std::string& first, const std::string& second) {
  if (first == second) return true;
  struct stat one {};
  struct stat other {};
  const bool one_exists = exists(first, one);
  const bool other_exists = exists(second, other);
  if (one_exists != other_exists) return false;
  if (!one_exists) return canonical_place(end_of_links(first)) == canonical_place(end_of_links(second));
  return !S_ISCHR(one.st_mode) && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

}  // namespace gpucheck
