#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace gpucheck::telemetry {

/// What growth of a counter means.
enum class CounterMeaning : std::uint8_t {
  damage,       ///< the link, or one of its ends, is bad
  loss,         ///< packets were lost or late: a bad link elsewhere, or more traffic than the network carries
  flap,         ///< the link went down
  link_ups,     ///< the link came up
  information,  ///< goes up on a healthy port
};

/// A counter of a port, in a file of its folder or of its network interface's.
struct PortCounter {
  std::string_view name;
  bool is_of_interface = false;  ///< the file lies in /sys/class/net/NAME, else in the port's folder
  std::string_view path;         ///< below that
  unsigned bits = 64;            ///< where it stays or starts anew
  CounterMeaning meaning = CounterMeaning::information;

  /// The largest number that it can hold.
  [[nodiscard]] constexpr std::uint64_t limit() const noexcept {
    return bits >= 64 ? UINT64_MAX : (std::uint64_t{1} << bits) - 1;
  }
};

/// Those in `counters` have the widths of the InfiniBand architecture's PortCounters, in which they stay at their limit
/// (the kernel's drivers/infiniband/core/sysfs.c shows as many bits); those in `hw_counters` are of ConnectX adapters,
/// other adapters have others.
inline constexpr std::array port_counters{
    PortCounter{"symbol_error", false, "counters/symbol_error", 16, CounterMeaning::damage},
    PortCounter{"link_error_recovery", false, "counters/link_error_recovery", 8, CounterMeaning::damage},
    PortCounter{"port_rcv_errors", false, "counters/port_rcv_errors", 16, CounterMeaning::damage},
    PortCounter{"local_link_integrity_errors", false, "counters/local_link_integrity_errors", 4,
                CounterMeaning::damage},
    PortCounter{"excessive_buffer_overrun_errors", false, "counters/excessive_buffer_overrun_errors", 4,
                CounterMeaning::damage},
    PortCounter{"rx_icrc_encapsulated", false, "hw_counters/rx_icrc_encapsulated", 64, CounterMeaning::damage},
    PortCounter{"rx_crc_errors", true, "statistics/rx_crc_errors", 64, CounterMeaning::damage},
    PortCounter{"port_rcv_remote_physical_errors", false, "counters/port_rcv_remote_physical_errors", 16,
                CounterMeaning::loss},
    PortCounter{"port_xmit_discards", false, "counters/port_xmit_discards", 16, CounterMeaning::loss},
    PortCounter{"VL15_dropped", false, "counters/VL15_dropped", 16, CounterMeaning::loss},
    PortCounter{"out_of_sequence", false, "hw_counters/out_of_sequence", 32, CounterMeaning::loss},
    PortCounter{"packet_seq_err", false, "hw_counters/packet_seq_err", 32, CounterMeaning::loss},
    PortCounter{"implied_nak_seq_err", false, "hw_counters/implied_nak_seq_err", 32, CounterMeaning::loss},
    PortCounter{"local_ack_timeout_err", false, "hw_counters/local_ack_timeout_err", 32, CounterMeaning::loss},
    PortCounter{"link_downed", false, "counters/link_downed", 8, CounterMeaning::flap},
    PortCounter{"carrier_down_count", true, "carrier_down_count", 32, CounterMeaning::flap},
    PortCounter{"carrier_up_count", true, "carrier_up_count", 32, CounterMeaning::link_ups},
    PortCounter{"carrier_changes", true, "carrier_changes", 32},
    PortCounter{"port_xmit_wait", false, "counters/port_xmit_wait", 32},
    PortCounter{"rnr_nak_retry_err", false, "hw_counters/rnr_nak_retry_err", 32},
    PortCounter{"out_of_buffer", false, "hw_counters/out_of_buffer", 32},
    PortCounter{"np_cnp_sent", false, "hw_counters/np_cnp_sent", 64},
    PortCounter{"np_ecn_marked_roce_packets", false, "hw_counters/np_ecn_marked_roce_packets", 64},
    PortCounter{"rp_cnp_handled", false, "hw_counters/rp_cnp_handled", 64},
    PortCounter{"rx_errors", true, "statistics/rx_errors"},
    PortCounter{"tx_errors", true, "statistics/tx_errors"},
    PortCounter{"rx_dropped", true, "statistics/rx_dropped"},
    PortCounter{"tx_dropped", true, "statistics/tx_dropped"},
};

}  // namespace gpucheck::telemetry
