#include "observe/history/memory_history.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <deque>
#include <map>
#include <mutex>

#include "base/text/utf8.hpp"
#include "observe/history/history_shard.hpp"
#include "observe/history/snapshot_builder.hpp"
#include "observe/history/stack_table.hpp"
#include "observe/history/tick_clock.hpp"

namespace gpucheck::observe {
namespace {

using runtime::CallContext;
using runtime::CallerNumber;
using runtime::MemoryAction;
using runtime::MemoryCall;
using runtime::MemoryEvent;
using runtime::unknown_caller;

constexpr std::uint32_t all_actions = ~0U;
constexpr std::uint32_t bit(MemoryAction action) { return 1U << static_cast<unsigned>(action); }
constexpr std::uint32_t bit(MemoryCall call) { return 1U << static_cast<unsigned>(call); }

/// The calls whose callers are looked for, as bits.
std::uint32_t calls_captured_at(ContextLevel level) {
  std::uint32_t calls = 0;
  if (level >= ContextLevel::state) calls |= bit(MemoryCall::allocate) | bit(MemoryCall::checkpoint_write);
  if (level >= ContextLevel::all) {
    calls |= bit(MemoryCall::free) | bit(MemoryCall::empty_cache) | bit(MemoryCall::checkpoint_read);
  }
  return calls;
}

std::uint64_t active_bytes(const std::vector<runtime::SegmentInfo>& segments) {
  std::uint64_t total = 0;
  for (const runtime::SegmentInfo& segment : segments) total += segment.active_size;
  return total;
}

}  // namespace

/// The recorder. What `record` of the allocator's events reads is changed only during a
/// `CachingAllocator::Pause`, when no event can come; the rest is guarded by `mutex_`.
class MemoryHistory::Recorder final : public runtime::MemoryRecorder {
 public:
  Recorder(runtime::CachingAllocator& allocator, int device_ordinal)
      : allocator_(allocator), device_ordinal_(device_ordinal) {}
  ~Recorder() override { allocator_.set_memory_recorder(nullptr); }

  CallContext context_of(MemoryCall call) noexcept override {
    if ((captured_calls_.load(std::memory_order_relaxed) & bit(call)) != 0) [[unlikely]]
      return capture();
    return {.ticks = clock_.ticks()};
  }

  void prepare_shards(std::size_t count) override {
    while (shards_.size() < count) shards_.push_back(std::make_unique<detail::HistoryShard>(limit_));
  }

  void record(std::size_t number, const MemoryEvent& event, CallContext context) noexcept override {
    detail::HistoryShard& shard = *shards_[number];
    if (!is_plain(shard, context)) [[unlikely]]
      return record_fully(shard, event, context);
    shard.record(event.action, event, {context.ticks, unknown_caller, labels_});
  }

  void record_free(std::size_t number, const MemoryEvent& requested, CallContext context) noexcept override {
    detail::HistoryShard& shard = *shards_[number];
    if (!is_plain(shard, context)) [[unlikely]]
      return record_free_fully(shard, requested, context);
    shard.record_free(requested, {context.ticks, unknown_caller, labels_});
  }

  void set_options(const HistoryOptions& options);
  MemorySnapshot snapshot();
  void annotate(std::string_view name, AnnotationStage stage);
  void set_user_metadata(std::string_view text);
  void push_compile_context(std::string_view text);
  void pop_compile_context();

 private:
  /// Whether an event needs nothing but to be written down.
  [[nodiscard]] bool is_plain(const detail::HistoryShard& shard, CallContext context) const noexcept {
    return kept_actions_ == all_actions && context.ticks != 0 && context.caller == unknown_caller &&
           !shard.has_contexts();
  }
  // Out of line, so that plain events need neither registers saved nor a frame.
  [[gnu::noinline]] void record_fully(detail::HistoryShard& shard, const MemoryEvent& event,
                                      CallContext context) const noexcept;
  [[gnu::noinline]] void record_free_fully(detail::HistoryShard& shard, const MemoryEvent& requested,
                                           CallContext context) const noexcept;
  [[gnu::noinline]] CallContext capture() noexcept;
  /// `known`: where the call or the block came from.
  [[nodiscard]] detail::HistoryShard::Note note(CallContext context, CallerNumber known) const noexcept {
    return {context.ticks != 0 ? context.ticks : clock_.ticks(), shows_contexts_ ? known : unknown_caller, labels_};
  }
  [[nodiscard]] bool keeps(MemoryAction action) const noexcept { return (kept_actions_ & bit(action)) != 0; }
  void apply(const HistoryOptions& options);
  /// Number of the present labels, for the events to come.
  void update_labels();
  [[nodiscard]] bool knows_contexts() const;

