#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cases/shared/kernels/products.hpp"
#include "cases/support.hpp"
#include "device/libraries/matrix_product.hpp"
#include "harness/case/case.hpp"

/// Products of matrices whose right results are known, on one device.
namespace gpucheck::cases::in_gemm {

/// One way to multiply, and which whole numbers it multiplies without rounding.
struct ProductType {
  device::ElementType a;
  device::ElementType b;
  device::ElementType d;
  device::ComputeType compute;
  /// Sums are exact up to 2^sum_bits, in whatever order they are added up.
  unsigned sum_bits;
  /// The largest factor: a and b hold it exactly, and d nine times its square.
  std::int32_t magnitude;
  /// Powers of two that rows and columns are multiplied by; 1 where the type is of integers.
  unsigned powers;
};

namespace types {

using Element = device::ElementType;
using Sum = device::ComputeType;

// How far sums are exact follows from the types of fp64, fp32 and int32. Tensor cores add up several
// products at once, cut to the bits that they keep of the largest one:
// - fp16, bf16 and tf32: 24 bits on Volta, more since (Fasi, Higham, Mikaitis and Pranesh, "Numerical
//   behavior of NVIDIA tensor cores", PeerJ Computer Science 7:e330, 2021); 2^23 leaves one over.
// - fp8: 14 bits on Hopper, see `fp8_sum_bits` in lib/device/sim/math; 2^13 leaves one over.
inline constexpr ProductType fp64{Element::fp64, Element::fp64, Element::fp64, Sum::fp64, 52, (1 << 19) - 1, 3};
inline constexpr ProductType fp32{Element::fp32, Element::fp32, Element::fp32, Sum::fp32, 24, 255, 3};
inline constexpr ProductType tf32{Element::fp32, Element::fp32, Element::fp32, Sum::tf32, 23, 255, 3};
inline constexpr ProductType fp16{Element::fp16, Element::fp16, Element::fp16, Sum::fp32, 23, 15, 3};
inline constexpr ProductType bf16{Element::bf16, Element::bf16, Element::bf16, Sum::fp32, 23, 5, 3};
inline constexpr ProductType fp8_e4m3{Element::fp8_e4m3, Element::fp8_e4m3, Element::bf16, Sum::fp32, 13, 5, 3};
/// No library multiplies e5m2 with e5m2: gradients (e5m2) meet weights or activations (e4m3).
inline constexpr ProductType fp8_e5m2{Element::fp8_e5m2, Element::fp8_e4m3, Element::bf16, Sum::fp32, 13, 5, 3};
inline constexpr ProductType int8{Element::int8, Element::int8, Element::int32, Sum::int32, 30, 127, 1};

}  // namespace types

/// The known products with which square matrices of `size` are tested: one over the whole depth, and,
/// where exact sums of that many products leave no room for the largest factors, one with these.
std::vector<device::kernels::KnownProduct> known_products(const ProductType& type, std::size_t size);

/// What was found in the products of one pair of operands.
struct Findings {
  device::kernels::ProductTally tally;
  std::vector<std::uint64_t> wrong_in_tiles;  ///< see `CheckKnownProduct`
};

/// Operands, product and workspace for square matrices, D = A^T * B (as fp8 and int8 must have it,
/// and what is fastest for most others). Everything is enqueued on one stream, in the order of the calls.
class Multiplication {
 public:
  /// @throws OutOfMemoryError, DeviceError; Skip where the device has no library, or one that does
  /// not multiply these types.
  Multiplication(runtime::Runtime& runtime, const ProductType& type, std::size_t size, device::Stream stream);

  /// The operands of a known product, whose depth may be less than the size. Findings begin anew.
  void fill_known(const device::kernels::KnownProduct& known);
  /// The operands of a product of random numbers over the whole depth, the same for each `seed`.
  void fill_random(std::uint64_t seed);
  /// D becomes what no product is.
  void spoil_product();
  /// Multiplies the operands filled in last.
  void multiply();
  /// Compares D with the known product. Adds to what was found so far.
  void check();

  /// What all checks found. Waits for them.
  [[nodiscard]] Findings findings();
  /// How many elements one check looks at.
  [[nodiscard]] std::uint64_t elements() const noexcept { return std::uint64_t{size_} * size_; }
  /// Wrong elements as the host reads them now from squares in which some were found, with row,
  /// column, square, the expected and the seen number: the first few.
  [[nodiscard]] std::vector<std::string> wrong_places(const Findings& findings);
  /// Of `count` elements here and there: how many have the bits of a product that the host has
  /// worked out, adding up the whole depth.
  [[nodiscard]] std::int64_t right_samples(std::size_t count);
  /// A number that stands for all bits of D. Waits for it, and keeps it to be compared with.
  [[nodiscard]] std::uint64_t digest();
  /// Compares D's digest with that one, on the device.
  void compare_digest();
  /// The sum of all such comparisons. Waits for them.
  [[nodiscard]] device::kernels::DigestTally digest_tally();

  /// How the library goes about the operands filled in last, in its own words.
  [[nodiscard]] const std::string& algorithm() const noexcept { return algorithm_.description; }
  /// "cuBLASLt 13.1.0"
  [[nodiscard]] const std::string& library() const noexcept { return library_; }
  /// Floating-point (or integer) operations of one product.
  [[nodiscard]] double operations() const noexcept;

 private:
  void choose(std::size_t depth);
  void work_out_digest(std::uint64_t* out);
  template <typename Action>
  void with_elements(device::ElementType type, Action action);
  [[nodiscard]] std::vector<std::byte> read_elements(std::size_t place, std::size_t count);

  runtime::Runtime& runtime_;
  ProductType type_;
  std::size_t size_;
  device::Stream stream_;
  std::string library_;
  device::MatrixProduct product_;
  device::ProductAlgorithm algorithm_;
  device::kernels::KnownProduct known_;
  runtime::Buffer<std::byte> a_;
  runtime::Buffer<std::byte> b_;
  runtime::Buffer<std::byte> d_;
  runtime::Buffer<std::byte> workspace_;
  runtime::Buffer<float> scales_;
  runtime::Buffer<std::int32_t> row_factors_;
  runtime::Buffer<std::int32_t> column_factors_;
  runtime::Buffer<device::kernels::ProductTally> tallies_;
  runtime::Buffer<std::uint64_t> wrong_in_tiles_;
  /// The one that others are compared with, and the last one compared.
  runtime::Buffer<std::uint64_t> digests_;
  runtime::Buffer<device::kernels::DigestTally> digest_tally_;
};

/// The size that a parameter asks for, in a multiple of 16; 0 stands for what the device is given
/// by default: 8192 on a GPU, 64 on the simulated device.
std::size_t size_of(harness::Context& context);
/// "size", as `size_of` reads it.
harness::Parameter size_parameter();

}  // namespace gpucheck::cases::in_gemm
