#include "cases/gemm/product_case_support.hpp"

namespace gpucheck::cases::in_gemm::fp8_e5m2 {
namespace {

void run(harness::Context& context) { observe_products(context, types::fp8_e5m2); }

}  // namespace

harness::Case define() { return product_case("gemm.fp8_e5m2", "fp8 (e5m2 with e4m3)", types::fp8_e5m2, run); }

}  // namespace gpucheck::cases::in_gemm::fp8_e5m2
