#include "tensor/files/archive_reader.hpp"

#include <algorithm>
#include <array>
#include <minizip/unzip.h>
#include <unordered_map>
#include <utility>

#include "base/text/sanitize.hpp"

namespace gpucheck::tensor::files {
namespace detail {

/// Where minizip reads. Its functions are called by C, and throw nothing.
struct Position {
  const Source* source = nullptr;
  std::uint64_t at = 0;
  bool has_failed = false;
};

struct Entry {
  unz64_file_pos place{};
  std::uint64_t bytes = 0;
};

}  // namespace detail

namespace {

using detail::Entry;
using detail::Position;

constexpr std::uint64_t longest_name = 1024;
/// What an entry of the directory takes besides its name.
constexpr std::uint64_t entry_memory = 128;
constexpr uLong is_encrypted = 1;

voidpf open_position(voidpf position, const void*, int) { return position; }
uLong read_position(voidpf, voidpf stream, void* to, uLong count) {
  Position& position = *static_cast<Position*>(stream);
  const std::uint64_t left = position.source->bytes - std::min(position.at, position.source->bytes);
  const std::uint64_t part = std::min<std::uint64_t>(count, left);
  // Where the file ends minizip would go on with zeros.
  if (part < count || !position.source->read(position.at, {static_cast<char*>(to), part})) {
    position.has_failed = true;
    return 0;
  }
  position.at += part;
  return part;
}
uLong write_position(voidpf, voidpf, const void*, uLong) { return 0; }
ZPOS64_T tell_position(voidpf, voidpf stream) { return static_cast<Position*>(stream)->at; }
long seek_position(voidpf, voidpf stream, ZPOS64_T offset, int origin) {
  Position& position = *static_cast<Position*>(stream);
  const std::uint64_t base = origin == ZLIB_FILEFUNC_SEEK_SET   ? 0
                             : origin == ZLIB_FILEFUNC_SEEK_CUR ? position.at
                                                                : position.source->bytes;
  const std::uint64_t to = base + offset;
  if (to > position.source->bytes) return -1;
  position.at = to;
  return 0;
}
int close_position(voidpf, voidpf) { return 0; }
int error_of_position(voidpf, voidpf stream) { return static_cast<Position*>(stream)->has_failed ? 1 : 0; }

/// Whether a name leads down a folder, and nowhere else, wherever it is unpacked.
bool is_plain(std::string_view name) {
  if (name.find('\\') != std::string_view::npos || name.find('\0') != std::string_view::npos) return false;
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find('/', begin), name.size());
    const std::string_view part = name.substr(begin, end - begin);
    if (part.empty() || part == "." || part == "..") return false;
    begin = end + 1;
  }
  return true;
}

}  // namespace

struct ArchiveReader::State {
  Source source;
  MemoryBudget& budget;
  Position position = {};
  unzFile zip = nullptr;
  std::string folder = {};
  std::unordered_map<std::string, Entry> entries = {};

  ~State() {
    if (zip != nullptr) unzClose(zip);
  }

  void open() {
    position.source = &source;
    zlib_filefunc64_def functions{open_position, read_position,  write_position,    tell_position,
                                  seek_position, close_position, error_of_position, &position};
    zip = unzOpen2_64("archive", &functions);
    if (zip == nullptr) budget.fail("is not a zip archive, or has been cut short");
  }

  void read_directory() {
    int status = unzGoToFirstFile(zip);
    for (; status == UNZ_OK; status = unzGoToNextFile(zip)) add_entry();
    if (status != UNZ_END_OF_LIST_OF_FILE) budget.fail("its directory is damaged");
  }

  void add_entry() {
    unz_file_info64 about{};
    std::array<char, longest_name + 1> room{};
    if (unzGetCurrentFileInfo64(zip, &about, room.data(), room.size(), nullptr, 0, nullptr, 0) != UNZ_OK) {
      budget.fail("its directory is damaged");
    }
    if (about.size_filename > longest_name) budget.fail("has an entry with a name that is too long");
    const std::string path(room.data(), about.size_filename);
    const std::size_t slash = path.find('/');
    if (!is_plain(path) || slash == std::string::npos) {
      budget.fail(fmt::format("has an entry named \"{}\", which is not a name in a folder", one_line(path)));
    }
    check(about, path);
    if (entries.empty()) folder = path.substr(0, slash);
    if (path.substr(0, slash) != folder) budget.fail("has entries in more than one folder");
    budget.take(entry_memory + path.size());
    Entry entry{.bytes = about.uncompressed_size};
    unzGetFilePos64(zip, &entry.place);
    if (!entries.emplace(path.substr(slash + 1), entry).second) {
      budget.fail(fmt::format("has two entries named \"{}\"", one_line(path)));
    }
  }

  void check(const unz_file_info64& about, const std::string& path) const {
    const auto fail = [&](std::string_view problem) {
      budget.fail(fmt::format("its entry {} {}", one_line(path), problem));
    };
    if ((about.flag & is_encrypted) != 0) fail("is encrypted");
    if (about.compression_method != 0) fail("is compressed: PyTorch's files are not");
    if (about.compressed_size != about.uncompressed_size) fail("has two sizes");
    if (about.uncompressed_size > source.bytes) fail("is larger than the file");
  }

  [[nodiscard]] const Entry& entry(const std::string& name) const {
    const auto place = entries.find(name);
    if (place == entries.end()) budget.fail(fmt::format("has no entry {}", one_line(name)));
    return place->second;
  }
};

ArchiveReader::ArchiveReader(Source source, MemoryBudget& budget)
    : state_(std::make_unique<State>(State{std::move(source), budget})) {
  state_->open();
  state_->read_directory();
}

ArchiveReader::~ArchiveReader() = default;

bool ArchiveReader::has(const std::string& name) const { return state_->entries.contains(name); }

std::uint64_t ArchiveReader::bytes_of(const std::string& name) const { return state_->entry(name).bytes; }

void ArchiveReader::read(const std::string& name, std::span<char> room) const {
  const State& state = *state_;
  const auto require = [&](bool is_good) {
    if (!is_good) state.budget.fail(fmt::format("its entry {} is damaged", one_line(name)));
  };
  const Entry& entry = state.entry(name);
  require(room.size() == entry.bytes);
  require(unzGoToFilePos64(state.zip, &entry.place) == UNZ_OK && unzOpenCurrentFile(state.zip) == UNZ_OK);
  constexpr std::size_t at_once = std::size_t{1} << 30U;
  for (std::size_t begin = 0; begin < room.size();) {
    const std::span<char> part = room.subspan(begin, std::min(at_once, room.size() - begin));
    const int count = unzReadCurrentFile(state.zip, part.data(), static_cast<unsigned>(part.size()));
    if (count <= 0) unzCloseCurrentFile(state.zip);
    require(count > 0);
    begin += static_cast<std::size_t>(count);
  }
  require(unzCloseCurrentFile(state.zip) == UNZ_OK);
}

std::string ArchiveReader::read_text(const std::string& name, std::uint64_t most) const {
  const std::uint64_t bytes = bytes_of(name);
  if (bytes > most) state_->budget.fail(fmt::format("its entry {} has more than {} bytes", one_line(name), most));
  state_->budget.take(bytes);
  std::string text(bytes, '\0');
  read(name, text);
  return text;
}

}  // namespace gpucheck::tensor::files
