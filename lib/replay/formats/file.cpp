#include "replay/formats/file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <optional>

#include "base/files/input_file.hpp"
#include "replay/formats/bytes/file_error.hpp"
#include "replay/formats/bytes/foreign_file.hpp"
#include "replay/formats/file_kind.hpp"
#include "replay/formats/json/json_cursor.hpp"
#include "replay/formats/pickle/cursor.hpp"
#include "replay/formats/pickle/readers.hpp"

namespace gpucheck::replay {

namespace {

bool is_pickle(const FileBytes& file) { return file.view().front() == '\x80'; }

/// @param start enough of the bytes to tell
void check_kind(const std::string& name, std::string_view start) {
  const std::string_view problem = why_not_read(start.substr(0, telling_bytes));
  if (!problem.empty()) throw FileError(name, 0, "", problem);
}

/// Calls `interpret` with the file's root.
template <typename Interpret>
auto read(FileBytes file, const ReadLimits& limits, Interpret&& interpret) {
  check_kind(file.name, file.view());
  if (!is_pickle(file)) {
    JsonText text(file, limits);
    const JsonCursor root(text);
    auto content = interpret(root);
    text.expect_end(root.end());
    return content;
  }
  Document document(std::move(file));
  read_pickle(document, limits);
  Walk walk(document);
  return interpret(Cursor(walk));
}

template <typename AnyCursor>
[[noreturn]] void reject_kind(const AnyCursor& root, FileKind kind, std::string_view expected) {
  if (kind == FileKind::snapshots) {
    root.fail("this file holds several memory snapshots: write each into a file of its own");
  }
  if (kind == FileKind::profile) {
    root.fail(
        "this is a trace of the PyTorch profiler, which does not hold what the allocator did: write a snapshot with "
        "torch.cuda.memory._dump_snapshot");
  }
  root.fail(expected);
}

FileContent read_content(FileBytes file, const ReadLimits& limits) {
  return read(std::move(file), limits, [](const auto& root) -> FileContent {
    const FileKind kind = kind_of(root);
    switch (kind) {
      case FileKind::traces:
        return read_traces(root);
      case FileKind::snapshot:
        return read_snapshot(root);
      default:
        break;
    }
    reject_kind(root, kind, "expected traces (with \"ops\") or a memory snapshot (with \"segments\"), found neither");
  });
}

Snapshot read_with_stacks(FileBytes file, const ReadLimits& limits) {
  return read(std::move(file), limits, [](const auto& root) {
    const FileKind kind = kind_of(root);
    if (kind != FileKind::snapshot) reject_kind(root, kind, "expected a memory snapshot (with \"segments\")");
    return read_snapshot(root, StackReading::keep);
  });
}

[[noreturn]] void too_large(const std::string& name, std::uint64_t limit) {
  throw FileError(name, limit, "", fmt::format("the file is longer than {} bytes", limit));
}

[[noreturn]] void unreadable(const std::string& name, std::uint64_t at, std::string_view problem) {
  throw FileError(name, at, "", problem);
}

/// What shows its size only when it ends: a pipe, a FIFO, what a shell makes of <(...).
FileBytes load_stream(const InputFile& file, const std::string& name, const ReadLimits& limits) {
  const std::uint64_t most = std::min(limits.file_bytes, limits.stream_bytes);
  std::string bytes;
  std::array<char, 65536> buffer;
  while (true) {
    const std::optional<std::size_t> count = file.read(buffer);
    if (!count) unreadable(name, bytes.size(), fmt::format("cannot be read: {}", std::strerror(errno)));
    if (*count == 0) return {name, bytes};
    const bool was_told = bytes.size() >= telling_bytes;
    bytes.append(buffer.data(), *count);
    if (bytes.size() > most) too_large(name, most);
    if (!was_told && bytes.size() >= telling_bytes) check_kind(name, bytes);
  }
}

FileBytes load(const std::filesystem::path& path, const ReadLimits& limits) {
  const std::string name = path.string();
  const InputFile file(name);
  if (!file.is_open()) unreadable(name, 0, fmt::format("cannot be read: {}", std::strerror(errno)));
  const std::optional<std::uint64_t> size = file.size();
  if (!size) return load_stream(file, name, limits);
  if (*size > limits.file_bytes) too_large(name, limits.file_bytes);
  FileBytes content(name, *size);
  std::size_t filled = 0;
  while (filled < *size) {
    // What the file is not, its start says: the rest of a large one is then not read.
    const std::size_t most = filled == 0 ? telling_bytes : *size;
    const std::optional<std::size_t> count = file.read({content.bytes.get() + filled, std::min(most, *size - filled)});
    if (!count || *count == 0) unreadable(name, filled, "cannot be read to its end");
    if (filled == 0) check_kind(name, {content.bytes.get(), *count});
    filled += *count;
  }
  return content;
}

FileBytes copied(std::string name, std::string_view bytes, const ReadLimits& limits) {
  if (bytes.size() > limits.file_bytes) too_large(name, limits.file_bytes);
  return {std::move(name), bytes};
}

}  // namespace

FileContent read_file(const std::filesystem::path& path, const ReadLimits& limits) {
  return read_content(load(path, limits), limits);
}

FileContent read_bytes(std::string name, std::string_view bytes, const ReadLimits& limits) {
  return read_content(copied(std::move(name), bytes, limits), limits);
}

Snapshot read_snapshot_file(const std::filesystem::path& path, const ReadLimits& limits) {
  return read_with_stacks(load(path, limits), limits);
}

Snapshot read_snapshot_bytes(std::string name, std::string_view bytes, const ReadLimits& limits) {
  return read_with_stacks(copied(std::move(name), bytes, limits), limits);
}

}  // namespace gpucheck::replay
