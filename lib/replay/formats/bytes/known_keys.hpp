#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "replay/formats/bytes/file_bytes.hpp"
#include "replay/formats/bytes/file_error.hpp"

namespace gpucheck::replay {

/// The words that a reader knows at one place, and which came after which: dictionaries
/// of one kind mostly have the same keys in the same order.
template <std::size_t count>
class KnownWords {
 public:
  static constexpr unsigned unknown = count;

  constexpr explicit KnownWords(const std::array<std::string_view, count>& words) : words_(words) {}

  /// Its number, or `unknown`.
  [[nodiscard]] unsigned find(std::string_view word) noexcept {
    unsigned& expected = next_[last_];
    if (is_same(words_[expected], word)) return last_ = expected;
    for (unsigned number = 0; number < count; ++number) {
      if (is_same(words_[number], word)) return last_ = expected = number;
    }
    return unknown;
  }
  [[nodiscard]] std::string_view operator[](unsigned number) const noexcept { return words_[number]; }

 private:
  std::array<std::string_view, count> words_;
  std::array<unsigned, count> next_{};  ///< by number: what followed it last
  unsigned last_ = 0;
};
template <typename... Words>
KnownWords(const std::array<std::string_view, sizeof...(Words)>&) -> KnownWords<sizeof...(Words)>;

/// Which fields of a dictionary have been read: each at most once, the needed ones all.
class FieldSet {
 public:
  /// @throws FileError at the second call with the same `field` (below 32).
  template <typename AnyCursor>
  void add(unsigned field, const AnyCursor& value) {
    const std::uint32_t bit = std::uint32_t{1} << field;
    if ((seen_ & bit) != 0) value.fail("this key stands here twice");
    seen_ |= bit;
  }
  [[nodiscard]] bool has(unsigned field) const noexcept { return (seen_ >> field & 1U) != 0; }
  /// @throws FileError naming `key` when it was not there.
  template <typename AnyCursor>
  void need(unsigned field, std::string_view key, const AnyCursor& dictionary) const {
    if (!has(field)) dictionary.fail("expected a key " + printable(key));
  }

 private:
  std::uint32_t seen_ = 0;
};

/// Calls `visit(unsigned field, cursor)` for each field of a dictionary whose key is
/// known, and adds it to `seen`.
template <typename AnyCursor, std::size_t count, typename Visit>
void for_each_known_field(const AnyCursor& dictionary, KnownWords<count>& keys, FieldSet& seen, Visit&& visit) {
  dictionary.for_each_field([&](std::string_view key, const AnyCursor& value) {
    const unsigned field = keys.find(key);
    if (field == count) return;
    seen.add(field, value);
    visit(field, value);
  });
}

}  // namespace gpucheck::replay
