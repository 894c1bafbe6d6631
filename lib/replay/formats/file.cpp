#include "replay/formats/file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <fstream>

#include "replay/formats/file_error.hpp"
#include "replay/formats/file_kind.hpp"
#include "replay/formats/json/json_cursor.hpp"
#include "replay/formats/pickle/cursor.hpp"
#include "replay/formats/pickle/readers.hpp"

namespace gpucheck::replay {

namespace {

struct Known {
  std::string_view start;
  const char* problem;
};

/// Files that people have at hand and that are not read, told by their first bytes.
constexpr std::array not_read{
    Known{"PK",
          "this is a zip archive, as torch.save writes: write the snapshot with "
          "torch.cuda.memory._dump_snapshot instead"},
    Known{"\x1f\x8b", "this file is compressed with gzip: unpack it first"},
    Known{"\x28\xb5\x2f\xfd", "this file is compressed with zstd: unpack it first"},
    Known{"(", "this looks like a pickle of protocol 0 or 1: write it with protocol 2 or later"},
    Known{"}q", "this looks like a pickle of protocol 0 or 1: write it with protocol 2 or later"},
    Known{"]q", "this looks like a pickle of protocol 0 or 1: write it with protocol 2 or later"},
};

bool is_pickle(const FileBytes& file) { return file.view().front() == '\x80'; }

void check_kind(const FileBytes& file) {
  const std::string_view bytes = file.view();
  const auto reject = [&](std::string_view problem) { throw FileError(file.name, 0, "", problem); };
  if (bytes.empty()) reject("the file is empty");
  for (const Known& known : not_read) {
    if (bytes.starts_with(known.start)) reject(known.problem);
  }
  const std::size_t start = bytes.find_first_not_of(" \t\r\n");
  const bool is_json = start != std::string_view::npos && (bytes[start] == '{' || bytes[start] == '[');
  if (!is_json && !is_pickle(file)) {
    reject("expected a JSON text that starts with { or [, or a pickle that starts with byte 0x80");
  }
}

/// Calls `interpret` with the file's root.
template <typename Interpret>
auto read(FileBytes file, const ReadLimits& limits, Interpret&& interpret) {
  check_kind(file);
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

FileContent read_content(FileBytes file, const ReadLimits& limits) {
  return read(std::move(file), limits, [](const auto& root) -> FileContent {
    switch (kind_of(root)) {
      case FileKind::traces:
        return read_traces(root);
      case FileKind::snapshot:
        return read_snapshot(root);
      case FileKind::other:
        break;
    }
    root.fail("expected traces (with \"ops\") or a memory snapshot (with \"segments\"), found neither");
  });
}

Snapshot read_with_stacks(FileBytes file, const ReadLimits& limits) {
  return read(std::move(file), limits, [](const auto& root) {
    if (kind_of(root) != FileKind::snapshot) root.fail("expected a memory snapshot (with \"segments\")");
    return read_snapshot(root, StackReading::keep);
  });
}

[[noreturn]] void too_large(const std::string& name, const ReadLimits& limits) {
  throw FileError(name, limits.file_bytes, "", fmt::format("the file is longer than {} bytes", limits.file_bytes));
}

/// What tells its size only when it ends: a pipe, a FIFO, what a shell makes of <(...).
FileBytes load_stream(const std::filesystem::path& path, const ReadLimits& limits) {
  const std::string name = path.string();
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw FileError(name, 0, "", fmt::format("cannot be read: {}", std::strerror(errno)));
  std::string bytes;
  std::array<char, 65536> buffer;
  do {
    stream.read(buffer.data(), buffer.size());
    bytes.append(buffer.data(), static_cast<std::size_t>(stream.gcount()));
    if (bytes.size() > limits.file_bytes) too_large(name, limits);
  } while (stream);
  if (stream.bad()) throw FileError(name, bytes.size(), "", "cannot be read to its end");
  return {name, bytes};
}

FileBytes load(const std::filesystem::path& path, const ReadLimits& limits) {
  const std::string name = path.string();
  std::error_code code;
  const std::filesystem::file_status status = std::filesystem::status(path, code);
  if (is_fifo(status) || is_socket(status) || is_character_file(status)) return load_stream(path, limits);
  const std::uintmax_t size = std::filesystem::file_size(path, code);
  if (code) throw FileError(name, 0, "", fmt::format("cannot be read: {}", code.message()));
  if (size > limits.file_bytes) too_large(name, limits);
  FileBytes file(name, size);
  std::ifstream stream(path, std::ios::binary);
  stream.read(file.bytes.get(), static_cast<std::streamsize>(size));
  const auto read = static_cast<std::size_t>(stream.gcount());
  if (read != size) throw FileError(name, read, "", "cannot be read to its end");
  return file;
}

FileBytes copied(std::string name, std::string_view bytes, const ReadLimits& limits) {
  if (bytes.size() > limits.file_bytes) too_large(name, limits);
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
