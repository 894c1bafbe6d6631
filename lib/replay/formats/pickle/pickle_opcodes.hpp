#pragma once

#include <cstdint>
#include <string_view>

namespace gpucheck::replay {

/// Pickle opcodes that plain containers need; names as in Python's pickletools.
enum class Opcode : std::uint8_t {
  mark = '(',
  stop = '.',
  binint = 'J',
  binint1 = 'K',
  binint2 = 'M',
  none = 'N',
  binunicode = 'X',
  append = 'a',
  dict = 'd',
  appends = 'e',
  binget = 'h',
  long_binget = 'j',
  list = 'l',
  binput = 'q',
  long_binput = 'r',
  setitem = 's',
  tuple = 't',
  setitems = 'u',
  empty_dict = '}',
  empty_list = ']',
  empty_tuple = ')',
  binfloat = 'G',
  proto = 0x80,
  tuple1 = 0x85,
  tuple2 = 0x86,
  tuple3 = 0x87,
  newtrue = 0x88,
  newfalse = 0x89,
  long1 = 0x8a,
  long4 = 0x8b,
  short_binunicode = 0x8c,
  binunicode8 = 0x8d,
  memoize = 0x94,
  frame = 0x95,
};

/// Name of an opcode that is not read, or "unknown".
std::string_view rejected_opcode_name(std::uint8_t opcode) noexcept;

}  // namespace gpucheck::replay
