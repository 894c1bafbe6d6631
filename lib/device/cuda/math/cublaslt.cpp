#include "device/cuda/math/cublaslt.hpp"

#include "device/cuda/math/function_finder.hpp"

namespace gpucheck::cuda {
namespace {

constexpr const char* library_name = "libcublasLt.so.13";

LoadedCublasLt load() {
  // Never closed: it leaves exit handlers behind.
  void* const library = ::dlopen(library_name, RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) return {.functions = {}, .problem = ::dlerror()};
  LoadedCublasLt loaded;
  CublasLt& functions = loaded.functions;
  FunctionFinder finder{.library = library, .library_name = library_name};
  finder.find(functions.get_version, "cublasLtGetVersion");
  finder.find(functions.create, "cublasLtCreate");
  finder.find(functions.description_create, "cublasLtMatmulDescCreate");
  finder.find(functions.description_destroy, "cublasLtMatmulDescDestroy");
  finder.find(functions.description_set, "cublasLtMatmulDescSetAttribute");
  finder.find(functions.layout_create, "cublasLtMatrixLayoutCreate");
  finder.find(functions.layout_set, "cublasLtMatrixLayoutSetAttribute");
  finder.find(functions.layout_destroy, "cublasLtMatrixLayoutDestroy");
  finder.find(functions.preference_create, "cublasLtMatmulPreferenceCreate");
  finder.find(functions.preference_destroy, "cublasLtMatmulPreferenceDestroy");
  finder.find(functions.preference_set, "cublasLtMatmulPreferenceSetAttribute");
  finder.find(functions.get_heuristic, "cublasLtMatmulAlgoGetHeuristic");
  finder.find(functions.algorithm_get, "cublasLtMatmulAlgoConfigGetAttribute");
  finder.find(functions.matmul, "cublasLtMatmul");
  loaded.problem = std::move(finder.problem);
  return loaded;
}

}  // namespace

const LoadedCublasLt& cublaslt() {
  static const LoadedCublasLt loaded = load();
  return loaded;
}

}  // namespace gpucheck::cuda
