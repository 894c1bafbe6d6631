#include "cases/gemm/product_case_support.hpp"

namespace gpucheck::cases::in_gemm::fp64 {
namespace {

void run(harness::Context& context) { observe_products(context, types::fp64); }

}  // namespace

harness::Case define() { return product_case("gemm.fp64", "fp64", types::fp64, run); }

}  // namespace gpucheck::cases::in_gemm::fp64
