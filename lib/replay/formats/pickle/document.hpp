#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "replay/formats/bytes/file_bytes.hpp"

namespace gpucheck::replay {

// 32 bits wide, so that a Value has no padding: compilers copy padding-free ones several
// times faster.
enum class Kind : std::uint32_t {
  absent,  ///< no value: an empty memo slot
  null,
  boolean,
  signed_integer,    ///< fits 64 bits, signed
  unsigned_integer,  ///< above the largest signed one
  floating_point,
  string,
  list,
  tuple,
  dictionary,
};

/// One value of a document. What `bits` holds depends on `kind`: the number itself, a
/// string's place and length, or a container's number.
struct Value {
  std::uint64_t bits;
  std::uint32_t offset;  ///< where in the file
  Kind kind;
};
static_assert(sizeof(Value) == 16);

/// A pickle of plain containers as plain values. Texts are views of the file's bytes. It takes memory linear in the
/// file's size, whatever the file holds: values that it names twice are shared, not copied, and `Cursor` bounds the
/// walk over them.
class Document {
 public:
  explicit Document(FileBytes file) : file_(std::move(file)) {}
  /// Copies `bytes`.
  Document(std::string name, std::string_view bytes) : Document(FileBytes(std::move(name), bytes)) {}

  [[nodiscard]] const std::string& name() const noexcept { return file_.name; }
  [[nodiscard]] std::string_view bytes() const noexcept { return file_.view(); }
  [[nodiscard]] const Value& root() const noexcept { return root_; }
  void set_root(Value root) noexcept { root_ = root; }
  /// Bytes that its values take, the file's own not among them.
  [[nodiscard]] std::uint64_t memory_bytes() const noexcept {
    return value_count_ * sizeof(Value) + runs_.capacity() * sizeof(Run) + containers_.capacity() * sizeof(Container);
  }
  /// Values held in containers.
  [[nodiscard]] std::size_t value_count() const noexcept { return value_count_; }

  // -- texts --------------------------------------------------------------------
  /// A text as it stands in the file.
  [[nodiscard]] static Value text_at(std::size_t start, std::size_t length, std::size_t offset) noexcept {
    return {std::uint64_t{start} << 32 | length, static_cast<std::uint32_t>(offset), Kind::string};
  }
  [[nodiscard]] std::string_view text(const Value& value) const noexcept {
    return {file_.bytes.get() + (value.bits >> 32), value.bits & UINT32_MAX};
  }

  // -- containers ---------------------------------------------------------------
  [[nodiscard]] Value new_container(Kind kind, std::size_t offset) {
    containers_.emplace_back();
    return {containers_.size() - 1, static_cast<std::uint32_t>(offset), kind};
  }
  /// Adds to the end; a dictionary holds keys and values in turn.
  void append(const Value& container, std::span<const Value> values);
  /// Values of a container; keys count too.
  [[nodiscard]] std::size_t count(const Value& container) const noexcept { return containers_[container.bits].count; }
  /// Calls `visit` with each range of a container's values, in order.
  template <typename Visit>
  void for_each_run(const Value& container, Visit&& visit) const {
    for (std::uint32_t at = containers_[container.bits].first; at != end_; at = runs_[at].next) {
      visit(std::span<const Value>(runs_[at].values, runs_[at].count));
    }
  }

 private:
  static constexpr std::uint32_t end_ = UINT32_MAX;
  struct Run {
    const Value* values;
    std::uint32_t count;
    std::uint32_t next;
  };
  struct Container {
    std::uint32_t first = end_;
    std::uint32_t last = end_;
    std::uint32_t count = 0;
  };
  /// Room for `count` values, one after another.
  Value* allocate(std::size_t count);

  FileBytes file_;
  // In pages, so that they never move: a vector would copy them, and need twice the
  // memory, each time it grows.
  std::vector<HugePages<Value>> pages_;
  Value* page_end_ = nullptr;  ///< where the last page's unused values begin
  std::size_t page_left_ = 0;
  std::size_t value_count_ = 0;
  std::vector<Run> runs_;
  std::vector<Container> containers_;
  Value root_{};
};

inline Value integer(std::int64_t number, std::size_t offset) noexcept {
  return {std::bit_cast<std::uint64_t>(number), static_cast<std::uint32_t>(offset), Kind::signed_integer};
}
inline Value integer(std::uint64_t number, std::size_t offset) noexcept {
  const Kind kind = number > INT64_MAX ? Kind::unsigned_integer : Kind::signed_integer;
  return {number, static_cast<std::uint32_t>(offset), kind};
}
inline Value floating_point(double number, std::size_t offset) noexcept {
  return {std::bit_cast<std::uint64_t>(number), static_cast<std::uint32_t>(offset), Kind::floating_point};
}
inline Value boolean(bool truth, std::size_t offset) noexcept {
  return {truth ? 1U : 0U, static_cast<std::uint32_t>(offset), Kind::boolean};
}
inline Value null(std::size_t offset) noexcept { return {0, static_cast<std::uint32_t>(offset), Kind::null}; }

}  // namespace gpucheck::replay
