#include <algorithm>

#include "device/tests/suites.hpp"

// cudaGraphExecUpdate.
namespace gpucheck::device::contract {
namespace {

TEST_P(GraphUpdate, TakesNewParametersForTheSameTopology) {
  const auto stream = make_stream();
  const auto array = make_array<std::int32_t>(medium_size);
  const auto filling_with = [&](std::int32_t value) {
    return capture(stream.get(), [&] {
      run(kernels::Fill<std::int32_t>{array.data(), value}, medium_size, stream.get());
    });
  };
  const auto executable = instantiate(filling_with(1));
  EXPECT_EQ(device().update(executable.get(), filling_with(2).get()), Status::success);
  launch(executable, stream.get());
  EXPECT_EQ(read(array, stream.get()), std::vector<std::int32_t>(medium_size, 2));
}

TEST_P(GraphUpdate, TakesNewAddressesAndSizes) {
  const auto stream = make_stream();
  const auto one = make_array<std::int32_t>(medium_size);
  const auto other = make_array<std::int32_t>(medium_size);
  run(kernels::Fill<std::int32_t>{one.data(), 0}, medium_size, stream.get());
  run(kernels::Fill<std::int32_t>{other.data(), 0}, medium_size, stream.get());
  const auto filling = [&](std::int32_t* array, std::size_t count) {
    return capture(stream.get(), [&] { run(kernels::Fill<std::int32_t>{array, 1}, count, stream.get()); });
  };
  const auto executable = instantiate(filling(one.data(), medium_size));
  ASSERT_EQ(device().update(executable.get(), filling(other.data(), medium_size / 2).get()), Status::success);
  launch(executable, stream.get());
  std::vector<std::int32_t> half(medium_size, 0);
  std::fill_n(half.begin(), medium_size / 2, 1);
  EXPECT_EQ(read(one, stream.get()), std::vector<std::int32_t>(medium_size, 0));
  EXPECT_EQ(read(other, stream.get()), half);
}

// Programming guide, "Updating instantiated graphs": the update takes effect at the
// next launch and does not touch launches made before, even running ones.
TEST_P(GraphUpdate, LeavesLaunchesAlreadyMadeAlone) {
  const auto stream = make_stream();
  const auto array = make_array<std::int32_t>(medium_size);
  const auto adding = [&](std::int32_t value) {
    return capture(stream.get(), [&] {
      run(kernels::AddScalar<std::int32_t>{array.data(), array.data(), value}, medium_size, stream.get());
    });
  };
  const auto executable = instantiate(adding(1));
  const auto tens = adding(10);
  run(kernels::Fill<std::int32_t>{array.data(), 0}, medium_size, stream.get());
  spin(stream.get());
  launch(executable, stream.get());
  ASSERT_EQ(device().update(executable.get(), tens.get()), Status::success);
  launch(executable, stream.get());
  EXPECT_EQ(read(array, stream.get()), std::vector<std::int32_t>(medium_size, 11));
}

TEST_P(GraphUpdate, RejectsAnotherNumberOfNodes) {
  const auto stream = make_stream();
  const auto executable = instantiate(capture(stream.get(), [&] { spin(stream.get()); }));
  const auto longer = capture(stream.get(), [&] {
    spin(stream.get());
    spin(stream.get());
  });
  EXPECT_EQ(device().update(executable.get(), longer.get()), Status::graph_exec_update_failure);
}

// cudaGraphExecUpdateErrorNodeTypeChanged.
TEST_P(GraphUpdate, RejectsAnotherKindOfNode) {
  const auto stream = make_stream();
  const auto array = make_array<std::int32_t>(medium_size);
  const auto executable = instantiate(capture(stream.get(), [&] {
    run(kernels::Fill<std::int32_t>{array.data(), 1}, medium_size, stream.get());
  }));
  const auto filled =
      capture(stream.get(), [&] { check(device().fill(array.data(), 1, array.bytes(), stream.get()), "fill"); });
  EXPECT_EQ(device().update(executable.get(), filled.get()), Status::graph_exec_update_failure);
}

// cudaGraphExecUpdateErrorTopologyChanged: the same nodes with other dependencies.
TEST_P(GraphUpdate, RejectsOtherDependencies) {
  const auto origin = make_stream();
  const auto branch = make_stream();
  const auto fork = make_event();
  const auto join = make_event();
  const auto in_a_row = capture(origin.get(), [&] {
    spin(origin.get());
    spin(origin.get());
  });
  const auto side_by_side = capture(origin.get(), [&] {
    record(fork, origin.get());
    wait(branch.get(), fork);
    spin(origin.get());
    spin(branch.get());
    record(join, branch.get());
    wait(origin.get(), join);
  });
  ASSERT_EQ(device().node_count(side_by_side.get()).value(), 2U);
  const auto executable = instantiate(in_a_row);
  EXPECT_EQ(device().update(executable.get(), side_by_side.get()), Status::graph_exec_update_failure);
}

// cudaGraphExecUpdate: the function of a kernel node may change (drivers since 11.2).
TEST_P(GraphUpdate, TakesAnotherKernel) {
  const auto stream = make_stream();
  const auto array = make_array<std::int32_t>(medium_size);
  const auto executable = instantiate(capture(stream.get(), [&] {
    run(kernels::Fill<std::int32_t>{array.data(), 1}, medium_size, stream.get());
  }));
  const auto iota = capture(stream.get(), [&] {
    run(kernels::Iota<std::int32_t>{array.data(), 0}, medium_size, stream.get());
  });
  ASSERT_EQ(device().update(executable.get(), iota.get()), Status::success);
  launch(executable, stream.get());
  EXPECT_EQ(read(array, stream.get()).back(), static_cast<std::int32_t>(medium_size - 1));
}

TEST_P(GraphUpdate, IsAllowedBesideACaptureOfAnyMode) {
  const auto stream = make_stream();
  const auto other = make_stream();
  const auto array = make_array<std::int32_t>(medium_size);
  const auto filling_with = [&](std::int32_t value) {
    return capture(stream.get(), [&] {
      run(kernels::Fill<std::int32_t>{array.data(), value}, medium_size, stream.get());
    });
  };
  const auto executable = instantiate(filling_with(1));
  std::int32_t value = 1;
  for (const CaptureMode mode : {CaptureMode::global, CaptureMode::thread_local_, CaptureMode::relaxed}) {
    const auto next = filling_with(++value);
    check(device().begin_capture(other.get(), mode), "begin_capture");
    EXPECT_EQ(device().update(executable.get(), next.get()), Status::success);
    const auto captured = own<UniqueGraph>(device(), device().end_capture(other.get()));
    EXPECT_NE(captured.get(), Graph{}) << "the capture went on";
    launch(executable, stream.get());
    EXPECT_EQ(read(array, stream.get()), std::vector<std::int32_t>(medium_size, value));
  }
}

}  // namespace
}  // namespace gpucheck::device::contract
