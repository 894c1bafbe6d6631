#pragma once

#include <string>
#include <string_view>

namespace gpucheck::report {

/// A file that lines are added to, each whole or not at all, and that one process writes
/// at a time. "-" is stdout. Not thread-safe.
class JournalFile {
 public:
  /// Opens it at once, so that a path that cannot be written is known early. What an
  /// earlier run left in it stays until `restart`.
  /// @throws EnvironmentError naming the path and the system's reason, or that another
  /// run writes to it.
  explicit JournalFile(std::string path);
  JournalFile(const JournalFile&) = delete;
  JournalFile& operator=(const JournalFile&) = delete;
  /// Removes the file when it was made here and nothing was ever written.
  ~JournalFile();

  /// Empties the file, and makes its name survive a power cut.
  /// @throws EnvironmentError.
  void restart();
  /// Writes lines, each with its newline, behind what there is. When they do not fit, the
  /// file is left as it was before.
  /// @throws EnvironmentError.
  void append(std::string_view lines);
  /// Returns when all that was appended would survive a power cut. @throws EnvironmentError.
  void synchronize();

 private:
  void open_for_one_writer();
  [[noreturn]] void fail(std::string_view what) const;

  std::string path_;
  int descriptor_ = -1;
  bool is_regular_ = false;
  bool is_new_ = false;
  long long size_ = 0;  ///< bytes of whole lines
};

}  // namespace gpucheck::report
