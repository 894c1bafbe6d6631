#include <algorithm>

#include "device/tests/known_products.hpp"
#include "device/tests/stored_matrix.hpp"
#include "device/tests/suites.hpp"

// Products of matrices: cublasLtMatmul. The numbers are small and whole, so that every product and
// sum is exact in every type and order of summation.
namespace gpucheck::device::contract {
namespace {

constexpr std::uint64_t workspace_bytes = std::uint64_t{4} << 20;

/// From -2 to 2, without a pattern that rows and columns share.
int number(std::int64_t row, std::int64_t column, std::int64_t salt) {
  return static_cast<int>((row * 7 + column * 11 + row * column * 3 + salt) % 5) - 2;
}

int a_number(std::int64_t row, std::int64_t column) { return number(row, column, 1); }
int b_number(std::int64_t row, std::int64_t column) { return number(row, column, 3); }

/// An element of the product of op(A) and op(B) as above, times `factor`.
int product_number(std::int64_t row, std::int64_t column, int factor = 1) {
  int sum = 0;
  for (std::int64_t i = 0; i < k; ++i) sum += a_number(row, i) * b_number(i, column);
  return factor * sum;
}

std::vector<std::uint8_t> expected(const MatrixProduct& product, int factor = 1) {
  return stored(product.d, m, n, product.leading_d, false,
                [&](auto row, auto column) { return product_number(row, column, factor); });
}

}  // namespace

/// The matrices of one product on the device.
struct MatrixProducts::Matrices {
  DeviceArray<std::uint8_t> a;
  DeviceArray<std::uint8_t> b;
  DeviceArray<std::uint8_t> d;
  DeviceArray<std::uint8_t> workspace;

