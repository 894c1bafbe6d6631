#pragma once

#include <cstdint>
#include <string_view>

namespace gpucheck::observe::detail {

/// Writes one value of dictionaries, lists, pairs, strings and numbers, from front to back.
class ValueWriter {
 public:
  virtual ~ValueWriter() = default;

  virtual void begin_dictionary() = 0;
  virtual void key(std::string_view name) = 0;
  virtual void end_dictionary() = 0;
  virtual void begin_list() = 0;
  virtual void end_list() = 0;
  /// A tuple of two in formats that have one.
  virtual void pair(std::uint64_t first, std::uint64_t second) = 0;
  virtual void string(std::string_view value) = 0;  ///< valid UTF-8
  virtual void integer(std::int64_t value) = 0;
  virtual void unsigned_integer(std::uint64_t value) = 0;
  virtual void floating_point(double value) = 0;  ///< finite
  virtual void boolean(bool value) = 0;

  /// Writes once more the list that was written between `begin_shared` with this number
  /// and `end_shared`; false when there was none.
  virtual bool repeat(std::uint32_t number) = 0;
  virtual void begin_shared(std::uint32_t number) = 0;
  virtual void end_shared() = 0;

 protected:
  ValueWriter() = default;
  ValueWriter(const ValueWriter&) = default;
  ValueWriter& operator=(const ValueWriter&) = default;
};

}  // namespace gpucheck::observe::detail
