#include <utility>

#include "base/text/units.hpp"
#include "device/tests/suites.hpp"

// cuMemAddressReserve, cuMemCreate, cuMemMap, cuMemSetAccess, cuMemUnmap, cuMemAddressFree.
namespace gpucheck::device::contract {
namespace {

using namespace literals;

constexpr std::size_t piece = mapping_granularity;

/// Reserved addresses whose mapped pieces go with it.
class Reservation {
 public:
  Reservation(Device& device, std::size_t pieces)
      : device_(device), bytes_(pieces * piece), base_(device.reserve_addresses(bytes_).value()) {}
  Reservation(const Reservation&) = delete;
  Reservation& operator=(const Reservation&) = delete;
  ~Reservation() {
    for (const auto& [pointer, bytes] : mapped_) EXPECT_EQ(device_.unmap_memory(pointer, bytes), Status::success);
    EXPECT_EQ(device_.release_addresses(base_, bytes_), Status::success);
  }
  [[nodiscard]] std::uint8_t* at(std::size_t index) const { return static_cast<std::uint8_t*>(base_) + index * piece; }
  [[nodiscard]] Status map(std::size_t first, std::size_t pieces = 1) {
    const Status status = device_.map_memory(at(first), pieces * piece);
    if (status == Status::success) mapped_.emplace_back(at(first), pieces * piece);
    return status;
  }
  /// What was mapped last.
  [[nodiscard]] Status unmap_last() {
    const auto [pointer, bytes] = mapped_.back();
    mapped_.pop_back();
    return device_.unmap_memory(pointer, bytes);
  }

