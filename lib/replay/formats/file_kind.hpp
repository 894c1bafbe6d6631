#pragma once

#include <cstdint>
#include <string_view>

#include "observe/snapshot_keys.hpp"

namespace gpucheck::replay {

enum class FileKind : std::uint8_t { traces, snapshot, other };

/// What a dictionary's keys say that the file holds; the first that says something counts.
template <typename AnyCursor>
FileKind kind_of_dictionary(const AnyCursor& dictionary) {
  FileKind kind = FileKind::other;
  namespace keys = observe::snapshot_keys;
  dictionary.for_each_field([&kind](std::string_view key, const AnyCursor&) {
    if (key == "ops" || key == "traces") kind = FileKind::traces;
    if (key == keys::segments || key == keys::device_traces || key == keys::total_size) kind = FileKind::snapshot;
    return kind != FileKind::other;
  });
  return kind;
}

/// A trace, a list of traces, or such a list under "traces"; a snapshot, or a bare list of
/// segments.
template <typename AnyCursor>
FileKind kind_of(const AnyCursor& root) {
  if (root.is_dictionary()) return kind_of_dictionary(root);
  const auto first = root.first_item();
  return first && first->is_dictionary() ? kind_of_dictionary(*first) : FileKind::other;
}

}  // namespace gpucheck::replay
