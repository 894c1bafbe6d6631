#pragma once

#include <cstdint>
#include <string_view>

#include "observe/snapshot_keys.hpp"

namespace gpucheck::replay {

enum class FileSort : std::uint8_t { traces, snapshot, other };

/// What a dictionary's keys say that the file holds; the first that says something counts.
template <typename AnyCursor>
FileSort sort_of_dictionary(const AnyCursor& dictionary) {
  FileSort sort = FileSort::other;
  namespace keys = observe::snapshot_keys;
  dictionary.for_each_field([&sort](std::string_view key, const AnyCursor&) {
    if (key == "ops" || key == "traces") sort = FileSort::traces;
    if (key == keys::segments || key == keys::device_traces || key == keys::total_size) sort = FileSort::snapshot;
    return sort != FileSort::other;
  });
  return sort;
}

/// A trace, a list of traces, or such a list under "traces"; a snapshot, or a bare list of
/// segments.
template <typename AnyCursor>
FileSort sort_of(const AnyCursor& root) {
  if (root.is_dictionary()) return sort_of_dictionary(root);
  const auto first = root.first_item();
  return first && first->is_dictionary() ? sort_of_dictionary(*first) : FileSort::other;
}

}  // namespace gpucheck::replay
