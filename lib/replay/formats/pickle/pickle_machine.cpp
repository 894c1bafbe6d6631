#include "replay/formats/pickle/pickle_machine.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "replay/formats/bytes/file_error.hpp"
#include "replay/formats/pickle/readers.hpp"

namespace gpucheck::replay {

PickleMachine::PickleMachine(Document& document, const ReadLimits& limits)
    : document_(document), limits_(limits), bytes_(document.bytes()) {}

/// What a snapshot's events are made of; all else is rare.
void PickleMachine::run() {
  for (;;) {
    at_ = position_;
    const auto opcode = static_cast<Opcode>(read_number<std::uint8_t>());
    switch (opcode) {
      case Opcode::binget:
        recall_row();
        break;
      case Opcode::long_binget:
        recall(read_number<std::uint32_t>());
        break;
      case Opcode::memoize:
        memoize(memoized_);
        break;
      case Opcode::binint:
        push(integer(std::int64_t{read_number<std::int32_t>()}, at_));
        break;
      case Opcode::binint1:
        push(integer(std::uint64_t{read_number<std::uint8_t>()}, at_));
        break;
      case Opcode::binint2:
        push(integer(std::uint64_t{read_number<std::uint16_t>()}, at_));
        break;
      case Opcode::long1:
        push_long(read_number<std::uint8_t>());
        break;
      case Opcode::mark:
        mark();
        break;
      case Opcode::empty_dict:
        push_empty(Kind::dictionary);
        break;
      case Opcode::empty_list:
        push_empty(Kind::list);
        break;
      case Opcode::appends:
        add_items(count_to_mark(), Kind::list);
        break;
      case Opcode::setitems:
        add_items(count_to_mark(), Kind::dictionary);
        break;
      case Opcode::stop:
        return stop();
      default:
        if (!memo(opcode) && !scalar(opcode) && !container(opcode) && !framing(opcode)) reject(opcode);
        break;
    }
  }
}

bool PickleMachine::framing(Opcode opcode) {
  if (opcode == Opcode::proto) protocol();
  if (opcode == Opcode::frame) frame();
  return opcode == Opcode::proto || opcode == Opcode::frame;
}

bool PickleMachine::scalar(Opcode opcode) {
  switch (opcode) {
    case Opcode::none:
      push(null(at_));
      return true;
    case Opcode::newtrue:
    case Opcode::newfalse:
      push(boolean(opcode == Opcode::newtrue, at_));
      return true;
    case Opcode::long4:
      push_long(read_number<std::uint32_t>());
      return true;
    case Opcode::binfloat:
      push(floating_point(std::bit_cast<double>(__builtin_bswap64(read_number<std::uint64_t>())), at_));
      return true;
    case Opcode::short_binunicode:
      push_text(read_number<std::uint8_t>());
      return true;
    case Opcode::binunicode:
      push_text(read_number<std::uint32_t>());
      return true;
    case Opcode::binunicode8:
      push_text(read_number<std::uint64_t>());
      return true;
    default:
      return false;
  }
}

bool PickleMachine::container(Opcode opcode) {
  switch (opcode) {
    case Opcode::empty_tuple:
      push_empty(Kind::tuple);
      return true;
    case Opcode::dict:
      push_filled(Kind::dictionary, count_to_mark());
      return true;
    case Opcode::list:
      push_filled(Kind::list, count_to_mark());
      return true;
    case Opcode::tuple:
      push_filled(Kind::tuple, count_to_mark());
      return true;
    case Opcode::tuple1:
    case Opcode::tuple2:
    case Opcode::tuple3:
      push_filled(Kind::tuple, static_cast<std::size_t>(opcode) - static_cast<std::size_t>(Opcode::tuple1) + 1);
      return true;
    case Opcode::append:
      add_items(1, Kind::list);
      return true;
    case Opcode::setitem:
      add_items(2, Kind::dictionary);
      return true;
    default:
      return false;
  }
}

bool PickleMachine::memo(Opcode opcode) {
  switch (opcode) {
    case Opcode::binput:
      memoize(read_number<std::uint8_t>());
      return true;
    case Opcode::long_binput:
      memoize(read_number<std::uint32_t>());
      return true;
    default:
      return false;
  }
}

void PickleMachine::protocol() {
  const std::uint64_t version = read_number<std::uint8_t>();
  if (at_ != 0) fail("expected the protocol to stand at the start only");
  if (version < 2 || version > 5) fail(fmt::format("pickle protocol {} is not read; expected 2 to 5", version));
}

void PickleMachine::frame() {
  const auto length = read_number<std::uint64_t>();
  const std::size_t left = bytes_.size() - position_;
  if (length > left)
    fail(fmt::format("a frame of {} bytes, but only {} are left: the file is cut short", length, left));
}

void PickleMachine::stop() {
  if (size_ != 1 || !marks_.empty()) {
    fail(fmt::format("expected one finished value at the end, found {} and {} open", size_, marks_.size()));
  }
  if (position_ != bytes_.size()) fail(fmt::format("{} bytes follow the pickle's end", bytes_.size() - position_));
  document_.set_root(stack_.front());
}

void PickleMachine::reject(Opcode opcode) const {
  const auto byte = static_cast<std::uint8_t>(opcode);
  fail(
      fmt::format("opcode 0x{:02x} ({}) is rejected: only dict, list, tuple, str, int, float, bool and None are "
                  "read, and nothing is ever executed; write the snapshot with torch.cuda.memory._dump_snapshot",
                  byte, rejected_opcode_name(byte)));
}

// -- values ---------------------------------------------------------------------------

void PickleMachine::grow_stack() {
  if (size_ >= limits_.waiting_values) fail(fmt::format("more than {} values outside of containers", size_));
  stack_.resize(std::min(2 * size_ + 1024, limits_.waiting_values));
}

void PickleMachine::check_memory() const {
  constexpr std::uint64_t always = std::uint64_t{64} << 20;
  const std::uint64_t most = always + limits_.memory_per_byte * bytes_.size();
  if (document_.memory_bytes() > most) {
    fail(fmt::format("its values would take more than {} bytes of memory, which no snapshot of {} bytes does", most,
                     bytes_.size()));
  }
}

void PickleMachine::push_text(std::uint64_t length) {
  const std::string_view text = read_bytes(length);
  push(Document::text_at(static_cast<std::size_t>(text.data() - bytes_.data()), text.size(), at_));
}

void PickleMachine::push_long(std::uint64_t length) {
  // Little-endian two's complement; the ninth byte is the sign of a full unsigned number.
  const std::string_view digits = read_bytes(length);
  if (length > 9 || (length == 9 && digits.back() != 0)) fail("a whole number beyond 64 bits");
  if (length == 0) return push(integer(std::int64_t{0}, at_));
  const auto number = load<std::uint64_t>(digits.data());  // what lies after the digits is shifted out
  if (length == 9) return push(integer(number, at_));
  const unsigned unused = static_cast<unsigned>(8 * (8 - length));
  push(integer(std::bit_cast<std::int64_t>(number << unused) >> unused, at_));
}

// -- containers -------------------------------------------------------------------------

void PickleMachine::mark() {
  if (marks_.size() >= limits_.depth) fail(fmt::format("more than {} containers inside each other", limits_.depth));
  marks_.push_back(floor_);
  floor_ = size_;
}

std::size_t PickleMachine::count_to_mark() {
  if (marks_.empty()) fail("expected a mark before this opcode");
  const std::size_t count = size_ - floor_;
  floor_ = marks_.back();
  marks_.pop_back();
  return count;
}

void PickleMachine::push_filled(Kind kind, std::size_t count) {
  need_values(count);
  const auto values = std::span<const Value>(stack_).subspan(size_ - count, count);
  if (kind == Kind::dictionary) need_pairs(values);
  const Value filled = document_.new_container(kind, at_);
  document_.append(filled, values);
  check_memory();
  size_ -= count;
  push(filled);
}

void PickleMachine::add_items(std::size_t count, Kind kind) {
  need_values(count + 1);
  const auto values = std::span<const Value>(stack_).subspan(size_ - count, count);
  const Value target = stack_[size_ - count - 1];
  if (target.kind != kind) fail(kind == Kind::list ? "expected a list to add to" : "expected a dict to add to");
  if (kind == Kind::dictionary) need_pairs(values);
  document_.append(target, values);
  check_memory();
  size_ -= count;
}

void PickleMachine::need_values(std::size_t count) const {
  if (size_ - floor_ < count) fail("expected more values before this opcode");
}

void PickleMachine::need_pairs(std::span<const Value> values) const {
  if (values.size() % 2 != 0) fail("expected a value for each key");
}

// -- memo ---------------------------------------------------------------------------------

void PickleMachine::memoize(std::uint64_t index) {
  need_values(1);
  // Picklers count up: an index far beyond what was written, or beyond the bytes read so far, is an attempt to make the
  // memo grow without having written anything.
  constexpr std::uint64_t most_unused = 1024;
  if (index > at_ || index > memoized_ + most_unused) fail(fmt::format("memo number {} is out of order", index));
  if (index >= memo_.size()) memo_.resize(index + 1);
  if (memo_[index].kind == Kind::absent) ++memoized_;
  memo_[index] = stack_[size_ - 1];
}

void PickleMachine::recall_row() {
  recall(read_number<std::uint8_t>());
  while (position_ < bytes_.size() && static_cast<Opcode>(bytes_[position_]) == Opcode::binget) {
    at_ = position_++;
    recall(read_number<std::uint8_t>());
  }
}

void PickleMachine::never_written(std::uint64_t index) const {
  fail(fmt::format("memo number {} was never written", index));
}

// -- bytes ----------------------------------------------------------------------------------

std::string_view PickleMachine::read_bytes(std::uint64_t count) {
  if (count > bytes_.size() - position_) cut_short(count);
  const std::string_view bytes = bytes_.substr(position_, count);
  position_ += count;
  return bytes;
}

void PickleMachine::cut_short(std::uint64_t wanted) const {
  fail(fmt::format("expected {} more bytes, found {}: the file is cut short", wanted, bytes_.size() - position_));
}

void PickleMachine::fail(std::string_view problem) const {
  throw FileError(document_.name(), at_, "", fmt::format("not a readable pickle: {}", problem));
}

void read_pickle(Document& document, const ReadLimits& limits) { PickleMachine(document, limits).run(); }

}  // namespace gpucheck::replay
