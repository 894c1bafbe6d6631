#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "replay/formats/bytes/file_bytes.hpp"
#include "replay/formats/snapshot/snapshot.hpp"
#include "replay/formats/trace/trace.hpp"

namespace gpucheck::replay {

/// What a file turned out to hold.
using FileContent = std::variant<std::vector<Trace>, Snapshot>;

/// Reads a trace file (JSON) or a PyTorch memory snapshot (JSON, or the pickle that
/// torch.cuda.memory._dump_snapshot writes). What it is follows from its content, not
/// from its name. Memory stays linear in the file's size. @throws FileError
FileContent read_file(const std::filesystem::path& path, const ReadLimits& limits = {});

/// The same for bytes in memory; `name` stands in error texts.
FileContent read_bytes(std::string name, std::string_view bytes, const ReadLimits& limits = {});

/// Reads a memory snapshot with its stacks. @throws FileError, also for a trace file.
Snapshot read_snapshot_file(const std::filesystem::path& path, const ReadLimits& limits = {});
Snapshot read_snapshot_bytes(std::string name, std::string_view bytes, const ReadLimits& limits = {});

}  // namespace gpucheck::replay
