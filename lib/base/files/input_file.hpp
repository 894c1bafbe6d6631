#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/text/units.hpp"

namespace gpucheck {

/// The most that is read of what people write by hand or a run writes once: goldens, limits, waivers, recordings,
/// results. Parsed it takes up to twenty times as much memory.
inline constexpr std::uint64_t max_document_bytes = 64_MiB;
/// The same of a journal, which is parsed line by line.
inline constexpr std::uint64_t max_journal_bytes = 256_MiB;

/// A file that is read from its start to its end, in pieces. All readers of whole files stand on it, so that each of
/// them ends with an error at its limit, whatever stands in place of the file: a device that never ends, a FIFO.
class InputFile {
 public:
  explicit InputFile(std::string path);
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile();

  /// False when it could not be opened; errno has the reason.
  [[nodiscard]] bool is_open() const noexcept { return descriptor_ >= 0; }
  /// Bytes of a regular file; nothing of what shows its size only when it ends.
  [[nodiscard]] std::optional<std::uint64_t> size() const;
  /// The next bytes, at most as many as have room; 0 at the end. Nothing when the system cannot read it; errno has the
  /// reason, a folder's too. @throws InterruptedError (waiting_for_files.hpp) for a signal that came while there was
  /// nothing to read.
  [[nodiscard]] std::optional<std::size_t> read(std::span<char> room) const;
  /// To ask the system about the file; stays this object's.
  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

 private:
  std::string path_;
  int descriptor_;
};

/// What is left of an open file, as `read_input_file` has it.
std::string read_to_end(const InputFile& file, const std::string& path, std::string_view kind, std::uint64_t limit);

/// All bytes of a file; a pipe or FIFO is read to its end.
/// @param kind what the file is to its reader, for messages: "golden file", "waivers".
/// @param limit the most bytes that it may have
/// @throws EnvironmentError naming the path and the system's reason, or the limit; InterruptedError as above.
std::string read_input_file(const std::string& path, std::string_view kind, std::uint64_t limit = max_document_bytes);

/// The same; nothing where there is no such file. One that cannot be read is still an error.
std::optional<std::string> read_input_file_if_any(const std::string& path, std::string_view kind,
                                                  std::uint64_t limit = max_document_bytes);

}  // namespace gpucheck
