#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "base/text/units.hpp"
#include "device/tests/suites.hpp"

// cudaHostAlloc, cudaFreeHost, cudaHostRegister, cudaHostUnregister.
namespace gpucheck::device::contract {
namespace {

using namespace literals;

constexpr std::size_t page = 4096;

/// Whole pages of ordinary memory.
class Pages {
 public:
  explicit Pages(std::size_t count) : bytes_(count * page), memory_(std::aligned_alloc(page, bytes_)) {}
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  ~Pages() { std::free(memory_); }
  [[nodiscard]] std::byte* data() const { return static_cast<std::byte*>(memory_); }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_;
  void* memory_;
};

/// Registered for one scope.
class Registration {
 public:
  Registration(Device& device, const Pages& pages) : device_(device), pages_(pages) {
    check(device.register_host(pages.data(), pages.bytes()), "register_host");
  }
  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;
  ~Registration() { EXPECT_EQ(device_.unregister_host(pages_.data()), Status::success); }

 private:
  Device& device_;
  const Pages& pages_;
};

TEST_P(HostMemory, PinnedMemoryIsWritableByTheHost) {
  const auto pinned = make_pinned<std::int32_t>(100000);
  std::iota(pinned.span().begin(), pinned.span().end(), 0);
  EXPECT_EQ(pinned.span().front(), 0);
  EXPECT_EQ(pinned.span().back(), 99999);
}

TEST_P(HostMemory, PinnedAllocationsDoNotOverlap) {
  const auto one = make_pinned<std::uint8_t>(1_MiB);
  const auto other = make_pinned<std::uint8_t>(1_MiB);
  EXPECT_TRUE(one.data() + one.size() <= other.data() || other.data() + other.size() <= one.data());
}

TEST_P(HostMemory, AnyHostAccessCanBeAnnounced) {
  const auto pinned = make_pinned<std::int32_t>(4);
  std::int32_t on_stack = 0;
  EXPECT_EQ(device().host_access(reads(pinned.data(), pinned.bytes())), Status::success);
  EXPECT_EQ(device().host_access(updates(pinned.data(), 0)), Status::success);
  EXPECT_EQ(device().host_access(writes(&on_stack, sizeof on_stack)), Status::success);
  EXPECT_EQ(device().host_access({}), Status::success);
  EXPECT_EQ(device().last_error(), Status::success);
}

TEST_P(HostMemory, PointerInfoCallsPinnedMemoryHost) {
  const auto pinned = make_pinned<std::uint8_t>(1_MiB);
  EXPECT_EQ(device().pointer_info(pinned.data()).value().kind, MemoryKind::host);
  EXPECT_EQ(device().pointer_info(pinned.data() + 1_MiB - 1).value().kind, MemoryKind::host);
}

TEST_P(HostMemory, FreePinnedOfOtherMemoryIsAnInvalidValue) {
  int on_stack = 0;
  EXPECT_EQ(device().free_pinned(&on_stack), Status::invalid_value);
}

TEST_P(HostMemory, RegisteredMemoryIsHostUntilUnregistered) {
  const Pages pages(16);
  {
    const Registration registration(device(), pages);
    EXPECT_EQ(device().pointer_info(pages.data()).value().kind, MemoryKind::host);
    EXPECT_EQ(device().pointer_info(pages.data() + 5 * page).value().kind, MemoryKind::host);
  }
  EXPECT_EQ(device().pointer_info(pages.data()).value().kind, MemoryKind::unregistered);
}

TEST_P(HostMemory, RegisteringTwiceIsRejected) {
  const Pages pages(16);
  const Registration registration(device(), pages);
  EXPECT_EQ(device().register_host(pages.data(), pages.bytes()), Status::host_memory_already_registered);
}

// cudaErrorHostMemoryAlreadyRegistered: "part or all of the requested memory range is
// already mapped".
TEST_P(HostMemory, RegisteringAnOverlappingRangeIsRejected) {
  const Pages pages(16);
  const Registration registration(device(), pages);
  EXPECT_EQ(device().register_host(pages.data() + 2 * page, 4 * page), Status::host_memory_already_registered);
}

TEST_P(HostMemory, RegisteringAgainAfterUnregisteringWorks) {
  const Pages pages(16);
  for (int i = 0; i < 3; ++i) const Registration registration(device(), pages);
}

TEST_P(HostMemory, UnregisteringWhatIsNotRegisteredIsRejected) {
  const Pages pages(1);
  EXPECT_EQ(device().unregister_host(pages.data()), Status::host_memory_not_registered);
}

TEST_P(HostMemory, RegisteringNothingIsAnInvalidValue) {
  const Pages pages(1);
  EXPECT_EQ(device().register_host(pages.data(), 0), Status::invalid_value);
  EXPECT_EQ(device().register_host(nullptr, page), Status::invalid_value);
}

TEST_P(HostMemory, RegisteredMemoryCarriesCopiesBothWays) {
  const Pages pages(16);
  const Registration registration(device(), pages);
  const auto stream = make_stream();
  const auto array = make_array<std::byte>(pages.bytes());
  std::fill_n(pages.data(), pages.bytes(), std::byte{0x5a});
  check(device().copy(array.data(), pages.data(), pages.bytes(), CopyKind::host_to_device, stream.get()), "copy in");
  synchronize(stream.get());
  std::fill_n(pages.data(), pages.bytes(), std::byte{0});
  check(device().copy(pages.data(), array.data(), pages.bytes(), CopyKind::device_to_host, stream.get()), "copy out");
  synchronize(stream.get());
  EXPECT_TRUE(std::all_of(pages.data(), pages.data() + pages.bytes(), [](auto b) { return b == std::byte{0x5a}; }));
}

}  // namespace
}  // namespace gpucheck::device::contract
