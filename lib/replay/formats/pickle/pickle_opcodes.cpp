#include "replay/formats/pickle/pickle_opcodes.hpp"

#include <algorithm>
#include <array>

namespace gpucheck::replay {

namespace {

struct Name {
  std::uint8_t opcode;
  std::string_view text;
};

constexpr std::array rejected{
    Name{'0', "POP"},
    Name{'1', "POP_MARK"},
    Name{'2', "DUP"},
    Name{'B', "BINBYTES"},
    Name{'C', "SHORT_BINBYTES"},
    Name{'F', "FLOAT"},
    Name{'I', "INT"},
    Name{'L', "LONG"},
    Name{'P', "PERSID"},
    Name{'Q', "BINPERSID"},
    Name{'R', "REDUCE"},
    Name{'S', "STRING"},
    Name{'T', "BINSTRING"},
    Name{'U', "SHORT_BINSTRING"},
    Name{'V', "UNICODE"},
    Name{'b', "BUILD"},
    Name{'c', "GLOBAL"},
    Name{'g', "GET"},
    Name{'i', "INST"},
    Name{'o', "OBJ"},
    Name{'p', "PUT"},
    Name{0x81, "NEWOBJ"},
    Name{0x82, "EXT1"},
    Name{0x83, "EXT2"},
    Name{0x84, "EXT4"},
    Name{0x8e, "BINBYTES8"},
    Name{0x8f, "EMPTY_SET"},
    Name{0x90, "ADDITEMS"},
    Name{0x91, "FROZENSET"},
    Name{0x92, "NEWOBJ_EX"},
    Name{0x93, "STACK_GLOBAL"},
    Name{0x96, "BYTEARRAY8"},
    Name{0x97, "NEXT_BUFFER"},
    Name{0x98, "READONLY_BUFFER"},
};

}  // namespace

std::string_view rejected_opcode_name(std::uint8_t opcode) noexcept {
  const auto* const found = std::ranges::find(rejected, opcode, &Name::opcode);
  return found == rejected.end() ? "unknown" : found->text;
}

}  // namespace gpucheck::replay
