#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "device/records/range_log.hpp"

/// NVTX: what a process names for the vendor's tools. Does nothing in a build without its
/// headers. Thread-safe.
namespace gpucheck::cuda::nvtx {

void mark(const std::string& name);
void push(const std::string& name);
void pop();
/// The range's number; 0 where no tool listens.
std::uint64_t start(const std::string& name);
void end(std::uint64_t range);

/// What NVTX reports to a tool while `action` runs; nothing where another tool than this one
/// listens (NVTX_INJECTION64_PATH), or none can.
std::optional<std::vector<device::RangeEvent>> hear(const std::function<void()>& action);

}  // namespace gpucheck::cuda::nvtx
