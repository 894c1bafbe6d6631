#pragma once

/// Calls into a library that no exception leaves: the library may have a C++ runtime of its own, whose exceptions this
/// program's cannot catch. One that is thrown ends the process in the library's own runtime, which prints what it was:
/// "terminate called after throwing an instance of ...".
namespace gpucheck::runtime {

void stop_exceptions_of(void (*function)(const void* work), const void* work) noexcept;

/// Does `work`, which calls the library and throws nothing itself.
template <typename Work>
void stop_exceptions_of(const Work& work) noexcept {
  stop_exceptions_of([](const void* same) { (*static_cast<const Work*>(same))(); }, &work);
}

}  // namespace gpucheck::runtime
