#pragma once

#include <cstddef>
#include <string>

#include "cases/shared/gemm_support.hpp"

/// The cases that test one type's products.
namespace gpucheck::cases::in_gemm {

/// How many products are timed, of so many milliseconds each: as many as "launches" says; 0: what takes half a second
/// on a GPU, few on the simulated device.
std::size_t launches_of(harness::Context& context, double one_ms);

/// Observes products of random numbers (how fast, and that they are the same each time), then
/// known products (that each element is right to the last bit). @throws as `Multiplication` does.
void observe_products(harness::Context& context, const ProductType& type);

/// The case around a function that calls it.
harness::Case product_case(std::string name, std::string types, const ProductType& type,
                           void (*run)(harness::Context&));

}  // namespace gpucheck::cases::in_gemm
