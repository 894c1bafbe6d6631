#include "files_support.hpp"

#include <zlib.h>

namespace gpucheck::tensor::files::test {
namespace {

void put(std::string& bytes, std::uint64_t value, unsigned count) {
  for (unsigned i = 0; i < count; ++i) bytes += static_cast<char>(value >> (8 * i));
}

/// What local headers and the directory say alike of an entry, by the format's own description (APPNOTE.TXT).
std::string common_header(const HandMadeEntry& entry) {
  std::string header;
  put(header, 20, 2);  // version needed
  put(header, 0, 2);   // flags
  put(header, 0, 2);   // stored
  put(header, 0, 4);   // time and date
  put(header, crc32(0, reinterpret_cast<const Bytef*>(entry.bytes.data()), static_cast<uInt>(entry.bytes.size())), 4);
  put(header, entry.bytes.size(), 4);
  put(header, entry.bytes.size(), 4);
  put(header, entry.name.size(), 2);
  put(header, 0, 2);  // extra field
  return header;
}

}  // namespace

std::string archive_of_entries(const std::vector<HandMadeEntry>& entries) {
  std::string file;
  std::string directory;
  for (const HandMadeEntry& entry : entries) {
    const std::string header = common_header(entry);
    directory += "PK\1\2";
    put(directory, 20, 2);  // version made by
    directory += header;
    put(directory, 0, 2 + 2 + 2 + 4);  // comment, disk, attributes
    put(directory, file.size(), 4);
    directory += entry.name;
    file += "PK\3\4" + header + entry.name + entry.bytes;
  }
  const std::size_t begin = file.size();
  file += directory + "PK\5\6";
  put(file, 0, 4);  // disks
  put(file, entries.size(), 2);
  put(file, entries.size(), 2);
  put(file, directory.size(), 4);
  put(file, begin, 4);
  put(file, 0, 2);  // comment
  return file;
}

std::string archive_of(const std::string& pickle, const std::vector<std::string>& storages) {
  std::vector<HandMadeEntry> entries{{"t/data.pkl", pickle}, {"t/byteorder", "little"}, {"t/version", "3\n"}};
  for (std::size_t i = 0; i < storages.size(); ++i) entries.push_back({"t/data/" + std::to_string(i), storages[i]});
  return archive_of_entries(entries);
}

}  // namespace gpucheck::tensor::files::test