  runtime::CachingAllocator& allocator_;
  int device_ordinal_;
  std::atomic<std::uint32_t> captured_calls_ = 0;  ///< bits
  std::atomic<bool> is_brief_ = false;
  detail::StackTable stacks_;
  detail::TickClock clock_;

  std::uint32_t kept_actions_ = 0;  ///< bits; none while nothing is recorded
  bool shows_contexts_ = false;     ///< with events
  std::uint32_t labels_ = 0;
  std::size_t limit_ = 1;
  std::vector<std::unique_ptr<detail::HistoryShard>> shards_;
  detail::HistoryShard own_{1};  ///< for snapshots

  std::mutex mutex_;
  std::deque<detail::AnnotationRecord> annotations_;
  std::vector<std::string> compile_contexts_;
  std::string user_metadata_;
  std::vector<detail::Labels> known_labels_{{"N/A", ""}};
  Symbolizer symbolizer_;
};

CallContext MemoryHistory::Recorder::capture() noexcept {
  const CallerNumber caller = stacks_.capture(is_brief_.load(std::memory_order_relaxed));
  return {caller, clock_.ticks()};
}

void MemoryHistory::Recorder::record_fully(detail::HistoryShard& shard, const MemoryEvent& event,
                                           CallContext context) const noexcept {
  const CallerNumber known = shard.follow(event.action, event, context.caller);
  if (keeps(event.action)) shard.record(event.action, event, note(context, known));
}

void MemoryHistory::Recorder::record_free_fully(detail::HistoryShard& shard, const MemoryEvent& requested,
                                                CallContext context) const noexcept {
  const CallerNumber known = shard.follow(MemoryAction::free_completed, requested, context.caller);
  const detail::HistoryShard::Note common = note(context, known);
  const bool keeps_completed = keeps(MemoryAction::free_completed);
  if (!keeps(MemoryAction::free_requested)) {
    if (keeps_completed) shard.record(MemoryAction::free_completed, requested, common);
  } else if (keeps_completed) {
    shard.record_free(requested, common);
  } else {
    shard.record(MemoryAction::free_requested, requested, common);
  }
}

void MemoryHistory::Recorder::set_options(const HistoryOptions& options) {
  const std::scoped_lock lock(mutex_);
  bool is_needed = false;
  {
    const auto pause = allocator_.pause();
    apply(options);
    is_needed = kept_actions_ != 0 || knows_contexts();
  }
  allocator_.set_memory_recorder(is_needed ? this : nullptr);
}

void MemoryHistory::Recorder::apply(const HistoryOptions& options) {
  const bool is_on = options.recording != Recording::off;
  captured_calls_.store(is_on ? calls_captured_at(options.context) : 0, std::memory_order_relaxed);
  is_brief_.store(options.stacks == StackKind::brief, std::memory_order_relaxed);
  shows_contexts_ = is_on && options.context >= ContextLevel::alloc;
  kept_actions_ = is_on ? all_actions : 0U;
  for (const MemoryAction action : options.skip_actions) kept_actions_ &= ~bit(action);
  std::vector<detail::HistoryShard*> all{&own_};
  for (const auto& shard : shards_) all.push_back(shard.get());
  if (!is_on || options.clear_history) {
    for (detail::HistoryShard* shard : all) shard->clear();
    annotations_.clear();
  }
  std::size_t kept = 0;
  for (const detail::HistoryShard* shard : all) kept += shard->ring.size();
  limit_ = options.recording == Recording::all ? std::max<std::size_t>(options.max_entries, 1) : 1;
  limit_ = std::max(limit_, kept);
  for (detail::HistoryShard* shard : all) shard->ring.set_limit(limit_);
}

bool MemoryHistory::Recorder::knows_contexts() const {
  return std::ranges::any_of(shards_,
                             [](const auto& shard) { return !shard->blocks.empty() || !shard->segments.empty(); });
}

MemorySnapshot MemoryHistory::Recorder::snapshot() {
  std::unique_lock lock(mutex_);
  detail::SnapshotBuilder builder(device_ordinal_, limit_);
  {
    const auto pause = allocator_.pause();
    std::vector<runtime::SegmentInfo> segments = pause.segments();
    for (const auto& shard : shards_) builder.add(*shard);
    builder.add(own_);
    if (kept_actions_ != 0) {
      const MemoryEvent taken{.action = MemoryAction::snapshot, .size = active_bytes(segments)};
      const std::uint64_t now = clock_.ticks();
      own_.record(taken.action, taken, {now, unknown_caller, labels_});
      // What waits for the locks now comes after it.
      for (const auto& shard : shards_) shard->set_earliest(now + 1);
    }
    clock_.calibrate();
    builder.set_segments(std::move(segments));
  }
  builder.set_annotations({annotations_.begin(), annotations_.end()});
  // Looking for names takes long: nothing that changes is needed for it any more.
  const detail::SnapshotBuilder::Tables tables{allocator_.settings(), clock_, known_labels_, stacks_, symbolizer_};
  lock.unlock();
  return builder.build(tables);
}

void MemoryHistory::Recorder::annotate(std::string_view name, AnnotationStage stage) {
  const std::uint64_t now = clock_.ticks();
  const std::scoped_lock lock(mutex_);
  if (kept_actions_ == 0) return;
  annotations_.push_back({std::string(name), stage, now});
  if (annotations_.size() > limit_) annotations_.pop_front();
}

void MemoryHistory::Recorder::update_labels() {
  detail::Labels labels{compile_contexts_.empty() ? "N/A" : compile_contexts_.back(), user_metadata_};
  auto place = std::ranges::find(known_labels_, labels);
  if (place == known_labels_.end()) place = known_labels_.insert(place, std::move(labels));
  const auto number = static_cast<std::uint32_t>(place - known_labels_.begin());
  const auto pause = allocator_.pause();
  labels_ = number;
}

void MemoryHistory::Recorder::set_user_metadata(std::string_view text) {
  const std::scoped_lock lock(mutex_);
  user_metadata_ = to_valid_utf8(text);
  update_labels();
}

void MemoryHistory::Recorder::push_compile_context(std::string_view text) {
  const std::scoped_lock lock(mutex_);
  compile_contexts_.push_back(to_valid_utf8(text));
  update_labels();
}

void MemoryHistory::Recorder::pop_compile_context() {
  const std::scoped_lock lock(mutex_);
  if (compile_contexts_.empty()) throw Error("There is no compile context to end: push_compile_context comes first.");
  compile_contexts_.pop_back();
  update_labels();
}

MemoryHistory::MemoryHistory(runtime::CachingAllocator& allocator, int device_ordinal)
    : recorder_(std::make_unique<Recorder>(allocator, device_ordinal)) {}
MemoryHistory::~MemoryHistory() = default;

void MemoryHistory::record(const HistoryOptions& options) { recorder_->set_options(options); }
MemorySnapshot MemoryHistory::snapshot() { return recorder_->snapshot(); }
void MemoryHistory::set_user_metadata(std::string_view text) { recorder_->set_user_metadata(text); }
void MemoryHistory::push_compile_context(std::string_view text) { recorder_->push_compile_context(text); }
void MemoryHistory::pop_compile_context() { recorder_->pop_compile_context(); }
void MemoryHistory::annotate(std::string_view name, AnnotationStage stage) { recorder_->annotate(name, stage); }

}  // namespace gpucheck::observe
