#include "cases/shared/gemm_support.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text/units.hpp"
#include "cases/shared/element_bytes_support.hpp"
#include "device/launch.hpp"

namespace gpucheck::cases::in_gemm {
namespace {

using namespace literals;
using device::ElementType;
namespace kernels = device::kernels;
using kernels::KnownProduct;
using kernels::ProductTally;

/// The kernels that know of slots and tiles do so whatever D's type.
using AnyCheck = kernels::CheckKnownProduct<float>;

/// What NVIDIA's own measurements of Hopper give cuBLASLt; it recommends 32 MiB at least.
constexpr std::uint64_t workspace_bytes = 64_MiB;

/// Largest odd factor with which sums over a depth are exact.
std::int32_t magnitude_of(const ProductType& type, std::size_t depth) {
  const double room = std::ldexp(1.0, static_cast<int>(type.sum_bits)) / static_cast<double>(depth);
  const auto largest = static_cast<std::int64_t>(std::sqrt(room));
  const std::int64_t odd = largest % 2 == 0 ? largest - 1 : largest;
  return static_cast<std::int32_t>(std::min<std::int64_t>(odd, type.magnitude));
}

constexpr std::uint64_t pattern_seed = 2013;

constexpr std::size_t step = 16;
std::size_t whole_steps(std::size_t count) { return count / step * step; }

/// The whole sum, one product after the other.
std::int64_t added_up(const KnownProduct& known, std::size_t row, std::size_t column) {
  std::int64_t sum = 0;
  for (std::size_t l = 0; l < known.depth; ++l) sum += std::int64_t{known.a(row, l)} * std::int64_t{known.b(l, column)};
  return sum;
}

}  // namespace

std::vector<KnownProduct> known_products(const ProductType& type, std::size_t size) {
  const std::size_t most = std::size_t{1} << std::min(type.sum_bits, 62U);
  const auto product = [&](std::size_t depth) {
    return KnownProduct{
        .seed = pattern_seed, .depth = depth, .magnitude = magnitude_of(type, depth), .powers = type.powers};
  };
  std::vector<KnownProduct> products{product(std::min(size, most))};
  const auto square = static_cast<std::size_t>(type.magnitude) * static_cast<std::size_t>(type.magnitude);
  if (products.front().magnitude < type.magnitude) products.push_back(product(whole_steps(most / square)));
  return products;
}

Multiplication::Multiplication(runtime::Runtime& runtime, const ProductType& type, std::size_t size,
                               device::Stream stream)
    : runtime_(runtime), type_(type), size_(size), stream_(stream) {
  device::Device& device = runtime.device();
  const device::VendorLibrary library =
      device::check_and_clear(device, device.math_library(), "asking for the library that multiplies");
  if (!library.problem.empty()) throw harness::Skip(fmt::format("needs {}: {}", library.name, library.problem));
  library_ = fmt::format("{} {}", library.name, library.version);
  choose(size);
  a_ = {runtime, size * size * element_bytes(type.a), stream};
  b_ = {runtime, size * size * element_bytes(type.b), stream};
  d_ = {runtime, size * size * element_bytes(type.d), stream};
  workspace_ = {runtime, workspace_bytes, stream};
  row_factors_ = {runtime, size * KnownProduct::classes, stream};
  column_factors_ = {runtime, size * KnownProduct::classes, stream};
  tallies_ = {runtime, AnyCheck::slots, stream};
  wrong_in_tiles_ = {runtime, AnyCheck::tiles_over(size) * AnyCheck::tiles_over(size), stream};
  digests_ = {runtime, 2, stream};
  digest_tally_ = {runtime, 1, stream};
  device::check(device, device.fill(digest_tally_.data(), 0, digest_tally_.size_bytes(), stream), "fill");
  if (element_bytes(type.a) == 1 && type.compute == device::ComputeType::fp32) {
    // As a scaled operand has it; together they change nothing.
    constexpr std::size_t apart = 64;
    scales_ = {runtime, 2 * apart, stream};
    std::vector<float> scales(2 * apart, 4.0F);
    std::fill(scales.begin() + apart, scales.end(), 0.25F);
    write(runtime, scales_.data(), scales, stream);
  }
}

void Multiplication::choose(std::size_t depth) {
  const auto size = static_cast<std::int64_t>(size_);
  const auto k = static_cast<std::int64_t>(depth);
  product_ = {.m = size,
              .n = size,
              .k = k,
              .transpose_a = true,
              .leading_a = size,
              .leading_b = size,
              .leading_d = size,
              .a = type_.a,
              .b = type_.b,
              .d = type_.d,
              .compute = type_.compute,
              .fast_accumulation = true};
  device::Device& device = runtime_.device();
  device::Result<device::ProductAlgorithm> chosen = device.choose_algorithm(product_, workspace_bytes);
  if (!chosen && chosen.error() == device::Status::not_supported) {
    throw harness::Skip(
        fmt::format("{} does not multiply {} with {} on this device", library_, to_text(type_.a), to_text(type_.b)));
  }
  algorithm_ = device::check_and_clear(device, std::move(chosen), "choosing an algorithm");
}

template <typename Action>
void Multiplication::with_elements(ElementType type, Action action) {
  switch (type) {
    case ElementType::fp64:
      return action(static_cast<double*>(nullptr));
    case ElementType::fp32:
      return action(static_cast<float*>(nullptr));
    case ElementType::fp16:
      return action(static_cast<kernels::Half*>(nullptr));
    case ElementType::bf16:
      return action(static_cast<kernels::BFloat16*>(nullptr));
    case ElementType::fp8_e4m3:
      return action(static_cast<kernels::Float8E4M3*>(nullptr));
    case ElementType::fp8_e5m2:
      return action(static_cast<kernels::Float8E5M2*>(nullptr));
    default:
      return action(static_cast<std::int8_t*>(nullptr));
  }
}

void Multiplication::fill_known(const KnownProduct& known) {
  device::Device& device = runtime_.device();
  known_ = known;
  choose(known.depth);
  device::check(device, device.fill(tallies_.data(), 0, tallies_.size_bytes(), stream_), "fill");
  device::check(device, device.fill(wrong_in_tiles_.data(), 0, wrong_in_tiles_.size_bytes(), stream_), "fill");
  const auto fill_factors = [&](std::int32_t* out, bool is_b) {
    const kernels::FillKnownFactors fill{out, size_, is_b, known};
    device::check(device, device::launch(device, fill, size_ * KnownProduct::classes, stream_), "fill_known_factors");
  };
  fill_factors(row_factors_.data(), false);
  fill_factors(column_factors_.data(), true);
  const auto fill_operand = [&](ElementType type, std::byte* operand, bool is_b) {
    with_elements(type, [&]<typename T>(T*) {
      const kernels::FillKnownOperand<T> fill{reinterpret_cast<T*>(operand), size_, is_b, known};
      device::check(device, device::launch(device, fill, size_ * known.depth, stream_), "fill_known_operand");
    });
  };
  fill_operand(type_.a, a_.data(), false);
  fill_operand(type_.b, b_.data(), true);
}

void Multiplication::fill_random(std::uint64_t seed) {
  device::Device& device = runtime_.device();
  choose(size_);
  const auto fill_operand = [&](ElementType type, std::byte* operand, std::uint64_t of_seed) {
    with_elements(type, [&]<typename T>(T*) {
      const kernels::FillNormal<T> fill{reinterpret_cast<T*>(operand), of_seed};
      device::check(device, device::launch(device, fill, size_ * size_, stream_), "fill_normal");
    });
  };
  fill_operand(type_.a, a_.data(), 2 * seed);
  fill_operand(type_.b, b_.data(), 2 * seed + 1);
}

void Multiplication::spoil_product() {
  constexpr std::uint8_t all_ones = 0xFF;
  device::Device& device = runtime_.device();
  device::check(device, device.fill(d_.data(), all_ones, d_.size_bytes(), stream_), "fill");
}

void Multiplication::multiply() {
  device::ProductOperands operands{.a = a_.data(),
                                   .b = b_.data(),
                                   .d = d_.data(),
                                   .workspace = workspace_.data(),
                                   .workspace_bytes = workspace_.size_bytes()};
  if (scales_.size() != 0) {
    operands.scale_a = scales_.data();
    operands.scale_b = scales_.data() + scales_.size() / 2;
  }
  device::Device& device = runtime_.device();
  device::check(device, device.multiply(product_, algorithm_, operands, stream_), "multiply");
}

void Multiplication::check() {
  device::Device& device = runtime_.device();
  const auto launch = [&]<typename T>(const T*) {
    const kernels::CheckKnownProduct<T> check{reinterpret_cast<const T*>(d_.data()),
                                              size_,
                                              size_,
                                              size_,
                                              row_factors_.data(),
                                              column_factors_.data(),
                                              tallies_.data(),
                                              wrong_in_tiles_.data()};
    device::check(device, device::launch(device, check, check.count(), stream_), "check_known_product");
  };
  switch (type_.d) {
    case ElementType::fp64:
      return launch(static_cast<const double*>(nullptr));
    case ElementType::fp16:
      return launch(static_cast<const kernels::Half*>(nullptr));
    case ElementType::bf16:
      return launch(static_cast<const kernels::BFloat16*>(nullptr));
    case ElementType::int32:
      return launch(static_cast<const std::int32_t*>(nullptr));
    default:
      return launch(static_cast<const float*>(nullptr));
  }
}

Findings Multiplication::findings() {
  Findings found;
  for (const ProductTally& tally : read(runtime_, tallies_.data(), tallies_.size(), stream_)) {
    found.tally.checked += tally.checked;
    found.tally.wrong += tally.wrong;
    found.tally.not_a_number += tally.not_a_number;
    found.tally.infinite += tally.infinite;
  }
  found.wrong_in_tiles = read(runtime_, wrong_in_tiles_.data(), wrong_in_tiles_.size(), stream_);
  return found;
}

std::vector<std::byte> Multiplication::read_elements(std::size_t place, std::size_t count) {
  const std::size_t bytes = element_bytes(type_.d);
  return read(runtime_, d_.data() + place * bytes, count * bytes, stream_);
}

std::vector<std::string> Multiplication::wrong_places(const Findings& findings) {
  constexpr std::size_t shown_tiles = 4;
  constexpr std::size_t shown_elements = 8;
  const std::size_t down = AnyCheck::tiles_over(size_);
  const std::size_t bytes = element_bytes(type_.d);
  std::vector<std::string> places;
  std::size_t tiles = 0;
  for (std::size_t tile = 0; tile < findings.wrong_in_tiles.size(); ++tile) {
    if (findings.wrong_in_tiles[tile] == 0) continue;
    if (++tiles > shown_tiles) break;
    const std::size_t first_row = tile % down * AnyCheck::tile;
    const std::size_t first_column = tile / down * AnyCheck::tile;
    places.push_back(fmt::format("{} wrong in rows {} to {}, columns {} to {}", findings.wrong_in_tiles[tile],
                                 first_row, std::min(first_row + AnyCheck::tile, size_) - 1, first_column,
                                 std::min(first_column + AnyCheck::tile, size_) - 1));
    const std::size_t rows = std::min(AnyCheck::tile, size_ - first_row);
    const std::size_t end_column = std::min(first_column + AnyCheck::tile, size_);
    std::size_t shown = 0;
    for (std::size_t column = first_column; column < end_column && shown < shown_elements; ++column) {
      const std::vector<std::byte> seen = read_elements(column * size_ + first_row, rows);
      for (std::size_t row = 0; row < rows && shown < shown_elements; ++row) {
        const std::int64_t expected = known_.d(first_row + row, column);
        const std::vector<std::byte> right = bytes_of(type_.d, expected);
        if (std::equal(right.begin(), right.end(), seen.begin() + static_cast<std::ptrdiff_t>(row * bytes))) continue;
        ++shown;
        places.push_back(fmt::format("row {}, column {}: expected {}, seen {}", first_row + row, column, expected,
                                     number_of(type_.d, &seen[row * bytes])));
      }
    }
    if (shown == 0) places.emplace_back("none of them is wrong when read again");
  }
  return places;
}

std::int64_t Multiplication::right_samples(std::size_t count) {
  std::int64_t right = 0;
  for (std::size_t i = 0; i < count; ++i) {
    // Wherever faults and blocks like to be: the first, the last, the middle, and here and there.
    const std::uint64_t drawn = kernels::mix(pattern_seed + i);
    std::size_t row = static_cast<std::size_t>(drawn >> 32U) % size_;
    std::size_t column = static_cast<std::size_t>(drawn & 0xFFFFFFFFU) % size_;
    if (i == 0) row = column = 0;
    if (i == 1) row = column = size_ - 1;
    if (i == 2) row = column = size_ / 2;
    const std::vector<std::byte> expected = bytes_of(type_.d, added_up(known_, row, column));
    right += read_elements(column * size_ + row, 1) == expected ? 1 : 0;
  }
  return right;
}

void Multiplication::work_out_digest(std::uint64_t* out) {
  device::Device& device = runtime_.device();
  device::check(device, device.fill(out, 0, sizeof(*out), stream_), "fill");
  const std::size_t words = d_.size_bytes() / sizeof(std::uint64_t);
  const kernels::DigestWords digest{reinterpret_cast<const std::uint64_t*>(d_.data()), words, out};
  constexpr unsigned threads = 256;
  constexpr std::size_t words_of_each = 32;
  const std::size_t blocks = words / (threads * words_of_each) + 1;
  const device::BlockShape shape{.threads = threads, .shared_bytes = threads * sizeof(std::uint64_t)};
  device::check(device, device::launch(device, digest, blocks * threads, shape, stream_), "digest_words");
}

std::uint64_t Multiplication::digest() {
  work_out_digest(digests_.data());
  return read_one(runtime_, digests_.data(), stream_);
}

void Multiplication::compare_digest() {
  work_out_digest(digests_.data() + 1);
  const kernels::CompareDigests compare{digests_.data() + 1, digests_.data(), digest_tally_.data()};
  device::Device& device = runtime_.device();
  device::check(device, device::launch(device, compare, 1, stream_), "compare_digests");
}

kernels::DigestTally Multiplication::digest_tally() { return read_one(runtime_, digest_tally_.data(), stream_); }

double Multiplication::operations() const noexcept {
  return 2.0 * static_cast<double>(product_.m) * static_cast<double>(product_.n) * static_cast<double>(product_.k);
}

constexpr std::size_t size_on_gpu = 8192;

std::size_t size_of(harness::Context& context) {
  const auto given = static_cast<std::size_t>(context.parameter<std::int64_t>("size"));
  const bool is_simulated = context.driver().kind() == "sim";
  if (given == 0) return is_simulated ? 64 : size_on_gpu;
  // Smaller products end before a GPU is at its speed, which is judged.
  if (!is_simulated && given < size_on_gpu / 2) {
    throw UsageError(
        fmt::format("size={} is too small for a GPU's speed to be judged: give {} at least", given, size_on_gpu / 2));
  }
  return whole_steps(given + step - 1);
}

harness::Parameter size_parameter() {
  return {.name = "size",
          .summary =
              "rows and columns of the matrices, in a multiple of 16; 0: 8192 on a GPU, 64 on the simulated "
              "device",
          .default_value = std::int64_t{0},
          .minimum = 0,
          .maximum = 65536,
          .smallest = 32};
}

}  // namespace gpucheck::cases::in_gemm
