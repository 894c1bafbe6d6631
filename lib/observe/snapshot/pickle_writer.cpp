#include "observe/snapshot/pickle_writer.hpp"

#include <bit>
#include <limits>

namespace gpucheck::observe::detail {
namespace {

/// Python's opcodes, by the names of its module `pickletools`.
enum Opcode : unsigned char {
  MARK = '(',
  STOP = '.',
  BINFLOAT = 'G',
  BININT = 'J',
  BININT1 = 'K',
  BININT2 = 'M',
  BINUNICODE = 'X',
  EMPTY_LIST = ']',
  APPENDS = 'e',
  BINGET = 'h',
  LONG_BINGET = 'j',
  BINPUT = 'q',
  LONG_BINPUT = 'r',
  SETITEMS = 'u',
  EMPTY_DICT = '}',
  PROTO = 0x80,
  TUPLE2 = 0x86,
  NEWTRUE = 0x88,
  NEWFALSE = 0x89,
  LONG1 = 0x8a,
};

constexpr char byte(Opcode opcode) { return static_cast<char>(opcode); }

/// Items put into a list at once: the page passes them as arguments of one call.
constexpr std::size_t max_items_at_once = 1000;

}  // namespace

PickleWriter::PickleWriter(std::ostream& stream) : out_(stream) {
  out_.put(byte(PROTO));
  out_.put('\2');
}

void PickleWriter::finish() {
  out_.put(byte(STOP));
  out_.flush();
}

void PickleWriter::enter_item() {
  if (open_.empty() || !open_.back().is_list) return;
  std::size_t& items = open_.back().items;
  if (items == max_items_at_once) {
    out_.put(byte(APPENDS));
    items = 0;
  }
  if (items++ == 0) out_.put(byte(MARK));
}

void PickleWriter::begin_dictionary() {
  enter_item();
  out_.put(byte(EMPTY_DICT));
  open_.push_back({.is_list = false});
}

void PickleWriter::key(std::string_view name) {
  if (open_.back().items++ == 0) out_.put(byte(MARK));
  put_string(name);
}

void PickleWriter::end_dictionary() {
  if (open_.back().items > 0) out_.put(byte(SETITEMS));
  open_.pop_back();
}

void PickleWriter::begin_list() {
  enter_item();
  out_.put(byte(EMPTY_LIST));
  open_.push_back({.is_list = true});
}

void PickleWriter::end_list() {
  if (open_.back().items > 0) out_.put(byte(APPENDS));
  open_.pop_back();
}

void PickleWriter::pair(std::uint64_t first, std::uint64_t second) {
  enter_item();
  put_unsigned(first);
  put_unsigned(second);
  out_.put(byte(TUPLE2));
}

void PickleWriter::string(std::string_view value) {
  enter_item();
  put_string(value);
}

void PickleWriter::integer(std::int64_t value) {
  enter_item();
  put_integer(value);
}

void PickleWriter::unsigned_integer(std::uint64_t value) {
  enter_item();
  put_unsigned(value);
}

void PickleWriter::floating_point(double value) {
  enter_item();
  out_.put(byte(BINFLOAT));
  const auto bits = std::bit_cast<std::uint64_t>(value);
  for (int shift = 56; shift >= 0; shift -= 8) out_.put(static_cast<char>(bits >> static_cast<unsigned>(shift)));
}

void PickleWriter::boolean(bool value) {
  enter_item();
  out_.put(byte(value ? NEWTRUE : NEWFALSE));
}

bool PickleWriter::repeat(std::uint32_t number) {
  const auto place = shared_.find(number);
  if (place == shared_.end()) return false;
  enter_item();
  put_reference(place->second);
  return true;
}

void PickleWriter::end_shared() {
  shared_.emplace(open_shared_, memo_count_);
  put_memo(memo_count_++);
}

void PickleWriter::put_string(std::string_view value) {
  const auto [place, is_new] = strings_.try_emplace(std::string(value), memo_count_);
  if (!is_new) return put_reference(place->second);
  out_.put(byte(BINUNICODE));
  put_little_endian(value.size(), 4);
  out_.put(value);
  put_memo(memo_count_++);
}

void PickleWriter::put_integer(std::int64_t value) {
  if (value >= 0) return put_unsigned(static_cast<std::uint64_t>(value));
  const bool is_short = value >= std::numeric_limits<std::int32_t>::min();
  out_.put(byte(is_short ? BININT : LONG1));
  if (!is_short) out_.put('\x08');
  put_little_endian(static_cast<std::uint64_t>(value), is_short ? 4 : 8);
}

void PickleWriter::put_unsigned(std::uint64_t value) {
  if (value <= std::numeric_limits<std::uint8_t>::max()) {
    out_.put(byte(BININT1));
    return put_little_endian(value, 1);
  }
  if (value <= std::numeric_limits<std::uint16_t>::max()) {
    out_.put(byte(BININT2));
    return put_little_endian(value, 2);
  }
  if (value <= static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max())) {
    out_.put(byte(BININT));
    return put_little_endian(value, 4);
  }
  // Its bytes are those of a signed number: the highest bit must be clear.
  const int bytes = static_cast<int>(std::bit_width(value)) / 8 + 1;
  out_.put(byte(LONG1));
  out_.put(static_cast<char>(bytes));
  put_little_endian(value, bytes);
}

void PickleWriter::put_little_endian(std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) {
    out_.put(i < 8 ? static_cast<char>(value >> (8U * static_cast<unsigned>(i))) : '\0');
  }
}

void PickleWriter::put_memo(std::uint32_t number) {
  const bool is_short = number <= std::numeric_limits<std::uint8_t>::max();
  out_.put(byte(is_short ? BINPUT : LONG_BINPUT));
  put_little_endian(number, is_short ? 1 : 4);
}

void PickleWriter::put_reference(std::uint32_t number) {
  const bool is_short = number <= std::numeric_limits<std::uint8_t>::max();
  out_.put(byte(is_short ? BINGET : LONG_BINGET));
  put_little_endian(number, is_short ? 1 : 4);
}

}  // namespace gpucheck::observe::detail
