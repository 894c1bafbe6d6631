#include "cases/gemm/product_case_support.hpp"

namespace gpucheck::cases::in_gemm::fp32 {
namespace {

void run(harness::Context& context) { observe_products(context, types::fp32); }

}  // namespace

harness::Case define() { return product_case("gemm.fp32", "fp32", types::fp32, run); }

}  // namespace gpucheck::cases::in_gemm::fp32
