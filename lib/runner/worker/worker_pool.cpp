#include "runner/worker/worker_pool.hpp"

#include <algorithm>

namespace gpucheck::runner {
namespace {

bool has_any_of(const PooledWorker& worker, const std::vector<int>& devices) {
  return std::ranges::find_first_of(worker.devices, devices) != worker.devices.end();
}

}  // namespace

PooledWorker& WorkerPool::start(std::vector<int> devices) {
  std::erase_if(workers_, [](const PooledWorker& worker) { return worker.process.gone(); });
  return workers_.emplace_back(context_, program_, std::move(devices), [this] { worker_gone(); });
}

void WorkerPool::worker_gone() {
  std::vector<pid_t> workers;
  for (const PooledWorker& worker : workers_) workers.push_back(worker.process.id());
  adopted_.kill_all_but(workers);
  on_gone_();
}

PooledWorker* WorkerPool::idle_on(const std::vector<int>& devices) {
  PooledWorker* found = nullptr;
  for (PooledWorker& worker : workers_) {
    if (!worker.process.idle() || worker.devices != devices) continue;
    if (found == nullptr || worker.prepared) found = &worker;
  }
  return found;
}

bool WorkerPool::make_room_on(const std::vector<int>& devices, const PooledWorker* kept) {
  bool empty = true;
  for (PooledWorker& worker : workers_) {
    if (&worker == kept || worker.process.gone() || !has_any_of(worker, devices)) continue;
    worker.process.retire();
    empty = false;
  }
  return empty;
}

void WorkerPool::retire_idle(const std::function<bool(int device)>& is_wanted) {
  for (PooledWorker& worker : workers_) {
    if (std::ranges::none_of(worker.devices, is_wanted)) worker.process.retire();
  }
}

void WorkerPool::kill_all(std::chrono::milliseconds patience) {
  for (PooledWorker& worker : workers_) worker.process.kill(patience);
}

bool WorkerPool::is_empty() const {
  return std::ranges::all_of(workers_, [](const PooledWorker& worker) { return worker.process.gone(); });
}

}  // namespace gpucheck::runner
