#pragma once

#include <cstdint>
#include <string_view>

#include "observe/snapshot/snapshot_keys.hpp"

namespace gpucheck::replay {

enum class FileKind : std::uint8_t {
  traces,
  snapshot,
  snapshots,  ///< several of them in one file
  profile,    ///< of PyTorch's profiler
  other,
};

namespace detail {

/// Whether a dictionary has one of a whole snapshot's keys.
template <typename AnyCursor>
bool is_whole_snapshot(const AnyCursor& value) {
  if (!value.is_dictionary()) return false;
  bool is_one = false;
  value.for_each_field([&is_one](std::string_view key, const AnyCursor&) {
    is_one = key == observe::snapshot_keys::segments || key == observe::snapshot_keys::device_traces;
    return is_one;
  });
  return is_one;
}

}  // namespace detail

/// What a dictionary's keys say that the file holds; the first that says something counts.
template <typename AnyCursor>
FileKind kind_of_dictionary(const AnyCursor& dictionary) {
  FileKind kind = FileKind::other;
  namespace keys = observe::snapshot_keys;
  dictionary.for_each_field([&kind](std::string_view key, const AnyCursor& value) {
    if (key == "ops" || key == "traces") kind = FileKind::traces;
    if (key == keys::segments || key == keys::device_traces || key == keys::total_size) kind = FileKind::snapshot;
    if (key == "traceEvents") kind = FileKind::profile;
    // By rank or step, under whatever names.
    if (kind == FileKind::other && detail::is_whole_snapshot(value)) kind = FileKind::snapshots;
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
  if (!first || !first->is_dictionary()) return FileKind::other;
  return detail::is_whole_snapshot(*first) ? FileKind::snapshots : kind_of_dictionary(*first);
}

}  // namespace gpucheck::replay
