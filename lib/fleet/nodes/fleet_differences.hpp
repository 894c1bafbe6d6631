#pragma once

namespace gpucheck::fleet {

struct Fleet;

/// Finds what nodes that are accepted together should have in common, and have not: versions, devices, settings, cases.
/// A node that has something else than most is not judged.
void find_differences(Fleet& fleet);

}  // namespace gpucheck::fleet
