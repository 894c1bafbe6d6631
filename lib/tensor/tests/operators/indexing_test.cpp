#include "tensor/operators/indexing/indexing.hpp"

#include <gtest/gtest.h>

#include "listed.hpp"
#include "runtime/trace/gpu_trace_sink.hpp"
#include "tensor/core/errors.hpp"
#include "tensor/operators/factories/factories.hpp"

// Operators with an index whose results are worked out by hand, on the host and on a simulated device.
namespace gpucheck::tensor::test {
namespace {

using Numbers = std::vector<double>;

class Indexing : public testing::TestWithParam<bool> {
 protected:
  [[nodiscard]] Device device() const { return GetParam() ? own_.device() : host; }
  [[nodiscard]] Tensor made(DType dtype, const Sizes& sizes, const Numbers& numbers) const {
    return listed(dtype, sizes, numbers, device());
  }

 private:
  OwnDevice own_;
};
INSTANTIATE_TEST_SUITE_P(Where, Indexing, testing::Values(false, true),
                         [](const auto& made) { return std::string(made.param ? "Device" : "Host"); });

TEST_P(Indexing, GatherTakesAlongADimension) {
  const Tensor truths = made(DType::boolean, {2, 2}, {0, 1, 1, 1});
  const Tensor picked = gather(truths, 1, made(DType::int64, {2, 2}, {0, 0, 1, 0}));
  EXPECT_EQ(numbers_of(picked), (Numbers{0, 0, 1, 1}));
  EXPECT_EQ(picked.dtype(), DType::boolean);
  const Tensor self = made(DType::complex128, {2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(numbers_of(gather(self, 0, made(DType::int64, {3, 2}, {1, 0, 0, 1, 1, 1}))), (Numbers{4, 2, 1, 5, 4, 5}));
  EXPECT_EQ(numbers_of(gather(self, -1, made(DType::int32, {1, 4}, {2, 2, 0, 1}))), (Numbers{3, 3, 1, 2}));
  const Tensor transposed = self.with_geometry({{3, 2}, {1, 3}, 0});
  EXPECT_EQ(numbers_of(gather(transposed, 1, made(DType::int64, {3, 1}, {1, 0, 1}))), (Numbers{4, 2, 6}));
  EXPECT_EQ(numbers_of(gather(made(DType::float32, {}, {7}), 0, made(DType::int64, {}, {0}))), Numbers{7});
  EXPECT_EQ(gather(self, 0, made(DType::int64, {0}, {})).sizes(), Sizes{0});
}

TEST_P(Indexing, GatherRefusesShapesAndTypesThatDoNotFit) {
  const Tensor self = made(DType::float32, {2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(error_of([&] {
              gather(self, 0, made(DType::float32, {1, 1}, {0}));
            }),
            "gather(): Expected dtype int32/int64 for index");
  EXPECT_EQ(error_of([&] { gather(self, 0, made(DType::int64, {1}, {0})); }),
            "Index tensor must have the same number of dimensions as input tensor");
  EXPECT_EQ(error_of([&] {
              gather(self, 0, made(DType::int64, {1, 4}, {0, 0, 0, 0}));
            }),
            "Size does not match at dimension 1 expected index [1, 4] to be no larger than self [2, 3] apart from "
            "dimension 0");
}

TEST_P(Indexing, AnIndexOutsideIsRefusedOrAsserted) {
  for (const double outside : {-1.0, 2.0}) {
    OwnDevice own;
    const Device where = GetParam() ? own.device() : host;
    const Tensor self = listed(DType::float32, {2}, {1, 2}, where);
    const Tensor index = listed(DType::int64, {1}, {outside}, where);
    const std::string error = error_of([&] { numbers_of(gather(self, 0, index)); });
    if (GetParam()) {
      EXPECT_NE(error.find("device-side assert"), std::string::npos) << error;
    } else {
      EXPECT_EQ(error,
                "index " + std::to_string(static_cast<int>(outside)) + " is out of bounds for dimension 0 with size 2");
    }
  }
}

TEST_P(Indexing, BinsCountNumbersOrTheirWeights) {
  const Numbers numbers{1, 4, 1, 0, 4, 4};
  for (const DType dtype : {DType::uint8, DType::int8, DType::int16, DType::int32, DType::int64}) {
    const Tensor counts = bincount(made(dtype, {6}, numbers));
    EXPECT_EQ(numbers_of(counts), (Numbers{1, 2, 0, 0, 3}));
    EXPECT_EQ(counts.dtype(), DType::int64);
  }
  const Tensor self = made(DType::int32, {6}, numbers);
  const Numbers weights{0.5, 1, 0.25, -2, 8, 16};
  const Tensor weighted = bincount(self, made(DType::float64, {6}, weights), 6);
  EXPECT_EQ(numbers_of(weighted), (Numbers{-2, 0.75, 0, 0, 25, 0}));
  EXPECT_EQ(weighted.dtype(), DType::float64);
  EXPECT_EQ(bincount(self, made(DType::float32, {6}, weights)).dtype(), DType::float32);
  const Tensor by_half = bincount(self, made(DType::float16, {6}, weights));
  EXPECT_EQ(by_half.dtype(), DType::float64);
  EXPECT_EQ(numbers_of(by_half), (Numbers{-2, 0.75, 0, 0, 25}));
  // Every second element of a row.
  EXPECT_EQ(numbers_of(bincount(self.with_geometry({{3}, {2}, 0}))), (Numbers{0, 2, 0, 0, 1}));
}

TEST_P(Indexing, BinsAreAtLeastAsManyAsWanted) {
  Numbers numbers(10, 0);
  numbers[0] = 35488;
  const Tensor counts = bincount(made(DType::int32, {10}, numbers), {}, 65536);
  EXPECT_EQ(counts.sizes(), Sizes{65536});
  const Numbers found = numbers_of(counts);
  EXPECT_EQ(found[0], 9);
  EXPECT_EQ(found[35488], 1);
  EXPECT_EQ(numbers_of(bincount(made(DType::int64, {0}, {}), {}, 2)), (Numbers{0, 0}));
}

TEST_P(Indexing, BinsRefuseWhatIsNoCount) {
  const std::string expected = "bincount only supports 1-d non-negative integral inputs.";
  EXPECT_EQ(error_of([&] { bincount(made(DType::int8, {2}, {3, -1})); }), expected);
  EXPECT_EQ(error_of([&] { bincount(made(DType::uint8, {1, 1}, {0})); }), expected);
  EXPECT_EQ(error_of([&] { bincount(made(DType::boolean, {1}, {1})); }),
            "\"bincount_cuda\" not implemented for 'Bool'");
  EXPECT_EQ(error_of([&] { bincount(made(DType::uint8, {1}, {1}), {}, -1); }), "minlength should be >= 0");
  EXPECT_EQ(error_of([&] {
              bincount(made(DType::uint8, {1}, {1}), made(DType::float32, {2}, {1, 1}));
            }),
            "weights should be 1-d and have the same length as input");
}

TEST_P(Indexing, ScatterPutsAlongADimension) {
  const Tensor index = made(DType::int64, {2, 2}, {0, 1, 2, 0});
  const Tensor src = made(DType::float32, {2, 3}, {1, 2, 9, 3, 4, 9});
  const Tensor self = zeros({3, 2}, DType::float32, device());
  EXPECT_EQ(numbers_of(scatter(self, 0, index, src)), (Numbers{1, 4, 0, 2, 3, 0}));
  EXPECT_EQ(numbers_of(self), (Numbers{0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(numbers_of(scatter_(self, 0, index, 5.5)), (Numbers{5.5, 5.5, 0, 5.5, 5.5, 0}));
  EXPECT_EQ(self.version(), 2U);
  EXPECT_EQ(error_of([&] {
              scatter(self, 0, index, made(DType::float64, {2, 2}, {0, 0, 0, 0}));
            }),
            "scatter(): Expected self.dtype to be equal to src.dtype");
  EXPECT_EQ(error_of([&] {
              scatter(self, 0, index, made(DType::float32, {1, 2}, {0, 0}));
            }),
            "Expected index [2, 2] to be no larger than self [3, 2] apart from dimension 0 and to be no larger size "
            "than src [1, 2]");
}

TEST_P(Indexing, ScatterAddsWhatMeetsInOnePlace) {
  for (const DType dtype : all_dtypes) {
    SCOPED_TRACE(to_text(dtype));
    const Tensor self = ones({2}, dtype, device());
    const Tensor added = scatter_add(self, 0, made(DType::int64, {4}, {1, 1, 1, 0}), made(dtype, {4}, {1, 2, 3, 4}));
    EXPECT_EQ(numbers_of(added), dtype == DType::boolean ? (Numbers{1, 1}) : (Numbers{5, 7}));
  }
  const Tensor bytes = made(DType::uint8, {1}, {250});
  EXPECT_EQ(numbers_of(scatter_add_(bytes, 0, made(DType::int64, {1}, {0}), made(DType::uint8, {1}, {10}))),
            Numbers{4});
}

TEST_P(Indexing, IndexSelectTakesSlices) {
  const Tensor self = made(DType::int16, {2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(numbers_of(index_select(self, 1, made(DType::int64, {4}, {2, 0, 0, 1}))),
            (Numbers{3, 1, 1, 2, 6, 4, 4, 5}));
  EXPECT_EQ(numbers_of(index_select(self, 0, made(DType::int32, {}, {1}))), (Numbers{4, 5, 6}));
  EXPECT_EQ(index_select(self, 0, made(DType::int64, {0}, {})).sizes(), (Sizes{0, 3}));
  EXPECT_THROW(index_select(self, 0, made(DType::int64, {1, 1}, {0})), IndexError);
  if (!GetParam()) {
    EXPECT_EQ(error_of([&] { index_select(self, 0, made(DType::int64, {1}, {-1})); }), "index out of range in self");
  }
}

TEST_P(Indexing, IndicesPickRowsAndElements) {
  const Tensor self = made(DType::int64, {3, 2}, {1, 2, 3, 4, 5, 6});
  const Tensor rows = index(self, {made(DType::int64, {3}, {2, 0, -1})});
  EXPECT_EQ(numbers_of(rows), (Numbers{5, 6, 1, 2, 5, 6}));
  EXPECT_EQ(rows.sizes(), (Sizes{3, 2}));
  EXPECT_EQ(numbers_of(index(self, {Tensor{}, made(DType::int64, {1}, {1})})), (Numbers{2, 4, 6}));
  // Two indices are repeated for each other: rows 2 and 0, columns 1, 0, 1.
  const Tensor both = index(self, {made(DType::int64, {2, 1}, {2, 0}), made(DType::int64, {3}, {1, 0, -1})});
  EXPECT_EQ(numbers_of(both), (Numbers{6, 5, 6, 2, 1, 2}));
  EXPECT_EQ(both.sizes(), (Sizes{2, 3}));
  // Indices that lie apart have their dimensions in front: of 2 x 3 x 2, elements [0, :, 1] and [1, :, 0].
  const Tensor cube = made(DType::float32, {2, 3, 2}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  const Tensor apart = index(cube, {made(DType::int64, {2}, {0, 1}), Tensor{}, made(DType::int64, {2}, {1, 0})});
  EXPECT_EQ(numbers_of(apart), (Numbers{1, 3, 5, 6, 8, 10}));
  EXPECT_EQ(index(self, {made(DType::int64, {0}, {})}).sizes(), (Sizes{0, 2}));
}

TEST_P(Indexing, MasksPickWhatIsTrue) {
  const Tensor self = made(DType::float32, {2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(numbers_of(index(self, {made(DType::boolean, {2, 3}, {1, 0, 0, 0, 1, 1})})), (Numbers{1, 5, 6}));
  EXPECT_EQ(numbers_of(index(self, {made(DType::boolean, {2}, {0, 1})})), (Numbers{4, 5, 6}));
  EXPECT_EQ(index(self, {made(DType::boolean, {2}, {0, 0})}).sizes(), (Sizes{0, 3}));
  EXPECT_EQ(error_of([&] {
              index(self, {made(DType::boolean, {3}, {0, 1, 1})});
            }),
            "The shape of the mask [3] at index 0 does not match the shape of the indexed tensor [2, 3] at index 0");
}

TEST_P(Indexing, IndicesThatDoNotFitAreRefused) {
  const Tensor self = made(DType::float32, {2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor two = made(DType::int64, {2}, {0, 1});
  const Tensor three = made(DType::int64, {3}, {0, 1, 0});
  EXPECT_EQ(error_of([&] { index(self, {two, two, two}); }), "too many indices for tensor of dimension 2 (got 3)");
  EXPECT_EQ(error_of([&] {
              index(self, {two, three});
            }),
            "shape mismatch: indexing tensors could not be broadcast together with shapes [2], [3]");
  EXPECT_EQ(error_of([&] { index(self, {made(DType::float32, {1}, {0})}); }),
            "tensors used as indices must be long, int, byte or bool tensors");
  if (GetParam()) return;
  EXPECT_EQ(error_of([&] {
              index(self, {made(DType::int64, {2}, {0, -3})});
            }),
            "index -3 is out of bounds for dimension 0 with size 2");
  EXPECT_EQ(error_of([&] {
              index(self, {two, made(DType::int64, {1}, {3})});
            }),
            "index 3 is out of bounds for dimension 1 with size 3");
}

TEST_P(Indexing, IndexPutReplacesOrAdds) {
  const Tensor self = zeros({3, 2}, DType::float16, device());
  const Tensor rows = made(DType::int64, {2}, {0, -1});
  EXPECT_EQ(numbers_of(index_put_(self, {rows}, made(DType::float16, {2}, {1, 2}))), (Numbers{1, 2, 0, 0, 1, 2}));
  const Tensor same = made(DType::int64, {3}, {1, 1, 1});
  EXPECT_EQ(numbers_of(index_put(self, {same, made(DType::int64, {1}, {0})}, made(DType::float16, {}, {4}), true)),
            (Numbers{1, 2, 12, 0, 1, 2}));
  EXPECT_EQ(
      numbers_of(index_put(self, {made(DType::boolean, {3, 2}, {0, 0, 0, 1, 1, 0})}, made(DType::float16, {}, {7}))),
      (Numbers{1, 2, 0, 7, 7, 2}));
  EXPECT_EQ(error_of([&] { index_put_(self, {rows}, made(DType::float32, {}, {1})); }),
            "Index put requires the source and destination dtypes match, got Half for the destination and Float for "
            "the source.");
  EXPECT_EQ(error_of([&] {
              index_put_(self, {rows}, made(DType::float16, {3}, {1, 2, 3}));
            }),
            "shape mismatch: value tensor of shape [3] cannot be broadcast to indexing result of shape [2, 2]");
}

TEST_P(Indexing, NonzeroFindsPlacesInTheirOrder) {
  const Tensor found = nonzero(made(DType::float32, {2, 3}, {0, nan_value, -0.0, 2, 0, 3}));
  EXPECT_EQ(numbers_of(found), (Numbers{0, 1, 1, 0, 1, 2}));
  EXPECT_EQ(found.sizes(), (Sizes{3, 2}));
  EXPECT_EQ(found.strides(), (Sizes{1, 3}));
  EXPECT_EQ(found.dtype(), DType::int64);
  EXPECT_EQ(nonzero(made(DType::int8, {2, 2}, {0, 0, 0, 0})).sizes(), (Sizes{0, 2}));
  EXPECT_EQ(nonzero(made(DType::int8, {0, 2}, {})).sizes(), (Sizes{0, 2}));
  EXPECT_EQ(nonzero(made(DType::int8, {}, {5})).sizes(), (Sizes{1, 0}));
  EXPECT_EQ(nonzero(made(DType::int8, {}, {0})).sizes(), (Sizes{0, 0}));
}

TEST_P(Indexing, NonzeroOfManyBlocks) {
  // Every seventh of 20000, and all of a row of 4096, as much as a block has.
  const Tensor self = zeros({20000}, DType::uint8, device());
  fill_(self.with_geometry({{2858}, {7}, 0}), 1);
  fill_(self.with_geometry({{4096}, {1}, 4096}), 1);
  Numbers expected;
  for (int i = 0; i < 20000; ++i) {
    if (i % 7 == 0 || (i >= 4096 && i < 8192)) expected.push_back(i);
  }
  EXPECT_EQ(numbers_of(nonzero(self)), expected);
}

TEST_P(Indexing, ReachesWhatLiesBeyondTwoToTheThirtyOne) {
  // Only the pages that are written take memory.
  constexpr std::int64_t rows = (std::int64_t{1} << 30) + 5;
  const Tensor self = make_empty({rows, 2}, DType::int8, device());
  const Tensor last_rows = self.with_geometry({{2, 2}, {2, 1}, (rows - 2) * 2});
  copy_(last_rows, made(DType::int8, {2, 2}, {1, 2, 3, 4}));
  const Tensor places = made(DType::int64, {2}, {rows - 1, -2});
  EXPECT_EQ(numbers_of(index(self, {places})), (Numbers{3, 4, 1, 2}));
  EXPECT_EQ(numbers_of(gather(self, 0, made(DType::int64, {1, 2}, {rows - 2, rows - 1}))), (Numbers{1, 4}));
  index_put_(self, {places, made(DType::int64, {2}, {1, 0})}, made(DType::int8, {2}, {7, 8}));
  scatter_add_(self, 0, made(DType::int64, {1, 1}, {rows - 1}), made(DType::int8, {1, 1}, {10}));
  EXPECT_EQ(numbers_of(last_rows), (Numbers{8, 2, 13, 7}));
  EXPECT_EQ(
      numbers_of(index_select(self.with_geometry({{2, rows}, {1, 2}, 0}), 1, made(DType::int32, {1}, {rows - 1}))),
      (Numbers{13, 7}));
}

/// What is reported of memory and waits, in order.
class Reported : public runtime::GpuTraceSink {
 public:
  void memory_allocation(std::uintptr_t) noexcept override { all.emplace_back("allocation"); }
  void memory_deallocation(std::uintptr_t) noexcept override { all.emplace_back("deallocation"); }
  void device_synchronization() noexcept override { all.emplace_back("device"); }
  void stream_synchronization(device::Stream) noexcept override { all.emplace_back("stream"); }
  void event_synchronization(device::Event) noexcept override { all.emplace_back("event"); }
  std::vector<std::string> all;
};

// lib/runtime/streams/tests/data/pytorch_2.11_h200.json: "hooks", "nonzero".
TEST(Nonzero, AllocatesAndWaitsAsPyTorchDoes) {
  OwnDevice own;
  const Tensor self = listed(DType::float32, {5}, {0.5, 0.25, 0, 0.75, 0.125}, own.device());
  Reported reported;
  own.runtime().set_gpu_trace_sink(&reported);
  const Tensor found = nonzero(self);
  own.runtime().set_gpu_trace_sink(nullptr);
  EXPECT_EQ(reported.all, (std::vector<std::string>{"allocation", "allocation", "deallocation", "stream", "allocation",
                                                    "allocation", "deallocation", "deallocation"}));
  EXPECT_EQ(numbers_of(found), (Numbers{0, 1, 3, 4}));
}

TEST_P(Indexing, MaskedFillKeepsEveryBitOfOthers) {
  for (const DType dtype : all_dtypes) {
    SCOPED_TRACE(to_text(dtype));
    const Tensor self = made(dtype, {2, 2}, {1, 0, 1, 1});
    const Tensor mask = made(DType::boolean, {2}, {0, 1});
    EXPECT_EQ(numbers_of(masked_fill(self, mask, 0)), (Numbers{1, 0, 1, 0}));
    EXPECT_EQ(masked_fill(self, mask, 0).dtype(), dtype);
    EXPECT_TRUE(masked_fill_(self, mask, made(dtype, {}, {1})).is_same(self));
    EXPECT_EQ(numbers_of(self), (Numbers{1, 1, 1, 1}));
  }
  const Tensor infinities = made(DType::bfloat16, {2}, {1, 2});
  EXPECT_EQ(numbers_of(masked_fill_(infinities, made(DType::boolean, {2}, {1, 0}), -infinite)),
            (Numbers{-infinite, 2}));
  EXPECT_EQ(error_of([&] {
              masked_fill(infinities, made(DType::uint8, {2}, {1, 0}), 1);
            }),
            "masked_fill only supports boolean masks, but got dtype Byte");
}

}  // namespace
}  // namespace gpucheck::tensor::test
