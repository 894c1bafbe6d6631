# The headers of others that most files include, parsed once: they are two thirds of what a file costs to compile.
# Every file still includes what it uses; scripts/check_headers compiles without these.
option(GPUCHECK_PRECOMPILED_HEADERS "Parse the standard library's and GoogleTest's headers once" ON)

# gpucheck_precompile(<name> LINK … HEADERS …): a target whose precompiled headers others reuse.
function(gpucheck_precompile name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LINK;HEADERS")
  set(source ${CMAKE_BINARY_DIR}/${name}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "")
  add_library(${name} STATIC ${source})
  target_link_libraries(${name} PRIVATE gpucheck_compile_options ${arg_LINK})
  list(TRANSFORM arg_HEADERS REPLACE "(.+)" "$<$<COMPILE_LANGUAGE:CXX>:<\\1$<ANGLE-R>>")
  target_precompile_headers(${name} PRIVATE ${arg_HEADERS})
endfunction()

# gpucheck_use_precompiled(<target> <name>)
function(gpucheck_use_precompiled target name)
  if(GPUCHECK_PRECOMPILED_HEADERS)
    target_precompile_headers(${target} REUSE_FROM ${name})
  endif()
endfunction()

set(gpucheck_precompiled_for_size gpucheck_precompiled)
if(GPUCHECK_PRECOMPILED_HEADERS)
  set(gpucheck_common_headers
      algorithm array atomic boost/system/result.hpp chrono cmath cstdint filesystem functional map memory mutex optional
      set span sstream stop_token string string_view thread unordered_map unordered_set utility variant vector)
  gpucheck_precompile(gpucheck_precompiled
                      LINK gpucheck_fmt Boost::headers
                      HEADERS ${gpucheck_common_headers} fmt/format.h)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
    # From this version on GCC takes precompiled headers only with the optimisation that they were compiled with.
    set(gpucheck_precompiled_for_size gpucheck_precompiled_for_size)
    gpucheck_precompile(gpucheck_precompiled_for_size
                        LINK gpucheck_fmt Boost::headers
                        HEADERS ${gpucheck_common_headers} fmt/format.h)
    set_target_properties(gpucheck_precompiled_for_size PROPERTIES GPUCHECK_COLD ON)
    gpucheck_compile_for_size(gpucheck_precompiled_for_size)
  endif()
  if(GPUCHECK_TESTS)
    gpucheck_precompile(gpucheck_precompiled_for_tests
                        LINK gpucheck_fmt Boost::headers GTest::gtest
                        HEADERS ${gpucheck_common_headers} fmt/format.h gtest/gtest.h)
    gpucheck_compile_quickly(gpucheck_precompiled_for_tests)
  endif()
endif()
