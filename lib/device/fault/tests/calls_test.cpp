#include <functional>
#include <thread>

#include "device/fault/tests/faulty.hpp"

// Effects that are the same for every operation: whether the call is made, what comes
// back, and which of the calls are meant.
namespace gpucheck::fault {
namespace {

using device::CaptureMode;
using device::CopyKind;

constexpr Status injected = Status::launch_timeout;

/// One way to make a call of an operation, with what it needs set up by other ones.
struct Probe {
  Operation operation;
  std::function<Status(Faulty&, const std::function<void()>& before)> call;
};

void PrintTo(const Probe& probe, std::ostream* out) { *out << to_text(probe.operation); }

const auto nothing = [](void*) {};

device::UniqueGraph captured(Faulty& faulty) {
  const auto stream = faulty.make_stream();
  device::check(faulty.device().begin_capture(stream.get(), CaptureMode::relaxed), "begin_capture");
  faulty.spin(stream.get());
  return device::own<device::UniqueGraph>(faulty.device(), faulty.device().end_capture(stream.get()));
}

const Probe probes[] = {
    {Operation::free,
     [](Faulty& f, auto& before) {
       void* memory = f.device().allocate(64).value();
       before();
       return f.device().free(memory);
     }},
    {Operation::free_async,
     [](Faulty& f, auto& before) {
       void* memory = f.device().allocate_async(64, {}).value();
       before();
       return f.device().free_async(memory, {});
     }},
    {Operation::reset_async_pool_peaks,
     [](Faulty& f, auto& before) {
       before();
       return f.device().reset_async_pool_peaks();
     }},
    {Operation::set_async_pool_threshold,
     [](Faulty& f, auto& before) {
       before();
       return f.device().set_async_pool_threshold(0);
     }},
    {Operation::trim_async_pool,
     [](Faulty& f, auto& before) {
       before();
       return f.device().trim_async_pool(0);
     }},
    {Operation::async_pool_usage,
     [](Faulty& f, auto& before) {
       before();
       return status_of(f.device().async_pool_usage());
     }},
    {Operation::free_pinned,
     [](Faulty& f, auto& before) {
       void* memory = f.device().allocate_pinned(64).value();
       before();
       return f.device().free_pinned(memory);
     }},
    {Operation::register_host,
     [](Faulty& f, auto& before) {
       static std::vector<char> memory(8192);
       before();
       return f.device().register_host(memory.data(), memory.size());
     }},
    {Operation::unregister_host,
     [](Faulty& f, auto& before) {
       static std::vector<char> memory(8192);
       device::check(f.device().register_host(memory.data(), memory.size()), "register_host");
       before();
       return f.device().unregister_host(memory.data());
     }},
    {Operation::release_addresses,
     [](Faulty& f, auto& before) {
       void* addresses = f.device().reserve_addresses(device::mapping_granularity).value();
       before();
       return f.device().release_addresses(addresses, device::mapping_granularity);
     }},
    {Operation::map_memory,
     [](Faulty& f, auto& before) {
       void* addresses = f.device().reserve_addresses(device::mapping_granularity).value();
       before();
       return f.device().map_memory(addresses, device::mapping_granularity);
     }},
    {Operation::unmap_memory,
     [](Faulty& f, auto& before) {
       void* addresses = f.device().reserve_addresses(device::mapping_granularity).value();
       device::check(f.device().map_memory(addresses, device::mapping_granularity), "map_memory");
       before();
       return f.device().unmap_memory(addresses, device::mapping_granularity);
     }},
    {Operation::destroy_stream,
     [](Faulty& f, auto& before) {
       auto stream = f.make_stream();
       before();
       return f.device().destroy_stream(stream.release());
     }},
    {Operation::query_stream,
     [](Faulty& f, auto& before) {
       before();
       return f.device().query(device::legacy_default_stream);
     }},
    {Operation::wait,
     [](Faulty& f, auto& before) {
       auto event = f.make_event();
       before();
       return f.device().wait({}, event.release());
     }},
    {Operation::destroy_event,
     [](Faulty& f, auto& before) {
       auto event = f.make_event();
       before();
       return f.device().destroy_event(event.release());
     }},
    {Operation::record,
     [](Faulty& f, auto& before) {
       auto event = f.make_event();
       before();
       return f.device().record(event.release(), {});
     }},
    {Operation::query_event,
     [](Faulty& f, auto& before) {
       auto event = f.make_event();
       before();
       return f.device().query(event.release());
     }},
    {Operation::synchronize,
     [](Faulty& f, auto& before) {
       before();
       return f.device().synchronize();
     }},
    {Operation::synchronize,
     [](Faulty& f, auto& before) {
       before();
       return f.device().synchronize(device::legacy_default_stream);
     }},
    {Operation::synchronize,
     [](Faulty& f, auto& before) {
       auto event = f.make_event();
       before();
       return f.device().synchronize(event.release());
     }},
    {Operation::copy,
     [](Faulty& f, auto& before) {
       static char memory[2];
       before();
       return f.device().copy(&memory[0], &memory[1], 1, CopyKind::host_to_host, {});
     }},
    {Operation::fill,
     [](Faulty& f, auto& before) {
       auto memory = f.make_memory(64);
       before();
       return f.device().fill(memory.release(), 1, 64, {});
     }},
    {Operation::launch_kernel,
     [](Faulty& f, auto& before) {
       before();
       return device::launch(f.device(), device::kernels::Spin{1}, 1, {});
     }},
    {Operation::host_callback,
     [](Faulty& f, auto& before) {
       before();
       return f.device().host_callback({}, nothing, nullptr);
     }},
    {Operation::begin_capture,
     [](Faulty& f, auto& before) {
       auto stream = f.make_stream();
       before();
       return f.device().begin_capture(stream.release(), CaptureMode::relaxed);
     }},
    {Operation::launch_graph,
     [](Faulty& f, auto& before) {
       auto executable = f.device().instantiate(captured(f).release()).value();
       before();
       return f.device().launch(executable, {});
     }},
    {Operation::update_graph,
     [](Faulty& f, auto& before) {
       auto graph = captured(f).release();
       auto executable = f.device().instantiate(graph).value();
       before();
       return f.device().update(executable, graph);
     }},
    {Operation::destroy_graph,
     [](Faulty& f, auto& before) {
       auto graph = captured(f).release();
       before();
       return f.device().destroy_graph(graph);
     }},
    {Operation::destroy_executable,
     [](Faulty& f, auto& before) {
       auto executable = f.device().instantiate(captured(f).release()).value();
       before();
       return f.device().destroy_executable(executable);
     }},
    {Operation::last_error,
     [](Faulty& f, auto& before) {
       before();
       return f.device().last_error();
     }},
    {Operation::last_error,
     [](Faulty& f, auto& before) {
       before();
       return f.device().peek_last_error();
     }},
    {Operation::enable_peer_access,
     [](Faulty& f, auto& before) {
       before();
       return f.device().enable_peer_access(1);
     }},
    {Operation::allocate,
     [](Faulty& f, auto& before) {
       before();
       return status_of(f.device().allocate(64));
     }},
    {Operation::allocate_async,
     [](Faulty& f, auto& before) {
       before();
       return status_of(f.device().allocate_async(64, {}));
     }},
    {Operation::allocate_pinned,
     [](Faulty& f, auto& before) {
       before();
       return status_of(f.device().allocate_pinned(64));
     }},
    {Operation::memory_info,
     [](Faulty& f, auto& before) {
       before();
       return status_of(f.device().memory_info());
     }},
    {Operation::pointer_info,
     [](Faulty& f, auto& before) {
       before();
       return status_of(f.device().pointer_info(&f));
     }},
    {Operation::create_stream,
     [](Faulty& f, auto& before) {
       before();
       return status_of(f.device().create_stream(device::StreamKind::blocking, 0));
     }},
    {Operation::create_event,
     [](Faulty& f, auto& before) {
       before();
       return status_of(f.device().create_event(device::EventKind::timing));
     }},
    {Operation::elapsed_ms,
     [](Faulty& f, auto& before) {
       const auto event = f.make_event().release();
       device::check(f.device().record(event, {}), "record");
       device::check(f.device().synchronize(event), "synchronize");
       before();
       return status_of(f.device().elapsed_ms(event, event));
     }},
    {Operation::end_capture,
     [](Faulty& f, auto& before) {
       const auto stream = f.make_stream().release();
       device::check(f.device().begin_capture(stream, CaptureMode::relaxed), "begin_capture");
       before();
       return status_of(f.device().end_capture(stream));
     }},
    {Operation::capture_info,
     [](Faulty& f, auto& before) {
       before();
       return status_of(f.device().capture_info({}));
     }},
    {Operation::capture_dependencies,
     [](Faulty& f, auto& before) {
       before();
       return status_of(f.device().capture_dependencies({}));
     }},
    {Operation::node_dependencies,
     [](Faulty& f, auto& before) {
       const auto stream = f.make_stream().release();
       device::check(f.device().begin_capture(stream, CaptureMode::relaxed), "begin_capture");
       f.spin(stream);
       const device::GraphNode node = f.device().capture_dependencies(stream).value().at(0);
       before();
       return status_of(f.device().node_dependencies(node));
     }},
    {Operation::exchange_capture_mode,
     [](Faulty& f, auto& before) {
       before();
       return status_of(f.device().exchange_capture_mode(CaptureMode::global));
     }},
    {Operation::node_count,
     [](Faulty& f, auto& before) {
       const auto graph = captured(f).release();
       before();
       return status_of(f.device().node_count(graph));
     }},
    {Operation::instantiate,
     [](Faulty& f, auto& before) {
       const auto graph = captured(f).release();
       before();
       return status_of(f.device().instantiate(graph));
     }},
    {Operation::can_access_peer,
     [](Faulty& f, auto& before) {
       before();
       return status_of(f.device().can_access_peer(1));
     }},
};

class EveryCall : public testing::TestWithParam<Probe> {
 protected:
  struct Seen {
    Status status = Status::unknown;
    std::uint64_t calls_made = 0;
  };

