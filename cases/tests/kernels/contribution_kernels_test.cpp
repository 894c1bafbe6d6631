#include <algorithm>
#include <set>

#include "cases/shared/kernels/collectives.hpp"
#include "cases/tests/kernels/suites.hpp"

// Kernels that write what ranks send and compare what arrives: that they agree with the host, element for element, and
// find what is planted.
namespace gpucheck::device::contract {
namespace {

using kernels::ContributionFindings;
using kernels::Contributions;

constexpr std::uint64_t contributed = 1001;
constexpr std::uint64_t first_contributed = 77;
constexpr std::uint64_t three_ranks = 3;
constexpr Contributions small_contributions{.seed = 42, .largest = 4};

TEST(Contributions, AreEveryNumberUpToTheLargest) {
  std::set<std::int64_t> seen;
  for (std::uint64_t element = 0; element < contributed; ++element) {
    seen.insert(small_contributions.at(0, element));
  }
  EXPECT_EQ(seen, (std::set<std::int64_t>{-4, -3, -2, -1, 0, 1, 2, 3, 4}));
}

TEST(Contributions, DifferByRank) {
  int same = 0;
  for (std::uint64_t element = 0; element < contributed; ++element) {
    same += small_contributions.at(0, element) == small_contributions.at(1, element) ? 1 : 0;
  }
  EXPECT_NEAR(same, contributed / 9.0, 40) << "one in nine, by chance";
}

/// The result of three ranks, by the host.
std::int64_t reduced(Reduction reduction, std::uint64_t element) {
  const auto at = [&](std::uint64_t rank) { return small_contributions.at(rank, element); };
  if (reduction == Reduction::minimum) return std::min({at(0), at(1), at(2)});
  if (reduction == Reduction::maximum) return std::max({at(0), at(1), at(2)});
  return at(0) + at(1) + at(2);
}

}  // namespace

template <typename T>
ContributionFindings ContributionKernels::compare_contributions(const std::vector<T>& arrived, std::uint64_t ranks,
                                                                Reduction reduction) const {
  const auto stream = make_stream();
  const auto in = make_array<T>(arrived.size());
  const auto findings = make_array<ContributionFindings>(1);
  check(device().copy(in.data(), arrived.data(), in.bytes(), CopyKind::host_to_device, stream.get()), "copy");
  check(device().fill(findings.data(), 0, findings.bytes(), stream.get()), "fill");
  run(kernels::CompareContributions<T>{in.data(), arrived.size(), first_contributed, 0, ranks, reduction,
                                       small_contributions, findings.data()},
      251, stream.get());
  return read(findings, stream.get()).front();
}

template <typename T>
void ContributionKernels::expect_contributions() const {
  const auto stream = make_stream();
  const auto out = make_array<T>(contributed);
  run(kernels::WriteContributions<T>{out.data(), contributed, first_contributed, 0, small_contributions}, 251,
      stream.get());
  const std::vector<T> written = read(out, stream.get());
  for (std::uint64_t i = 0; i < contributed; ++i) {
    ASSERT_EQ(kernels::to_number<std::int64_t>(written[i]), small_contributions.at(0, first_contributed + i)) << i;
  }
  const ContributionFindings of_one = compare_contributions(written, 1, Reduction::sum);
  EXPECT_EQ(of_one.mismatches, 0U);
  EXPECT_EQ(of_one.compared_bytes.total(), contributed * sizeof(T));
  for (const Reduction reduction : {Reduction::sum, Reduction::minimum, Reduction::maximum}) {
    std::vector<T> arrived;
    for (std::uint64_t i = 0; i < contributed; ++i) {
      arrived.push_back(kernels::to_element<T>(reduced(reduction, first_contributed + i)));
    }
    EXPECT_EQ(compare_contributions(arrived, three_ranks, reduction).mismatches, 0U);
    // The last one, by one.
    const std::int64_t expected = reduced(reduction, first_contributed + contributed - 1);
    arrived.back() = kernels::to_element<T>(expected + 1);
    const ContributionFindings found = compare_contributions(arrived, three_ranks, reduction);
    EXPECT_EQ(found.mismatches, 1U);
    EXPECT_EQ(found.element, first_contributed + contributed - 1);
    EXPECT_EQ(found.expected, expected);
    EXPECT_EQ(found.seen, static_cast<double>(expected + 1));
  }
}

namespace {

TEST_P(ContributionKernels, ContributionsAreWhatTheHostExpectsInEveryType) {
  expect_contributions<double>();
  expect_contributions<float>();
  expect_contributions<kernels::Half>();
  expect_contributions<kernels::BFloat16>();
  expect_contributions<std::int32_t>();
  expect_contributions<std::int8_t>();
}

/// Minus zero is not zero: an element is compared by its bits.
TEST_P(ContributionKernels, ContributionsAreComparedByTheirBits) {
  std::vector<float> arrived;
  for (std::uint64_t i = 0; i < contributed; ++i) {
    const auto value = static_cast<float>(small_contributions.at(0, first_contributed + i));
    arrived.push_back(value == 0 ? -0.0F : value);
  }
  const auto zeros = static_cast<std::uint64_t>(std::ranges::count(arrived, 0.0F));
  EXPECT_GT(zeros, 0U);
  EXPECT_EQ(compare_contributions(arrived, 1, Reduction::sum).mismatches, zeros);
}

}  // namespace
}  // namespace gpucheck::device::contract
