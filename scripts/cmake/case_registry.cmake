# The registry of cases, made from what lies under cases/: <group>/<case>.cpp, or <group>/<topic>/<case>.cpp where a group
# has many, is the case <group>.<case> and defines
#     harness::Case gpucheck::cases::in_<group>::<case>::define()
# with all else that it needs in that namespace: sources of several cases are compiled as one.
# What cases of a group share lies in support.{hpp,cpp} or <topic>_support.{hpp,cpp}
# beside them, what several groups share in shared/<topic>_support.{hpp,cpp}; none of these
# is a case. "in_", because some groups are called like a macro
# (assert) or a namespace of gpucheck's (device).

# gpucheck_find_cases(<folder> <names> <sources>)
#   Sets <names> to "alloc.fuzz;…", sorted, and <sources> to the files to compile. Looked
#   at again whenever the build starts.
function(gpucheck_find_cases folder names sources)
  set(dependency CONFIGURE_DEPENDS)
  if(CMAKE_SCRIPT_MODE_FILE)
    set(dependency "")
  endif()
  file(GLOB paths RELATIVE ${folder} ${dependency} ${folder}/*/*.cpp ${folder}/*/*/*.cpp)
  list(FILTER paths EXCLUDE REGEX "(^|/)(tests|benchmarks)/")
  set(found "")
  foreach(path IN LISTS paths)
    if(path MATCHES "/([a-z0-9_]+_)?support\\.cpp$")
      continue()
    endif()
    if(NOT path MATCHES "^([a-z][a-z0-9_]*)/([a-z][a-z0-9_]*/)?([a-z][a-z0-9_]*)\\.cpp$")
      message(FATAL_ERROR "${folder}/${path} cannot be a case: name folders and file with a-z, 0-9 and _, a letter "
                          "first, or call what cases share support.cpp or <topic>_support.cpp.")
    endif()
    set(name ${CMAKE_MATCH_1}.${CMAKE_MATCH_3})
    if(name IN_LIST found)
      message(FATAL_ERROR "${folder}/${path} cannot be a case: another source has the name ${name}.")
    endif()
    list(APPEND found ${name})
  endforeach()
  list(SORT found)
  set(${names} "${found}" PARENT_SCOPE)
  set(${sources} "${paths}" PARENT_SCOPE)
endfunction()

# gpucheck_write_case_registry(<names> <output>)
#   Writes the C++ source that collects the cases; not touched when nothing changes.
function(gpucheck_write_case_registry names output)
  set(declarations "")
  set(rows "")
  foreach(name IN LISTS names)
    string(REPLACE "." ";" parts "${name}")
    list(GET parts 0 group)
    list(GET parts 1 case)
    string(APPEND declarations "namespace in_${group}::${case} { harness::Case define(); }\n")
    string(APPEND rows "      {\"${name}\", in_${group}::${case}::define},\n")
  endforeach()
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT "// Made by scripts/cmake/case_registry.cmake.
#include \"cases/registration.hpp\"

namespace gpucheck::cases {

@declarations@
std::vector<harness::Case> all() {
  return registered({
@rows@  });
}

}  // namespace gpucheck::cases
")
endfunction()
