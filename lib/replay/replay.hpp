#pragma once

/// Allocator traces played against an allocator. `read_file` reads a trace file or a
/// PyTorch memory snapshot; `convert` makes a trace out of a snapshot's events;
/// `compare` plays a trace and holds every step against what the file says; `what_if`
/// plays it for what it needs. `CachingAllocatorTarget` is the caching allocator to
/// play against, `PinnedAllocatorTarget` that of pinned memory; `AsyncAllocatorTarget`
/// and `LibraryTarget` are others, which a what-if can ask. `play_all` does all of it and
/// judges. Nothing here is thread-safe; nothing is shared either.

#include "replay/analysis/compare.hpp"                  // IWYU pragma: export
#include "replay/analysis/conversion.hpp"               // IWYU pragma: export
#include "replay/analysis/what_if.hpp"                  // IWYU pragma: export
#include "replay/formats/bytes/file_error.hpp"          // IWYU pragma: export
#include "replay/formats/file.hpp"                      // IWYU pragma: export
#include "replay/targets/async_allocator_target.hpp"    // IWYU pragma: export
#include "replay/targets/caching_allocator_target.hpp"  // IWYU pragma: export
#include "replay/targets/library_target.hpp"            // IWYU pragma: export
#include "replay/targets/pinned_allocator_target.hpp"   // IWYU pragma: export
#include "replay/verdict/replays.hpp"                   // IWYU pragma: export
