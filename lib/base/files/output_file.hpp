#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/files/unfinished_files.hpp"

namespace gpucheck {

/// How many processes may write a file at a time: of those that may be several, the last one to end wins.
enum class Writers { any, one };

/// What a symbolic link of the file's name is: a way to the file that is written, or, where nobody chose the name, what
/// the file replaces.
enum class Links { followed, replaced };

/// A file that appears whole or not at all: written under a temporary name in the same
/// folder, then renamed. "-" is stdout; a path that is not a regular file (a pipe,
/// /dev/null) is written to directly. Not thread-safe.
class OutputFile {
 public:
  /// Opens it at once, so that a path that cannot be written is known early.
  /// @param kind what the file is to its reader, for messages: "report", "golden file".
  /// @throws EnvironmentError naming the path and the system's reason; InUseError for a file that has one writer, and
  /// has it already.
  OutputFile(std::string path, std::string_view kind, Writers writers = Writers::any, Links links = Links::followed);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  /// Removes the temporary file when `commit` was not reached.
  ~OutputFile();

  /// Removes what has its name already, so that nobody takes that for what is still to be
  /// written. @throws EnvironmentError.
  void discard_old() const;

  /// Writes `text` behind what was written before: for what is too large to be held whole.
  /// @throws EnvironmentError; InterruptedError as `commit` does.
  void append(std::string_view text) { write_all(text); }

  /// Writes `text` behind what was appended, flushes it to disk and gives the file its name. Call once.
  /// @throws EnvironmentError; InterruptedError where nobody reads it (base/waiting_for_files.hpp).
  void commit(std::string_view text);

 private:
  void open_temporary();
  [[nodiscard]] bool open_locked();
  [[nodiscard]] bool lock_temporary();
  void write_all(std::string_view text) const;
  void close_file();
  [[noreturn]] void fail(std::string_view what) const;

  std::string path_;  ///< as the user named it
  std::string kind_;
  std::string final_path_;      ///< with symbolic links followed
  std::string temporary_path_;  ///< empty when written to directly
  int descriptor_ = -1;
  std::optional<UnfinishedFile> unfinished_;  ///< until it is whole
};

}  // namespace gpucheck
