#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "device/records/activity.hpp"
#include "device/sim/machine/race_detector.hpp"
#include "device/sim/machine/world.hpp"
#include "device/sim/time/handle_table.hpp"

namespace gpucheck::sim {

using Events = HandleTable<device::Event, EventState>;

/// One of those that do something together: its stream, and its part of the work.
struct Participant {
  Context* context = nullptr;
  StreamState* stream = nullptr;
  WorkPointer work;
};

/// Virtual time. Each operation gets its start and finish when it is enqueued, since all
/// it waits for is known by then; its effects happen at its finish, in the order of
/// finishing, as soon as the host's clock has passed it. Nothing sleeps: a host that
/// waits moves the clock.
///
/// One mutex guards the whole simulated machine. Every method but the constructor and
/// `mutex` wants it held. Host functions run on a thread of their own, without it; they
/// start when the host waits or asks, never within a call that does neither, so that one
/// may want a lock which its caller holds.
///
/// The host counts as one party to happens-before, however many threads it has: a
/// simulator cannot see how they agree among themselves, and calls follow each other
/// under the mutex. What any of them has waited for is known to all later calls.
class Timeline {
 public:
  Timeline(World& world, std::uint64_t seed) : world_(world), seed_(seed) {}

  [[nodiscard]] std::mutex& mutex() noexcept { return mutex_; }
  [[nodiscard]] std::uint64_t now_ns() const noexcept { return now_ns_; }
  [[nodiscard]] RaceDetector& races() noexcept { return races_; }
  [[nodiscard]] Component new_component() noexcept { return ++components_; }
  /// True on a thread that is inside a host function.
  [[nodiscard]] static bool inside_host_function() noexcept;

  /// The host spends time; whatever is complete by then happens, up to a host function.
  void advance(std::uint64_t nanoseconds);
  /// The host looks whether something is complete: host functions run too.
  void poll();
  /// The host waits for a point in time.
  void wait_until(std::uint64_t time_ns);
  /// Everything that finishes at this time or before has happened.
  [[nodiscard]] std::uint64_t reached_ns() const noexcept;
  [[nodiscard]] bool reached(std::uint64_t time_ns) const noexcept { return time_ns <= reached_ns(); }
  /// The host knows that all this has happened.
  void host_learns(const VectorClock& clock);
  /// The host knows that everything complete by now has happened: forgets the past when
  /// nothing is pending, and says whether it did.
  bool forget_past() noexcept;

  /// What the stream's next operation would come after, were it enqueued now.
  [[nodiscard]] Point before_next(const Context& context, const StreamState& stream) const;
  void enqueue(Context& context, StreamState& stream, const WorkPointer& work);
  /// All begin when the last of them can, and end at the same time, in this order.
  void enqueue_together(std::span<const Participant> participants);
  /// `events` are those that the graph's nodes record and wait for; one that is gone is left out.
  void launch(Context& context, StreamState& stream, Executable& executable, const Events& events);
  void upload(Context& context, StreamState& stream, Executable& executable);
  void record(Context& context, StreamState& stream, EventState& event);
  void wait(Context& context, StreamState& stream, const EventState& event);
  /// Checks something that the host does to memory against all work so far; what is
  /// enqueued later comes after it.
  void host_access(std::string_view name, const device::MemoryAccess& access);

  /// Keeps what is done from now on, by the machine's number of the device, until
  /// `take_activities`.
  void keep_activities() { activities_.emplace(); }
  [[nodiscard]] std::vector<device::Activity> take_activities();
  /// What the calling thread submits from now on belongs to this call; 0 for none.
  static void belongs_to(std::uint64_t call) noexcept;

 private:
  struct Operation {
    Actor actor;
    Context* context = nullptr;
    WorkPointer work;
    std::uint64_t start_ns = 0;
    std::uint64_t call = 0;  ///< that it belongs to
    /// A source in page-locked memory that the host might change too early.
    struct Source {
      std::uint64_t digest = 0;
      std::uint64_t host_writes = 0;
    };
    std::optional<Source> source;
  };

  /// An entry of the heap: small, since entries move about in it.
  struct Pending {
    std::uint64_t finish_ns = 0;
    std::uint64_t sequence = 0;
    std::unique_ptr<const Operation> operation;
  };

  static bool later(const Pending& a, const Pending& b) noexcept;
  std::uint64_t random() noexcept;
  std::uint64_t submit(Context& context, const StreamState& stream, const WorkPointer& work, std::uint64_t start_ns,
                       Stamp stamp, const VectorClock& knows);
  void submit_until(std::uint64_t finish_ns, Context& context, const StreamState& stream, const WorkPointer& work,
                    std::uint64_t start_ns, Stamp stamp, const VectorClock& knows);
  [[nodiscard]] std::optional<Operation::Source> watch(const Work& work) const;
  /// Orders the stream's next operation, which must follow at once, after what it
  /// implicitly follows: the default stream or the blocking streams, and what the host knows.
  void order(Context& context, StreamState& stream);
  void step(StreamState& stream);
  enum class HostFunctions { leave, start };
  void run_due(HostFunctions host_functions);
  void keep(const Operation& operation);
  void perform(const Operation& operation);
  void start_host_function(const Operation& operation);

  World& world_;
  const std::uint64_t seed_;
  std::mutex mutex_;
  std::condition_variable_any idle_;
  std::uint64_t now_ns_ = 0;
  std::uint64_t sequence_ = 0;
  std::uint64_t draws_ = 0;
  Component components_ = 0;
  const Component host_ = new_component();
  std::uint64_t host_steps_ = 0;
  VectorClock host_clock_;
  std::uint64_t host_epoch_ = 1;
  std::vector<Pending> pending_;  // a heap: the next to finish in front
  bool calling_ = false;          // a host function is running
  std::uint64_t calling_finish_ns_ = 0;
  RaceDetector races_;
  std::optional<std::vector<device::Activity>> activities_;
  std::jthread host_thread_;  // last, so that it has ended before anything else goes
};

}  // namespace gpucheck::sim