  [[nodiscard]] ProductOperands operands() const {
    return {.a = a.data(),
            .b = b.data(),
            .d = d.data(),
            .workspace = workspace.data(),
            .workspace_bytes = workspace.size()};
  }
};

void MatrixProducts::SetUp() {
  Contract::SetUp();
  if (IsSkipped() || HasFatalFailure()) return;
  const VendorLibrary library = device().math_library().value();
  if (library.problem.empty()) return;
  EXPECT_EQ(status_of(device().choose_algorithm(every_type().front(), 0)), Status::shared_object_init_failed);
  GTEST_SKIP() << "no library to test: " << library.problem;
}

void MatrixProducts::write(const DeviceArray<std::uint8_t>& array, const std::vector<std::uint8_t>& bytes,
                           Stream stream) const {
  check(device().copy(array.data(), bytes.data(), bytes.size(), CopyKind::host_to_device, stream), "copy");
}

MatrixProducts::Matrices MatrixProducts::make_matrices(const MatrixProduct& product, Stream stream) const {
  const auto a = stored(product.a, m, k, product.leading_a, product.transpose_a, a_number);
  const auto b = stored(product.b, k, n, product.leading_b, product.transpose_b, b_number);
  const auto d = stored(product.d, m, n, product.leading_d, false, [](auto, auto) { return 99; });
  Matrices matrices{make_array<std::uint8_t>(a.size()), make_array<std::uint8_t>(b.size()),
                    make_array<std::uint8_t>(d.size()), make_array<std::uint8_t>(workspace_bytes)};
  write(matrices.a, a, stream);
  write(matrices.b, b, stream);
  write(matrices.d, d, stream);
  return matrices;
}

ProductAlgorithm MatrixProducts::choose(const MatrixProduct& product) const {
  return device().choose_algorithm(product, workspace_bytes).value();
}

void MatrixProducts::expect_product(const MatrixProduct& product, std::uint64_t limit) const {
  const auto stream = make_stream();
  const Matrices matrices = make_matrices(product, stream.get());
  const ProductAlgorithm algorithm = device().choose_algorithm(product, limit).value();
  EXPECT_LE(algorithm.workspace_bytes, limit);
  EXPECT_NE(algorithm.description, "");
  ASSERT_EQ(device().multiply(product, algorithm, matrices.operands(), stream.get()), Status::success);
  EXPECT_EQ(read(matrices.d, stream.get()), expected(product));
}

namespace {

TEST_P(MatrixProducts, AreRightInEveryType) {
  for (const MatrixProduct& product : every_type()) {
    SCOPED_TRACE(name_of(product));
    expect_product(product, workspace_bytes);
  }
}

TEST_P(MatrixProducts, AreRightWithoutAWorkspace) {
  for (const MatrixProduct& product : every_type()) {
    SCOPED_TRACE(name_of(product));
    expect_product(product, 0);
  }
}

TEST_P(MatrixProducts, AreRightHoweverTheMatricesLie) {
  for (MatrixProduct product : every_type()) {
    if (element_bytes(product.a) == 1) continue;
    for (const bool transpose_a : {false, true}) {
      for (const bool transpose_b : {false, true}) {
        SCOPED_TRACE(name_of(product) + (transpose_a ? " T" : " N") + (transpose_b ? "T" : "N"));
        product.transpose_a = transpose_a;
        product.transpose_b = transpose_b;
        product.leading_a = transpose_a ? k : m;
        product.leading_b = transpose_b ? n : k;
        expect_product(product, workspace_bytes);
      }
    }
  }
}

TEST_P(MatrixProducts, LeaveWhatLiesBetweenColumnsAlone) {
  for (MatrixProduct product : every_type()) {
    SCOPED_TRACE(name_of(product));
    product.leading_a += 16;
    product.leading_b += 32;
    product.leading_d += 48;
    expect_product(product, workspace_bytes);
  }
}

TEST_P(MatrixProducts, AreScaled) {
  for (MatrixProduct product : every_type()) {
    if (product.a == ElementType::int8) continue;
    SCOPED_TRACE(name_of(product));
    const auto stream = make_stream();
    const Matrices matrices = make_matrices(product, stream.get());
    product.scale = 2;
    ASSERT_EQ(device().multiply(product, choose(product), matrices.operands(), stream.get()), Status::success);
    EXPECT_EQ(read(matrices.d, stream.get()), expected(product, 2));
  }
}

TEST_P(MatrixProducts, AddToWhatIsThere) {
  for (MatrixProduct product : every_type()) {
    if (element_bytes(product.a) == 1) continue;
    SCOPED_TRACE(name_of(product));
    const auto stream = make_stream();
    product.beta = 0.5;
    product.wide_partial_sums = true;
    const Matrices matrices = make_matrices(product, stream.get());
    write(matrices.d,
          stored(product.d, m, n, product.leading_d, false,
                 [](auto row, auto) { return static_cast<int>(2 * (row % 3)); }),
          stream.get());
    ASSERT_EQ(device().multiply(product, choose(product), matrices.operands(), stream.get()), Status::success);
    const auto sum = [](auto row, auto column) { return product_number(row, column) + static_cast<int>(row % 3); };
    EXPECT_EQ(read(matrices.d, stream.get()), stored(product.d, m, n, product.leading_d, false, sum));
  }
}

/// Three products of one A with three Bs, whose results lie apart.
TEST_P(MatrixProducts, OfABatchHaveOperandsOfTheirOwnOrTheSame) {
  constexpr std::int64_t batch = 3;
  constexpr std::int64_t between = 16;
  for (MatrixProduct product : every_type()) {
    if (element_bytes(product.a) == 1) continue;
    SCOPED_TRACE(name_of(product));
    product.batch = batch;
    product.batch_stride_b = k * n + between;
    product.batch_stride_d = m * n + between;
    const auto stream = make_stream();
    std::vector<std::uint8_t> b;
    std::vector<std::uint8_t> d;
    for (std::int64_t i = 0; i < batch; ++i) {
      const auto one_b =
          stored(product.b, k, n, k, false, [&](auto row, auto column) { return number(row, column, i); });
      const auto one_d = stored(product.d, m, n, m, false, [&](auto row, auto column) {
        int sum = 0;
        for (std::int64_t l = 0; l < k; ++l) sum += a_number(row, l) * number(l, column, i);
        return sum;
      });
      b.insert(b.end(), one_b.begin(), one_b.end());
      d.insert(d.end(), one_d.begin(), one_d.end());
      if (i + 1 == batch) break;
      b.resize(b.size() + static_cast<std::size_t>(between) * element_bytes(product.b), 7);
      d.resize(d.size() + static_cast<std::size_t>(between) * element_bytes(product.d), 7);
    }
    Matrices matrices = make_matrices(product, stream.get());
    matrices.b = make_array<std::uint8_t>(b.size());
    matrices.d = make_array<std::uint8_t>(d.size());
    write(matrices.b, b, stream.get());
    write(matrices.d, std::vector<std::uint8_t>(d.size(), 7), stream.get());
    ASSERT_EQ(device().multiply(product, choose(product), matrices.operands(), stream.get()), Status::success);
    EXPECT_EQ(read(matrices.d, stream.get()), d);
  }
}

TEST_P(MatrixProducts, OfFp8AreScaledByFactorsOnTheDevice) {
  MatrixProduct product =
      product_of(ElementType::fp8_e4m3, ElementType::fp8_e4m3, ElementType::bf16, ComputeType::fp32);
  product.fast_accumulation = true;
  const auto stream = make_stream();
  const Matrices matrices = make_matrices(product, stream.get());
  const auto factors = make_array<float>(128);  // a multiple of 256 bytes between the two
  run(kernels::Fill<float>{factors.data(), 4}, 64, stream.get());
  run(kernels::Fill<float>{factors.data() + 64, 0.5F}, 64, stream.get());
  ProductOperands operands = matrices.operands();
  operands.scale_a = factors.data();
  operands.scale_b = factors.data() + 64;
  ASSERT_EQ(device().multiply(product, choose(product), operands, stream.get()), Status::success);
  EXPECT_EQ(read(matrices.d, stream.get()), expected(product, 2));
}

TEST_P(MatrixProducts, ComeInStreamOrder) {
  const MatrixProduct product = every_type().front();
  const auto stream = make_stream();
  const Matrices matrices = make_matrices(product, stream.get());
  check(device().fill(matrices.a.data(), 0, matrices.a.bytes(), stream.get()), "fill");
  synchronize(stream.get());
  const auto late = make_pinned<std::uint8_t>(matrices.a.size());
  const auto a = stored(product.a, m, k, product.leading_a, product.transpose_a, a_number);
  check(device().host_access(writes(late.data(), late.bytes())), "host_access");
  std::ranges::copy(a, late.data());
  spin(stream.get());
  check(device().copy(matrices.a.data(), late.data(), late.bytes(), CopyKind::host_to_device, stream.get()), "copy");
  ASSERT_EQ(device().multiply(product, choose(product), matrices.operands(), stream.get()), Status::success);
  EXPECT_EQ(device().query(stream.get()), Status::not_ready);
  EXPECT_EQ(read(matrices.d, stream.get()), expected(product));
}

TEST_P(MatrixProducts, AreCaptured) {
  const MatrixProduct product = product_of(ElementType::bf16, ElementType::bf16, ElementType::bf16, ComputeType::fp32);
  const auto stream = make_stream();
  const Matrices matrices = make_matrices(product, stream.get());
  const ProductAlgorithm algorithm = choose(product);
  // Once before: a library may load code at the first use.
  ASSERT_EQ(device().multiply(product, algorithm, matrices.operands(), stream.get()), Status::success);
  synchronize(stream.get());
  const auto graph = capture(stream.get(), [&] {
    check(device().multiply(product, algorithm, matrices.operands(), stream.get()), "multiply");
  });
  EXPECT_GE(device().node_count(graph.get()).value(), 1U);
  check(device().fill(matrices.d.data(), 0, matrices.d.bytes(), stream.get()), "fill");
  launch(instantiate(graph), stream.get());
  EXPECT_EQ(read(matrices.d, stream.get()), expected(product));
}

TEST_P(MatrixProducts, WithoutWhatTheyNeedAreRefused) {
  const MatrixProduct product = every_type()[3];
  const auto stream = make_stream();
  const Matrices matrices = make_matrices(product, stream.get());
  ProductAlgorithm algorithm = choose(product);
  const ProductOperands right = matrices.operands();
  std::vector<ProductOperands> wrong(6, right);
  wrong[0].a = nullptr;
  wrong[1].b = nullptr;
  wrong[2].d = nullptr;
  wrong[3].a = matrices.a.data() + 16;
  wrong[4].d = matrices.d.data() + 128;
  wrong[5].workspace = matrices.workspace.data() + 8;
  for (const ProductOperands& operands : wrong) {
    EXPECT_EQ(device().multiply(product, algorithm, operands, stream.get()), Status::invalid_value);
  }
  algorithm.workspace_bytes = 512;
  ProductOperands small = right;
  small.workspace_bytes = 511;
  EXPECT_EQ(device().multiply(product, algorithm, small, stream.get()), Status::invalid_value);
  small = right;
  small.workspace = nullptr;
  EXPECT_EQ(device().multiply(product, algorithm, small, stream.get()), Status::invalid_value);
  EXPECT_EQ(read(matrices.d, stream.get()),
            stored(product.d, m, n, product.leading_d, false, [](auto, auto) { return 99; }));
}

TEST_P(MatrixProducts, TellWhichLibraryMultiplies) {
  const VendorLibrary library = device().math_library().value();
  EXPECT_NE(library.name, "");
  EXPECT_NE(library.version, "");
}

}  // namespace

}  // namespace gpucheck::device::contract
