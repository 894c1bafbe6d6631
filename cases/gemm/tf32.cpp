#include "cases/gemm/product_case_support.hpp"

namespace gpucheck::cases::in_gemm {
namespace {

void run(harness::Context& context) { observe_products(context, types::tf32); }

}  // namespace

harness::Case tf32() { return product_case("gemm.tf32", "fp32 in tf32", types::tf32, run); }

}  // namespace gpucheck::cases::in_gemm
