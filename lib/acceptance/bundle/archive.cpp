#include "acceptance/bundle/archive.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "base/error.hpp"

namespace gpucheck::acceptance {
namespace {

constexpr std::size_t block = 512;
constexpr std::size_t longest_name = 100;
constexpr std::size_t checksum_place = 148;
constexpr std::size_t size_place = 124;
constexpr std::size_t size_digits = 11;

/// The sum of the header's bytes, with blanks where it stands itself.
std::string with_checksum(std::string header) {
  header.replace(checksum_place, 8, 8, ' ');
  unsigned sum = 0;
  for (const char letter : header) sum += static_cast<unsigned char>(letter);
  return header.replace(checksum_place, 8, fmt::format("{:06o}", sum) + std::string("\0 ", 2));
}

/// The digits of a header's size; nothing for what is not octal.
std::optional<std::uint64_t> size_in(std::string_view header) {
  std::uint64_t size = 0;
  for (const char digit : header.substr(size_place, size_digits)) {
    if (digit < '0' || digit > '7') return std::nullopt;
    size = size * 8 + static_cast<std::uint64_t>(digit - '0');
  }
  return size;
}

}  // namespace

std::string archive_header(std::string_view name, std::uint64_t size) {
  if (name.empty() || name.size() > longest_name) {
    throw Error(fmt::format("the name \"{}\" does not fit into an archive: it may have {} bytes", name, longest_name));
  }
  std::string header(block, '\0');
  const auto put = [&header](std::size_t place, std::string_view text) { header.replace(place, text.size(), text); };
  put(0, name);
  put(100, "0000644");
  put(108, "0000000");
  put(116, "0000000");
  put(size_place, fmt::format("{:011o}", size));
  put(136, "00000000000");
  put(156, "0");
  put(257, "ustar");
  put(263, "00");
  put(329, "0000000");
  put(337, "0000000");
  return with_checksum(std::move(header));
}

std::string archive_padding(std::uint64_t size) { return std::string((block - size % block) % block, '\0'); }

std::string archive_end() { return std::string(2 * block, '\0'); }

std::optional<ArchivedFile> ArchiveReader::next(const std::function<std::uint64_t(std::string_view name)>& most) {
  const std::uint64_t begin = place_;
  const std::string header = take(block);
  if (header == std::string(block, '\0')) {
    if (take(block) != std::string(block, '\0')) fail(begin + block, "the archive ends otherwise than with zeros");
    std::array<char, 1> more{};
    if (read_(more) != 0) fail(place_, "something stands behind its end");
    return std::nullopt;
  }
  ArchivedFile file{.name = header.substr(0, std::min(header.find('\0'), longest_name)), .content = {}};
  const std::optional<std::uint64_t> size = size_in(header);
  if (!size || file.name.empty() || archive_header(file.name, *size) != header) {
    fail(begin, "this is not the header of a file as gpucheck writes it");
  }
  if (*size > most(file.name)) fail(begin, fmt::format("the file {} is longer than it may be", file.name));
  file.content = take(*size);
  const std::string padding = archive_padding(*size);
  if (take(padding.size()) != padding) fail(place_ - padding.size(), "there is something between two files");
  return file;
}

std::string ArchiveReader::take(std::uint64_t count) {
  std::string bytes;
  std::array<char, 65536> room;
  while (bytes.size() < count) {
    const std::size_t wanted = std::min<std::uint64_t>(room.size(), count - bytes.size());
    const std::size_t got = read_(std::span(room).first(wanted));
    if (got == 0) fail(place_, "it ends here, in the middle");
    bytes.append(room.data(), got);
    place_ += got;
  }
  return bytes;
}

void ArchiveReader::fail(std::uint64_t place, std::string_view why) const {
  throw Error(fmt::format("byte {}: {}", place, why));
}

}  // namespace gpucheck::acceptance
