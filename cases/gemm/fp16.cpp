#include "cases/gemm/product_case_support.hpp"

namespace gpucheck::cases::in_gemm {
namespace {

void run(harness::Context& context) { observe_products(context, types::fp16); }

}  // namespace

harness::Case fp16() { return product_case("gemm.fp16", "fp16", types::fp16, run); }

}  // namespace gpucheck::cases::in_gemm
