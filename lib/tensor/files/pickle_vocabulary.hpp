#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/dtype.hpp"

namespace gpucheck::tensor::files {

/// The opcodes of pickle's protocol 2 that `torch.save` uses; names as in Python's module `pickletools`.
enum class Opcode : std::uint8_t {
  mark = '(',
  empty_tuple = ')',
  stop = '.',
  binfloat = 'G',
  binint = 'J',
  binint1 = 'K',
  binint2 = 'M',
  none = 'N',
  binpersid = 'Q',
  reduce = 'R',
  binunicode = 'X',
  empty_list = ']',
  append = 'a',
  build = 'b',
  global = 'c',
  appends = 'e',
  binget = 'h',
  long_binget = 'j',
  binput = 'q',
  long_binput = 'r',
  setitem = 's',
  tuple = 't',
  setitems = 'u',
  empty_dict = '}',
  proto = 0x80,
  tuple1 = 0x85,
  tuple2 = 0x86,
  tuple3 = 0x87,
  newtrue = 0x88,
  newfalse = 0x89,
  long1 = 0x8a,
};

/// The one protocol that is written and read: `torch.save`'s default, and all that its safe reader is made for.
inline constexpr std::uint8_t pickle_protocol = 2;

/// What a name of Python's in a pickle may mean: nothing else is known, and nothing is ever called.
enum class Meaning : std::uint8_t {
  ordered_dictionary,
  rebuild_tensor,
  rebuild_parameter,
  size,
  complex,
  storage_type,
};

struct Global {
  Meaning meaning = Meaning::ordered_dictionary;
  DType dtype = DType::uint8;  ///< of a storage type
};

struct GlobalName {
  std::string_view module;
  std::string_view name;
  bool operator==(const GlobalName&) const = default;
};

/// How it is written. Of storage types that of elements of that type.
[[nodiscard]] GlobalName name_of(Global global) noexcept;
/// What a name means; nothing for one that is not known.
[[nodiscard]] std::optional<Global> find_global(GlobalName name) noexcept;

}  // namespace gpucheck::tensor::files
