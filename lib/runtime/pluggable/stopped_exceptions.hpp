#pragma once

#include <cstddef>

/// Calls of a library's functions that no exception leaves: the library may have a C++ runtime of its own, whose
/// exceptions this program's cannot catch. One that is thrown ends the process in the library's own runtime, which
/// prints what it was: "terminate called after throwing an instance of ...".
namespace gpucheck::runtime {

using AllocateFunction = void* (*)(std::size_t bytes, int device, void* stream);
using FreeFunction = void (*)(void* pointer, std::size_t bytes, int device, void* stream);

[[nodiscard]] void* call_allocate(AllocateFunction function, std::size_t bytes, int device, void* stream) noexcept;
void call_free(FreeFunction function, void* pointer, std::size_t bytes, int device, void* stream) noexcept;

}  // namespace gpucheck::runtime
