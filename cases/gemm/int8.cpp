#include "cases/gemm/product_case_support.hpp"

namespace gpucheck::cases::in_gemm::int8 {
namespace {

void run(harness::Context& context) { observe_products(context, types::int8); }

}  // namespace

harness::Case define() { return product_case("gemm.int8", "int8", types::int8, run); }

}  // namespace gpucheck::cases::in_gemm::int8
