#pragma once

#include <cstdint>

namespace gpucheck::sim {

/// Memory of the simulated device has the addresses of the process's own, so that either is the other.
inline void* as_pointer(std::uintptr_t address) noexcept { return reinterpret_cast<void*>(address); }
inline std::uintptr_t address_of(const void* pointer) noexcept { return reinterpret_cast<std::uintptr_t>(pointer); }

}  // namespace gpucheck::sim
