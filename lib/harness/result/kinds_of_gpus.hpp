#pragma once

#include "harness/result/failure_kinds.hpp"

/// The failure kinds GC1001 to GC5999: a GPU's configuration, memory, computing, links, power and heat.
namespace gpucheck::harness::kinds {

using enum Severity;
using enum FailureCategory;
using enum NextAction;

inline constexpr FailureKind of_gpus[] = {
    {"GC1001", "missing_gpu", critical, configuration, drain, "The machine has fewer GPUs than it should.",
     "Look for the GPU in lspci and in the kernel log; restart the machine. Where it stays away, reseat or replace "
     "it."},
    {"GC1002", "mixed_versions", serious, configuration, configure, "GPUs of one machine differ in VBIOS or board.",
     "Update all of them to one VBIOS; replace a board of another kind."},
    {"GC1003", "wrong_mode", serious, configuration, configure,
     "The GPU is in a mode that keeps programs from using it (compute mode, MIG, no fabric).",
     "Set the mode that jobs expect (nvidia-smi -c, -mig), or exclude the case where the mode is meant."},
    {"GC1004", "foreign_process", warning, configuration, rerun, "Another process uses the GPU.",
     "Find it by its number, end it or wait for it, and run again."},
    {"GC1005", "power_limit_lowered", warning, configuration, configure, "The GPU's power limit is below its default.",
     "Set it back (nvidia-smi -pl), or give this host class limits of its own."},
    {"GC1006", "inforom_corrupted", critical, configuration, replace,
     "The GPU's infoROM is corrupt: its settings and its record of errors cannot be trusted.",
     "Run nvidia-smi without arguments, which warns of it; have the infoROM written anew by the vendor, or replace the "
     "GPU."},
    {"GC1010", "persistence_off", warning, configuration, configure,
     "Persistence mode is off: the driver is started anew for each program, and loses its counters.",
     "Run nvidia-persistenced, or switch persistence mode on (nvidia-smi -pm 1)."},
    {"GC1011", "imex_recovery_required", critical, interconnect, configure,
     "The driver says that the IMEX domain of the GPU has to be recovered.",
     "Restart the IMEX service on the nodes of the domain (systemctl restart nvidia-imex), and run again."},
    {"GC1012", "nvlink_slow", serious, interconnect, drain, "An NVLink runs slower than it should.",
     "Reset all GPUs of the machine together and run again. Replace the GPU, the switch or the bridge whose link stays "
     "slow."},
    {"GC2001", "memory_mismatch", critical, memory, replace, "Device memory gave back another value than was written.",
     "Drain the machine. Run the case again: one that repeats at the same address is a defect of the memory, and the "
     "GPU is to be replaced; one at changing addresses may come from power or heat."},
    {"GC2002", "uncorrectable_memory_error", critical, memory, reset,
     "The memory's error correction met an error that it could not correct.",
     "Reset the GPU, so that the row is remapped, and run again. Replace it when it happens once more."},
    {"GC2003", "row_remap_pending", serious, memory, reset, "A row of memory waits to be replaced by a spare one.",
     "Reset the GPU (nvidia-smi -r) or restart the machine: the spare row is used from then on."},
    {"GC2004", "row_remap_failed", critical, memory, replace, "No spare row was left for a row of memory that is bad.",
     "Replace the GPU."},
    {"GC2005", "memory_not_covered", serious, memory, rerun, "Less of the memory could be tested than should be.",
     "End what else uses the GPU's memory, and run again."},
    {"GC2006", "slow_memory", serious, memory, drain, "The device's memory is slower than it should be.",
     "Look at clocks, temperature and error counters (gpucheck info); reset the GPU and run again. Replace it when it "
     "stays slow.",
     true},
    {"GC2007", "many_corrected_errors", warning, memory, rerun, "The memory corrects many errors.",
     "Run again; drain the machine when the number goes on growing."},
    {"GC2008", "sram_errors", critical, memory, replace,
     "The GPU's SRAM has had more uncorrectable errors than NVIDIA accepts.",
     "Drain the machine, and have NVIDIA's field diagnostic confirm that the GPU is to be replaced."},
    {"GC2009", "ecc_off", warning, configuration, configure,
     "The memory's error correction (ECC) is switched off, although the board has it.",
     "Switch it on (nvidia-smi -e 1) and reset the GPU or restart the machine; or accept it (-p "
     "health.ecc:may_be_off=true)."},
    {"GC2010", "ecc_change_pending", serious, configuration, reset,
     "A change of the memory's error correction (ECC) waits for a reset.",
     "Reset the GPU (nvidia-smi -r) or restart the machine, so that the change takes effect; or take it back "
     "(nvidia-smi -e 1 switches ECC on)."},
    {"GC2011", "memory_without_process", warning, memory, reset,
     "Memory of the GPU is in use, and no process that the driver lists accounts for it.",
     "Look for processes that died or belong to another container (fuser -v /dev/nvidia*); end them, or reset the GPU "
     "(nvidia-smi -r)."},
    {"GC3001", "wrong_product", critical, compute, replace, "A computation with a known answer gave another one.",
     "Drain the machine and run again. Replace the GPU when it repeats: what it computes cannot be trusted."},
    {"GC3002", "not_a_number", critical, compute, replace, "A computation of plain integers gave a NaN or an infinity.",
     "Drain the machine and run again. Replace the GPU when it repeats."},
    {"GC3003", "slow_compute", serious, compute, drain, "The GPU computes slower than it should.",
     "Look at clocks, their reasons, power limit and temperature (gpucheck info); reset and run again. Replace the GPU "
     "when it stays slow at full clocks.",
     true},
    {"GC3004", "bad_multiprocessor", critical, compute, replace,
     "One multiprocessor is wrong, or slower than the others.",
     "Reset the GPU and run again; replace it when the same multiprocessor is named."},
    {"GC3005", "odd_digest", critical, compute, drain,
     "A product of known operands has other bits than on the other GPUs of the model.",
     "Drain the machine and run the case again. Replace the GPU when its digest differs again: what it computes cannot "
     "be trusted."},
    {"GC3006", "disputed_digest", critical, compute, drain,
     "GPUs of one model computed different bits of one product, and nothing says which of them is right.",
     "Drain the machine. Run the case again on each of them and on a third GPU of the model, and make a report of all "
     "runs (gpucheck report JOURNALS): it names the one that differs."},
    {"GC4001", "host_link_degraded", serious, interconnect, reset,
     "The link to the host runs with fewer lanes, or slower, than both its ends can.",
     "Restart the machine; reseat the GPU or its riser; look at the slot's settings in the BIOS."},
    {"GC4002", "host_link_errors", serious, interconnect, drain, "The link to the host repeats many packets.",
     "Reseat the GPU or its riser; replace the riser, then the GPU."},
    {"GC4003", "nvlink_down", critical, interconnect, reset, "An NVLink is not up that should be.",
     "Reset all GPUs of the machine together; look at the fabric manager's log. Replace the GPU, or the switch, whose "
     "link stays down."},
    {"GC4004", "nvlink_errors", serious, interconnect, drain, "An NVLink counts errors.",
     "Reset all GPUs of the machine together and run again; replace what the links that count have in common."},
    {"GC4005", "fabric_not_ready", critical, interconnect, configure, "The NVLink fabric is not ready.",
     "Start the fabric manager (systemctl status nvidia-fabricmanager); look into its log."},
    {"GC4006", "slow_host_transfer", serious, interconnect, drain,
     "Copies between host and device are slower than they should be.",
     "Look at the link (health.pcie_link), at the host's NUMA placement and IOMMU; run again alone.", true},
    {"GC4007", "slow_peer_transfer", serious, interconnect, drain,
     "Copies between two GPUs are slower than they should be.",
     "Look at the NVLinks (health.nvlink), and at PCIe's access control services where there are none.", true},
    {"GC4008", "corrupted_transfer", critical, interconnect, replace, "A copy arrived with other bytes than were sent.",
     "Drain the machine. Run again with each GPU of the pair and others: replace the one that all bad copies share."},
    {"GC4009", "wrong_collective", critical, interconnect, drain, "A collective operation gave a wrong result.",
     "Drain the machine; the case names the GPU that all wrong pairs share. Reset, run again, replace it."},
    {"GC4010", "slow_collective", serious, interconnect, drain, "A collective operation is slower than it should be.",
     "Look at the pairs in the result for the slow GPU; look at its NVLinks.", true},
    {"GC4011", "nvlinks_unexplained", warning, interconnect, configure,
     "NVLinks are listed, none of them is up, and nothing says how many should be.",
     "Say it by expected_links, as a parameter or for the model or the device in a file for --limits: 0 where no "
     "bridge is fitted, or where the GPU is all that was given of a board. Reseat the bridge where there is one."},
    {"GC4012", "network_port_down", critical, interconnect, drain,
     "A network port (InfiniBand or RoCE) is not up that should be.",
     "Reseat or replace its cable or transceiver, and look at the switch's port. Where the port is in state INIT, look "
     "for the subnet manager. Say how many ports the machine must have (-p health.network_ports:ports=N), or which "
     "adapters count (-p adapters=PATTERNS), where the port is not meant to be used."},
    {"GC4013", "network_port_slow", serious, interconnect, drain,
     "A network port runs slower than others of its kind, or than was asked for.",
     "Clean or replace the cable; look at the speed that the switch's port is set to."},
    {"GC4014", "network_errors", serious, interconnect, drain, "A network port counts errors of its link.",
     "Clean, reseat or replace the cable or transceiver and run again; then try the adapter on another port of the "
     "switch."},
    {"GC4015", "network_flaps", serious, interconnect, drain, "The link of a network port goes down again and again.",
     "Reseat or replace the cable or transceiver; look at the log of the switch's port, and at the firmware of the "
     "adapter."},
    {"GC4016", "network_unreadable", serious, interconnect, drain,
     "What the kernel shows of a network adapter cannot be read.",
     "Look for the adapter in lspci and in the kernel's log (dmesg | grep -i mlx5): it may have been taken away, or "
     "its firmware does not answer. Restart the machine."},
    {"GC4017", "network_ports_unexplained", warning, interconnect, configure,
     "A network port has no link, and nothing says whether it should have one.",
     "Say how many ports must be active (-p health.network_ports:ports=N), or which adapters count (-p "
     "adapters=PATTERNS). Connect the port where it is meant to be used."},
    {"GC4018", "adapter_link_degraded", serious, interconnect, reset,
     "The PCIe link of a network adapter has fewer lanes, or is slower, than both its ends can.",
     "Restart the machine; reseat the adapter or its riser; look at the slot's settings in the BIOS."},
    {"GC4019", "network_packets_lost", warning, interconnect, rerun,
     "A network port lost packets, or got them late or twice.",
     "Look at the errors of the ports and switches on the way, and on RoCE at flow control (PFC, ECN); run again while "
     "the network is idle."},
    {"GC4020", "network_counter_useless", warning, interconnect, configure,
     "A counter of a network port is at its limit, or was set back meanwhile: new errors may not show in it.",
     "Set the port's counters back (perfquery -R on InfiniBand) and run again."},
    {"GC4021", "gpudirect_missing", warning, interconnect, configure,
     "Network adapters cannot reach the memory of GPUs (GPUDirect RDMA): data take the way through the host's.",
     "Load nvidia_peermem (modprobe nvidia_peermem), or install NVIDIA's open kernel modules on a kernel from 5.12 "
     "on, with which dma-buf serves."},
    {"GC4022", "node_absent", serious, interconnect, rerun,
     "A process of the job did not come, or stopped answering, when the nodes were to communicate.",
     "Look whether gpucheck started on its node, and what it says there; look at the way between the nodes (routes, "
     "firewalls); run again."},
    {"GC4023", "bad_between_nodes", serious, interconnect, drain,
     "A node, a pair of nodes or a link fails, gives wrong data or is slow when nodes communicate.",
     "Drain the node that is named. Of a pair or a switch look at cables, transceivers and the ports' counters "
     "(gpucheck run 'health.network*'); run again without it."},
    {"GC5001", "overheated", serious, power_and_heat, drain,
     "The GPU is at or near the temperature at which it slows down.",
     "Look at fans, airflow and coolant; run again when it is cool."},
    {"GC5002", "clocks_slowed", serious, power_and_heat, drain,
     "The hardware lowered the GPU's clocks: heat, or the power supply's brake.",
     "Look at the reason in the result: cooling for heat, power supply and cables for the power brake."},
    {"GC5003", "power_not_reached", warning, power_and_heat, drain,
     "Under full load the GPU draws less power than it should.",
     "Look at its power limit and clocks; compare with the machine's other GPUs."},
    {"GC5004", "implausible_sensor", serious, power_and_heat, drain, "A sensor shows a value that no running GPU has.",
     "Compare with nvidia-smi -q; reset the GPU and run again. Replace it when it stays."},
    {"GC5005", "power_over_limit", serious, power_and_heat, drain, "The GPU draws more power than its limit allows.",
     "Compare draw and limit (nvidia-smi -q -d POWER); reset the GPU and run again. Replace it when it stays above its "
     "limit: the board or its power supply cannot be relied on."},
    {"GC5006", "clocks_held_by_setting", warning, power_and_heat, configure,
     "A setting holds the GPU's clocks below their maximum.",
     "Take it back where it is not meant (nvidia-smi -rac resets applications clocks, nvidia-smi -rgc locked clocks)."},
    {"GC5007", "hotter_than_neighbours", warning, power_and_heat, drain,
     "The GPU is much hotter than its neighbours at the same load.",
     "Look at its fan, heat sink, thermal paste and airflow, before it slows down under load."},
};

}  // namespace gpucheck::harness::kinds
