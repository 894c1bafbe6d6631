# Flags of every gpucheck target, as one interface library.
add_library(gpucheck_compile_options INTERFACE)
set(gpucheck_warnings -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
                      -Woverloaded-virtual -Wold-style-cast -Wimplicit-fallthrough)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 sees overlapping copies and overflows in the instrumented code of "text" + std::string and of vectors that grow
  # (GCC bug 105651 and its like). The other builds look for the real ones.
  list(APPEND gpucheck_warnings -Wno-restrict $<$<CONFIG:RelWithDebInfo>:-Wno-stringop-overflow>
                                $<$<CONFIG:RelWithDebInfo>:-Wno-array-bounds> $<$<CONFIG:RelWithDebInfo>:-Wno-maybe-uninitialized>)
endif()
if(CMAKE_UNITY_BUILD)
  # A local name may be another joined source's function: shadows are looked for where nothing is joined.
  list(REMOVE_ITEM gpucheck_warnings -Wshadow)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC takes the sources that are joined for headers, in which an anonymous namespace would be a mistake.
    list(APPEND gpucheck_warnings -Wno-subobject-linkage)
  endif()
endif()
if(GPUCHECK_WERROR)
  list(APPEND gpucheck_warnings -Werror)
endif()
foreach(warning IN LISTS gpucheck_warnings)
  target_compile_options(gpucheck_compile_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:${warning}>)
endforeach()
target_include_directories(gpucheck_compile_options INTERFACE ${CMAKE_SOURCE_DIR}/lib)
# Line tables, so that native stacks have files and lines in optimised builds too; not in parts that none of
# those stacks lead through.
target_compile_options(gpucheck_compile_options INTERFACE
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>,$<NOT:$<BOOL:$<TARGET_PROPERTY:GPUCHECK_COLD>>>>:-g1>)
# Joined sources fill a gigabyte. By default GCC collects garbage at every 128 MiB, a tenth of its time.
target_compile_options(gpucheck_compile_options INTERFACE
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-heapsize=1500000>)

if(GPUCHECK_SANITIZE)
  # Global, so that GoogleTest objects and everything linked agree.
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${GPUCHECK_SANITIZE}>
                      $<$<COMPILE_LANGUAGE:CXX>:-fno-omit-frame-pointer>
                      # Drivers are called through our declarations of their functions, not through their own types.
                      $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-fno-sanitize=function>
                      $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-fsanitize-ignorelist=${CMAKE_CURRENT_LIST_DIR}/sanitizer_ignorelist.txt>
                      # A finding ends the process: a test that goes on would pass.
                      $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize-recover=all>)
  if(GPUCHECK_SANITIZE MATCHES "address" AND GPUCHECK_SANITIZE MATCHES "undefined" AND CMAKE_CXX_COMPILER_ID MATCHES Clang)
    # What nearly every expression is checked for. A trap, which the address sanitizer shows with its place in the source
    # (handle_sigill=1), has no tables: they would be nine tenths of the data in which each process that ends looks for
    # pointers to memory that leaked.
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fsanitize-trap=null,alignment>)
  endif()
  # At fixed addresses: the sanitizer's own tables would need six million relocations each time a process starts.
  string(APPEND CMAKE_CXX_FLAGS " -fno-pie")
  string(APPEND CMAKE_EXE_LINKER_FLAGS " -no-pie")
  add_link_options(-fsanitize=${GPUCHECK_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # With instrumentation, GCC 12 sees uninitialised values in std::jthread.
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-maybe-uninitialized>)
  endif()
endif()
if(GPUCHECK_FUZZERS)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
    message(FATAL_ERROR "GPUCHECK_FUZZERS=ON needs clang: configure with -DCMAKE_CXX_COMPILER=clang++")
  endif()
  # Everywhere, so that the fuzzer sees which branches of the code under test it reaches.
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
