#include "tensor/libraries/workspaces.hpp"

#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <regex>
#include <set>
#include <utility>

#include "tensor/core/storage.hpp"

namespace gpucheck::tensor {
namespace {

constexpr std::uint64_t kib = 1024;

/// Numbers for threads, the lowest that is free for each: so few that what is kept by them is not of threads that
/// ended.
class ThreadPlaces {
 public:
  std::uint64_t take() {
    const std::scoped_lock lock(mutex_);
    if (free_.empty()) return count_++;
    return free_.extract(free_.begin()).value();
  }
  void give_back(std::uint64_t place) {
    const std::scoped_lock lock(mutex_);
    free_.insert(place);
  }
  /// Never destroyed: threads may end after everything else.
  static ThreadPlaces& all() {
    static ThreadPlaces& places = *new ThreadPlaces;
    return places;
  }

 private:
  std::mutex mutex_;
  std::set<std::uint64_t> free_;
  std::uint64_t count_ = 0;
};

struct ThreadPlace {
  std::uint64_t number = ThreadPlaces::all().take();
  ThreadPlace() = default;
  ThreadPlace(const ThreadPlace&) = delete;
  ThreadPlace& operator=(const ThreadPlace&) = delete;
  ~ThreadPlace() { ThreadPlaces::all().give_back(number); }
};

std::uint64_t place_of_thread() {
  static const thread_local ThreadPlace place;
  return place.number;
}

class Workspaces {
 public:
  explicit Workspaces(runtime::Runtime& runtime) : runtime_(runtime) {}

  Workspace current() {
    const auto key = Key(runtime_.current_stream(), place_of_thread());
    const std::scoped_lock lock(mutex_);
    auto found = kept_.find(key);
    if (found == kept_.end()) found = kept_.emplace(key, Storage(bytes(), runtime_)).first;
    return {found->second.data(), found->second.bytes()};
  }
  void clear() {
    std::map<Key, Storage> cleared;
    const std::scoped_lock lock(mutex_);
    cleared.swap(kept_);
  }
  void set_config(std::optional<std::string> config) {
    const std::scoped_lock lock(mutex_);
    config_ = std::move(config);
  }

  static Workspaces& of(runtime::Runtime& runtime) {
    static const char key = 0;
    return *static_cast<Workspaces*>(runtime.kept(&key, [&] { return std::make_shared<Workspaces>(runtime); }));
  }

 private:
  using Key = std::pair<device::Stream, std::uint64_t>;

  [[nodiscard]] std::uint64_t bytes() const {
    const device::DeviceProperties& properties = runtime_.device().properties();
    const char* const config =
        config_ ? config_->c_str() : std::getenv("CUBLAS_WORKSPACE_CONFIG");  // NOLINT(concurrency-mt-unsafe)
    return workspace_bytes(config, properties.compute_capability_major, properties.compute_capability_minor);
  }

  runtime::Runtime& runtime_;
  std::mutex mutex_;
  std::map<Key, Storage> kept_;
  std::optional<std::string> config_;
};

}  // namespace

std::uint64_t workspace_bytes(const char* config, int capability_major, int capability_minor) {
  const bool is_hopper = capability_major == 9 && capability_minor == 0;
  const std::uint64_t unset = is_hopper ? 4096 * 8 * kib : (4096 * 2 + 16 * 8) * kib;
  if (config == nullptr) return unset;
  const std::string text(config);
  static const std::regex pair(":([0-9]+):([0-9]+)");
  const std::sregex_iterator end;
  std::sregex_iterator next(text.begin(), text.end(), pair);
  if (next == end) return unset;
  std::uint64_t bytes = 0;
  for (; next != end; ++next) bytes += std::stoull(next->str(1)) * kib * std::stoull(next->str(2));
  return bytes;
}

Workspace workspace_for_current_stream(runtime::Runtime& runtime) { return Workspaces::of(runtime).current(); }
void clear_workspaces(runtime::Runtime& runtime) { Workspaces::of(runtime).clear(); }
void set_workspace_config(runtime::Runtime& runtime, std::optional<std::string> config) {
  Workspaces::of(runtime).set_config(std::move(config));
}

}  // namespace gpucheck::tensor
