#include <cmath>

#include "cases/memtest/support.hpp"
#include "device/kernels/elementwise.hpp"

namespace gpucheck::cases::in_memtest::bit_fade {
namespace {

using device::kernels::RepeatedWord;

/// Leaves memory alone for a while: a kernel of one thread, which touches none, keeps the stream. How long it did, ms.
double hold(MemoryTest& test, double seconds) {
  device::Device& device = test.device();
  const auto event = [&] { return device::own<device::UniqueEvent>(device, device.create_event({})); };
  const auto start = event();
  const auto stop = event();
  device::check(device, device.record(start.get(), test.stream()), "record");
  const device::kernels::Spin spin{static_cast<std::uint64_t>(std::llround(seconds * 1e9))};
  device::check(device, device::launch(device, spin, 1, test.stream()), "spin");
  device::check(device, device.record(stop.get(), test.stream()), "record");
  device::check(device, device.synchronize(test.stream()), "synchronize");
  return static_cast<double>(device.elapsed_ms(start.get(), stop.get()).value());
}

void run(harness::Context& context) {
  const double seconds = context.parameter<double>("hold_seconds");
  MemoryTest test(context, 2);
  double held_ms = 0;
  for (const RepeatedWord pattern : {RepeatedWord{0}, RepeatedWord{~std::uint64_t{0}}}) {
    test.write(pattern);
    held_ms += hold(test, seconds);
    test.verify(pattern, as_it_is);
  }
  test.observe();
  context.observe("held_percent", held_ms / (2 * seconds * 1e3) * 100);
}

}  // namespace

harness::Case define() {
  harness::Case test_case =
      memory_case("memtest.bit_fade",
                  "Zeros, then ones, are left alone for hold_seconds: a second by default, which finds the worst cells "
                  "only; ask for minutes, by its name",
                  "cuda_memtest test 9, which waits 90 minutes");
  test_case.parameters.push_back(
      {.name = "hold_seconds",
       .summary = "how long each of the two patterns is left alone; beyond two minutes with a longer "
                  "--timeout",
       .default_value = 1.0,
       .unit = "s",
       .minimum = 0.001,
       .maximum = 3600});
  test_case.faults = {
      {"bit_fades", "one bit in the middle of memory flips after it is written",
       fault::kernel_flips_bit(fault::nth_call(1))},
      {"bit_of_ones_fades", "one bit of memory's last byte flips after ones are written",
       fault::kernel_flips_bit(fault::nth_call(4), {.from = fault::Place::From::end})},
      {"time_is_lost", "memory is not left alone at all", fault::kernel_lost(fault::nth_call(2))},
      {"verification_is_lost", "one kernel that compares does not run", fault::kernel_lost(fault::nth_call(3))},
      {"no_memory", "no allocation but that of the log succeeds", fault::allocation_fails(fault::from_call(2))},
  };
  test_case.on_request = true;
  test_case.run = run;
  return test_case;
}

}  // namespace gpucheck::cases::in_memtest::bit_fade
