#include "replay/formats/bytes/foreign_file.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace gpucheck::replay {

namespace {

using namespace std::string_view_literals;

struct Known {
  std::string_view start;
  std::string_view problem;
};

/// Files that people have at hand and that are not read, recognised by their first bytes.
constexpr std::array not_read{
    Known{"PK"sv,
          "this is a zip archive, as torch.save writes: write the snapshot with "
          "torch.cuda.memory._dump_snapshot instead"sv},
    Known{"\x1f\x8b"sv, "this file is compressed with gzip: unpack it first (gunzip FILE)"sv},
    Known{"\x28\xb5\x2f\xfd"sv, "this file is compressed with zstd: unpack it first (unzstd FILE)"sv},
    Known{"\xfd"
          "7zXZ\0"sv,
          "this file is compressed with xz: unpack it first (unxz FILE)"sv},
    Known{"BZh"sv, "this file is compressed with bzip2: unpack it first (bunzip2 FILE)"sv},
    Known{"\x04\x22\x4d\x18"sv, "this file is compressed with lz4: unpack it first (unlz4 FILE)"sv},
    Known{"7z\xbc\xaf\x27\x1c"sv, "this is a 7z archive: unpack it first"sv},
    Known{"SQLite format 3\0"sv,
          "this is an SQLite database, as Nsight Systems exports: write the snapshot with "
          "torch.cuda.memory._dump_snapshot instead"sv},
    Known{"version https://git-lfs"sv,
          "this is a Git LFS pointer, which stands for the file: fetch the file itself (git lfs pull)"sv},
    Known{"\xff\xfe"sv, "this is text in UTF-16: write it as UTF-8"sv},
    Known{"\xfe\xff"sv, "this is text in UTF-16: write it as UTF-8"sv},
    Known{"("sv, "this looks like a pickle of protocol 0 or 1: write it with protocol 2 or later"sv},
    Known{"}q"sv, "this looks like a pickle of protocol 0 or 1: write it with protocol 2 or later"sv},
    Known{"]q"sv, "this looks like a pickle of protocol 0 or 1: write it with protocol 2 or later"sv},
};

bool is_markup(std::string_view text) {
  constexpr std::array starts{"<!doctype"sv, "<html"sv, "<head"sv, "<body"sv,
                              "<script"sv,   "<?xml"sv, "<svg"sv,  "<!--"sv};
  const auto begins_with = [text](std::string_view start) {
    return text.size() >= start.size() && std::ranges::equal(text.substr(0, start.size()), start, [](char a, char b) {
             return std::tolower(static_cast<unsigned char>(a)) == b;
           });
  };
  return std::ranges::any_of(starts, begins_with);
}

}  // namespace

std::size_t start_of_json(std::string_view bytes) noexcept {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  const std::size_t from = bytes.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
  return std::min(bytes.find_first_not_of(" \t\r\n", from), bytes.size());
}

std::string_view why_not_read(std::string_view start) noexcept {
  if (start.empty()) return "the file is empty";
  for (const Known& known : not_read) {
    if (start.starts_with(known.start)) return known.problem;
  }
  if (start.size() > 262 && start.substr(257).starts_with("ustar")) return "this is a tar archive: unpack it first";
  const std::string_view text = start.substr(start_of_json(start));
  if (is_markup(text)) {
    return "this is a page in HTML or XML, such as a web site shows in place of a file: download the file itself";
  }
  const bool is_json = text.starts_with('{') || text.starts_with('[');
  if (is_json || start.front() == '\x80') return "";
  return "expected a JSON text that starts with { or [, or a pickle that starts with byte 0x80";
}

}  // namespace gpucheck::replay
