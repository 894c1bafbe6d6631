# cmake -DFOLDER=… -P case_registry_test.cmake
# Checks scripts/cmake/case_registry.cmake on small trees below FOLDER, which it makes anew.
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/../cmake/case_registry.cmake)

# Run by this file itself, since what is rejected ends the process.
if(LOOK_IN)
  gpucheck_find_cases(${LOOK_IN} names sources)
  return()
endif()

function(expect what seen expected)
  if(NOT seen STREQUAL expected)
    message(SEND_ERROR "${what}: expected \"${expected}\", found \"${seen}\"")
  endif()
endfunction()

file(REMOVE_RECURSE ${FOLDER})
foreach(path IN ITEMS pool/simple.cpp pool/support.cpp pool/stale_support.cpp pool/support.hpp alloc/fuzz.cpp
                      alloc/library/leaks.cpp alloc/library/support.cpp alloc/benchmarks/some_benchmark.cpp tests/some_test.cpp registration.cpp)
  file(WRITE ${FOLDER}/tree/${path} "")
endforeach()
gpucheck_find_cases(${FOLDER}/tree names sources)
expect("names" "${names}" "alloc.fuzz;alloc.leaks;pool.simple")
expect("sources" "${sources}" "alloc/fuzz.cpp;alloc/library/leaks.cpp;alloc/library/support.cpp;pool/simple.cpp;pool/stale_support.cpp;pool/support.cpp")

gpucheck_write_case_registry("${names}" ${FOLDER}/registry.cpp)
file(READ ${FOLDER}/registry.cpp text)
foreach(line IN ITEMS "namespace in_alloc::fuzz { harness::Case define()" "{\"alloc.fuzz\", in_alloc::fuzz::define}"
                      "{\"pool.simple\", in_pool::simple::define}")
  string(FIND "${text}" "${line}" place)
  if(place EQUAL -1)
    message(SEND_ERROR "the registry lacks ${line}:\n${text}")
  endif()
endforeach()

foreach(path IN ITEMS pool/Simple.cpp pool/1st.cpp pool/two-words.cpp Pool/simple.cpp pool/Topic/simple.cpp
                      pool/topic/twice.cpp)
  file(REMOVE_RECURSE ${FOLDER}/rejected)
  file(WRITE ${FOLDER}/rejected/${path} "")
  file(WRITE ${FOLDER}/rejected/pool/twice.cpp "")
  execute_process(COMMAND ${CMAKE_COMMAND} -DLOOK_IN=${FOLDER}/rejected -P ${CMAKE_CURRENT_LIST_FILE}
                  RESULT_VARIABLE status ERROR_VARIABLE message)
  # CMake breaks the lines of a message where they are long.
  string(REGEX REPLACE "[ \n]+" " " message "${message}")
  if(status EQUAL 0 OR NOT message MATCHES "cannot be a case")
    message(SEND_ERROR "${path} was accepted as a case: ${message}")
  endif()
endforeach()
