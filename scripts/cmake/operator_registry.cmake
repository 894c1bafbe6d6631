# The registry of operators, made from what lies under lib/tensor/operators: <family>/<name>.cpp defines
#     std::vector<Entry> gpucheck::tensor::operators::in_<family>::<name>::define()
# with all else that it needs in that namespace: sources of several operators are compiled as one. Found as cases are.

# gpucheck_write_operator_registry(<names> <output>)
#   Writes the C++ source that collects the entries; not touched when nothing changes.
function(gpucheck_write_operator_registry names output)
  set(declarations "")
  set(calls "")
  foreach(name IN LISTS names)
    string(REPLACE "." ";" parts "${name}")
    list(GET parts 0 family)
    list(GET parts 1 operator)
    string(APPEND declarations "namespace in_${family}::${operator} { std::vector<Entry> define(); }\n")
    string(APPEND calls "in_${family}::${operator}::define(), ")
  endforeach()
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT "// Made by scripts/cmake/operator_registry.cmake.
#include \"tensor/call/structured.hpp\"
#include \"tensor/operators/registration.hpp\"

namespace gpucheck::tensor::operators {

@declarations@
std::vector<Entry> all() {
  return joined({@calls@});
}

}  // namespace gpucheck::tensor::operators
")
endfunction()
