#include "tensor/operators/products/products.hpp"

#include <gtest/gtest.h>

#include "device/forwarding/forwarding_device.hpp"
#include "listed.hpp"
#include "tensor/libraries/precision.hpp"
#include "tensor/operators/factories/factories.hpp"
#include "tensor/operators/views/views.hpp"

// Products whose results are worked out by hand, on the host and on a simulated device.
namespace gpucheck::tensor::test {
namespace {

using Numbers = std::vector<double>;

class Products : public testing::TestWithParam<bool> {
 protected:
  [[nodiscard]] Device device() const { return GetParam() ? own_.device() : host; }
  [[nodiscard]] Tensor made(const Sizes& sizes, const Numbers& numbers, DType dtype = DType::float32) const {
    return listed(dtype, sizes, numbers, device());
  }
  /// 1, 2, 3, ...
  [[nodiscard]] Tensor counted(const Sizes& sizes, DType dtype = DType::float32) const {
    Numbers numbers(static_cast<std::size_t>(element_count(sizes)));
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i + 1);
    return made(sizes, numbers, dtype);
  }

 private:
  OwnDevice own_;
};
INSTANTIATE_TEST_SUITE_P(Where, Products, testing::Values(false, true),
                         [](const auto& info) { return std::string(info.param ? "Device" : "Host"); });

constexpr DType floating[]{DType::float16, DType::bfloat16, DType::float32, DType::float64};

TEST_P(Products, OfMatricesInEveryFloatingType) {
  for (const DType dtype : floating) {
    const Tensor product = mm(counted({2, 3}, dtype), counted({3, 2}, dtype));
    EXPECT_EQ(product.dtype(), dtype);
    EXPECT_EQ(product.sizes(), (Sizes{2, 2}));
    EXPECT_EQ(numbers_of(product), (Numbers{22, 28, 49, 64}));
  }
}

TEST_P(Products, OfWholeNumbersAreTheHostsAlone) {
  const Tensor a = made({1, 2}, {100, 100}, DType::int8);
  const Tensor b = made({2, 1}, {2, 1}, DType::int8);
  if (GetParam()) {
    EXPECT_EQ(error_of([&] { mm(a, b); }), "\"addmm_cuda\" not implemented for 'Char'");
  } else {
    EXPECT_EQ(numbers_of(mm(a, b)), Numbers{44}) << "300 wraps around";
  }
  const Tensor truths = made({1, 1}, {1}, DType::boolean);
  EXPECT_NE(error_of([&] { mm(truths, truths); }).find("not implemented for 'Bool'"), std::string::npos);
}

/// Transposed, with gaps, begun in the middle of a storage, repeated.
TEST_P(Products, OfMatricesThatLieInAnyWay) {
  const Tensor a = counted({4, 6});
  const Tensor b = counted({6, 4});
  const Numbers whole = numbers_of(mm(a, b));
  EXPECT_EQ(whole[0], 1. * 1 + 2. * 5 + 3. * 9 + 4. * 13 + 5. * 17 + 6. * 21);
  EXPECT_EQ(numbers_of(mm(t(b), t(a))), numbers_of(contiguous(t(mm(a, b)))));
  EXPECT_EQ(numbers_of(mm(a.with_geometry({{2, 2}, {6, 2}, 1}), b.with_geometry({{2, 2}, {8, 3}, 0}))),
            (Numbers{2 * 1 + 4 * 9, 2 * 4 + 4 * 12, 8 * 1 + 10 * 9, 8 * 4 + 10 * 12}));
  EXPECT_EQ(numbers_of(mm(a.with_geometry({{2, 3}, {0, 1}, 0}), b.with_geometry({{3, 1}, {0, 0}, 4}))),
            (Numbers{30, 30}));
}

TEST_P(Products, WithoutElements) {
  EXPECT_EQ(mm(counted({0, 3}), counted({3, 2})).sizes(), (Sizes{0, 2}));
  EXPECT_EQ(numbers_of(mm(counted({2, 0}), counted({0, 2}))), (Numbers{0, 0, 0, 0}));
  EXPECT_EQ(numbers_of(addmm(counted({2, 2}), counted({2, 0}), counted({0, 2}), 3)), (Numbers{3, 6, 9, 12}));
  EXPECT_EQ(numbers_of(dot(counted({0}), counted({0}))), Numbers{0});
  EXPECT_EQ(numbers_of(addbmm(counted({1, 2}), counted({0, 1, 5}), counted({0, 5, 2}), 2)), (Numbers{2, 4}));
  EXPECT_EQ(bmm(counted({0, 2, 3}), counted({0, 3, 2})).sizes(), (Sizes{0, 2, 2}));
}

TEST_P(Products, AreAddedToWhatIsThere) {
  const Tensor a = counted({2, 2});
  EXPECT_EQ(numbers_of(addmm(made({2}, {10, 20}), a, a)), (Numbers{17, 30, 25, 42}));
  EXPECT_EQ(numbers_of(addmm(made({}, {1}), a, a, 100, 2)), (Numbers{114, 120, 130, 144}));
  const Tensor self = made({2, 2}, {1, 2, 3, 4});
  EXPECT_TRUE(addmm_(self, a, a, 2, -1).is_same(self));
  EXPECT_EQ(numbers_of(self), (Numbers{-5, -6, -9, -14}));
  const Tensor nothing = made({2, 2}, {nan_value, infinite, 0, 0});
  EXPECT_EQ(numbers_of(addmm(nothing, a, a, 0)), (Numbers{7, 10, 15, 22})) << "not read";
}

TEST_P(Products, GoToWhereTheyAreAskedFor) {
  const Tensor a = counted({2, 2});
  const Tensor out = made({4, 2}, {0, 0, 0, 0, 0, 0, 0, 0});
  mm_out(a, a, t(out.with_geometry({{2, 2}, {4, 1}, 1})));
  EXPECT_EQ(numbers_of(out), (Numbers{0, 7, 15, 0, 0, 10, 22, 0})) << "transposed, with a gap, not aligned";
  const Tensor other = made({1}, {0});
  EXPECT_EQ(numbers_of(addmm_out(a, a, a, 1, 1, other)), (Numbers{8, 12, 18, 26})) << "resized";
  const std::uint64_t version = a.version();
  EXPECT_EQ(numbers_of(mm_out(a, a, a)), (Numbers{7, 10, 15, 22})) << "where an operand is";
  EXPECT_GT(a.version(), version);
  EXPECT_EQ(error_of([&] {
              mm_out(a, a, made({2, 2}, {0, 0, 0, 0}, DType::float64));
            }),
            "Expected out tensor to have dtype float, but got double instead");
}

TEST_P(Products, OfMatricesAndVectors) {
  const Tensor a = counted({2, 3});
  EXPECT_EQ(numbers_of(mv(a, made({3}, {1, 0, 2}))), (Numbers{7, 16}));
  EXPECT_EQ(numbers_of(mv(a, counted({6}).with_geometry({{3}, {2}, 0}))), (Numbers{22, 49}));
  EXPECT_EQ(numbers_of(mv(a, counted({1}).with_geometry({{3}, {0}, 0}))), (Numbers{6, 15}));
  EXPECT_EQ(numbers_of(addmv(made({1}, {5}), a, made({3}, {1, 1, 1}), 2, 3)), (Numbers{28, 55}));
  EXPECT_EQ(numbers_of(dot(counted({3}), made({3}, {2, 0, -1}))), Numbers{-1});
  EXPECT_EQ(dot(counted({3}), counted({3})).rank(), 0);
}

TEST_P(Products, OfBatches) {
  const Tensor a = counted({2, 1, 2});
  const Tensor b = counted({2, 2, 1});
  EXPECT_EQ(numbers_of(bmm(a, b)), (Numbers{5, 25}));
  EXPECT_EQ(numbers_of(bmm(expand(counted({1, 1, 2}), {2, 1, 2}), b)), (Numbers{5, 11})) << "the same for all";
  EXPECT_EQ(numbers_of(bmm(b, a)), (Numbers{1, 2, 2, 4, 9, 12, 12, 16}));
  EXPECT_EQ(numbers_of(baddbmm(made({1}, {100}), a, b, 1, 2)), (Numbers{110, 150}));
  EXPECT_EQ(numbers_of(addbmm(made({1, 1}, {100}), a, b, 2, 3)), Numbers{290});
  const Tensor out = counted({4, 4});
  bmm_out(b, a, out.with_geometry({{2, 2, 2}, {2, 4, 1}, 0}));
  EXPECT_EQ(numbers_of(out), (Numbers{1, 2, 9, 12, 2, 4, 12, 16, 9, 10, 11, 12, 13, 14, 15, 16}))
      << "matrices side by side in the rows of one";
}

TEST_P(Products, OfAnyRanks) {
  const auto sizes_of = [&](const Sizes& a, const Sizes& b) { return matmul(counted(a), counted(b)).sizes(); };
  EXPECT_EQ(sizes_of({3}, {3}), (Sizes{}));
  EXPECT_EQ(sizes_of({3}, {3, 2}), (Sizes{2}));
  EXPECT_EQ(sizes_of({2, 3}, {3}), (Sizes{2}));
  EXPECT_EQ(sizes_of({2, 3}, {3, 4}), (Sizes{2, 4}));
  EXPECT_EQ(sizes_of({5, 2, 3}, {3}), (Sizes{5, 2}));
  EXPECT_EQ(sizes_of({3}, {5, 3, 2}), (Sizes{5, 2}));
  EXPECT_EQ(sizes_of({5, 2, 3}, {3, 4}), (Sizes{5, 2, 4}));
  EXPECT_EQ(sizes_of({2, 3}, {5, 3, 4}), (Sizes{5, 2, 4}));
  EXPECT_EQ(sizes_of({6, 1, 2, 3}, {5, 3, 4}), (Sizes{6, 5, 2, 4}));
  EXPECT_EQ(sizes_of({0, 2, 3}, {3, 4}), (Sizes{0, 2, 4}));
}

TEST_P(Products, OfAnyRanksAreThoseOfTheirMatrices) {
  const Tensor row = made({2}, {1, 10});
  const Tensor pair = counted({2, 2, 2});
  EXPECT_EQ(numbers_of(matmul(row, pair)), (Numbers{31, 42, 75, 86}));
  EXPECT_EQ(numbers_of(matmul(pair, row)), (Numbers{21, 43, 65, 87}));
  const Tensor square = made({2, 2}, {1, 10, 0, 1});
  EXPECT_EQ(numbers_of(matmul(pair, square)), (Numbers{1, 12, 3, 34, 5, 56, 7, 78}));
  EXPECT_EQ(numbers_of(matmul(square, pair)), (Numbers{31, 42, 3, 4, 75, 86, 7, 8}));
  EXPECT_EQ(numbers_of(matmul(transpose(pair, 0, 1), square)), (Numbers{1, 12, 5, 56, 3, 34, 7, 78})) << "not folded";
  EXPECT_EQ(numbers_of(matmul(unsqueeze(pair, 1), expand(square, {1, 2, 2, 2}))),
            (Numbers{1, 12, 3, 34, 1, 12, 3, 34, 5, 56, 7, 78, 5, 56, 7, 78}));
}

TEST_P(Products, OfLayers) {
  const Tensor weight = made({3, 2}, {1, 0, 0, 1, 1, 1});
  const Tensor bias = made({3}, {10, 20, 30});
  EXPECT_EQ(numbers_of(linear(made({1, 2}, {5, 7}), weight)), (Numbers{5, 7, 12}));
  EXPECT_EQ(numbers_of(linear(made({1, 2}, {5, 7}), weight, bias)), (Numbers{15, 27, 42}));
  EXPECT_EQ(numbers_of(linear(made({2}, {5, 7}), weight, bias)), (Numbers{15, 27, 42}));
  const Tensor deep = linear(counted({2, 1, 2}), weight, bias);
  EXPECT_EQ(deep.sizes(), (Sizes{2, 1, 3}));
  EXPECT_EQ(numbers_of(deep), (Numbers{11, 22, 33, 13, 24, 37}));
}

TEST_P(Products, RefuseShapesAndTypesInPyTorchsWords) {
  const Tensor a = counted({2, 3});
  const Tensor vector = counted({3});
  EXPECT_EQ(error_of([&] { mm(a, counted({4, 5})); }), "mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)");
  EXPECT_EQ(error_of([&] { mm(vector, a); }), "self must be a matrix");
  EXPECT_EQ(error_of([&] { mm(a, vector); }), "mat2 must be a matrix");
  EXPECT_EQ(error_of([&] {
              mm(a, counted({3, 2}, DType::float64));
            }),
            GetParam() ? "expected mat1 and mat2 to have the same dtype, but got: float != double"
                       : "expected m1 and m2 to have the same dtype, but got: float != double");
  EXPECT_EQ(error_of([&] { addmm(a, vector, a); }), "mat1 must be a matrix, got 1-D tensor");
  EXPECT_EQ(error_of([&] {
              addmm(a, a, counted({3, 2}, DType::float16));
            }),
            "self and mat2 must have the same dtype, but got Float and Half");
  EXPECT_EQ(error_of([&] {
              addmm_(vector, a, counted({3, 3}));
            }),
            "Bad in-place call: input tensor size [3] and output tensor size [2, 3] should match");
  EXPECT_EQ(error_of([&] { mv(a, counted({2})); }), "size mismatch, got input (2), mat (2x3), vec (2)");
  EXPECT_EQ(error_of([&] { mv(vector, vector); }), "vector + matrix @ vector expected, got 1, 1, 1");
  EXPECT_EQ(error_of([&] { dot(a, vector); }), "1D tensors expected, but got 2D and 1D tensors");
  EXPECT_EQ(error_of([&] { dot(vector, counted({4})); }),
            "inconsistent tensor size, expected tensor [3] and src [4] to have the same number of elements, but got 3 "
            "and 4 elements respectively");
  EXPECT_EQ(error_of([&] { bmm(a, a); }), "batch1 must be a 3D tensor");
  EXPECT_EQ(error_of([&] {
              bmm(counted({2, 2, 3}), counted({2, 4, 3}));
            }),
            "Expected size for first two dimensions of batch2 tensor to be: [2, 3] but got: [2, 4].");
  EXPECT_EQ(error_of([&] { matmul(counted({}), a); }),
            "both arguments to matmul need to be at least 1D, but they are 0D and 2D");
}

TEST(ProductsOfTwoPlaces, AreRefusedInPyTorchsWords) {
  const OwnDevice own;
  const Tensor here = ones({10, 10});
  const Tensor there = ones({10, 10}, DType::float32, own.device());
  const auto text = [](std::string_view name, std::string_view place, std::string_view other, std::string_view method) {
    return "Expected all tensors to be on the same device, but got " + std::string(name) + " is on " +
           std::string(place) + ", different from other tensors on " + std::string(other) +
           " (when checking argument in method " + std::string(method) + ")";
  };
  EXPECT_EQ(error_of([&] { matmul(here, there); }), text("mat2", "cuda:0", "cpu", "wrapper_CUDA_mm"));
  EXPECT_EQ(error_of([&] { matmul(there, here); }), text("mat2", "cpu", "cuda:0", "wrapper_CUDA_mm"));
  EXPECT_EQ(error_of([&] { addmm(here, there, there); }), text("mat1", "cuda:0", "cpu", "wrapper_CUDA_addmm"));
  EXPECT_EQ(error_of([&] { mm_out(there, there, here); }), text("self", "cuda:0", "cpu", "wrapper_CUDA_mm_out_out"));
}

/// The simulated library rounds operands of TF32 as tensor cores do.
TEST(ProductsOfFloat32, AreRoundedWhereThatIsAllowed) {
  const OwnDevice own;
  const Tensor a = full({1, 1}, 1 + 0x1p-12, DType::float32, own.device());
  const Tensor one = ones({1, 1}, DType::float32, own.device());
  EXPECT_EQ(numbers_of(mm(a, one)), Numbers{1 + 0x1p-12});
  const MatmulSettings before = matmul_settings();
  set_allow_tf32(true);
  EXPECT_EQ(numbers_of(mm(a, one)), Numbers{1});
  set_matmul_settings(before);
  EXPECT_EQ(numbers_of(mm(a, one)), Numbers{1 + 0x1p-12});
}

/// A simulated device whose library is missing, or does not do products of these types.
class LibraryMissing : public device::ForwardingDevice {
 public:
  LibraryMissing(std::unique_ptr<device::Device> inner, bool is_there)
      : ForwardingDevice(std::move(inner)), is_there_(is_there) {}
  device::Result<device::VendorLibrary> math_library() override {
    return device::VendorLibrary{"cuBLASLt", is_there_ ? "13.0.0" : "", is_there_ ? "" : "not installed"};
  }
  device::Result<device::ProductAlgorithm> choose_algorithm(const device::MatrixProduct&, std::uint64_t) override {
    return is_there_ ? device::Status::not_supported : device::Status::shared_object_init_failed;
  }

