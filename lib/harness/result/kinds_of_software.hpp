#pragma once

#include "harness/result/failure_kinds.hpp"

/// The failure kinds GC6001 to GC9999: software and its start, what the driver reported, speeds, limits of the machine.
namespace gpucheck::harness::kinds {

using enum Severity;
using enum FailureCategory;
using enum NextAction;

inline constexpr FailureKind of_software[] = {
    {"GC6001", "behaviour_differs", serious, software, configure,
     "The CUDA driver or the runtime behaves unlike what deep-learning frameworks rely on.",
     "Run again. Where it stays, compare gpucheck info with a machine that passes; report it with the JSON result."},
    {"GC6002", "rule_broken", serious, software, rerun,
     "A case left something behind, memory or an error, or raced, although its own work was right.",
     "Run the case again by its rerun command; report it with the JSON result when it repeats."},
    {"GC6003", "driver_unfit", critical, software, configure, "Driver, libraries or device files do not fit together.",
     "Install the driver that the CUDA version needs; the case says what is missing."},
    {"GC6010", "device_access_denied", serious, software, configure,
     "The job or the container may not open the driver's device files.",
     "Ask for GPUs (srun --gres=gpu:N, docker run --gpus all), or allow the files in the cgroup's device rules."},
    {"GC6011", "driver_not_loaded", critical, software, configure,
     "NVIDIA's driver is not loaded for the GPU, or only partly there.",
     "Load it (modprobe nvidia); the kernel's log says why it does not load (dmesg | grep -i nvrm). Install it where "
     "it is missing, and take the GPU from the kernel driver that has it, if the reason names one."},
    {"GC6012", "driver_too_old", critical, software, configure,
     "The driver is older than this program's CUDA version needs, or its libcuda.so.1 is missing.",
     "Install or update the driver (nvidia-smi shows its version); in a container, bring the host's libraries (docker "
     "run --gpus all)."},
    {"GC6013", "system_not_ready", critical, interconnect, configure,
     "CUDA waits for the fabric manager, or for the set-up of MIG or confidential computing.",
     "Start the fabric manager of the driver's version and wait until it is ready (systemctl status "
     "nvidia-fabricmanager; its log is /var/log/fabricmanager.log). With MIG or confidential computing, complete that "
     "set-up first."},
    {"GC6014", "libcuda_mismatch", critical, software, configure,
     "The libcuda.so.1 in use does not belong to the driver that is loaded.",
     "Restart the machine after an update of the driver, or load its module anew; take stub and cuda-compat folders "
     "out of LD_LIBRARY_PATH; in a container, use the libcuda.so.1 of the host."},
    {"GC6015", "device_files_unusable", critical, software, configure,
     "The driver is loaded, and its device files are missing or cannot be opened.",
     "Make them (nvidia-modprobe -c 0 -u), look at the permissions of /dev/nvidia*, or give them to the container "
     "(docker run --gpus all)."},
    {"GC6016", "no_visible_device", serious, software, configure,
     "CUDA offers no device: CUDA_VISIBLE_DEVICES, a MIG setting, the job or the container leaves none.",
     "Compare CUDA_VISIBLE_DEVICES with nvidia-smi -L, and unset it where it hides the GPUs; ask for GPUs (srun "
     "--gres=gpu:N, docker run --gpus all)."},
    {"GC6017", "device_taken", serious, software, configure,
     "Another process has the GPU to itself or has used up its memory, or the compute mode forbids programs on it.",
     "End that process (nvidia-smi lists them), or allow programs on the GPU (nvidia-smi -c 0), and run again."},
    {"GC6018", "mps_unusable", serious, software, configure,
     "The multi-process service (MPS) that CUDA is to use does not answer, or takes no further client.",
     "Start its control daemon anew (echo quit | nvidia-cuda-mps-control; nvidia-cuda-mps-control -d), or unset "
     "CUDA_MPS_PIPE_DIRECTORY to run without it."},
    {"GC6019", "cuda_does_not_start", critical, software, configure,
     "CUDA does not start on the GPU, for a cause that the reason alone names.",
     "Do what the reason says. Look at the kernel's log (dmesg | grep -i -e nvrm -e xid), load nvidia_uvm (modprobe "
     "nvidia_uvm), and restart the machine; drain it when CUDA still does not start."},
    {"GC7001", "hardware_error_reported", critical, compute, drain,
     "The driver reported an error of the hardware (XID).",
     "gpucheck explain XIDn says what the number means; reset the GPU and run again. Replace it when it repeats."},
    {"GC7002", "crash", critical, software, drain, "The process that used the GPU died.",
     "Look at its last words and the kernel log; run again. With the same end on one GPU alone, drain the machine and "
     "run health and memtest on that GPU: what they find speaks against it."},
    {"GC7003", "hang", critical, software, reset, "The GPU or its driver did not answer in time.",
     "Look at the kernel log; reset the GPU or restart the machine, and run again. Replace it when it repeats."},
    {"GC7004", "gpu_reset_required", critical, compute, reset,
     "The driver says that the GPU has to be reset before it can be used again.",
     "End what uses the GPU, reset it (nvidia-smi -r) or restart the machine, and run again. Replace it when the error "
     "comes back."},
    {"GC7005", "gpu_lost", critical, interconnect, drain,
     "The GPU no longer answers: the driver says that it is lost, or that it has fallen off the bus.",
     "Drain the machine and restart it, with a power cycle where that does not bring the GPU back. Look at its power "
     "cables, reseat it or its riser; replace it when it is lost again."},
    {"GC7006", "reboot_required", critical, compute, reboot, "The driver asks for a restart of the machine.",
     "Drain the machine, restart it and run again. Replace the GPU when the driver asks again."},
    {"GC7007", "drain_required", serious, interconnect, drain,
     "The driver asks to end the jobs that use the GPU or reach it from other GPUs.",
     "Drain the machine, reset the GPU where the driver's text says so, and run again."},
    {"GC7008", "switch_error", critical, interconnect, reset, "An NVSwitch reported a fatal error (SXid).",
     "Drain the machine; reset all its GPUs and NVSwitches together or restart it, and restart the fabric manager. "
     "Replace the switch, or the GPU at the link that is named, when it repeats."},
    {"GC7009", "unlisted_gpu_error", critical, compute, drain,
     "The kernel log holds an error of a GPU that the driver does not list.",
     "Look for the GPU by its PCI address (lspci, gpucheck info); restart the machine. Reseat or replace the GPU when "
     "it stays away."},
    {"GC7010", "errors_from_one_place", warning, compute, rerun,
     "Errors that programs cause (XID 13, 31) come from the same place of the GPU again and again.",
     "Run gemm.by_multiprocessor and the memtest cases on this GPU, and the program on another one. Replace the GPU "
     "when the error stays with the GPU and not with the program."},
    {"GC7011", "error_to_watch", warning, compute, rerun,
     "The driver reported an error of the hardware that it corrected or contained, or that needs no action yet.",
     "gpucheck explain XIDn says what the number means. Reset the GPU at the next opportunity; drain the machine when "
     "the number grows."},
    {"GC7012", "remap_not_recorded", serious, memory, reset,
     "The driver could not record that a row of memory is to be replaced (XID 64).",
     "Reset the GPU (nvidia-smi -r) and run again. Replace it when the error comes back."},
    {"GC7016", "allocator_library_failed", serious, software, configure,
     "The allocator library that the user gave threw, ended its process or did not return.",
     "Read its last words in the result and mend the library. Run again with --allocator caching: what passes there is "
     "the library's fault, and not the GPU's."},
    {"GC7017", "allocator_library_differs", serious, software, configure,
     "What the case saw is wrong while the user's allocator library is in use.",
     "Mend the library. Run again with --allocator caching: only what fails there too may be the GPU's fault."},
    {"GC7018", "process_killed", serious, software, rerun,
     "The process that used the GPU was ended by a signal from outside, and nothing says by whom.",
     "Find out who sent the signal: the job's scheduler, the container's runtime, a person; look at the kernel log. "
     "Run again. It says nothing about the GPU."},
    {"GC8001", "too_slow", serious, compute, drain, "A measured speed is below its limit.",
     "Run again with nothing else on the machine; compare with other machines (gpucheck baseline).", true},
    {"GC8002", "unsteady_speed", warning, compute, rerun,
     "A measured speed changes too much from one sample to the next to be judged.",
     "Run again with nothing else on the machine; look at clocks and temperature (gpucheck info), and for what else "
     "uses the host's memory and links.",
     true},
    {"GC8003", "slower_than_peers", serious, compute, drain,
     "The GPU is a fifth or more slower than the best of its model in the machine.",
     "Run again with nothing else on the machine. Compare clocks, their reasons, power limit and temperature with the "
     "other GPUs' (gpucheck info); reset the GPU, and replace it when it stays slow.",
     true},
    {"GC9001", "not_judged", serious, tool, rerun, "The tool or the driver could not judge.",
     "Read the reason; mend what is missing and run again. Nothing is known about the GPU until then."},
    {"GC9002", "memory_limit", serious, configuration, configure,
     "The kernel killed the case's process at the memory limit of its cgroup.",
     "Give the job or container more host memory (memory.max; --mem of Slurm, resources.limits.memory of Kubernetes), "
     "or run fewer cases side by side (-j 1). It says nothing about the GPU."},
    {"GC9003", "out_of_host_memory", serious, configuration, configure,
     "The kernel killed the case's process because the machine had no memory left.",
     "End what else uses the host's memory, or run fewer cases side by side (-j 1). It says nothing about the GPU."},
    {"GC9004", "file_size_limit", serious, configuration, configure,
     "A file reached the size that a process may write.",
     "Raise the limit (ulimit -f; LimitFSIZE of systemd) and run again. It says nothing about the GPU."},
    {"GC9005", "process_limit", serious, configuration, configure, "A process or thread could not be started.",
     "Raise the limit (ulimit -u; pids.max of the cgroup; --pids-limit of a container) and run again. It says nothing "
     "about the GPU."},
    {"GC9006", "open_file_limit", serious, configuration, configure, "A process could open no more files.",
     "Raise the limit (ulimit -n) and run again. It says nothing about the GPU."},
    {"GC9007", "no_space", serious, configuration, configure, "A file system that the case needs is full.",
     "Make room where the reason says; give a container more shared memory (--shm-size). It says nothing about the "
     "GPU."},
    {"GC9008", "host_memory_refused", serious, configuration, configure,
     "The system refused the case's process host memory or addresses.",
     "Raise the limit (ulimit -v, ulimit -d), or end what else uses the host's memory, and run again. It says nothing "
     "about the GPU."},
    {"GC9009", "process_ended_by_system", serious, configuration, configure,
     "The system ended the case's process: its processor time was used up, or a filter forbids a system call.",
     "Raise the limit (ulimit -t), or allow the container the call (its seccomp profile), and run again. It says "
     "nothing about the GPU."},
    {"GC9010", "run_deadline", serious, tool, rerun, "The case did not fit into the time limit of the run.",
     "Give the run more time (--deadline; gpucheck list --estimate says how much it needs) or fewer cases. Nothing is "
     "known about what the case checks until then."},
    {"GC9011", "output_not_written", warning, configuration, configure,
     "A file that the case was asked to leave behind could not be written.",
     "Make room or give permission where the reason says, or name another place, and run again for the file. What the "
     "case checks was judged without it: it says nothing about the GPU."},
};

}  // namespace gpucheck::harness::kinds
