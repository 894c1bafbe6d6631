#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.hpp"
#include "tensor/files/pickle_reader.hpp"
#include "tensor/files/pickle_writer.hpp"

/// The pickle alone, which checksums keep a fuzzer from in a whole file. What is read must be written and read again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gpucheck::tensor;
  // The protocol is given, so that every input gets into the machine.
  std::string bytes("\x80\x02", 2);
  bytes.append(reinterpret_cast<const char*>(data), size);
  const files::StorageLoader loader = [](const files::StorageName& name) {
    constexpr std::uint64_t most = 4096;
    if (name.count > most) throw gpucheck::Error("more than a file has");
    return Storage(name.count * gpucheck::element_bytes(name.dtype), host);
  };
  files::Object object;
  try {
    files::MemoryBudget budget("input", 64 << 20);
    object = files::read_pickle(bytes, budget, loader);
  } catch (const gpucheck::Error&) {
    return 0;
  }
  files::MemoryBudget budget("written", 1 << 30);
  static_cast<void>(files::read_pickle(files::pickle_of(object).bytes, budget, loader));
  return 0;
}