  static Seen make(Faulty& faulty) {
    std::uint64_t before = 0;
    const Status status = GetParam().call(faulty, [&] { before = faulty.calls(); });
    return {.status = status, .calls_made = faulty.calls() - before};
  }
  static Plan plan(Effect effect) {
    return {{{.operation = GetParam().operation, .effect = effect, .status = injected}}};
  }
};

TEST_P(EveryCall, ReachesTheDeviceUnderAnEmptyPlan) {
  Faulty faulty({}, 2);
  const Seen seen = make(faulty);
  EXPECT_NE(seen.status, injected);
  EXPECT_EQ(seen.calls_made, 1U);
}

TEST_P(EveryCall, FailsWithoutBeingMade) {
  Faulty faulty(plan(Effect::fail), 2);
  const Seen seen = make(faulty);
  EXPECT_EQ(seen.status, injected);
  EXPECT_EQ(seen.calls_made, 0U);
}

TEST_P(EveryCall, IsDropped) {
  Faulty faulty(plan(Effect::drop), 2);
  const Seen seen = make(faulty);
  EXPECT_EQ(seen.status, Status::success);
  EXPECT_EQ(seen.calls_made, 0U);
}

TEST_P(EveryCall, IsMadeAndReportedAsSuccess) {
  Faulty faulty(plan(Effect::report_success), 2);
  const Seen seen = make(faulty);
  EXPECT_EQ(seen.status, Status::success);
  EXPECT_EQ(seen.calls_made, 1U);
}

TEST_P(EveryCall, LosesTheDevice) {
  Faulty faulty(plan(Effect::lose_device), 2);
  const Seen seen = make(faulty);
  EXPECT_EQ(seen.status, injected);
  EXPECT_EQ(seen.calls_made, 0U);
  EXPECT_EQ(faulty.device().synchronize(), injected);
  EXPECT_EQ(faulty.device().last_error(), injected);
  EXPECT_EQ(faulty.device().last_error(), injected);
  EXPECT_EQ(status_of(faulty.device().allocate(64)), injected);
  EXPECT_EQ(faulty.device(1).synchronize(), injected);  // all devices
}

INSTANTIATE_TEST_SUITE_P(Calls, EveryCall, testing::ValuesIn(probes), [](const auto& information) {
  return std::string(to_text(information.param.operation)) + "_" + std::to_string(information.index);
});

TEST(ReportSuccess, HidesAFailureAndGivesZero) {
  const Plan plan{{{Operation::free, Effect::report_success}, {Operation::allocate, Effect::report_success}}};
  const Faulty faulty(plan);
  int on_the_stack = 0;
  EXPECT_EQ(faulty.device().free(&on_the_stack), Status::success);
  EXPECT_EQ(faulty.device().free(&on_the_stack), Status::invalid_value);
  const Result<void*> impossible = faulty.device().allocate(std::size_t{1} << 60);
  ASSERT_EQ(status_of(impossible), Status::success);
  EXPECT_EQ(*impossible, nullptr);
}

TEST(Counting, MeansTheCallsFromTheFirstOn) {
  const Faulty faulty(Plan{{{.operation = Operation::memory_info, .effect = Effect::fail, .first = 2, .times = 2}}});
  std::vector<bool> failed;
  for (int i = 0; i < 5; ++i) failed.push_back(!faulty.device().memory_info());
  EXPECT_EQ(failed, (std::vector{false, true, true, false, false}));
}

TEST(Counting, MeansAllThatFollowForZeroTimes) {
  const Faulty faulty(Plan{{{.operation = Operation::memory_info, .effect = Effect::fail, .first = 3, .times = 0}}});
  std::vector<bool> failed;
  for (int i = 0; i < 5; ++i) failed.push_back(!faulty.device().memory_info());
  EXPECT_EQ(failed, (std::vector{false, false, true, true, true}));
}

TEST(Counting, IsPerOperationAndOverAllDevices) {
  const Faulty faulty(Plan{{{.operation = Operation::memory_info, .effect = Effect::fail, .first = 2}}}, 2);
  EXPECT_TRUE(faulty.device(0).memory_info());
  EXPECT_EQ(faulty.device(0).synchronize(), Status::success);
  EXPECT_FALSE(faulty.device(1).memory_info());
  EXPECT_TRUE(faulty.device(0).memory_info());
}

TEST(Counting, TakesTheFirstRuleThatApplies) {
  const Plan plan{{{.operation = Operation::synchronize, .effect = Effect::fail, .times = 1, .status = injected},
                   {.operation = Operation::synchronize, .effect = Effect::fail, .times = 2}}};
  const Faulty faulty(plan);
  EXPECT_EQ(faulty.device().synchronize(), injected);
  EXPECT_EQ(faulty.device().synchronize(), Status::unknown);
  EXPECT_EQ(faulty.device().synchronize(), Status::success);
}

TEST(Counting, IsExactWithManyThreads) {
  constexpr int threads = 8;
  constexpr int calls = 200;
  const Faulty faulty(
      Plan{{{.operation = Operation::memory_info, .effect = Effect::fail, .first = 301, .times = 500}}});
  std::atomic<int> failures = 0;
  {
    std::vector<std::jthread> workers;
    for (int i = 0; i < threads; ++i) {
      workers.emplace_back([&] {
        for (int j = 0; j < calls; ++j) failures += faulty.device().memory_info() ? 0 : 1;
      });
    }
  }
  EXPECT_EQ(failures, 500);
}

TEST(EmptyPlan, ChangesNothing) {
  const auto driver = inject(sim::make_driver({.profile = sim::profile("small")}), {});
  const auto bare = sim::make_driver({.profile = sim::profile("small")});
  EXPECT_EQ(driver->kind(), bare->kind());
  EXPECT_EQ(driver->visible_devices_variable(), bare->visible_devices_variable());
  EXPECT_EQ(status_of(driver->device_count_without_initialising()), Status::initialization_error);
  EXPECT_EQ(*driver->device_count(), 1);
  EXPECT_EQ(status_of(driver->open(7)), status_of(bare->open(7)));
  const auto device = std::move(driver->open(0).value());
  EXPECT_EQ(device->ordinal(), 0);
  EXPECT_EQ(device->properties().name, sim::profile("small").properties.name);
  EXPECT_EQ(device->error_text(Status::out_of_memory), "out of memory");
  EXPECT_EQ(device->default_stream(), std::move(bare->open(0).value())->default_stream());
}

}  // namespace
}  // namespace gpucheck::fault
