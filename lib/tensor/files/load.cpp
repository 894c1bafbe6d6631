#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <unistd.h>
#include <unordered_map>

#include "base/files/input_file.hpp"
#include "tensor/files/archive_reader.hpp"
#include "tensor/files/as_bytes.hpp"
#include "tensor/files/files.hpp"
#include "tensor/files/pickle_reader.hpp"
#include "tensor/transfers/transfer.hpp"

namespace gpucheck::tensor::files {
namespace {

constexpr std::uint64_t longest_pickle = 64_MiB;
constexpr std::uint64_t longest_note = 64;

/// A file while it is loaded.
class Loader {
 public:
  Loader(Source source, const std::string& name, const LoadOptions& options)
      : options_(options), budget_(name, options.memory_limit), archive_(std::move(source), budget_) {}

  Object load() {
    require_version();
    const std::string pickle = archive_.read_text("data.pkl", longest_pickle);
    return read_pickle(pickle, budget_, [this](const StorageName& name) { return storage_of(name); });
  }

 private:
  struct Loaded {
    Storage storage;
    DType dtype;
    std::uint64_t count;
  };

  void require_version() {
    const std::string version = archive_.read_text("version", longest_note);
    // PyTorch reads 1 to 10 and writes 3; what it saves has been the same in all of them.
    const std::string number = version.substr(0, version.find('\n'));
    const bool is_digits = !number.empty() && number.size() <= 2 &&
                           std::ranges::all_of(number, [](char c) { return c >= '0' && c <= '9'; });
    if (!is_digits || std::stoi(number) < 1 || std::stoi(number) > 10) {
      budget_.fail("is of another version than 1 to 10");
    }
    if (archive_.has("byteorder") && archive_.read_text("byteorder", longest_note) != "little") {
      budget_.fail("has its bytes in another order than little-endian");
    }
  }

  Storage storage_of(const StorageName& name) {
    const auto place = storages_.find(name.key);
    if (place == storages_.end()) {
      budget_.take(2 * sizeof(Loaded) + name.key.size());
      return storages_.emplace(name.key, Loaded{read(name), name.dtype, name.count}).first->second.storage;
    }
    const Loaded& loaded = place->second;
    if (loaded.count != name.count || (loaded.dtype != name.dtype && name.count > 0)) {
      budget_.fail(fmt::format("data.pkl: storage {} is said to be of two types or sizes", name.key));
    }
    return loaded.storage;
  }

  Storage read(const StorageName& name) {
    const std::string entry = "data/" + name.key;
    const std::uint64_t bytes = archive_.bytes_of(entry);
    if (name.count != bytes / element_bytes(name.dtype)) {
      budget_.fail(fmt::format("its entry {} has {} bytes, which are not {} elements of {} bytes", entry, bytes,
                               name.count, element_bytes(name.dtype)));
    }
    const Device device = device_of(name.location);
    budget_.take(bytes);
    const Storage on_host(bytes, host);
    archive_.read(entry, {static_cast<char*>(on_host.data()), bytes});
    if (device.is_host()) return on_host;
    const Storage on_device(bytes, device);
    transfer(as_bytes(on_device), as_bytes(on_host), false);
    return on_device;
  }

  [[nodiscard]] Device named(std::string_view name) const {
    runtime::Runtime* const runtime = options_.machine.runtime_at(name);
    return runtime == nullptr ? Device() : Device(*runtime);
  }

  [[nodiscard]] Device device_of(const std::string& location) const {
    if (const auto* device = std::get_if<Device>(&options_.map_location)) return *device;
    if (const auto* name = std::get_if<std::string>(&options_.map_location)) return named(*name);
    if (std::holds_alternative<std::monostate>(options_.map_location)) return named(location);
    const std::optional<Device> mapped = std::get<3>(options_.map_location)(location);
    return mapped ? *mapped : named(location);
  }

  const LoadOptions& options_;
  MemoryBudget budget_;
  ArchiveReader archive_;
  std::unordered_map<std::string, Loaded> storages_;
};

bool read_all(int descriptor, std::uint64_t place, std::span<char> room) noexcept {
  while (!room.empty()) {
    const ssize_t count = ::pread(descriptor, room.data(), room.size(), static_cast<off_t>(place));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    place += static_cast<std::uint64_t>(count);
    room = room.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

}  // namespace

Object load(const std::string& path, const LoadOptions& options) {
  const InputFile file(path);
  if (!file.is_open()) {
    throw EnvironmentError(fmt::format("cannot open the file of tensors {}: {}", path, std::strerror(errno)));
  }
  const std::optional<std::uint64_t> bytes = file.size();
  if (!bytes) throw EnvironmentError(fmt::format("{} is not a regular file, as a file of tensors must be", path));
  const int descriptor = file.descriptor();
  const auto read = [descriptor](std::uint64_t place, std::span<char> room) {
    return read_all(descriptor, place, room);
  };
  return Loader({.bytes = *bytes, .read = read}, path, options).load();
}

Object load_bytes(std::string_view bytes, const std::string& name, const LoadOptions& options) {
  const auto read = [bytes](std::uint64_t place, std::span<char> room) {
    std::ranges::copy(bytes.substr(place, room.size()), room.begin());
    return true;
  };
  return Loader({.bytes = bytes.size(), .read = read}, name, options).load();
}

}  // namespace gpucheck::tensor::files
