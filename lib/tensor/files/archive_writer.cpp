#include "tensor/files/archive_writer.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <minizip/zip.h>
#include <new>
#include <utility>

#include "base/error.hpp"
#include "base/fnv.hpp"

namespace gpucheck::tensor::files {
namespace detail {

/// The end of the file that minizip still may go back to. Its functions are called by C, and throw nothing.
struct Tail {
  std::string bytes;
  std::uint64_t begin = 0;     ///< its place in the file
  std::uint64_t position = 0;  ///< in the file
  bool has_failed = false;
};

}  // namespace detail

namespace {

using detail::Tail;

constexpr std::uint64_t alignment = 64;
/// How many bytes an entry has before its name, and how many minizip adds to the extra field of entries that may be
/// large.
constexpr std::uint64_t local_header_bytes = 30;
constexpr std::uint64_t large_field_bytes = 20;
constexpr std::uint64_t large_entry_bytes = std::numeric_limits<std::uint32_t>::max();
/// A field of the extra field: its name, then its length in two bytes.
constexpr std::uint64_t field_header_bytes = 4;

voidpf open_tail(voidpf tail, const void*, int) { return tail; }
uLong read_tail(voidpf, voidpf, void*, uLong) { return 0; }  // minizip reads only what it appends to
uLong write_tail(voidpf, voidpf stream, const void* from, uLong count) {
  Tail& tail = *static_cast<Tail*>(stream);
  const std::uint64_t at = tail.position - tail.begin;
  try {
    if (tail.bytes.size() < at + count) tail.bytes.resize(at + count);
  } catch (const std::exception&) {
    tail.has_failed = true;
    return 0;
  }
  std::copy_n(static_cast<const char*>(from), count, tail.bytes.data() + at);
  tail.position += count;
  return count;
}
ZPOS64_T tell_tail(voidpf, voidpf stream) { return static_cast<Tail*>(stream)->position; }
long seek_tail(voidpf, voidpf stream, ZPOS64_T offset, int origin) {
  Tail& tail = *static_cast<Tail*>(stream);
  const std::uint64_t end = tail.begin + tail.bytes.size();
  const std::uint64_t base = origin == ZLIB_FILEFUNC_SEEK_SET   ? 0
                             : origin == ZLIB_FILEFUNC_SEEK_CUR ? tail.position
                                                                : end;
  const std::uint64_t to = base + offset;
  if (to < tail.begin || to > end) return -1;
  tail.position = to;
  return 0;
}
int close_tail(voidpf, voidpf) { return 0; }
int error_of_tail(voidpf, voidpf stream) { return static_cast<Tail*>(stream)->has_failed ? 1 : 0; }

zlib_filefunc64_def functions_of(Tail& tail) {
  return {open_tail, read_tail, write_tail, tell_tail, seek_tail, close_tail, error_of_tail, &tail};
}

/// The field that PyTorch fills up with, such that the entry's bytes begin at a multiple of 64.
std::string padding_for(std::uint64_t start, const std::string& name, bool is_large) {
  const std::uint64_t before =
      start + local_header_bytes + name.size() + field_header_bytes + (is_large ? large_field_bytes : 0);
  const std::uint64_t count = (alignment - before % alignment) % alignment;
  std::string field = "FB";
  field += static_cast<char>(count);
  field += '\0';
  return field.append(count, 'Z');
}

}  // namespace

struct ArchiveWriter::State {
  Sink sink;
  Tail tail = {};
  zipFile zip = nullptr;
  std::uint64_t names_hash = fnv1a("");
  uLong contents_checksum = 0;

  void require(bool is_good, const std::string& name) const {
    if (!is_good) throw Error(fmt::format("cannot write the entry {} of a zip archive", name));
  }

  /// What minizip does not come back to.
  void flush() {
    if (!tail.bytes.empty()) sink(tail.bytes);
    tail.begin += tail.bytes.size();
    tail.bytes.clear();
  }
};

ArchiveWriter::ArchiveWriter(Sink sink) : state_(std::make_unique<State>(State{.sink = std::move(sink)})) {
  zlib_filefunc64_def functions = functions_of(state_->tail);
  state_->zip = zipOpen2_64("archive", APPEND_STATUS_CREATE, nullptr, &functions);
  if (state_->zip == nullptr) throw std::bad_alloc();
}

ArchiveWriter::~ArchiveWriter() {
  if (state_->zip != nullptr) zipClose(state_->zip, nullptr);
}

void ArchiveWriter::add(const std::string& name, std::string_view bytes) {
  State& state = *state_;
  state.flush();
  const std::string path = "archive/" + name;
  const bool is_large = bytes.size() >= large_entry_bytes;
  const std::string padding = padding_for(state.tail.position, path, is_large);
  const zip_fileinfo times{.tmz_date = {0, 0, 0, 1, 0, 1980}, .dosDate = 0, .internal_fa = 0, .external_fa = 0};
  state.require(
      zipOpenNewFileInZip64(state.zip, path.c_str(), &times, padding.data(), static_cast<uInt>(padding.size()), nullptr,
                            0, nullptr, 0, 0, is_large ? 1 : 0) == ZIP_OK,
      name);
  constexpr std::size_t at_once = std::size_t{1} << 30U;
  for (std::size_t begin = 0; begin < bytes.size(); begin += at_once) {
    const std::string_view part = bytes.substr(begin, at_once);
    state.require(zipWriteInFileInZip(state.zip, part.data(), static_cast<unsigned>(part.size())) == ZIP_OK, name);
    state.contents_checksum =
        crc32(state.contents_checksum, reinterpret_cast<const Bytef*>(part.data()), static_cast<uInt>(part.size()));
  }
  state.require(zipCloseFileInZip(state.zip) == ZIP_OK, name);
  state.names_hash = fnv1a(name, state.names_hash);
}

void ArchiveWriter::finish() {
  State& state = *state_;
  add(".data/serialization_id", fmt::format("{:020}{:020}", state.names_hash, state.contents_checksum));
  state.flush();
  state.require(zipClose(std::exchange(state.zip, nullptr), nullptr) == ZIP_OK, "directory");
  state.flush();
}

}  // namespace gpucheck::tensor::files
