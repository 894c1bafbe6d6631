#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <list>
#include <string>
#include <vector>

#include "runner/process/adopted_processes.hpp"
#include "runner/worker/worker_process.hpp"

namespace gpucheck::runner {

/// A worker and the devices it has contexts on.
struct PooledWorker {
  PooledWorker(boost::asio::io_context& context, const std::string& program, std::vector<int> own_devices,
               std::function<void()> on_gone)
      : process(context, program, std::move(on_gone)), devices(std::move(own_devices)) {}

  WorkerProcess process;
  std::vector<int> devices;
  bool prepared = false;       ///< it has opened them
  bool has_recording = false;  ///< it was sent the text of the run's recording
};

/// The workers of a run. A worker serves the same devices all its life: on any other it
/// would make one more context. What a worker has started goes with it. Lives on the thread of its io_context.
class WorkerPool {
 public:
  /// @param on_gone called whenever a worker's process has ended or was abandoned.
  WorkerPool(boost::asio::io_context& context, std::string program, std::function<void()> on_gone)
      : context_(context), program_(std::move(program)), on_gone_(std::move(on_gone)) {}
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// @throws EnvironmentError.
  PooledWorker& start(std::vector<int> devices);
  /// One that waits for another case on just these devices, prepared if there is such a one;
  /// null when there is none.
  [[nodiscard]] PooledWorker* idle_on(const std::vector<int>& devices);
  /// Sends away all idle workers that have a context on one of the devices, but `kept`.
  /// False as long as one is still there: until its process has ended it holds memory.
  [[nodiscard]] bool make_room_on(const std::vector<int>& devices, const PooledWorker* kept);
  /// Those whose devices `is_wanted` says no of leave.
  void retire_idle(const std::function<bool(int device)>& is_wanted);
  /// What is not gone within `patience` is abandoned.
  void kill_all(std::chrono::milliseconds patience = time_to_die);
  [[nodiscard]] bool is_empty() const;

 private:
  void worker_gone();

  boost::asio::io_context& context_;
  std::string program_;
  AdoptedProcesses adopted_;
  std::function<void()> on_gone_;
  std::list<PooledWorker> workers_;
};

}  // namespace gpucheck::runner
