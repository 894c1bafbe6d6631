#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

/// How operators are timed, the same for gpucheck and for PyTorch: each prints lines of "name<TAB>number".
namespace operator_loops {

inline constexpr int calls_in_a_row = 400;  ///< fewer than a stream takes before the caller has to wait
inline constexpr int rounds = 15;
inline constexpr long small_count = 1024;
inline constexpr long large_count = 1L << 28;

inline void print(const char* name, double value) { std::printf("%s\t%.3f\n", name, value); }

/// The median of what each round gives.
template <typename Round>
double median_of(Round round) {
  std::vector<double> values;
  for (int i = 0; i < rounds; ++i) values.push_back(round());
  std::nth_element(values.begin(), values.begin() + rounds / 2, values.end());
  return values[rounds / 2];
}

/// Host time of one call in nanoseconds: the device is idle at first, and not waited for meanwhile.
template <typename Call, typename Synchronize>
double host_ns(Call call, Synchronize synchronize) {
  return median_of([&] {
    synchronize();
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < calls_in_a_row; ++i) call();
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
    synchronize();
    return taken.count() / calls_in_a_row;
  });
}

/// GB/s of a call that moves so many bytes: ten in a row, whose launches cost nothing beside them.
template <typename Call, typename Synchronize>
double gigabytes_a_second(double bytes, Call call, Synchronize synchronize) {
  constexpr int calls = 10;
  return median_of([&] {
    synchronize();
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) call();
    synchronize();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    return bytes * calls / taken.count() / 1e9;
  });
}

}  // namespace operator_loops
