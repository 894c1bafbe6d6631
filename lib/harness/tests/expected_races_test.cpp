#include "harness/tests/fixture.hpp"

namespace gpucheck::harness {
namespace {

using Keys = std::vector<std::string>;

/// Two fills of the same 64 bytes, which nothing orders unless `ordered`.
void fill_twice(device::Device& device, void* memory, bool ordered) {
  const auto make_stream = [&device] {
    return device::own<device::UniqueStream>(device, device.create_stream(device::StreamKind::non_blocking, 0));
  };
  const auto first = make_stream();
  const auto second = make_stream();
  device::check(device.fill(memory, 1, 64, first.get()), "fill");
  if (ordered) device::check(device.synchronize(first.get()), "synchronize");
  device::check(device.fill(memory, 2, 64, second.get()), "fill");
  device::check(device.synchronize(), "synchronize");
}

device::UniqueDeviceMemory allocate(Context& context) {
  return device::own<device::UniqueDeviceMemory>(context.device(), context.device().allocate(64));
}

/// Fills memory twice, unordered, after `declare` was given it.
template <typename Declare>
void race(Context& context, Declare declare) {
  const auto memory = allocate(context);
  declare(static_cast<const std::byte*>(memory.get()));
  fill_twice(context.device(), memory.get(), false);
}

TEST(ExpectedRaces, AreExcused) {
  EXPECT_EQ(broken_by([](Context& context) {
              race(context, [&](const std::byte* memory) { context.expect_races({{"fill"}, {{memory, 64}}}); });
            }),
            Keys{});
}

TEST(ExpectedRaces, ExcuseNoOtherMemory) {
  const Keys both{"rule.no_hazard", "rule.expected_races"};
  EXPECT_EQ(broken_by([](Context& context) {
              race(context, [&](const std::byte* memory) { context.expect_races({{"fill"}, {{memory, 63}}}); });
            }),
            both);
  EXPECT_EQ(broken_by([](Context& context) {
              race(context, [&](const std::byte* memory) { context.expect_races({{"fill"}, {{memory + 1, 64}}}); });
            }),
            both);
}

TEST(ExpectedRaces, ExcuseNoOtherOperation) {
  EXPECT_EQ(broken_by([](Context& context) {
              race(context, [&](const std::byte* memory) { context.expect_races({{"copy"}, {{memory, 64}}}); });
            }),
            (Keys{"rule.no_hazard", "rule.expected_races"}));
}

TEST(ExpectedRaces, ExcuseNothingBesidesThem) {
  EXPECT_EQ(broken_by([](Context& context) {
              const auto other = allocate(context);
              race(context, [&](const std::byte* memory) { context.expect_races({{"fill"}, {{memory, 64}}}); });
              fill_twice(context.device(), other.get(), false);
            }),
            Keys{"rule.no_hazard"});
}

TEST(ExpectedRaces, ExcuseNothingFromBefore) {
  EXPECT_EQ(broken_by([](Context& context) {
              const auto memory = allocate(context);
              fill_twice(context.device(), memory.get(), false);
              context.expect_races({{"fill"}, {{memory.get(), 64}}});
            }),
            (Keys{"rule.no_hazard", "rule.expected_races"}));
}

TEST(ExpectedRaces, HaveToHappenAfterEachDeclaration) {
  EXPECT_EQ(broken_by([](Context& context) {
              const auto memory = allocate(context);
              for (int i = 0; i < 2; ++i) {
                context.expect_races({{"fill"}, {{memory.get(), 64}}});
                fill_twice(context.device(), memory.get(), false);
              }
            }),
            Keys{});
}

TEST(ExpectedRaces, HaveToHappen) {
  EXPECT_EQ(broken_by([](Context& context) {
              const auto memory = allocate(context);
              context.expect_races({{"fill"}, {{memory.get(), 64}}});
              fill_twice(context.device(), memory.get(), true);
            }),
            Keys{"rule.expected_races"});
}

}  // namespace
}  // namespace gpucheck::harness
