#include "telemetry/kernel_log/nvidia_lines.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "base/text/pci_address.hpp"

namespace gpucheck::telemetry {
namespace {

using Kind = KernelEventKind;

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

bool contains_any(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::ranges::any_of(parts, [text](std::string_view part) { return contains(text, part); });
}

std::size_t hexadecimal_digits(std::string_view text) {
  const auto is_digit = [](unsigned char c) { return std::isxdigit(c) != 0; };
  return static_cast<std::size_t>(std::ranges::find_if_not(text, is_digit) - text.begin());
}

/// The address that the text begins with, as Linux writes it: "0000:3b:00.0" of "0000:3B:00". Empty where it begins
/// with none.
std::string address_at(std::string_view text) {
  const std::size_t domain = hexadecimal_digits(text);
  if (domain < 4 || domain > 8 || text.substr(domain, 1) != ":") return {};
  std::string_view rest = text.substr(domain + 1);
  if (hexadecimal_digits(rest) != 2 || rest.substr(2, 1) != ":" || hexadecimal_digits(rest.substr(3)) != 2) return {};
  std::size_t length = domain + 6;
  std::string function = ".0";  // which the driver leaves out: a GPU is always function 0
  rest = text.substr(length);
  if (rest.size() >= 2 && rest[0] == '.' && rest[1] >= '0' && rest[1] <= '7') function = rest.substr(0, 2);
  return normal_pci_address(std::string(text.substr(0, length)) + function);
}

/// The first address in the text.
std::string address_in(std::string_view text) {
  for (std::size_t colon = text.find(':'); colon != std::string_view::npos; colon = text.find(':', colon + 1)) {
    std::size_t begin = colon;
    while (begin > 0 && std::isxdigit(static_cast<unsigned char>(text[begin - 1])) != 0) --begin;
    if (std::string address = address_at(text.substr(begin)); !address.empty()) return address;
  }
  return {};
}

/// The number that the text begins with, if no more than five digits are one; nothing else can be an XID or SXid.
std::optional<std::int64_t> number_at(std::string_view text) {
  constexpr std::size_t most_digits = 5;
  std::int64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  const auto length = static_cast<std::size_t>(end - text.data());
  const bool ends = length == text.size() || text[length] == ',' || text[length] == ' ' || text[length] == '\r';
  if (problem != std::errc{} || number <= 0 || length > most_digits || !ends) return {};
  return number;
}

/// "NVRM: Xid (PCI:0000:3b:00 GPU-I:05 GPU-CI:01): 95, ..." and "nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 20034,
/// ...": what stands between the brackets, and what follows the colon.
struct Numbered {
  std::string_view place;
  std::int64_t number = 0;
  std::string_view rest;
};
std::optional<Numbered> numbered(std::string_view message, std::string_view mark) {
  const std::size_t begin = message.find(mark);
  if (begin == std::string_view::npos) return {};
  const std::size_t open = begin + mark.size();
  const std::size_t close = message.find("): ", open);
  if (close == std::string_view::npos) return {};
  const std::string_view rest = message.substr(close + 3);
  const auto number = number_at(rest);
  if (!number) return {};
  std::string_view place = message.substr(open, close - open);
  if (place.starts_with("PCI:")) place.remove_prefix(4);
  return Numbered{.place = place, .number = *number, .rest = rest};
}

std::optional<KernelEvent> xid_in(std::string_view message) {
  constexpr std::string_view mark = "NVRM: Xid (";
  const auto found = numbered(message, mark);
  if (!found) return {};
  return KernelEvent{.kind = Kind::xid,
                     .pci_address = address_at(found->place),
                     .xid = found->number,
                     .text = std::string(message.substr(message.find(mark)))};
}

/// Only the first of the lines about one error says whether it is fatal; the others have registers.
std::optional<KernelEvent> switch_error_in(std::string_view message) {
  const auto found = numbered(message, "SXid (");
  if (!found || !is_fatal(found->rest)) return {};
  return KernelEvent{.kind = Kind::switch_error,
                     .pci_address = address_at(found->place),
                     .xid = found->number,
                     .text = std::string(message)};
}

/// What the driver says without a number. Its texts are in NVIDIA's open-gpu-kernel-modules: nv.c, os_init.c, the list
/// of NV_ERR codes.
Kind kind_without_number(std::string_view message) {
  const bool is_of_driver = contains_any(message, {"NVRM", "nvidia"});
  if (!is_of_driver) return Kind::xid;
  if (contains_any(message, {"fallen off the bus", "NV_ERR_GPU_IS_LOST"})) return Kind::off_the_bus;
  if (contains(message, "RmInitAdapter failed")) return Kind::init_failed;
  if (contains_any(message, {"NV_ERR_RESET_REQUIRED", "GPU requires reset", "GPU requires a reset"})) {
    return Kind::reset_required;
  }
  return Kind::xid;
}

/// "nvidia 0000:3b:00.0: reset done" is the kernel's after a reset of a function; "pci 0000:3b:00.0: [10de:2330] type
/// 00 class 0x030200" when it finds an NVIDIA display controller on the bus.
bool is_reset(std::string_view message) {
  return message.ends_with(": reset done") || (contains(message, ": [10de:") && contains(message, "class 0x03"));
}

std::optional<KernelEvent> beginning_in(std::string_view message) {
  if (message.starts_with("Linux version ")) {
    return KernelEvent{.kind = Kind::boot, .pci_address = {}, .text = std::string(message)};
  }
  if (contains(message, "NVRM: loading NVIDIA UNIX")) {
    return KernelEvent{.kind = Kind::driver_load, .pci_address = {}, .text = std::string(message)};
  }
  if (!is_reset(message)) return {};
  std::string address = address_in(message);
  if (address.empty()) return {};
  return KernelEvent{.kind = Kind::gpu_reset, .pci_address = std::move(address), .text = std::string(message)};
}

/// /dev/kmsg writes the newlines within a message as "\x0a".
std::string on_one_line(std::string_view message) {
  constexpr std::string_view escaped = "\\x0a";
  std::string line(message);
  for (std::size_t at = line.find(escaped); at != std::string::npos; at = line.find(escaped, at + 1)) {
    line.replace(at, escaped.size(), " ");
  }
  return line;
}

}  // namespace

std::optional<KernelEvent> NvidiaLines::read(std::string_view message) {
  // Nearly all lines of a log are about something else.
  if (!contains_any(message, {"NVRM", "nvidia", "SXid", "[10de:", "Linux version", "reset done", "fallen off"}))
    return {};
  const std::string line = on_one_line(message);
  if (contains(line, "The NVIDIA GPU ")) named_gpu_ = address_in(line);
  if (auto xid = xid_in(line)) return xid;
  if (auto error = switch_error_in(line)) return error;
  if (auto beginning = beginning_in(line)) return beginning;
  const Kind kind = kind_without_number(line);
  if (kind == Kind::xid) return {};
  std::string address = address_in(line);
  if (address.empty() && kind == Kind::off_the_bus) address = named_gpu_;
  return KernelEvent{.kind = kind, .pci_address = std::move(address), .text = line};
}

}  // namespace gpucheck::telemetry
