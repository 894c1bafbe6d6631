#include "device/values/shared_bytes.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "device/values/joined_repetitions.hpp"

namespace gpucheck::device {
namespace {

using Number = std::int64_t;

constexpr std::size_t most_steps = std::size_t{1} << 16;
/// An access reaches no further, so that no sum of two of them is too large for a number.
constexpr std::uint64_t most_extent = std::uint64_t{1} << 61;

std::uintptr_t begin_of(const MemoryAccess& access) noexcept {
  return reinterpret_cast<std::uintptr_t>(access.address);
}

Number rounded_up_quotient(Number a, Number b) noexcept { return a > 0 ? (a - 1) / b + 1 : 0; }

/// The smallest t with low <= a t mod modulus <= high; nothing if there is none. a and high are
/// below the modulus, and low is not above high. Euclid's algorithm: where no multiple of a lies
/// between the two, one lies between them and so many moduli as the same question for
/// (modulus mod a, a) says.
std::optional<std::uint64_t> first_between(std::uint64_t a, std::uint64_t modulus, std::uint64_t low,
                                           std::uint64_t high) noexcept {
  if (low == 0) return 0;
  if (a == 0) return std::nullopt;
  const std::uint64_t multiples = (low - 1) / a + 1;
  if (multiples <= high / a) return multiples;
  const auto moduli = first_between(modulus % a, a, (a - high % a) % a, (a - low % a) % a);
  if (!moduli) return std::nullopt;
  __extension__ typedef unsigned __int128 Wide;
  return static_cast<std::uint64_t>((Wide{modulus} * *moduli + low - 1) / a + 1);
}

/// Whether one of the sums of so many times each stride lies in [low, high]. Strides descend;
/// all are longer than high - low + 1.
class Sums {
 public:
  explicit Sums(std::span<const Repetition> repetitions) noexcept : size_(repetitions.size()) {
    largest_[size_] = divisor_[size_] = 0;
    for (std::size_t i = size_; i-- > 0;) {
      stride_[i] = static_cast<Number>(repetitions[i].stride);
      last_[i] = static_cast<Number>(repetitions[i].count - 1);
      largest_[i] = largest_[i + 1] + stride_[i] * last_[i];
      divisor_[i] = std::gcd(divisor_[i + 1], stride_[i]);
    }
  }

  [[nodiscard]] bool reach(Number low, Number high) noexcept { return reach(0, low, high); }
  [[nodiscard]] bool gave_up() const noexcept { return steps_ > most_steps; }

 private:
  /// With the strides from the i-th on alone.
  bool reach(std::size_t i, Number low, Number high) noexcept {
    if (high < 0 || low > largest_[i]) return false;
    if (low <= 0 || high >= largest_[i]) return true;
    // All sums are multiples of the strides' divisor. From here on there is a stride left, or both
    // of the above would have been so.
    if (rounded_up_quotient(low, divisor_[i]) > high / divisor_[i]) return false;
    if (i + 1 == size_) return true;
    if (i + 2 == size_) return reach_with_two(i, low, high);
    const Number last = std::min(last_[i], high / stride_[i]);
    for (Number times = rounded_up_quotient(low - largest_[i + 1], stride_[i]); times <= last; ++times) {
      if (++steps_ > most_steps) return false;
      if (reach(i + 1, low - times * stride_[i], high - times * stride_[i])) return true;
    }
    return false;
  }

  /// With a times x and b times y: for a given x there is at most one y, since b is longer than
  /// the range, and there is one if (high - a x) mod b is at most the range's length. That y is
  /// among those that count for one stretch of x.
  [[nodiscard]] bool reach_with_two(std::size_t i, Number low, Number high) const noexcept {
    const Number a = stride_[i];
    const Number b = stride_[i + 1];
    const Number first = rounded_up_quotient(low - largest_[i + 1], a);
    const Number last = std::min(last_[i], high / a);
    if (first > last) return false;
    const Number rest = (high - a * first) % b;
    if (rest <= high - low) return true;
    const auto more = first_between(static_cast<std::uint64_t>(a % b), static_cast<std::uint64_t>(b),
                                    static_cast<std::uint64_t>(rest - (high - low)), static_cast<std::uint64_t>(rest));
    return more && *more <= static_cast<std::uint64_t>(last - first);
  }

