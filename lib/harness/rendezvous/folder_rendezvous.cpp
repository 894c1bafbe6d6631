#include "harness/rendezvous/folder_rendezvous.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <random>
#include <system_error>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/files/input_file.hpp"
#include "base/files/output_file.hpp"

namespace gpucheck::harness {
namespace {

namespace fs = std::filesystem;

class FolderRendezvous final : public Rendezvous {
 public:
  explicit FolderRendezvous(std::string folder) : folder_(std::move(folder)) {}

  bool put(const std::string& name, const std::string& text) override {
    const fs::path path = path_of(name);
    std::error_code problem;
    fs::create_directories(path.parent_path(), problem);
    if (problem) {
      throw EnvironmentError(fmt::format("cannot make {}, where the processes of the job meet: {}",
                                         path.parent_path().string(), problem.message()));
    }
    // A link is made by one alone, and the file is whole before it has the name.
    const fs::path own = fs::path(path.string() + fmt::format(".{:08x}{:08x}", random_(), random_()));
    OutputFile(own.string(), "message").commit(text);
    fs::create_hard_link(own, path, problem);
    std::error_code ignored;
    fs::remove(own, ignored);
    if (!problem) return true;
    if (problem == std::errc::file_exists) return false;
    throw EnvironmentError(
        fmt::format("cannot leave {}, by which the processes of the job meet: {}", path.string(), problem.message()));
  }

  std::optional<std::string> get(const std::string& name, Clock::time_point deadline) override {
    constexpr std::chrono::milliseconds longest_pause(20);
    const std::string path = path_of(name).string();
    for (std::chrono::milliseconds pause(1);; pause = std::min(2 * pause, longest_pause)) {
      if (auto text = read_input_file_if_any(path, "message", max_rendezvous_bytes)) return text;
      if (Clock::now() >= deadline) return std::nullopt;
      std::this_thread::sleep_for(pause);
    }
  }

 private:
  [[nodiscard]] fs::path path_of(const std::string& name) const { return folder_ / (name + ".message"); }

  fs::path folder_;
  std::random_device random_;  ///< processes of several machines may have the same number
};

}  // namespace

std::unique_ptr<Rendezvous> make_folder_rendezvous(std::string folder) {
  return std::make_unique<FolderRendezvous>(std::move(folder));
}

}  // namespace gpucheck::harness
