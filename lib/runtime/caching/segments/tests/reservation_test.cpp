#include "runtime/caching/segments/reservation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <optional>

#include "base/text/units.hpp"
#include "device/forwarding/forwarding_device.hpp"
#include "runtime/tests/simulated.hpp"

namespace gpucheck::runtime::detail {
namespace {

using namespace literals;
using testing::ElementsAre;
using testing::Pair;

constexpr std::uint64_t page_bytes = 2_MiB;

/// Counts what is mapped and unmapped by address.
class CountingDevice final : public device::ForwardingDevice {
 public:
  using ForwardingDevice::ForwardingDevice;
  device::Status map_memory(void* pointer, std::size_t bytes) override {
    ++mapped[pointer];
    return ForwardingDevice::map_memory(pointer, bytes);
  }
  device::Status unmap_memory(void* pointer, std::size_t bytes) override {
    ++unmapped[pointer];
    const device::Status status = ForwardingDevice::unmap_memory(pointer, bytes);
    refused += status == device::Status::success ? 0 : 1;
    return status;
  }

  std::map<void*, int> mapped;
  std::map<void*, int> unmapped;
  int refused = 0;
};

class Reservations : public testing::Test {
 protected:
  void* page(std::size_t index) { return reinterpret_cast<void*>(reservation_->address() + index * page_bytes); }
  Reservation::Range range(std::uint64_t offset, std::uint64_t bytes) {
    return {reservation_->address() + offset, bytes};
  }

  test::Simulated machine_;
  CountingDevice device_{machine_.device()};
  std::optional<Reservation> reservation_{std::in_place, device_, 10 * page_bytes, page_bytes};
};

TEST_F(Reservations, HaveWholePages) {
  EXPECT_EQ(reservation_->bytes(), 10 * page_bytes);
  EXPECT_EQ(Reservation(device_, 10 * page_bytes + 1, page_bytes).bytes(), 11 * page_bytes);
  EXPECT_EQ(Reservation(device_, 10 * page_bytes - 1, page_bytes).bytes(), 10 * page_bytes);
  EXPECT_EQ(Reservation(device_, 1, page_bytes).bytes(), page_bytes);
}

TEST_F(Reservations, MapThePagesOfARangeAndNoMore) {
  EXPECT_EQ(reservation_->map(range(page_bytes, page_bytes)).bytes, page_bytes);
  EXPECT_THAT(device_.mapped, ElementsAre(Pair(page(1), 1)));
  const Reservation::Range mapped = reservation_->map(range(3 * page_bytes, page_bytes + 1));
  EXPECT_EQ(mapped.address, reservation_->address() + 3 * page_bytes);
  EXPECT_EQ(mapped.bytes, 2 * page_bytes);
  EXPECT_THAT(device_.mapped, ElementsAre(Pair(page(1), 1), Pair(page(3), 1), Pair(page(4), 1)));
}

TEST_F(Reservations, UnmapThePagesThatLieInsideARange) {
  static_cast<void>(reservation_->map(range(0, 4 * page_bytes)));
  const Reservation::Range inside = reservation_->unmap(range(1, 3 * page_bytes - 1));
  EXPECT_EQ(inside.address, reservation_->address() + page_bytes);
  EXPECT_EQ(inside.bytes, 2 * page_bytes);
  EXPECT_THAT(device_.unmapped, ElementsAre(Pair(page(1), 1), Pair(page(2), 1)));
  EXPECT_EQ(reservation_->unmap(range(1, 2 * page_bytes - 2)).bytes, 0U) << "no page lies inside";
}

/// What was unmapped, mapped again or never mapped is in the end unmapped as often as it was mapped.
TEST_F(Reservations, GiveBackInTheEndWhatIsMapped) {
  static_cast<void>(reservation_->map(range(2 * page_bytes, 4 * page_bytes)));
  static_cast<void>(reservation_->unmap(range(3 * page_bytes, 2 * page_bytes)));
  static_cast<void>(reservation_->map(range(4 * page_bytes, page_bytes)));
  reservation_.reset();
  EXPECT_EQ(device_.unmapped, device_.mapped);
  EXPECT_EQ(device_.refused, 0);
}

/// Out of memory in the middle: nothing stays mapped, and the range can be asked for again.
TEST_F(Reservations, MapAllOfARangeOrNothing) {
  const std::uint64_t total = machine_.device().properties().total_memory_bytes;
  reservation_.emplace(device_, 2 * total, page_bytes * 4096);
  EXPECT_EQ(reservation_->map(range(0, 2 * total)).bytes, 0U);
  EXPECT_EQ(device_.refused, 0);
  device_.mapped.erase(std::prev(device_.mapped.end()));  // the one that failed
  EXPECT_EQ(device_.unmapped, device_.mapped);
  EXPECT_EQ(reservation_->map(range(0, page_bytes * 4096)).bytes, page_bytes * 4096);
}

}  // namespace
}  // namespace gpucheck::runtime::detail
