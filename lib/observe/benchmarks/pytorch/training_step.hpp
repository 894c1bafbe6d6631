#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace peers {

/// The device memory calls of one step of training a model, as PyTorch made them: lines "a ID BYTES" for an
/// allocation and "f ID" for its free. Whatever the step allocates it frees.
class TrainingStep {
 public:
  explicit TrainingStep(const std::filesystem::path& file) : name_(file.stem().string()) {
    std::ifstream in(file);
    char action = 0;
    std::uint32_t id = 0;
    while (in >> action >> id) {
      std::size_t bytes = 0;
      if (action == 'a') in >> bytes;
      calls_.push_back({id, bytes});
      allocations_ += action == 'a' ? 1 : 0;
      ids_ = std::max(ids_, id + 1);
    }
    if (allocations_ == 0 || calls_.size() != 2 * allocations_) {
      throw std::runtime_error(file.string() + " is not a training step: its allocations and frees do not match");
    }
  }

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] std::size_t allocations() const noexcept { return allocations_; }

  template <typename Allocator>
  void play(Allocator& allocator, int rounds) const {
    std::vector<void*> live(ids_);
    for (int round = 0; round < rounds; ++round) {
      for (const Call& call : calls_) {
        if (call.bytes != 0) {
          live[call.id] = allocator.allocate(call.bytes);
        } else {
          allocator.free(live[call.id]);
        }
      }
    }
  }

 private:
  struct Call {
    std::uint32_t id = 0;
    std::size_t bytes = 0;  ///< 0: a free
  };

  std::string name_;
  std::vector<Call> calls_;
  std::size_t allocations_ = 0;
  std::uint32_t ids_ = 0;
};

/// All of a folder's, by name.
inline std::vector<TrainingStep> training_steps_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return {files.begin(), files.end()};
}

}  // namespace peers
