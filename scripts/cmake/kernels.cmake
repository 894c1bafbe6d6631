# Kernels belong to the part that launches them. A part declares the folders of its families beside its code, each family
# is compiled for the GPU as one unit, side by side with the others, and the programs join what the parts bring.
# A build without CUDA launches kernels on the simulated device, which needs nothing but the headers: there, these
# functions do nothing.

set(gpucheck_kernel_templates ${CMAKE_CURRENT_LIST_DIR}/../../lib/device/cuda/kernels)

# gpucheck_kernels(<part> <folder>…)
#   Static library gpucheck_<part>_kernels with the GPU's code of the families in these folders: each header there is one,
#   sums.hpp holds `device::kernels::families::sums`. Headers are included by their path from lib, those of another part
#   from the root of the sources.
function(gpucheck_kernels part)
  if(NOT gpucheck_with_cuda)
    return()
  endif()
  set(units "")
  set(declarations "")
  set(calls "")
  list(TRANSFORM ARGN APPEND "/*.hpp" OUTPUT_VARIABLE patterns)
  file(GLOB paths RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS ${patterns})
  foreach(header IN LISTS paths)
    cmake_path(GET header STEM family)
    string(REGEX REPLACE "^lib/" "" header ${header})
    configure_file(${gpucheck_kernel_templates}/kernel_family.cu.in ${CMAKE_CURRENT_BINARY_DIR}/${family}_kernels.cu @ONLY)
    list(APPEND units ${CMAKE_CURRENT_BINARY_DIR}/${family}_kernels.cu)
    string(APPEND declarations "std::span<const LaunchEntry> ${part}_${family}_family() noexcept;\n")
    string(APPEND calls "${part}_${family}_family(), ")
  endforeach()
  configure_file(${gpucheck_kernel_templates}/part_kernels.cpp.in ${CMAKE_CURRENT_BINARY_DIR}/${part}_kernels.cpp @ONLY)
  gpucheck_library(${part}_kernels SOURCES ${CMAKE_CURRENT_BINARY_DIR}/${part}_kernels.cpp ${units} LINK gpucheck_device)
  target_include_directories(gpucheck_${part}_kernels PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(gpucheck_${part}_kernels PUBLIC CUDA::cudart_static)
  if(GPUCHECK_WERROR)
    target_compile_options(gpucheck_${part}_kernels PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:--Werror=all-warnings>)
  endif()
endfunction()

# gpucheck_join_kernels(<name> <part>…)
#   Static library gpucheck_<name>: `cuda::make_driver`, whose devices launch the kernels of these parts, and no others.
#   A program links one of these at most. The parts may be declared later.
function(gpucheck_join_kernels name)
  if(NOT gpucheck_with_cuda)
    return()
  endif()
  set(declarations "")
  set(calls "")
  set(libraries "")
  foreach(part IN LISTS ARGN)
    string(APPEND declarations "KernelFamilies ${part}_kernels() noexcept;\n")
    string(APPEND calls "${part}_kernels(), ")
    list(APPEND libraries gpucheck_${part}_kernels)
  endforeach()
  configure_file(${gpucheck_kernel_templates}/joined_kernels.cpp.in ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp @ONLY)
  gpucheck_library(${name} SOURCES ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp LINK gpucheck_device_cuda ${libraries})
endfunction()
