#include "device/records/handle_ledger.hpp"

#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace gpucheck::device {
namespace {

TEST(HandleLedger, CountsWhatWasCreatedAndNotDestroyed) {
  HandleLedger ledger;
  EXPECT_EQ(*ledger.created(Result<Stream>(Stream{16})), Stream{16});
  static_cast<void>(ledger.created(Result<Stream>(Stream{32})));
  static_cast<void>(ledger.created(Result<Event>(Event{16})));
  static_cast<void>(ledger.created(Result<Graph>(Graph{16})));
  static_cast<void>(ledger.created(Result<GraphExec>(GraphExec{16})));
  static_cast<void>(ledger.created(Result<Communicator>(Communicator{16})));
  EXPECT_EQ(ledger.live(), (LiveHandles{.streams = 2, .events = 1, .graphs = 1, .executables = 1, .communicators = 1}));
  EXPECT_EQ(ledger.destroyed(Stream{16}, [] { return Status::success; }), Status::success);
  EXPECT_EQ(ledger.destroyed(Graph{16}, [] { return Status::success; }), Status::success);
  EXPECT_EQ(ledger.live(), (LiveHandles{.streams = 1, .events = 1, .executables = 1, .communicators = 1}));
}

TEST(HandleLedger, KeepsWhatCouldNotBeDestroyed) {
  HandleLedger ledger;
  static_cast<void>(ledger.created(Result<Event>(Event{16})));
  EXPECT_EQ(ledger.destroyed(Event{16}, [] { return Status::illegal_address; }), Status::illegal_address);
  EXPECT_EQ(ledger.live(), LiveHandles{.events = 1});
}

TEST(HandleLedger, KnowsNothingOfWhatItWasNotTold) {
  HandleLedger ledger;
  EXPECT_EQ(ledger.created(Result<Event>(Status::out_of_memory)).error(), Status::out_of_memory);
  static_cast<void>(ledger.created(Result<Stream>(legacy_default_stream)));
  EXPECT_EQ(ledger.destroyed(Event{16}, [] { return Status::invalid_resource_handle; }),
            Status::invalid_resource_handle);
  EXPECT_EQ(ledger.live(), LiveHandles{});
}

TEST(HandleLedger, IsToldByManyThreads) {
  HandleLedger ledger;
  constexpr std::uintptr_t each = 500;
  {
    std::vector<std::jthread> threads;
    for (std::uintptr_t thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&ledger, thread] {
        for (std::uintptr_t i = 1; i <= each; ++i) {
          const Event event{thread * each + i};
          static_cast<void>(ledger.created(Result<Event>(event)));
          if (i % 2 == 0) static_cast<void>(ledger.destroyed(event, [] { return Status::success; }));
        }
      });
    }
  }
  EXPECT_EQ(ledger.live(), LiveHandles{.events = 4 * each / 2});
}

TEST(HandleLedger, HasWordsForWhatIsLeft) {
  EXPECT_EQ(to_text(LiveHandles{}), "none");
  EXPECT_EQ(to_text(LiveHandles{.streams = 1, .events = 2, .graphs = 1, .executables = 3, .communicators = 1}),
            "1 stream, 2 events, 1 graph, 3 executable graphs, 1 communicator");
}

}  // namespace
}  // namespace gpucheck::device
