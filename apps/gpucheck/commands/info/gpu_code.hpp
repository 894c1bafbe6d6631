#pragma once

#include <string>
#include <string_view>

namespace gpucheck::application {

/// How a GPU gets the machine code of this binary's kernels.
enum class GpuCode {
  included,           ///< the binary has machine code for it
  compiled_from_ptx,  ///< the driver compiles it when a kernel is first launched, which takes seconds
  none,               ///< neither: no kernel can be launched
};

/// By the rules of the CUDA C++ Programming Guide, "Binary Compatibility" and "PTX Compatibility": machine code for X.y
/// runs on X.z with z >= y, PTX for X.y can be compiled for every later capability. What ends in "a" is for
/// exactly one capability, what ends in "f" for those of one major version.
/// @param architectures CMake's CMAKE_CUDA_ARCHITECTURES, separated by spaces: "75", "90-real", "120-virtual";
///        "all" and "all-major" have code for each major version of CUDA 13.0, from 7.5 to 12.
GpuCode gpu_code(std::string_view architectures, int capability_major, int capability_minor);

/// "included", "compiled_from_ptx", "none", as `info --json` has it.
std::string_view to_text(GpuCode code) noexcept;

/// What a person needs to know of it; empty where the code is included.
std::string advice_on(GpuCode code, int capability_major, int capability_minor);

}  // namespace gpucheck::application
