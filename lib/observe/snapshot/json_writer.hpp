#pragma once

#include <string>
#include <unordered_map>

#include "observe/snapshot/output_buffer.hpp"
#include "observe/snapshot/value_writer.hpp"

namespace gpucheck::observe::detail {

/// JSON (RFC 8259) on one line, spaced as Python's `json` does. A pair is a list.
class JsonWriter final : public ValueWriter {
 public:
  explicit JsonWriter(std::ostream& stream) : out_(stream) {}

  void begin_dictionary() override { open('{'); }
  void key(std::string_view name) override;
  void end_dictionary() override { close('}'); }
  void begin_list() override { open('['); }
  void end_list() override { close(']'); }
  void pair(std::uint64_t first, std::uint64_t second) override;
  void string(std::string_view value) override;
  void integer(std::int64_t value) override;
  void unsigned_integer(std::uint64_t value) override;
  void floating_point(double value) override;
  void boolean(bool value) override;
  bool repeat(std::uint32_t number) override;
  void begin_shared(std::uint32_t number) override;
  void end_shared() override;
  void finish() { out_.flush(); }

 private:
  void open(char bracket);
  void close(char bracket);
  /// Before each value: a comma where one stood before it.
  void separate();

  OutputBuffer out_;
  bool needs_comma_ = false;
  std::unordered_map<std::uint32_t, std::string> shared_;
  std::uint32_t open_shared_ = 0;
};

}  // namespace gpucheck::observe::detail