  static constexpr std::size_t most = 2 * Repetitions::most;
  std::size_t size_;
  std::size_t steps_ = 0;
  std::array<Number, most> stride_{};
  std::array<Number, most> last_{};         ///< times that it is taken at most
  std::array<Number, most + 1> largest_{};  ///< sum of this and the later strides
  std::array<Number, most + 1> divisor_{};  ///< of this and the later strides
};

/// An access in two, of which the second one's runs come later.
std::array<MemoryAccess, 2> halves(const MemoryAccess& access) noexcept {
  std::array<MemoryAccess, 2> both{access, access};
  const Repetition& outermost = access.repetitions.all[0];
  const std::size_t half = outermost.count / 2;
  both[0].repetitions.all[0].count = half;
  both[1].repetitions.all[0].count -= half;
  both[1].address = reinterpret_cast<const void*>(begin_of(access) + half * outermost.stride);
  return both;
}

/// Without repetitions that do not repeat anything.
MemoryAccess trimmed(MemoryAccess access) noexcept {
  Repetitions& repetitions = access.repetitions;
  auto* const end = repetitions.all.data() + repetitions.used;
  auto* const kept = std::remove_if(repetitions.all.data(), end, [](const Repetition& one) {
    return one.count == 1 || (one.stride == 0 && one.count != 0);
  });
  repetitions.used = static_cast<std::size_t>(kept - repetitions.all.data());
  return access;
}

/// Both cut into halves as long as they have bytes in common, first the one, then the other.
class Search {
 public:
  Search(std::size_t& parts, const std::function<bool(Stretch)>& see) : left_(parts), see_(see) {}

  /// False once it is enough.
  bool go(const MemoryAccess& untrimmed_a, const MemoryAccess& untrimmed_b) {
    if (left_ == 0) return false;
    --left_;
    const MemoryAccess a = trimmed(untrimmed_a);
    const MemoryAccess b = trimmed(untrimmed_b);
    if (!share_bytes(a, b, true)) return true;
    if (!a.repetitions.empty()) {
      const auto [first, second] = halves(a);
      return go(first, b) && go(second, b);
    }
    if (!b.repetitions.empty()) {
      const auto [first, second] = halves(b);
      return go(a, first) && go(a, second);
    }
    return see_({std::max(begin_of(a), begin_of(b)), std::min(begin_of(a) + a.bytes, begin_of(b) + b.bytes)});
  }

  [[nodiscard]] bool gave_up() const noexcept { return left_ == 0; }

 private:
  std::size_t& left_;
  const std::function<bool(Stretch)>& see_;
};

}  // namespace

// A byte of a and one of b are the same if what a's address and repetitions add up to and what
// b's do differ by less than a run. Counted from b's last run backwards the one are added where
// they were taken away: so it is the question whether a byte is touched by the repetitions of
// both together, of a run as long as both runs less one.
bool share_bytes(const MemoryAccess& a, const MemoryAccess& b, bool when_given_up) noexcept {
  const auto extent_a = extent_of(a);
  const auto extent_b = extent_of(b);
  if (!extent_a || !extent_b || extent_a->begin == extent_a->end || extent_b->begin == extent_b->end) return false;
  if (extent_a->end <= extent_b->begin || extent_b->end <= extent_a->begin) return false;
  if (a.repetitions.empty() && b.repetitions.empty()) return true;
  if (extent_bytes(a) > most_extent || extent_bytes(b) > most_extent) return when_given_up;
  detail::JoinedRepetitions<2 * Repetitions::most> both(a.bytes + b.bytes - 1);
  for (const Repetition& repetition : a.repetitions) both.add(repetition);
  for (const Repetition& repetition : b.repetitions) both.add(repetition);
  const auto byte = static_cast<Number>(extent_b->end - extent_a->begin) - 1;
  Sums sums(both.repetitions());
  return sums.reach(byte - static_cast<Number>(both.run_bytes()) + 1, byte) || (sums.gave_up() && when_given_up);
}

bool for_each_shared(const MemoryAccess& a, const MemoryAccess& b, std::size_t& parts,
                     const std::function<bool(Stretch)>& see) {
  Search search(parts, see);
  search.go(a, b);
  return !search.gave_up();
}

std::optional<std::vector<MemoryAccess>> parts_outside(const MemoryAccess& access, Stretch taken,
                                                       std::size_t most_parts) {
  std::vector<MemoryAccess> outside;
  std::vector<MemoryAccess> left{access};
  while (!left.empty()) {
    if (most_parts-- == 0) return std::nullopt;
    const MemoryAccess part = trimmed(left.back());
    left.pop_back();
    if (!share_bytes(part, access_to(taken), true)) {
      if (part.bytes != 0) outside.push_back(part);
    } else if (const auto extent = extent_of(part); extent->begin >= taken.begin && extent->end <= taken.end) {
      continue;
    } else if (!part.repetitions.empty()) {
      std::ranges::copy(halves(part), std::back_inserter(left));
    } else {
      const Stretch run{begin_of(part), begin_of(part) + part.bytes};
      for (const Stretch& rest :
           {Stretch{run.begin, std::min(run.end, taken.begin)}, Stretch{std::max(run.begin, taken.end), run.end}}) {
        if (rest.begin >= rest.end) continue;
        outside.push_back(part);
        outside.back().address = reinterpret_cast<const void*>(rest.begin);
        outside.back().bytes = rest.end - rest.begin;
      }
    }
  }
  return outside;
}

}  // namespace gpucheck::device
