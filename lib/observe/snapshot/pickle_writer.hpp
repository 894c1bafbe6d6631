#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "observe/snapshot/output_buffer.hpp"
#include "observe/snapshot/value_writer.hpp"

namespace gpucheck::observe::detail {

/// Python's pickle, protocol 2, of nothing but dict, list, tuple, str, int, float and
/// bool: what the reader of pytorch.org/memory_viz knows, and nothing that a reader
/// would have to execute. A string that comes again is referred to.
class PickleWriter final : public ValueWriter {
 public:
  explicit PickleWriter(std::ostream& stream);

  void begin_dictionary() override;
  void key(std::string_view name) override;
  void end_dictionary() override;
  void begin_list() override;
  void end_list() override;
  void pair(std::uint64_t first, std::uint64_t second) override;
  void string(std::string_view value) override;
  void integer(std::int64_t value) override;
  void unsigned_integer(std::uint64_t value) override;
  void floating_point(double value) override;
  void boolean(bool value) override;
  bool repeat(std::uint32_t number) override;
  void begin_shared(std::uint32_t number) override { open_shared_ = number; }
  void end_shared() override;
  void finish();

 private:
  /// A dictionary or list whose items are being written.
  struct Open {
    bool is_list = false;
    std::size_t items = 0;  ///< since the last mark
  };
  /// Before each value.
  void enter_item();
  void put_string(std::string_view value);
  void put_integer(std::int64_t value);
  void put_unsigned(std::uint64_t value);
  void put_little_endian(std::uint64_t value, int bytes);
  void put_memo(std::uint32_t number);
  void put_reference(std::uint32_t number);

  OutputBuffer out_;
  std::vector<Open> open_;
  std::uint32_t memo_count_ = 0;
  std::uint32_t open_shared_ = 0;
  std::unordered_map<std::string, std::uint32_t> strings_;   ///< to memo numbers
  std::unordered_map<std::uint32_t, std::uint32_t> shared_;  ///< likewise
};

}  // namespace gpucheck::observe::detail