 private:
  Device& device_;
  std::size_t bytes_;
  void* base_;
  std::vector<std::pair<void*, std::size_t>> mapped_;
};

TEST_P(VirtualMemory, ReservedAddressesTakeNoMemory) {
  const std::size_t free_before = device().memory_info().value().free_bytes;
  const Reservation reservation(device(), (device().properties().total_memory_bytes * 9 / 8) / piece);
  EXPECT_GT(device().memory_info().value().free_bytes, free_before - 64_MiB);
}

TEST_P(VirtualMemory, ReservationsAreAligned) {
  const Reservation reservation(device(), 3);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(reservation.at(0)) % mapping_granularity, 0U);
}

TEST_P(VirtualMemory, MappedMemoryIsTakenFromTheDeviceAndGivenBack) {
  const std::size_t pieces = device().memory_info().value().free_bytes / 4 / piece;
  Reservation reservation(device(), pieces);
  const std::size_t free_before = device().memory_info().value().free_bytes;
  ASSERT_EQ(reservation.map(0, pieces), Status::success);
  EXPECT_LE(device().memory_info().value().free_bytes, free_before - pieces * piece);
  ASSERT_EQ(reservation.unmap_last(), Status::success);
  EXPECT_GT(device().memory_info().value().free_bytes, free_before - pieces * piece / 2);
}

TEST_P(VirtualMemory, NeighbouringPiecesAreOneRange) {
  Reservation reservation(device(), 3);
  for (std::size_t i = 0; i < 3; ++i) ASSERT_EQ(reservation.map(i), Status::success);
  const auto stream = make_stream();
  auto* const values = reinterpret_cast<std::int32_t*>(reservation.at(0));
  constexpr std::size_t count = 3 * piece / sizeof(std::int32_t);
  run(kernels::Iota<std::int32_t>{values, 5}, count, stream.get());
  const auto landing = make_pinned<std::int32_t>(count);
  ASSERT_EQ(device().copy(landing.data(), values, landing.bytes(), CopyKind::device_to_host, stream.get()),
            Status::success);
  synchronize(stream.get());
  for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(landing.data()[i], static_cast<std::int32_t>(i) + 5) << i;
}

TEST_P(VirtualMemory, PiecesCanBeMappedInAnyOrderAndAgain) {
  Reservation reservation(device(), 4);
  ASSERT_EQ(reservation.map(2), Status::success);
  ASSERT_EQ(reservation.map(0), Status::success);
  ASSERT_EQ(reservation.unmap_last(), Status::success);
  EXPECT_EQ(reservation.map(0, 2), Status::success);
}

TEST_P(VirtualMemory, MappedMemoryIsDeviceMemory) {
  Reservation reservation(device(), 2);
  ASSERT_EQ(reservation.map(0), Status::success);
  EXPECT_EQ(device().pointer_info(reservation.at(0) + 1000).value().kind, MemoryKind::device);
}

TEST_P(VirtualMemory, MappedMemoryIsNotFreeable) {
  Reservation reservation(device(), 1);
  ASSERT_EQ(reservation.map(0), Status::success);
  EXPECT_EQ(device().free(reservation.at(0)), Status::invalid_value);
}

TEST_P(VirtualMemory, MappingMoreThanThereIsMapsNothing) {
  const std::size_t pieces = device().properties().total_memory_bytes / piece + 1;
  Reservation reservation(device(), pieces);
  const std::size_t free_before = device().memory_info().value().free_bytes;
  EXPECT_EQ(reservation.map(0, pieces), Status::out_of_memory);
  EXPECT_GT(device().memory_info().value().free_bytes, free_before - 64_MiB);
  EXPECT_EQ(reservation.map(0), Status::success);
}

TEST_P(VirtualMemory, MappedAddressesCannotBeMappedAgain) {
  Reservation reservation(device(), 2);
  ASSERT_EQ(reservation.map(1), Status::success);
  EXPECT_NE(reservation.map(1), Status::success);
  EXPECT_NE(reservation.map(0, 2), Status::success);
}

TEST_P(VirtualMemory, OnlyWhatWasMappedAsOneIsUnmapped) {
  Reservation reservation(device(), 2);
  ASSERT_EQ(reservation.map(0, 2), Status::success);
  EXPECT_EQ(device().unmap_memory(reservation.at(0), piece), Status::invalid_value);
  EXPECT_EQ(device().unmap_memory(reservation.at(1), piece), Status::invalid_value);
}

TEST_P(VirtualMemory, UnmappingReservedAddressesWithoutMemoryDoesNothing) {
  const Reservation reservation(device(), 2);
  EXPECT_EQ(device().unmap_memory(reservation.at(0), 2 * piece), Status::success);
}

TEST_P(VirtualMemory, SizesAreMultiplesOfTheGranularity) {
  EXPECT_EQ(status_of(device().reserve_addresses(piece / 2)), Status::invalid_value);
  EXPECT_EQ(status_of(device().reserve_addresses(0)), Status::invalid_value);
  const Reservation reservation(device(), 2);
  EXPECT_EQ(device().map_memory(reservation.at(0), piece / 2), Status::invalid_value);
  EXPECT_EQ(device().map_memory(reservation.at(0) + piece / 2, piece), Status::invalid_value);
}

// These are calls of the driver API, which keeps no last error.
TEST_P(VirtualMemory, FailuresAreNotRemembered) {
  const Reservation reservation(device(), 1);
  ASSERT_EQ(device().map_memory(reservation.at(0), piece / 2), Status::invalid_value);
  EXPECT_EQ(device().last_error(), Status::success);
}

TEST_P(VirtualMemory, MappingIsAllowedWhileACaptureIsOpen) {
  const auto stream = make_stream();
  Reservation reservation(device(), 2);
  ASSERT_EQ(device().begin_capture(stream.get(), CaptureMode::global), Status::success);
  EXPECT_EQ(reservation.map(0), Status::success);
  run(kernels::Fill<std::uint8_t>{reservation.at(0), 7}, piece, stream.get());
  const auto graph = own<UniqueGraph>(device(), device().end_capture(stream.get()));
  EXPECT_NE(graph.get(), Graph{});
}

}  // namespace
}  // namespace gpucheck::device::contract
