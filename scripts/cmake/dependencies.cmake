# Everything outside this repository. Debian 12 packages: see scripts/dependencies.
find_package(Threads REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(fmt 9 REQUIRED)
find_package(pugixml 1.13 REQUIRED)
find_package(RapidJSON 1.1 REQUIRED)
add_library(gpucheck_rapidjson INTERFACE)  # its package has no target, and spells its variable in more ways than one
target_include_directories(gpucheck_rapidjson SYSTEM INTERFACE ${RapidJSON_INCLUDE_DIRS} ${RAPIDJSON_INCLUDE_DIRS})
find_package(tomlplusplus 3 REQUIRED)
# The binary is copied to nodes that have none of these: only static libraries.
set(Boost_USE_STATIC_LIBS ON)
find_package(Boost 1.81 REQUIRED CONFIG COMPONENTS filesystem)
# Golden files hold regular expressions: RE2 matches any of them in linear time. Debian's
# libre2-dev has no CMake package of its own.
find_path(RE2_INCLUDE_DIR re2/re2.h REQUIRED)
find_library(RE2_LIBRARY NAMES libre2.a REQUIRED)
add_library(gpucheck_re2 INTERFACE)
target_include_directories(gpucheck_re2 SYSTEM INTERFACE ${RE2_INCLUDE_DIR})
target_link_libraries(gpucheck_re2 INTERFACE ${RE2_LIBRARY} Threads::Threads)
# Since 2023 RE2 stands on Abseil, in dozens of archives. Which of them changes from version to version: the linker takes what
# is needed of all, in any order.
cmake_path(GET RE2_LIBRARY PARENT_PATH re2_folder)
file(GLOB abseil_libraries ${re2_folder}/libabsl_*.a)
file(STRINGS ${RE2_INCLUDE_DIR}/re2/re2.h re2_uses_abseil REGEX "#include \"absl/")
if(re2_uses_abseil)
  list(JOIN abseil_libraries "," abseil_libraries)
  target_link_libraries(gpucheck_re2 INTERFACE $<LINK_GROUP:RESCAN,${abseil_libraries}>)
endif()

# SHA-256 for bundles. Debian's libsodium-dev has no CMake package of its own.
find_path(SODIUM_INCLUDE_DIR sodium.h REQUIRED)
find_library(SODIUM_LIBRARY NAMES libsodium.a REQUIRED)
add_library(gpucheck_sodium INTERFACE)
target_include_directories(gpucheck_sodium SYSTEM INTERFACE ${SODIUM_INCLUDE_DIR})
target_link_libraries(gpucheck_sodium INTERFACE ${SODIUM_LIBRARY} Threads::Threads)
# Files of tensors are zip archives. Neither minizip nor zlib has a CMake package in Debian 12 that names its static library.
find_path(MINIZIP_INCLUDE_DIR minizip/zip.h REQUIRED)
find_library(MINIZIP_LIBRARY NAMES libminizip.a REQUIRED)
find_library(STATIC_ZLIB_LIBRARY NAMES libz.a REQUIRED)
add_library(gpucheck_minizip INTERFACE)
target_include_directories(gpucheck_minizip SYSTEM INTERFACE ${MINIZIP_INCLUDE_DIR})
target_link_libraries(gpucheck_minizip INTERFACE ${MINIZIP_LIBRARY} ${STATIC_ZLIB_LIBRARY})
# Names for native stacks: libbacktrace is part of GCC and lies in GCC's own folders, where
# other compilers do not look.
find_program(GPUCHECK_GCC NAMES gcc REQUIRED)
execute_process(COMMAND ${GPUCHECK_GCC} -print-file-name=libbacktrace.a
                OUTPUT_VARIABLE libbacktrace OUTPUT_STRIP_TRAILING_WHITESPACE)
cmake_path(GET libbacktrace PARENT_PATH gcc_folder)
find_path(BACKTRACE_INCLUDE_DIR backtrace.h HINTS ${gcc_folder}/include REQUIRED)
find_library(BACKTRACE_LIBRARY NAMES libbacktrace.a HINTS ${gcc_folder} REQUIRED)
# Only the one header: GCC's folder also has its compiler's own, which would hide another's.
configure_file(${BACKTRACE_INCLUDE_DIR}/backtrace.h ${CMAKE_BINARY_DIR}/libbacktrace/backtrace.h COPYONLY)
add_library(gpucheck_backtrace INTERFACE)
target_include_directories(gpucheck_backtrace SYSTEM INTERFACE ${CMAKE_BINARY_DIR}/libbacktrace)
target_link_libraries(gpucheck_backtrace INTERFACE ${BACKTRACE_LIBRARY})
if(GPUCHECK_TESTS)
  find_package(GTest REQUIRED)
  find_package(valijson REQUIRED)
  include(GoogleTest)
endif()
if(GPUCHECK_BENCHMARKS)
  find_package(benchmark REQUIRED)
endif()

set(gpucheck_with_cuda OFF)
if(NOT GPUCHECK_CUDA STREQUAL "OFF")
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    # This machine's GPUs; without one PTX that every GPU since Turing can compile. The preset "package" has code for all.
    execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
                    OUTPUT_VARIABLE capabilities RESULT_VARIABLE status ERROR_QUIET)
    string(REGEX MATCHALL "[0-9]+\\.[0-9]" capabilities "${capabilities}")
    string(REPLACE "." "" capabilities "${capabilities}")
    list(REMOVE_DUPLICATES capabilities)
    if(status EQUAL 0 AND capabilities)
      set(CMAKE_CUDA_ARCHITECTURES ${capabilities})
    else()
      set(CMAKE_CUDA_ARCHITECTURES 75)
    endif()
  endif()
  include(CheckLanguage)
  find_program(CMAKE_CUDA_COMPILER nvcc HINTS ENV CUDACXX PATHS /usr/local/cuda/bin ENV CUDA_PATH PATH_SUFFIXES bin)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    find_package(CUDAToolkit 13)
  endif()
  if(CMAKE_CUDA_COMPILER AND CUDAToolkit_FOUND)
    set(gpucheck_with_cuda ON)
    enable_language(CUDA)
    if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
      # CMake 3.25 is older than the first nvcc that knew C++20.
      set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
      set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
    endif()
    set(CMAKE_CUDA_STANDARD 20)
    set(CMAKE_CUDA_STANDARD_REQUIRED ON)
    set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
    # A sixth of the size, in the same time.
    string(APPEND CMAKE_CUDA_FLAGS " -compress-mode=size")
  elseif(GPUCHECK_CUDA STREQUAL "ON")
    message(FATAL_ERROR "GPUCHECK_CUDA=ON, but no CUDA Toolkit 13 was found. Install it, or set CUDACXX to its nvcc.")
  endif()
endif()
set(gpucheck_with_cuda ${gpucheck_with_cuda} CACHE INTERNAL "")  # for scripts
if(gpucheck_with_cuda)
  message(STATUS "gpucheck: CUDA ${CUDAToolkit_VERSION}, architectures ${CMAKE_CUDA_ARCHITECTURES}")
else()
  message(STATUS "gpucheck: no CUDA toolkit, building for the simulated device only")
endif()

# Debian's package links its shared library; its headers do without.
add_library(gpucheck_tomlplusplus INTERFACE)
target_include_directories(gpucheck_tomlplusplus SYSTEM
                           INTERFACE $<TARGET_PROPERTY:tomlplusplus::tomlplusplus,INTERFACE_INCLUDE_DIRECTORIES>)

# Debian's libfmt-dev has no static library, and fmt's header-only mode triples the
# compile time of every file: compile its implementation header once instead.
add_library(gpucheck_fmt STATIC ${CMAKE_SOURCE_DIR}/lib/base/fmt_implementation.cpp)
target_include_directories(gpucheck_fmt PUBLIC $<TARGET_PROPERTY:fmt::fmt,INTERFACE_INCLUDE_DIRECTORIES>)
