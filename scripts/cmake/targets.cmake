# gpucheck_library(<part> [COLD] SOURCES … LINK …)
#   Static library gpucheck_<part> from files of the calling folder. COLD: nothing waits for it, and no recorded stack
#   leads through it.
function(gpucheck_library part)
  cmake_parse_arguments(PARSE_ARGV 1 arg "COLD" "" "SOURCES;LINK")
  add_library(gpucheck_${part} STATIC ${arg_SOURCES})
  target_link_libraries(gpucheck_${part} PUBLIC $<BUILD_INTERFACE:gpucheck_compile_options> ${arg_LINK})
  if(arg_COLD)
    gpucheck_use_precompiled(gpucheck_${part} ${gpucheck_precompiled_for_size})
    set_target_properties(gpucheck_${part} PROPERTIES GPUCHECK_COLD ON)
    gpucheck_compile_for_size(gpucheck_${part})
  else()
    gpucheck_use_precompiled(gpucheck_${part} gpucheck_precompiled)
  endif()
endfunction()

# gpucheck_compile_for_size(<target>): for code that runs a few times in a run: two thirds of the compiler's time, and
#   smaller.
function(gpucheck_compile_for_size target)
  target_compile_options(${target} PRIVATE $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:-O1>)
endfunction()

# gpucheck_compile_quickly(<target>): for the tests' own sources, which are more than half of what is compiled. What they
#   test is optimised as ever.
function(gpucheck_compile_quickly target)
  target_compile_options(${target} PRIVATE $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:-O0>)
endfunction()

# gpucheck_optimise_under_sanitizers(<target>): their builds are not optimised otherwise. For code in which sanitized tests
#   spend most of their time: it takes half as long again to compile, without the precompiled headers of the other code.
function(gpucheck_optimise_under_sanitizers target)
  if(GPUCHECK_SANITIZE)
    target_compile_options(${target} PRIVATE -O1)
    set_target_properties(${target} PROPERTIES DISABLE_PRECOMPILE_HEADERS ON)
  endif()
endfunction()

# gpucheck_test(<name> SOURCES … LINK … [LABELS …] [SLOW] [SINGLE_THREADED])
#   GoogleTest binary gpucheck_<name>_tests, each of its tests known to CTest. Under a sanitizer the program is one test;
#   a SLOW one takes minutes, and so is four that start first. The thread sanitizer leaves SINGLE_THREADED ones out.
function(gpucheck_test name)
  if(NOT GPUCHECK_TESTS)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "SLOW;SINGLE_THREADED" "" "SOURCES;LINK;LABELS")
  set(target gpucheck_${name}_tests)
  add_executable(${target} ${arg_SOURCES})
  target_link_libraries(${target} PRIVATE gpucheck_compile_options ${arg_LINK} GTest::gtest GTest::gtest_main)
  gpucheck_use_precompiled(${target} gpucheck_precompiled_for_tests)
  gpucheck_compile_quickly(${target})
  if(GPUCHECK_SANITIZE MATCHES "undefined")
    # Undefined behaviour is looked for in what tests call: their own sources would take twice as long to compile.
    target_compile_options(${target} PRIVATE -fno-sanitize=undefined)
  endif()
  if(GPUCHECK_SANITIZE)
    target_compile_definitions(${target} PRIVATE GPUCHECK_TEST_SANITIZED)
    if(GPUCHECK_SANITIZE MATCHES "thread")
      target_compile_definitions(${target} PRIVATE GPUCHECK_TEST_THREAD_SANITIZED)
    endif()
    if(arg_SINGLE_THREADED AND GPUCHECK_SANITIZE MATCHES "thread")
      set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
      return()
    endif()
    # Starting a process takes longer than most tests.
    if(arg_SLOW)
      set(shards 4)
      foreach(shard RANGE 1 ${shards})
        math(EXPR index "${shard} - 1")
        add_test(NAME ${target}.${shard}_of_${shards} COMMAND ${target})
        set_tests_properties(${target}.${shard}_of_${shards} PROPERTIES
          LABELS "unit;${arg_LABELS}" TIMEOUT 900 COST 1000
          ENVIRONMENT "GTEST_TOTAL_SHARDS=${shards};GTEST_SHARD_INDEX=${index}")
      endforeach()
      return()
    endif()
    add_test(NAME ${target} COMMAND ${target})
    set_tests_properties(${target} PROPERTIES LABELS "unit;${arg_LABELS}" TIMEOUT 900)
    return()
  endif()
  gtest_discover_tests(${target} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
                       PROPERTIES LABELS unit TIMEOUT 120)
  if(arg_LABELS)
    # A list does not get through there: of "unit;device" only the first is a label.
    set(labels_file ${CMAKE_CURRENT_BINARY_DIR}/${target}_labels.cmake)
    file(CONFIGURE OUTPUT ${labels_file} @ONLY
         CONTENT "set_tests_properties(\${@target@_TESTS} PROPERTIES LABELS \"unit;@arg_LABELS@\")\n")
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${labels_file})
  endif()
endfunction()

# gpucheck_benchmark(<name> SOURCES … LINK …): Google Benchmark binary gpucheck_<name>_benchmark.
function(gpucheck_benchmark name)
  if(NOT GPUCHECK_BENCHMARKS)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINK")
  add_executable(gpucheck_${name}_benchmark ${arg_SOURCES})
  target_link_libraries(gpucheck_${name}_benchmark PRIVATE gpucheck_compile_options ${arg_LINK} benchmark::benchmark)
endfunction()

# gpucheck_fuzzer(<name> SOURCES … LINK …): libFuzzer binary gpucheck_<name>_fuzzer.
#   Run it on a scratch copy of the corpus beside its source; GPUCHECK_SANITIZE=address,undefined
#   makes it see more.
function(gpucheck_fuzzer name)
  if(NOT GPUCHECK_FUZZERS)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINK")
  add_executable(gpucheck_${name}_fuzzer ${arg_SOURCES})
  target_link_libraries(gpucheck_${name}_fuzzer PRIVATE gpucheck_compile_options ${arg_LINK})
  target_link_options(gpucheck_${name}_fuzzer PRIVATE -fsanitize=fuzzer)
endfunction()

# gpucheck_schema_test(<name> SCHEMA … DOCUMENTS … [REJECTED …] [LABELS …])
#   CTest <name>: the documents fit the JSON Schema, those to be rejected do not.
function(gpucheck_schema_test name)
  if(NOT GPUCHECK_TESTS)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SCHEMA" "DOCUMENTS;REJECTED;LABELS")
  add_test(NAME ${name} COMMAND gpucheck_check_schema ${arg_SCHEMA} ${arg_DOCUMENTS} --rejected ${arg_REJECTED})
  set_tests_properties(${name} PROPERTIES LABELS "schema;${arg_LABELS}")
endfunction()
