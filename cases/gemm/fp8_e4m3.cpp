#include "cases/gemm/product_case_support.hpp"

namespace gpucheck::cases::in_gemm::fp8_e4m3 {
namespace {

void run(harness::Context& context) { observe_products(context, types::fp8_e4m3); }

}  // namespace

harness::Case define() { return product_case("gemm.fp8_e4m3", "fp8 (e4m3)", types::fp8_e4m3, run); }

}  // namespace gpucheck::cases::in_gemm::fp8_e4m3