 private:
  bool is_there_;
};

class WithoutLibrary : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Products, WithoutLibrary, testing::Values(false, true),
                         [](const auto& info) { return std::string(info.param ? "NotSupported" : "Missing"); });

TEST_P(WithoutLibrary, APlainKernelMultiplies) {
  const auto driver = sim::make_driver({.profile = sim::profile("h100")});
  LibraryMissing device(driver->open(0).value(), GetParam());
  runtime::Runtime runtime(device);
  for (const DType dtype : floating) {
    const Tensor a = listed(dtype, {2, 2, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, runtime);
    const Tensor b = listed(dtype, {2, 3, 2}, {1, 0, 0, 1, 1, 1, 2, 0, 0, 2, 1, 1}, runtime);
    EXPECT_EQ(numbers_of(bmm(a, b)), (Numbers{4, 5, 10, 11, 23, 25, 32, 34}));
    const Tensor self = listed(dtype, {2}, {10, 20}, runtime);
    EXPECT_EQ(numbers_of(baddbmm(self, a, b, 2, 3)), (Numbers{32, 55, 50, 73, 89, 115, 116, 142}));
    EXPECT_EQ(numbers_of(mm(select(a, 0, 0), t(select(a, 0, 0)))), (Numbers{14, 32, 32, 77}));
  }
}

}  // namespace
}  // namespace gpucheck::tensor::test
