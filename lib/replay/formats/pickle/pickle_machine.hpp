#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "replay/formats/pickle/document.hpp"
#include "replay/formats/pickle/pickle_opcodes.hpp"

namespace gpucheck::replay {

/// The stack machine that a pickle is a program for, cut down to what plain containers
/// need. It has no way to name or call anything outside the document. Each opcode costs
/// at least a byte and adds at most a few values, so memory is linear in the file.
class PickleMachine {
 public:
  PickleMachine(Document& document, const ReadLimits& limits);
  /// Runs to STOP and sets the document's root. @throws FileError
  void run();

 private:
  // Each says whether the opcode is one of its own.
  bool framing(Opcode opcode);
  bool scalar(Opcode opcode);
  bool container(Opcode opcode);
  bool memo(Opcode opcode);
  void protocol();
  void frame();
  void stop();
  [[noreturn]] void reject(Opcode opcode) const;

  void push(Value value) {
    if (size_ == stack_.size()) [[unlikely]]
      grow_stack();
    stack_[size_++] = value;
  }
  void grow_stack();
  void push_text(std::uint64_t length);
  void push_long(std::uint64_t length);
  void push_empty(Kind kind) {
    push(document_.new_container(kind, at_));
    check_memory();
  }
  void push_filled(Kind kind, std::size_t count);
  void mark();
  std::size_t count_to_mark();
  void add_items(std::size_t count, Kind kind);
  /// @throws FileError when the document takes more than a snapshot of the file's size can.
  void check_memory() const;
  void memoize(std::uint64_t index);
  void recall(std::uint64_t index) {
    if (index >= memo_.size() || memo_[index].kind == Kind::absent) [[unlikely]]
      never_written(index);
    push({memo_[index].bits, static_cast<std::uint32_t>(at_), memo_[index].kind});
  }
  /// A row of them: a stack is a list of frames that were all named before.
  void recall_row();
  [[noreturn]] void never_written(std::uint64_t index) const;

  std::string_view read_bytes(std::uint64_t count);
  template <typename Number>
  Number read_number() {
    if (bytes_.size() - position_ < sizeof(Number)) [[unlikely]]
      cut_short(sizeof(Number));
    return load<Number>(bytes_.data() + std::exchange(position_, position_ + sizeof(Number)));
  }
  [[noreturn]] void cut_short(std::uint64_t wanted) const;
  void need_values(std::size_t count) const;
  void need_pairs(std::span<const Value> values) const;
  [[noreturn]] void fail(std::string_view problem) const;

  Document& document_;
  ReadLimits limits_;
  std::string_view bytes_;
  std::size_t position_ = 0;
  std::size_t at_ = 0;     ///< where the opcode that runs begins
  std::size_t floor_ = 0;  ///< stack size at the innermost mark: values below are out of reach
  // Only the first `size_` count: twice as fast as push_back and resize.
  std::vector<Value> stack_;
  std::size_t size_ = 0;
  std::vector<std::size_t> marks_;
  std::vector<Value> memo_;
  std::uint64_t memoized_ = 0;
};

}  // namespace gpucheck::replay
