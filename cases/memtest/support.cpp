#include "cases/memtest/support.hpp"

#include <algorithm>

#include "base/rounding.hpp"
#include "base/text/units.hpp"

namespace gpucheck::cases::in_memtest {
namespace {

using namespace literals;

constexpr std::uint64_t page_bytes = 4_KiB;
/// Smaller pieces are not worth an allocation.
constexpr std::uint64_t smallest_piece = 64_KiB;
/// What the simulated device is asked for, whose memory is the host's.
constexpr std::uint64_t simulated_bytes = 512_KiB;

/// Left to the driver, which loads kernels into the device's memory when they are first launched: 256 MiB, or a
/// fiftieth of a small device's.
std::uint64_t reserve_of(std::uint64_t free_bytes) { return std::min<std::uint64_t>(256_MiB, free_bytes / 50); }

Wanted wanted(harness::Context& context) {
  const auto asked = static_cast<std::uint64_t>(context.parameter<std::int64_t>("bytes"));
  if (asked != 0) return {round_up(asked, page_bytes), round_up(asked, page_bytes)};
  if (context.driver().kind() == "sim") return {simulated_bytes, simulated_bytes};
  const std::uint64_t free_bytes = context.device().memory_info().value().free_bytes;
  return {free_bytes, free_bytes - reserve_of(free_bytes)};
}

double percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

HeldMemory::HeldMemory(device::Device& device, std::uint64_t bytes) {
  std::uint64_t left = bytes / page_bytes * page_bytes;
  for (std::uint64_t piece = left; piece > 0;) {
    if (add_piece(device, piece)) {
      left -= piece;
      piece = std::min(piece, left);
    } else if (piece <= smallest_piece) {
      break;
    } else {
      piece = round_up(piece / 2, page_bytes);
    }
  }
}

bool HeldMemory::add_piece(device::Device& device, std::uint64_t bytes) {
  const device::Result<void*> allocated = device.allocate(bytes);
  if (!allocated && allocated.error() == device::Status::out_of_memory) {
    static_cast<void>(device.last_error());  // which is answered by a smaller piece
    return false;
  }
  auto piece = device::own<device::UniqueDeviceMemory>(device, allocated);
  if (!piece) return false;
  constexpr std::uint64_t vector_bytes = sizeof(device::kernels::TwoWords);
  stretches_.push_back({.data = static_cast<device::kernels::TwoWords*>(piece.get()),
                        .vectors = bytes / vector_bytes,
                        .first = bytes_ / vector_bytes});
  pieces_.push_back(std::move(piece));
  bytes_ += bytes;
  return true;
}

MemoryTest::MemoryTest(harness::Context& context, std::size_t comparing_passes)
    : context_(context),
      stream_(context.runtime().current_stream()),
      passes_(context.runtime(), stream_, comparing_passes),
      wanted_(wanted(context)),
      memory_(context.device(), wanted_.allocated) {}

std::uint64_t bytes_tested(std::span<const std::uint64_t> compared_bytes) {
  return compared_bytes.empty() ? 0 : *std::ranges::min_element(compared_bytes);
}

void MemoryTest::observe() {
  const Findings findings = passes_.finish();
  const auto& compared = findings.compared_bytes;
  const std::uint64_t tested = bytes_tested(compared);
  context_.observe("bytes_offered", wanted_.offered);
  context_.observe("bytes_tested", tested);
  context_.observe("percent_tested", percent(tested, wanted_.offered));
  context_.observe("pieces", memory().size());
  context_.observe("passes", tested == 0 ? 0 : std::ranges::count(compared, memory_.bytes()));
  context_.observe("mismatches", findings.log.mismatches);
  const auto recorded = std::min(findings.log.examined, device::kernels::MismatchLog::capacity);
  std::vector<std::string> texts;
  for (std::uint64_t i = 0; i < recorded; ++i) texts.push_back(to_text(findings.log.records[i], memory()));
  context_.observe("first_mismatches", texts);
  const auto& flipped = findings.log.flipped;
  context_.observe("flipped_bits", std::vector<std::int64_t>(std::begin(flipped), std::end(flipped)));
  context_.observe("write_gbps", findings.write.gbps());
  context_.observe("verify_gbps", findings.verify.gbps());
  context_.observe("update_gbps", findings.replace.gbps());
}

harness::Parameter bytes_parameter() {
  return {.name = "bytes",
          .summary = "how much memory is tested; 0: on a GPU all that is free, on the simulated device 512 KiB",
          .default_value = std::int64_t{0},
          .unit = "bytes",
          .minimum = 0,
          .smallest = page_bytes};
}

std::vector<harness::Fault> memory_faults() {
  const fault::Place last_byte{.from = fault::Place::From::end};
  return {
      {"bit_flips", "one bit in the middle of memory flips after it is written",
       fault::kernel_flips_bit(fault::nth_call(1))},
      {"last_byte_flips", "one bit of memory's last byte flips after it is written",
       fault::kernel_flips_bit(fault::nth_call(1), last_byte)},
      {"bit_is_stuck", "one bit in the middle of memory is always one", fault::bit_stuck(fault::nth_call(2))},
      {"last_byte_is_stuck", "one bit of memory's last byte is always one",
       fault::bit_stuck(fault::nth_call(2), last_byte)},
      {"complement_flips", "one bit flips after the complement is written",
       fault::kernel_flips_bit(fault::nth_call(2), {.from = fault::Place::From::start, .offset = 8})},
      {"verification_is_lost", "one kernel that compares does not run", fault::kernel_lost(fault::nth_call(3))},
      {"no_memory", "no allocation but that of the log succeeds", fault::allocation_fails(fault::from_call(2))},
  };
}

std::vector<harness::Fault> memory_and_address_faults() {
  std::vector<harness::Fault> faults = memory_faults();
  faults.push_back({"address_line_does_nothing", "words whose addresses differ in one bit are one",
                    fault::address_line_aliased(fault::nth_call(2))});
  return faults;
}

harness::Case memory_case(std::string name, std::string summary, std::string source) {
  return {.name = std::move(name),
          .summary = std::move(summary),
          .source = std::move(source),
          .needs = memory_needs(),
          .parameters = {bytes_parameter()},
          .faults = memory_faults(),
          .deadline = std::chrono::minutes(5)};
}

}  // namespace gpucheck::cases::in_memtest
