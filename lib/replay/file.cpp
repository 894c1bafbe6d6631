#include "replay/file.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fstream>

#include "replay/file_error.hpp"
#include "replay/readers.hpp"

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

void parse(Document& document, const ReadLimits& limits) {
  const std::string_view bytes = document.bytes();
  const auto refuse = [&](std::string_view problem) { throw FileError(document.name(), 0, "", problem); };
  if (bytes.empty()) refuse("the file is empty");
  for (const Known& known : not_read) {
    if (bytes.starts_with(known.start)) refuse(known.problem);
  }
  if (bytes.front() == '\x80') return read_pickle(document, limits);
  const std::size_t start = bytes.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos || (bytes[start] != '{' && bytes[start] != '[')) {
    refuse("expected a JSON text that starts with { or [, or a pickle that starts with byte 0x80");
  }
  read_json(document, limits);
}

FileContent interpret(const Document& document) {
  if (looks_like_traces(document)) return read_traces(document);
  if (looks_like_snapshot(document)) return read_snapshot(document);
  throw FileError(document.name(), 0, "$",
                  "expected traces (with \"ops\") or a memory snapshot (with \"segments\"), found neither");
}

[[noreturn]] void too_large(const std::string& name, const ReadLimits& limits) {
  throw FileError(name, limits.file_bytes, "", fmt::format("the file is longer than {} bytes", limits.file_bytes));
}

Document load(const std::filesystem::path& path, const ReadLimits& limits) {
  const std::string name = path.string();
  std::error_code code;
  const std::uintmax_t size = std::filesystem::file_size(path, code);
  if (code) throw FileError(name, 0, "", fmt::format("cannot be read: {}", code.message()));
  if (size > limits.file_bytes) too_large(name, limits);
  auto bytes = std::make_unique_for_overwrite<char[]>(size);
  std::ifstream stream(path, std::ios::binary);
  stream.read(bytes.get(), static_cast<std::streamsize>(size));
  const auto read = static_cast<std::size_t>(stream.gcount());
  if (read != size) throw FileError(name, read, "", "cannot be read to its end");
  return {name, std::move(bytes), read};
}

FileContent read(Document document, const ReadLimits& limits) {
  parse(document, limits);
  return interpret(document);
}

Snapshot read_with_stacks(Document document, const ReadLimits& limits) {
  parse(document, limits);
  if (looks_like_snapshot(document)) return read_snapshot(document, StackReading::keep);
  throw FileError(document.name(), 0, "$", "expected a memory snapshot (with \"segments\")");
}

Document copied(std::string name, std::string_view bytes, const ReadLimits& limits) {
  if (bytes.size() > limits.file_bytes) too_large(name, limits);
  return Document(std::move(name), bytes);
}

}  // namespace

FileContent read_file(const std::filesystem::path& path, const ReadLimits& limits) {
  return read(load(path, limits), limits);
}

FileContent read_bytes(std::string name, std::string_view bytes, const ReadLimits& limits) {
  return read(copied(std::move(name), bytes, limits), limits);
}

Snapshot read_snapshot_file(const std::filesystem::path& path, const ReadLimits& limits) {
  return read_with_stacks(load(path, limits), limits);
}

Snapshot read_snapshot_bytes(std::string name, std::string_view bytes, const ReadLimits& limits) {
  return read_with_stacks(copied(std::move(name), bytes, limits), limits);
}

}  // namespace gpucheck::replay
