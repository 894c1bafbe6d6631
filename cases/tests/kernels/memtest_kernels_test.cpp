#include <bit>
#include <set>

#include "cases/shared/kernels/memtest.hpp"
#include "cases/tests/kernels/suites.hpp"
#include "device/kernels/support/philox.hpp"

// Kernels that test memory: what they write, what they find, and what they leave.
namespace gpucheck::device::contract {
namespace {

using kernels::MismatchLog;
using kernels::TestedMemory;
using kernels::TwoWords;

constexpr std::uint64_t word = 0x0123456789abcdef;
constexpr std::uint64_t all_bits = ~std::uint64_t{0};
/// A vector more than some invocations take in turns of several.
constexpr std::size_t vectors = 1001;
constexpr std::size_t invocations = 96;

/// Memory under test, and what was found in it.
class Tested {
 public:
  explicit Tested(Device& device) : device_(device) {
    check(device_.fill(log_.data(), 0, log_.bytes(), stream()), "fill");
    check(device_.fill(compared_.data(), 0, compared_.bytes(), stream()), "fill");
  }

  /// What the pattern gives, written from number `first` on.
  template <typename Pattern>
  std::vector<std::uint64_t> written(const Pattern& pattern, std::uint64_t first = 0) {
    run(kernels::WritePattern<Pattern>{memory(first), pattern}, invocations);
    return read(words_);
  }
  template <bool replace, typename Pattern>
  void compare(const Pattern& pattern, std::uint64_t complement, std::size_t count = invocations) {
    run(kernels::ComparePattern<Pattern, replace>{memory(), pattern, complement, 7, log_.data(), compared_.data()},
        count);
  }
  void plant(std::size_t at, std::uint64_t value) {
    const auto signed_value = static_cast<std::int64_t>(value);
    run(kernels::Fill<std::int64_t>{reinterpret_cast<std::int64_t*>(words() + at), signed_value}, 1);
  }

  [[nodiscard]] std::uint64_t* words() const { return words_.data(); }
  [[nodiscard]] MismatchLog log() const { return read(log_).front(); }
  [[nodiscard]] std::uint64_t compared() const { return read(compared_).front().total(); }

 private:
  [[nodiscard]] Stream stream() const { return stream_.get(); }
  [[nodiscard]] TestedMemory memory(std::uint64_t first = 0) const {
    return {.data = reinterpret_cast<TwoWords*>(words()), .vectors = vectors, .first = first};
  }
  template <typename Functor>
  void run(const Functor& functor, std::size_t count) const {
    check(device::launch(device_, functor, count, stream()), Functor::name);
  }
  template <typename T>
  [[nodiscard]] std::vector<T> read(const DeviceArray<T>& array) const {
    std::vector<T> host(array.size());
    check(device_.copy(host.data(), array.data(), array.bytes(), CopyKind::device_to_host, stream()), "copy");
    check(device_.synchronize(stream()), "synchronize");
    return host;
  }
  template <typename T>
  DeviceArray<T> make(std::size_t size) const {
    return {device_, device_.allocate(size * sizeof(T)), size};
  }

