#include "cases/gemm/product_case_support.hpp"

namespace gpucheck::cases::in_gemm::fp16 {
namespace {

void run(harness::Context& context) { observe_products(context, types::fp16); }

}  // namespace

harness::Case define() { return product_case("gemm.fp16", "fp16", types::fp16, run); }

}  // namespace gpucheck::cases::in_gemm::fp16
