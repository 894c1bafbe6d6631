#pragma once

#include "harness/case/case.hpp"

namespace gpucheck::cases::in_assert {

/// A case whose children end in a device-side assert runs alone, and its children one
/// after the other: contexts that died side by side, with work of other processes on the
/// device, were seen to end in other errors than the assert's, and at last to take an
/// H100 (driver 580.159) away from its machine.
inline harness::Needs needs_of_asserts() { return {.exclusive = true}; }

}  // namespace gpucheck::cases::in_assert