  Device& device_;
  UniqueStream stream_ = own<UniqueStream>(device_, device_.create_stream(StreamKind::non_blocking, 0));
  DeviceArray<std::uint64_t> words_ = make<std::uint64_t>(2 * vectors);
  DeviceArray<MismatchLog> log_ = make<MismatchLog>(1);
  DeviceArray<kernels::SpreadCounter> compared_ = make<kernels::SpreadCounter>(1);
};

template <typename WordAt>
std::vector<std::uint64_t> expected_words(WordAt word_at) {
  std::vector<std::uint64_t> expected(2 * vectors);
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = word_at(i);
  return expected;
}

TEST_P(MemoryKernels, WriteWordsThatAreWhatTheirPatternSays) {
  Tested tested(device());
  EXPECT_EQ(tested.written(kernels::RepeatedWord{word}), std::vector(2 * vectors, word));
  EXPECT_EQ(tested.written(kernels::OwnAddress{}),
            expected_words([&](std::size_t i) { return reinterpret_cast<std::uintptr_t>(tested.words() + i); }));
  EXPECT_EQ(tested.written(kernels::TurningWord{word, 5}),
            expected_words([](std::size_t i) { return std::rotl(word, static_cast<int>((i + 5) % 64)); }));
  EXPECT_EQ(tested.written(kernels::TurningHalfWord{0x89abcdef, 31}), expected_words([](std::size_t i) {
              const auto half = [](std::size_t number) {
                return std::rotl(0x89abcdefU, static_cast<int>((number + 31) % 32));
              };
              return std::uint64_t{half(2 * i + 1)} << 32U | half(2 * i);
            }));
  for (const std::uint32_t place : {0U, 1U, 19U}) {
    EXPECT_EQ(tested.written(kernels::EveryTwentiethWord{word, place}),
              expected_words([place](std::size_t i) { return i % 20 == place ? word : ~word; }));
  }
  EXPECT_EQ(tested.written(kernels::NumberedBlocks{word}), expected_words([](std::size_t i) {
              const std::uint64_t own = word ^ i / 8;
              return i % 8 < 4 ? own : ~own;
            }));
  EXPECT_EQ(tested.written(kernels::RandomWords{kernels::PhiloxKeys(word)}), expected_words([](std::size_t i) {
              const kernels::PhiloxWords drawn = kernels::philox(word, 0, i / 2);
              return std::uint64_t{drawn.word[i % 2 * 2 + 1]} << 32U | drawn.word[i % 2 * 2];
            }));
}

// A stretch of memory that is not the first one of a test.
TEST_P(MemoryKernels, GoOnWithAPatternWhereTheStretchBegins) {
  Tested tested(device());
  constexpr std::uint64_t first = (std::uint64_t{1} << 33) + 1;  // words from 2^34 + 2 on
  EXPECT_EQ(tested.written(kernels::NumberedBlocks{0}, first), expected_words([](std::uint64_t i) {
              const std::uint64_t number = 2 * first + i;
              return number % 8 < 4 ? number / 8 : ~(number / 8);
            }));
  EXPECT_EQ(tested.written(kernels::EveryTwentiethWord{word, 3}, first),
            expected_words([](std::uint64_t i) { return (2 * first + i) % 20 == 3 ? word : ~word; }));
}

TEST_P(MemoryKernels, FindNothingWrongInWhatTheyWrote) {
  Tested tested(device());
  const kernels::EveryTwentiethWord pattern{word, 3};
  std::vector<std::uint64_t> expected = tested.written(pattern);
  std::uint64_t passes = 0;
  for (const std::size_t count : {std::size_t{1}, std::size_t{250}, std::size_t{251}, std::size_t{2000}}) {
    tested.compare<false>(pattern, 0, count);
    EXPECT_EQ(tested.compared(), ++passes * 16 * vectors) << count << " invocations";
  }
  tested.compare<true>(pattern, 0);
  tested.compare<true>(pattern, all_bits);
  tested.compare<true>(pattern, 0);
  EXPECT_EQ(tested.compared(), (passes + 3) * 16 * vectors);
  EXPECT_EQ(tested.log().mismatches, 0U);
  EXPECT_EQ(tested.log().examined, 0U);
  for (std::uint64_t& each : expected) each = ~each;
  const auto complement = [&] {
    tested.compare<false>(pattern, all_bits);
    return tested.log().mismatches;
  };
  EXPECT_EQ(complement(), 0U);
}

TEST_P(MemoryKernels, TellWhereAWordWasWrongAndHow) {
  Tested tested(device());
  const kernels::RepeatedWord pattern{word};
  static_cast<void>(tested.written(pattern));
  constexpr std::size_t last = 2 * vectors - 1;
  tested.plant(last, word ^ 0x8000000000000001);
  tested.compare<false>(pattern, 0);
  const MismatchLog found = tested.log();
  EXPECT_EQ(found.mismatches, 1U);
  EXPECT_EQ(found.examined, 1U);
  EXPECT_EQ(found.records[0].address, reinterpret_cast<std::uintptr_t>(tested.words() + last));
  EXPECT_EQ(found.records[0].expected, word);
  EXPECT_EQ(found.records[0].seen, word ^ 0x8000000000000001);
  EXPECT_EQ(found.records[0].seen_again, word ^ 0x8000000000000001);
  EXPECT_EQ(found.records[0].pass, 7U);
  for (unsigned bit = 0; bit < 64; ++bit) EXPECT_EQ(found.flipped[bit], bit == 0 || bit == 63 ? 1U : 0U) << bit;
  const std::uint32_t multiprocessor = found.records[0].multiprocessor;
  if (driver().kind() == "sim") {
    EXPECT_EQ(multiprocessor, kernels::Invocation::no_multiprocessor);
  } else {
    EXPECT_LT(multiprocessor, static_cast<std::uint32_t>(device().properties().multiprocessor_count));
  }
}

TEST_P(MemoryKernels, PutTheComplementAlsoWhereTheWordWasWrong) {
  Tested tested(device());
  const kernels::RepeatedWord pattern{word};
  static_cast<void>(tested.written(pattern));
  tested.plant(0, 1);
  tested.compare<true>(pattern, 0);
  EXPECT_EQ(tested.log().mismatches, 1U);
  EXPECT_EQ(tested.log().records[0].expected, word);
  EXPECT_EQ(tested.log().records[0].seen, 1U);
  EXPECT_EQ(tested.log().records[0].seen_again, 1U) << "read before it is written";
  tested.compare<false>(pattern, all_bits);
  EXPECT_EQ(tested.log().mismatches, 1U) << "mended";
  tested.compare<false>(pattern, 0);
  EXPECT_EQ(tested.log().mismatches, 1U + 2 * vectors) << "the words themselves are gone";
}

TEST_P(MemoryKernels, CountWhatTheLogHasNoPlaceFor) {
  Tested tested(device());
  static_cast<void>(tested.written(kernels::RepeatedWord{word}));
  tested.compare<false>(kernels::RepeatedWord{word ^ 4}, 0);
  const MismatchLog found = tested.log();
  EXPECT_EQ(found.mismatches, 2 * vectors);
  EXPECT_EQ(found.examined, 2 * vectors);
  EXPECT_EQ(found.flipped[2], 2 * vectors);
  EXPECT_EQ(found.flipped[1], 0U);
  std::set<std::uint64_t> addresses;
  for (const auto& record : found.records) addresses.insert(record.address);
  EXPECT_EQ(addresses.size(), MismatchLog::capacity) << "each place is another word's";
}

}  // namespace
}  // namespace gpucheck::device::contract
