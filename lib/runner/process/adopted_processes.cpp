#include "runner/process/adopted_processes.hpp"

#include <algorithm>
#include <chrono>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "runner/process/process_table.hpp"

namespace gpucheck::runner {
namespace {

/// Sorted.
std::vector<pid_t> children() {
  std::vector<pid_t> found;
  for (const ProcessEntry& process : processes()) {
    if (process.parent == ::getpid()) found.push_back(process.id);
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace

AdoptedProcesses::AdoptedProcesses() : not_ours_(children()) {
  ::prctl(PR_GET_CHILD_SUBREAPER, &was_adopting_);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

AdoptedProcesses::~AdoptedProcesses() { ::prctl(PR_SET_CHILD_SUBREAPER, was_adopting_); }

void AdoptedProcesses::kill_all_but(std::span<const pid_t> own) {
  constexpr int max_rounds = 50;
  std::vector<pid_t> adopted;
  for (int round = 0; round < max_rounds; ++round) {
    adopted = children();
    std::erase_if(adopted, [&](pid_t id) {
      return std::ranges::binary_search(not_ours_, id) || std::ranges::find(own, id) != own.end();
    });
    if (adopted.empty()) return;
    for (const pid_t id : adopted) {
      ::kill(id, SIGKILL);
      ::waitpid(id, nullptr, WNOHANG);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  not_ours_.insert(not_ours_.end(), adopted.begin(), adopted.end());
  std::ranges::sort(not_ours_);
}

}  // namespace gpucheck::runner
