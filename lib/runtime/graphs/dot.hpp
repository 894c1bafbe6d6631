#pragma once

#include <span>
#include <string>

#include "device/topics/graphs.hpp"

namespace gpucheck::runtime {

/// A captured graph in Graphviz' DOT language: a box for each node that says what it does,
/// with a kernel's name, launch and parameters, and an arrow for each edge. Addresses,
/// counts of bytes and the bytes of parameters are hexadecimal where they begin with 0x.
[[nodiscard]] std::string dot_text(std::span<const device::NodeDescription> nodes);

}  // namespace gpucheck::runtime
