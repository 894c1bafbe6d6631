#include "device/sim/reference/meeting.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <span>
#include <system_error>
#include <thread>

#include "device/sim/reference/reference_collective.hpp"

namespace gpucheck::sim {
namespace {

namespace fs = std::filesystem;
using device::Collective;
using device::RankOperands;
using device::Result;
using device::Status;
using Clock = std::chrono::steady_clock;

constexpr std::string_view prefix = "gpucheck-meeting-";
constexpr const char* joined = "joined";
constexpr const char* left = "left";

/// What all ranks of a step have to agree on.
std::string header_of(const Collective& collective) {
  return fmt::format("{} {} {} {} {} {}\n", to_text(collective.kind), to_text(collective.type), collective.count,
                     to_text(collective.reduction), collective.root, collective.distance);
}

/// 0 for anything that is not a whole number.
int number_in(const std::string& text) {
  int number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  return problem == std::errc() && end == text.data() + text.size() ? number : 0;
}

}  // namespace

Result<std::string> Meeting::open() {
  std::error_code problem;
  const fs::path parent = fs::temp_directory_path(problem);
  std::string name = (parent / fmt::format("{}XXXXXX", prefix)).string();
  if (problem || ::mkdtemp(name.data()) == nullptr) return Status::illegal_state;
  return name;
}

Meeting::Meeting(const device::Seats& seats)
    : folder_(seats.meeting),
      own_{.first_rank = seats.first_rank, .ranks = static_cast<int>(seats.ordinals.size())},
      size_(seats.size),
      patience_(seats.patience) {}

Result<std::shared_ptr<Meeting>> Meeting::join(const device::Seats& seats) {
  std::error_code problem;
  const bool is_one = fs::path(seats.meeting).filename().string().starts_with(prefix);
  if (!is_one || !fs::is_directory(seats.meeting, problem)) return Status::invalid_value;
  std::shared_ptr<Meeting> meeting(new Meeting(seats));
  const Status status = meeting->gather();
  if (status == Status::success) return meeting;
  meeting->problem_ = "not all have come";
  return status;
}

Meeting::~Meeting() {
  std::error_code problem;
  if (!write(left, "")) return;
  const bool all_left = !parties_.empty() && std::ranges::all_of(parties_, [&](const Party& party) {
    return fs::exists(file(left, party.first_rank), problem);
  });
  if (all_left) fs::remove_all(folder_, problem);
}

void Meeting::abort() {
  std::error_code problem;
  fs::remove_all(folder_, problem);
  if (problem_.empty()) problem_ = "this process aborted the communicator";
}

Status Meeting::gather() {
  std::error_code problem;
  if (fs::exists(file(joined, own_.first_rank), problem)) return Status::invalid_value;
  if (!write(joined, fmt::format("{}", own_.ranks))) return Status::not_ready;
  for (int rank = 0; rank < size_;) {
    std::string ranks;
    if (!read(joined, rank, ranks)) return Status::not_ready;
    parties_.push_back({.first_rank = rank, .ranks = number_in(ranks)});
    if (parties_.back().ranks < 1) return Status::invalid_value;
    rank += parties_.back().ranks;
    if (rank > size_) return Status::invalid_value;
  }
  return Status::success;
}

fs::path Meeting::file(const std::string& step, int first_rank) const {
  return folder_ / fmt::format("{}.{}", step, first_rank);
}

bool Meeting::write(const std::string& step, const std::string& content) const {
  const fs::path path = file(step, own_.first_rank);
  const fs::path unfinished = path.string() + ".unfinished";
  std::ofstream out(unfinished, std::ios::binary);
  out << content;
  out.close();
  std::error_code problem;
  if (out) fs::rename(unfinished, path, problem);
  return out && !problem;
}

bool Meeting::read(const std::string& step, int first_rank, std::string& content) const {
  const Clock::time_point deadline = Clock::now() + patience_;
  std::chrono::microseconds pause(100);
  std::error_code problem;
  while (true) {
    if (std::ifstream in(file(step, first_rank), std::ios::binary); in) {
      content.assign(std::istreambuf_iterator<char>(in), {});
      return true;
    }
    if (Clock::now() >= deadline || !fs::exists(folder_, problem)) return false;
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::microseconds(5'000));
  }
}

void Meeting::communicate(const Collective& collective, const std::vector<RankOperands>& operands) {
  if (!has_failed()) exchange(collective, operands);
}

void Meeting::exchange(const Collective& collective, const std::vector<RankOperands>& operands) {
  const std::string step = fmt::format("{}", ++steps_);
  const std::string header = header_of(collective);
  const std::size_t sent = sent_bytes(collective, size_);
  std::string own = header;
  for (const RankOperands& rank : operands) own.append(static_cast<const char*>(rank.sent), sent);
  if (!write(step, own)) {
    problem_ = "the folder in which the processes met is gone";
    return;
  }
  std::vector<std::string> contents;
  std::vector<std::vector<std::byte>> unwanted;  ///< what the other processes' ranks receive
  std::vector<RankOperands> all;
  for (const Party& party : parties_) {
    if (party.first_rank == own_.first_rank) {
      std::ranges::copy(operands, std::back_inserter(all));
      continue;
    }
    std::string& content = contents.emplace_back();
    if (!read(step, party.first_rank, content)) {
      problem_ = fmt::format("rank {} did not take part in the {}", party.first_rank, to_text(collective.kind));
      return;
    }
    if (!content.starts_with(header) ||
        content.size() != header.size() + sent * static_cast<std::size_t>(party.ranks)) {
      problem_ = fmt::format("rank {} did something else than the {}", party.first_rank, to_text(collective.kind));
      return;
    }
    content.erase(0, header.size());
    for (int rank = 0; rank < party.ranks; ++rank) {
      unwanted.emplace_back(received_bytes(collective, size_));
      all.push_back({.sent = content.data() + sent * static_cast<std::size_t>(rank),
                     .received = unwanted.back().data(),
                     .stream = {}});
    }
  }
  communicate_on_host(collective, all);
  // Everybody has read the step before this one: they are all at this one.
  std::error_code problem;
  fs::remove(file(fmt::format("{}", steps_ - 1), own_.first_rank), problem);
}

}  // namespace gpucheck::sim
