#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "replay/document.hpp"
#include "replay/pickle_opcodes.hpp"

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
  /// Runs one opcode; false after STOP.
  bool step();
  bool scalar(Opcode opcode);
  bool container(Opcode opcode);
  bool memo(Opcode opcode);
  void protocol();
  void frame();
  void stop();
  [[noreturn]] void refuse(std::uint8_t opcode) const;

  void push(Value value) { stack_.push_back(value); }
  void push_text(std::uint64_t length);
  void push_long(std::uint64_t length);
  void push_empty(Kind kind) { push(document_.new_container(kind, at_)); }
  void push_filled(Kind kind, std::size_t count);
  void mark();
  std::size_t count_to_mark();
  void add_items(std::size_t count, Kind kind);
  void memoize(std::uint64_t index);
  void recall(std::uint64_t index);

  std::string_view take(std::uint64_t count);
  std::uint64_t take_number(unsigned width);
  void need_values(std::size_t count) const;
  void need_pairs(std::span<const Value> values) const;
  [[noreturn]] void fail(std::string_view problem) const;

  Document& document_;
  ReadLimits limits_;
  std::string_view bytes_;
  std::size_t position_ = 0;
  std::size_t at_ = 0;     ///< where the opcode that runs begins
  std::size_t floor_ = 0;  ///< stack size at the innermost mark: values below are out of reach
  std::vector<Value> stack_;
  std::vector<std::size_t> marks_;
  std::vector<Value> memo_;
  std::uint64_t memoized_ = 0;
};

}  // namespace gpucheck::replay
