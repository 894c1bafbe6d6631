#include "cases/gemm/product_case_support.hpp"

namespace gpucheck::cases::in_gemm::tf32 {
namespace {

void run(harness::Context& context) { observe_products(context, types::tf32); }

}  // namespace

harness::Case define() { return product_case("gemm.tf32", "fp32 in tf32", types::tf32, run); }

}  // namespace gpucheck::cases::in_gemm::tf32
