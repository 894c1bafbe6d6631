#include <fmt/format.h>

#include "base/files/output_file.hpp"
#include "tensor/files/as_bytes.hpp"
#include "tensor/files/files.hpp"
#include "tensor/files/pickle_writer.hpp"
#include "tensor/transfers/transfer.hpp"

namespace gpucheck::tensor::files {
namespace {

/// The archive's version, and what its entries say about the format: as PyTorch 2.11 writes them.
constexpr std::string_view archive_version = "3\n";
constexpr std::string_view format_version = "1";
constexpr std::string_view storage_alignment = "64";

void add_storage(ArchiveWriter& archive, const std::string& name, const Storage& storage) {
  Storage on_host = storage;
  if (!storage.device().is_host()) {
    on_host = Storage(storage.bytes(), host);
    transfer(as_bytes(on_host), as_bytes(storage), false);
  }
  archive.add(name, {static_cast<const char*>(on_host.data()), on_host.bytes()});
}

}  // namespace

void save(const Object& object, const Sink& sink) {
  const Pickle pickle = pickle_of(object);
  ArchiveWriter archive(sink);
  archive.add("data.pkl", pickle.bytes);
  archive.add(".format_version", format_version);
  archive.add(".storage_alignment", storage_alignment);
  archive.add("byteorder", "little");
  for (std::size_t i = 0; i < pickle.storages.size(); ++i) {
    add_storage(archive, fmt::format("data/{}", i), pickle.storages[i]);
  }
  archive.add("version", archive_version);
  archive.finish();
}

void save(const Object& object, const std::string& path) {
  OutputFile file(path, "file of tensors");
  save(object, [&file](std::string_view bytes) { file.append(bytes); });
  file.commit("");
}

}  // namespace gpucheck::tensor::files
