#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <new>
#include <optional>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "device/kernels/bandwidth.hpp"
#include "device/kernels/block_probes.hpp"
#include "device/kernels/broken_memory.hpp"
#include "device/kernels/checks.hpp"
#include "device/kernels/elementwise.hpp"
#include "device/kernels/graph_random.hpp"
#include "device/kernels/layout.hpp"
#include "device/kernels/memtest.hpp"
#include "device/kernels/multiprocessors.hpp"
#include "device/kernels/products.hpp"
#include "device/kernels/random.hpp"
#include "device/kernels/random_discrete.hpp"
#include "device/kernels/random_inputs.hpp"
#include "device/kernels/reduce.hpp"
#include "device/kernels/sampling.hpp"
#include "device/kernels/sorting.hpp"
#include "device/kernels/strided.hpp"
#include "device/kernels/views.hpp"

// What a kernel states to read and write is what it touches, from the first byte to the
// last: races and bounds are judged by nothing else. Each array lies between pages that
// nobody may touch, either beginning or ending where such a page does.
namespace gpucheck::device::kernels {
namespace {

constexpr std::size_t page_bytes = 4096;

/// An array of zeros beside a page that may not be touched.
class GuardedArray {
 public:
  enum class Side { begin, end };

  /// With `over_edge` the element at that side lies beyond it.
  GuardedArray(std::size_t bytes, std::size_t element_bytes, Side side, bool over_edge)
      : pages_((bytes + page_bytes - 1) / page_bytes) {
    mapping_ = ::mmap(nullptr, (pages_ + 2) * page_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping_ == MAP_FAILED) throw std::bad_alloc();
    protect(PROT_READ | PROT_WRITE);
    std::byte* const first = static_cast<std::byte*>(mapping_) + page_bytes;
    const std::size_t beyond = over_edge ? element_bytes : 0;
    data_ = side == Side::begin ? first - beyond : first + pages_ * page_bytes - bytes + beyond;
  }
  GuardedArray(const GuardedArray&) = delete;
  GuardedArray& operator=(const GuardedArray&) = delete;
  ~GuardedArray() { ::munmap(mapping_, (pages_ + 2) * page_bytes); }

  [[nodiscard]] void* data() const { return data_; }
  void protect(int protection) const {
    ASSERT_EQ(::mprotect(static_cast<std::byte*>(mapping_) + page_bytes, pages_ * page_bytes, protection), 0);
  }

 private:
  std::size_t pages_;
  void* mapping_ = nullptr;
  std::byte* data_ = nullptr;
};

/// The arrays of one kernel, in the order in which it states them.
class Arrays {
 public:
  using Side = GuardedArray::Side;
  /// `over_edge`: which of them lies one element too far.
  explicit Arrays(Side side, std::optional<std::size_t> over_edge = {}) : side_(side), over_edge_(over_edge) {}

  template <typename T>
  T* add(std::size_t count) {
    bytes_.push_back(count * sizeof(T));
    arrays_.push_back(std::make_unique<GuardedArray>(bytes_.back(), sizeof(T), side_, over_edge_ == arrays_.size()));
    return static_cast<T*>(arrays_.back()->data());
  }

  [[nodiscard]] std::size_t size() const { return arrays_.size(); }
  [[nodiscard]] std::size_t bytes(std::size_t index) const { return bytes_[index]; }
  [[nodiscard]] const GuardedArray& operator[](std::size_t index) const { return *arrays_[index]; }

