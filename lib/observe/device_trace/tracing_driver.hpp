#pragma once

#include <memory>

#include "device/driver.hpp"
#include "observe/device_trace/trace_recorder.hpp"

namespace gpucheck::observe {

/// A driver whose devices say the recorder, which must have been made for `driver`, of
/// every call and of the memory that is allocated through them. Behaves as `driver` does
/// otherwise; where that has no recorder of its own, each operation gets two events more.
std::unique_ptr<device::Driver> trace(std::unique_ptr<device::Driver> driver, std::shared_ptr<TraceRecorder> recorder);

}  // namespace gpucheck::observe
