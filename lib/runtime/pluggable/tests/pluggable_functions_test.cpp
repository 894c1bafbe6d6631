#include <cstring>
#include <gtest/gtest.h>
#include <vector>

#include "runtime/pluggable/pluggable_allocator.hpp"
#include "runtime/tests/simulated.hpp"

// An allocator of plain functions of this program's own; libraries are tried by allocator_contract_test.cpp and by the
// command's tests.
namespace gpucheck::runtime::test {
namespace {

struct Calls {
  std::vector<std::size_t> freed_bytes;
  std::vector<void*> streams;
  void* next = nullptr;
};
Calls library_calls;  // the interface has no place for a context

void* allocate(std::size_t /*bytes*/, int /*device*/, void* stream) {
  library_calls.streams.push_back(stream);
  return library_calls.next;
}
void free(void* /*pointer*/, std::size_t bytes, int /*device*/, void* stream) {
  library_calls.freed_bytes.push_back(bytes);
  library_calls.streams.push_back(stream);
}

class PluggableFunctions : public testing::Test {
 protected:
  PluggableFunctions() { library_calls = {}; }

  Simulated machine_;
  PluggableAllocator allocator_{machine_.device(), "functions of the test", {.allocate = allocate, .free = free}};
  device::Stream stream_ = machine_.side_stream();
  int first_ = 0;
  int second_ = 0;
};

TEST_F(PluggableFunctions, AreToldTheSizeAndTheStreamOfWhatTheyFree) {
  for (const std::size_t bytes : {std::size_t{1000}, std::size_t{1}}) {
    library_calls.next = bytes == 1 ? &second_ : &first_;
    EXPECT_EQ(allocator_.allocate(bytes, stream_), library_calls.next);
  }
  EXPECT_EQ(allocator_.live_allocations().bytes, 1001U);
  allocator_.free(&second_);
  allocator_.free(&first_);
  EXPECT_EQ(library_calls.freed_bytes, (std::vector<std::size_t>{1, 1000}));
  EXPECT_EQ(library_calls.streams, std::vector<void*>(4, reinterpret_cast<void*>(stream_.value)));
}

TEST_F(PluggableFunctions, MayGiveNoBlockToTwo) {
  library_calls.next = &first_;
  EXPECT_EQ(allocator_.allocate(16, stream_), &first_);
  EXPECT_THROW(static_cast<void>(allocator_.allocate(16, stream_)), Error);
  EXPECT_EQ(allocator_.live_allocations().count, 1U);
  allocator_.free(&first_);
  EXPECT_THROW(allocator_.free(&first_), Error);
}

TEST_F(PluggableFunctions, NeedNotTakeMemoryOfTheDevice) {
  EXPECT_FALSE(allocator_.library().takes_device_memory());
  try {
    allocator_.library().require_device_memory();
    FAIL() << "nothing was thrown";
  } catch (const EnvironmentError& error) {
    EXPECT_NE(std::strstr(error.what(), "functions of the test"), nullptr) << error.what();
  }
}

TEST_F(PluggableFunctions, GiveNullWhenThereIsNoMemory) {
  EXPECT_THROW(static_cast<void>(allocator_.allocate(16, stream_)), OutOfMemoryError);
  EXPECT_EQ(allocator_.allocate(0, stream_), nullptr);
}

}  // namespace
}  // namespace gpucheck::runtime::test