 private:
  Side side_;
  std::optional<std::size_t> over_edge_;
  std::vector<std::size_t> bytes_;
  std::vector<std::unique_ptr<GuardedArray>> arrays_;
};

/// Whether `body` ends in a child process without touching what it may not.
bool survives(const std::function<void()>& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGSEGV, SIG_DFL);
    std::signal(SIGBUS, SIG_DFL);
    body();
    ::_exit(0);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// A launch, and how to make its kernel for given arrays.
template <typename Functor>
struct Launch {
  Functor (*make)(Arrays& arrays);
  std::size_t count = 1;
  BlockShape block{};
  std::size_t always_touched = 3;  ///< the arrays after these are touched by chance
};

template <typename Functor>
bool runs(const Launch<Functor>& launch, const Functor& functor) {
  return survives([&] {
    FailedAssertion failed;
    kernel<Functor>.run_on_host(&functor, launch.count, launch.block, failed);
  });
}

template <typename Functor>
void expect_exact(const Launch<Functor>& launch) {
  SCOPED_TRACE(Functor::name);
  for (const auto side : {Arrays::Side::begin, Arrays::Side::end}) {
    SCOPED_TRACE(side == Arrays::Side::begin ? "at its begin" : "at its end");
    Arrays arrays(side);
    const Functor functor = launch.make(arrays);
    const auto accesses = functor.accesses(launch.count);
    ASSERT_EQ(accesses.size(), arrays.size());
    for (std::size_t i = 0; i < accesses.size(); ++i) {
      EXPECT_EQ(accesses[i].address, arrays[i].data()) << "access " << i;
      EXPECT_EQ(accesses[i].bytes, arrays.bytes(i)) << "access " << i;
      if (accesses[i].mode == AccessMode::read) arrays[i].protect(PROT_READ);
    }
    EXPECT_TRUE(runs(launch, functor)) << "touches more than it states";
    for (std::size_t i = 0; i < std::min(accesses.size(), launch.always_touched); ++i) {
      Arrays moved(side, i);
      EXPECT_FALSE(runs(launch, launch.make(moved))) << "does not touch all that it states in access " << i;
      if (accesses[i].mode == AccessMode::read) continue;
      arrays[i].protect(PROT_READ);
      EXPECT_FALSE(runs(launch, functor)) << "does not write in access " << i;
      arrays[i].protect(PROT_READ | PROT_WRITE);
    }
  }
}

TEST(DeclaredExtents, OfElementwiseKernels) {
  expect_exact(Launch<Fill<float>>{[](Arrays& at) { return Fill<float>{at.add<float>(9), 1}; }, 9});
  expect_exact(Launch<Iota<std::int32_t>>{[](Arrays& at) {
                                            return Iota<std::int32_t>{at.add<std::int32_t>(9), 1};
                                          },
                                          9});
  expect_exact(Launch<AddScalar<std::int64_t>>{[](Arrays& at) {
                                                 const auto* in = at.add<std::int64_t>(9);
                                                 return AddScalar<std::int64_t>{in, at.add<std::int64_t>(9), 1};
                                               },
                                               9});
  expect_exact(Launch<AddArrays<std::uint8_t>>{[](Arrays& at) {
                                                 const auto* a = at.add<std::uint8_t>(9);
                                                 const auto* b = at.add<std::uint8_t>(17);
                                                 return AddArrays<std::uint8_t>{a, b, at.add<std::uint8_t>(9), 2};
                                               },
                                               9});
  expect_exact(Launch<AddArrays<std::uint8_t>>{[](Arrays& at) {
                                                 const auto* a = at.add<std::uint8_t>(9);
                                                 const auto* b = at.add<std::uint8_t>(1);
                                                 return AddArrays<std::uint8_t>{a, b, at.add<std::uint8_t>(9), 0};
                                               },
                                               9});
  expect_exact(Launch<Count>{[](Arrays& at) { return Count{at.add<std::uint64_t>(1), 1}; }, 5});
  expect_exact(Launch<RequireBelow>{[](Arrays& at) { return RequireBelow{at.add<std::int32_t>(9), 1}; }, 9});
}

TEST(DeclaredExtents, OfKernelsThatBreakMemory) {
  expect_exact(Launch<FlipBit>{[](Arrays& at) { return FlipBit{at.add<std::uint8_t>(1), 1}; }});
  expect_exact(Launch<StickBit>{[](Arrays& at) { return StickBit{at.add<std::uint8_t>(1), 1}; }});
  expect_exact(Launch<AliasAddressLine>{[](Arrays& at) {
                                          return AliasAddressLine{at.add<std::uint64_t>(8), 8, 4, 0};
                                        },
                                        8});
}

/// Memory of nine vectors, as many as two invocations take in one turn and one more.
TestedMemory nine_vectors(Arrays& at) { return {.data = at.add<TwoWords>(9), .vectors = 9}; }

template <bool replace>
ComparePattern<RepeatedWord, replace> compare_nine(Arrays& at) {
  const TestedMemory memory = nine_vectors(at);
  auto* const compared = at.add<SpreadCounter>(1);
  return {memory, {1}, 0, 0, at.add<MismatchLog>(1), compared};
}

TEST(DeclaredExtents, OfMemoryTests) {
  expect_exact(Launch<WritePattern<OwnAddress>>{[](Arrays& at) {
                                                  return WritePattern<OwnAddress>{nine_vectors(at), {}};
                                                },
                                                2});
  expect_exact(Launch<VerifyPattern<RepeatedWord>>{.make = compare_nine<false>, .count = 2, .always_touched = 2});
  expect_exact(Launch<ReplacePattern<RepeatedWord>>{.make = compare_nine<true>, .count = 2, .always_touched = 2});
}

TEST(DeclaredExtents, OfKernelsWithStridesAndVectors) {
  expect_exact(Launch<FillStrided<float>>{[](Arrays& at) {
                                            return FillStrided<float>{at.add<float>(13), 13, 3, 1};
                                          },
                                          5});
  expect_exact(Launch<FillVectors<float>>{[](Arrays& at) {
                                            return FillVectors<float>{at.add<Vector<float>>(3)->lanes, 12, 1};
                                          },
                                          3});
  expect_exact(Launch<VerifyStrided<float>>{[](Arrays& at) {
                                              const auto* data = at.add<float>(13);
                                              return VerifyStrided<float>{data, 13, 3, 1, at.add<Tally>(1)};
                                            },
                                            2});
  expect_exact(Launch<VerifyVectors<float>>{[](Arrays& at) {
                                              const auto* data = at.add<Vector<float>>(3)->lanes;
                                              return VerifyVectors<float>{data, 12, 1, at.add<Tally>(1)};
                                            },
                                            2});
  expect_exact(Launch<ReadVectors>{.make =
                                       [](Arrays& at) {
                                         const auto* in = at.add<Vector<std::uint32_t>>(9);
                                         return ReadVectors{in, 9, at.add<std::uint64_t>(1)};
                                       },
                                   .count = 2,
                                   .always_touched = 1});
  expect_exact(Launch<SumWords>{[](Arrays& at) {
                                  const auto* in = at.add<Vector<std::uint64_t>>(9);
                                  return SumWords{in, 9, at.add<SpreadCounter>(1)};
                                },
                                2});
  expect_exact(Launch<CopyVectors>{[](Arrays& at) {
                                     const auto* in = at.add<Vector<std::uint64_t>>(9);
                                     return CopyVectors{in, at.add<Vector<std::uint64_t>>(9), 9};
                                   },
                                   2});
  expect_exact(Launch<LinkLines>{[](Arrays& at) { return LinkLines{at.add<LinkedLine>(8), 8, 5, 3}; }, 8});
  expect_exact(Launch<FollowLinks>{[](Arrays& at) {
    const auto* lines = at.add<LinkedLine>(1);
    return FollowLinks{lines, 1, 1, at.add<std::uint64_t>(1)};
  }});
  expect_exact(Launch<Convert<float, std::int64_t>>{[](Arrays& at) {
                                                      const auto* in = at.add<float>(9);
                                                      return Convert<float, std::int64_t>{in, at.add<std::int64_t>(9)};
                                                    },
                                                    9});
  expect_exact(Launch<CopyStrided<std::int64_t>>{[](Arrays& at) {
                                                   const auto* in = at.add<std::int64_t>(10);
                                                   return CopyStrided<std::int64_t>{in, 10, 2,
                                                                                    1,  5,  at.add<std::int64_t>(10)};
                                                 },
                                                 10});
}

constexpr Layout rows_of(std::size_t batches, std::size_t rows, std::size_t columns) {
  return {.rank = 3, .sizes = {batches, rows, columns}, .strides = {rows * columns, columns, 1}};
}

TEST(DeclaredExtents, OfKernelsOnViews) {
  expect_exact(Launch<AddViews>{
      [](Arrays& at) {
        const View<const float> a{at.add<float>(12), rows_of(2, 3, 2)};
        const View<const float> b{at.add<float>(6), {.rank = 3, .sizes = {2, 3, 2}, .strides = {0, 2, 1}}};
        return AddViews{a, b, {at.add<float>(12), rows_of(2, 3, 2)}};
      },
      12});
  expect_exact(Launch<MultiplyMatrices>{[](Arrays& at) {
                                          const View<const float> a{at.add<float>(12), rows_of(2, 2, 3)};
                                          const View<const float> b{at.add<float>(12), rows_of(2, 3, 2)};
                                          return MultiplyMatrices{a, b, {at.add<float>(8), rows_of(2, 2, 2)}};
                                        },
                                        8});
}

TEST(DeclaredExtents, OfKernelsThatDrawAndCheck) {
  expect_exact(Launch<RequireNonzero<ComplexFloat>>{
      [](Arrays& at) { return RequireNonzero<ComplexFloat>{at.add<ComplexFloat>(1)}; }});
  expect_exact(Launch<IndexRows<float>>{[](Arrays& at) {
                                          const auto* in = at.add<float>(4);
                                          const auto* indices = at.add<std::int64_t>(3);
                                          return IndexRows<float>{in, 1, 4, indices, at.add<float>(12)};
                                        },
                                        12});
}

/// Where the numbers of a kernel in a graph begin, which it reads.
PhiloxStart random_in_graph(Arrays& at) {
  PhiloxStart start;
  start.seed_at = at.add<std::int64_t>(1);
  start.offset_at = at.add<std::int64_t>(1);
  return start;
}

template <unsigned width>
Dropout<float> dropout_of_24(Arrays& at) {
  const auto* in = at.add<float>(24);
  auto* out = at.add<float>(24);
  auto* mask = at.add<bool>(24);
  return {in, out, mask, 24, width, 0.5F, 2, random_in_graph(at)};
}

TEST(DeclaredExtents, OfRandomNumbers) {
  expect_exact(Launch<Draw<Uniform<float>>>{[](Arrays& at) {
                                              auto* out = at.add<float>(9);
                                              return Draw<Uniform<float>>{out, 9, 4, random_in_graph(at), {1, 0, 1}};
                                            },
                                            1});
  expect_exact(Launch<Draw<UniformInteger64<std::int8_t>>>{
      [](Arrays& at) {
        auto* out = at.add<std::int8_t>(9);
        return Draw<UniformInteger64<std::int8_t>>{out, 9, 4, random_in_graph(at), {100, 0}};
      },
      2});
  expect_exact(
      Launch<BernoulliEach<float, float>>{[](Arrays& at) {
                                            const auto* in = at.add<float>(9);
                                            auto* out = at.add<float>(9);
                                            return BernoulliEach<float, float>{in, out, 9, random_in_graph(at)};
                                          },
                                          3});
  expect_exact(Launch<Poisson<float>>{[](Arrays& at) {
                                        const auto* in = at.add<float>(9);
                                        auto* out = at.add<float>(9);
                                        return Poisson<float>{in, out, random_in_graph(at)};
                                      },
                                      9});
  expect_exact(Launch<Dropout<float>>{dropout_of_24<1>, 2});
  expect_exact(Launch<Dropout<float>>{dropout_of_24<2>, 2});
  expect_exact(Launch<Dropout<float>>{dropout_of_24<8>, 2});
  expect_exact(Launch<RandomizedRelu<float>>{[](Arrays& at) {
                                               const auto* in = at.add<float>(9);
                                               auto* out = at.add<float>(9);
                                               auto* slopes = at.add<float>(9);
                                               return RandomizedRelu<float>{
                                                   in, out, slopes, 9, 0, 1, random_in_graph(at)};
                                             },
                                             2});
  expect_exact(Launch<SetGraphRandom>{[](Arrays& at) {
    auto* seed = at.add<std::int64_t>(1);
    return SetGraphRandom{1, 2, seed, at.add<std::int64_t>(1)};
  }});
}

TEST(DeclaredExtents, OfSampling) {
  constexpr std::size_t many = 4001;
  expect_exact(Launch<SumTilesBefore<float>>{[](Arrays& at) {
                                               const auto* sums = at.add<float>(69);
                                               return SumTilesBefore<float>{sums, at.add<float>(70)};
                                             },
                                             70});
  expect_exact(
      Launch<CheckWeights<float>>{[](Arrays& at) {
                                    const auto* weights = at.add<float>(2 * many);
                                    auto* wrong = at.add<std::uint64_t>(1);
                                    return CheckWeights<float>{weights, 2, many, wrong, at.add<std::uint64_t>(2)};
                                  },
                                  8,
                                  {},
                                  1});
  expect_exact(Launch<DivideWeights<float>>{[](Arrays& at) {
                                              const auto* weights = at.add<float>(9);
                                              return DivideWeights<float>{weights, at.add<float>(9)};
                                            },
                                            9});
  expect_exact(Launch<NormalizeRows<float>>{[](Arrays& at) {
                                              const auto* weights = at.add<float>(80);
                                              return NormalizeRows<float>{weights, 2, 40, at.add<float>(80)};
                                            },
                                            128, BlockShape{64, 96 * sizeof(float)}});
  expect_exact(Launch<FindGreatest<float>>{[](Arrays& at) {
                                             const auto* values = at.add<float>(80);
                                             return FindGreatest<float>{values, 2, 40, at.add<std::int64_t>(2)};
                                           },
                                           512, FindGreatest<float>::block()});
}

CountDigits<std::uint32_t> count_digits(Arrays& at) {
  const Digit<std::uint32_t> digit{at.add<std::uint32_t>(100), 100, 40, 0, 15, 0};
  return {digit, at.add<std::uint64_t>(48)};
}

TEST(DeclaredExtents, OfSorting) {
  constexpr std::size_t count = 100;
  expect_exact(Launch<CountDigits<std::uint32_t>>{count_digits, 3});
  expect_exact(Launch<AccumulateCounts>{[](Arrays& at) {
                                          return AccumulateCounts{at.add<std::uint64_t>(48), 48};
                                        },
                                        AccumulateCounts::threads, AccumulateCounts::block()});
  expect_exact(Launch<ShuffleEqualKeys<std::uint32_t>>{
      [](Arrays& at) {
        const auto* keys = at.add<std::uint32_t>(count);
        auto* values = at.add<std::int64_t>(count);
        return ShuffleEqualKeys<std::uint32_t>{keys, values, 15, random_in_graph(at)};
      },
      count});
  expect_exact(Launch<DescendingKeys<float>>{[](Arrays& at) {
                                               const auto* values = at.add<float>(9);
                                               return DescendingKeys<float>{values, at.add<std::uint32_t>(9)};
                                             },
                                             9});
}

TEST(DeclaredExtents, OfBlockKernels) {
  constexpr std::size_t elements = 1001;
  constexpr SumShape integers = sum_shape<std::int64_t>(elements);
  expect_exact(Launch<SumIntegers>{[](Arrays& at) {
                                     const auto* in = at.add<std::int64_t>(elements);
                                     return SumIntegers{in, elements, at.add<std::uint64_t>(1)};
                                   },
                                   integers.count(), integers.block()});
  constexpr std::size_t many = 20'003;
  constexpr SumShape floats = sum_shape<float>(many);
  static_assert(floats.blocks > 1);
  expect_exact(Launch<SumPartially<float>>{[](Arrays& at) {
                                             const auto* in = at.add<float>(many);
                                             return SumPartially<float>{in, many, at.add<double>(floats.blocks)};
                                           },
                                           floats.count(), floats.block()});
  expect_exact(Launch<RotateInBlocks>{[](Arrays& at) { return RotateInBlocks{at.add<std::uint64_t>(100)}; },
                                      100,
                                      {.threads = 32, .shared_bytes = 256}});
  expect_exact(Launch<CheckSharedMemory>{[](Arrays& at) { return CheckSharedMemory{at.add<SharedMemoryTally>(1)}; },
                                         64,
                                         {.threads = 32, .shared_bytes = 256}});
  expect_exact(Launch<CountFrom>{[](Arrays& at) {
                                   return CountFrom{0, at.add<std::uint64_t>(2)};
                                 },
                                 64,
                                 {.threads = 32}});
}

constexpr KnownProduct known{.seed = 1, .depth = 12, .magnitude = 5};
constexpr std::size_t classes = KnownProduct::classes;

TEST(DeclaredExtents, OfProductKernels) {
  expect_exact(
      Launch<FillKnownOperand<float>>{[](Arrays& at) {
                                        return FillKnownOperand<float>{at.add<float>(2 * 20 + 12), 20, true, known};
                                      },
                                      std::size_t{3} * 12});
  expect_exact(Launch<FillKnownFactors>{[](Arrays& at) {
                                          return FillKnownFactors{at.add<std::int32_t>(5 * classes), 5, false, known};
                                        },
                                        5 * classes});
  expect_exact(Launch<CheckKnownProduct<float>>{
      [](Arrays& at) {
        const auto* d = at.add<float>(2 * 8 + 4);
        const auto* of_rows = at.add<std::int32_t>(4 * classes);
        const auto* of_columns = at.add<std::int32_t>(3 * classes);
        auto* tallies = at.add<ProductTally>(CheckKnownProduct<float>::slots);
        return CheckKnownProduct<float>{d, 4, 3, 8, of_rows, of_columns, tallies, at.add<std::uint64_t>(1)};
      },
      4});
  expect_exact(Launch<FillNormal<std::int8_t>>{[](Arrays& at) {
                                                 return FillNormal<std::int8_t>{at.add<std::int8_t>(9), 1};
                                               },
                                               9});
  expect_exact(Launch<DigestWords>{.make =
                                       [](Arrays& at) {
                                         const auto* in = at.add<std::uint64_t>(9);
                                         return DigestWords{in, 9, at.add<std::uint64_t>(1)};
                                       },
                                   .count = 4,
                                   .block = {.threads = 2, .shared_bytes = 16}});
  expect_exact(Launch<CompareDigests>{[](Arrays& at) {
    const auto* digest = at.add<std::uint64_t>(1);
    const auto* first = at.add<std::uint64_t>(1);
    return CompareDigests{digest, first, at.add<DigestTally>(1)};
  }});
}

}  // namespace
}  // namespace gpucheck::device::kernels
