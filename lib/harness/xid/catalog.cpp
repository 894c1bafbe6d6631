#include "harness/xid/catalog.hpp"

#include <algorithm>
#include <iterator>

namespace gpucheck::harness {
namespace {

using enum XidCause;

// Which failure each is; empty for what is not an alarm.
constexpr std::string_view no_alarm = "";
constexpr std::string_view watch = "error_to_watch";
constexpr std::string_view fails = "hardware_error_reported";
constexpr std::string_view reset = "gpu_reset_required";
constexpr std::string_view lost = "gpu_lost";

// NVIDIA's catalogue of XIDs (docs.nvidia.com/deploy/xid-errors, its Xid-Catalog.xlsx) for numbers, names and what to
// do: IGNORE and RESTART_APP are not an alarm where a program is the cause, and warn elsewhere; RESET_GPU and the
// workflows that end with it need a reset. Numbers that the catalogue calls unused have the meanings of its edition for
// older GPUs, and fail: support is to be asked. 109 warns: a hung program causes it too, and a reset that is needed is
// asked for by 154.
constexpr XidInfo catalog[] = {
    {1, 3, driver, fails, "FIFO_ERROR", "Invalid or corrupted push buffer stream; no GPU of today reports it."},
    {4, 4, driver, fails, "FIFO_ERROR_CHANNEL_BUSY",
     "Invalid or corrupted push buffer stream, or a semaphore that timed out."},
    {5, 5, driver, fails, "FIFO_ERROR_RUNOUT_OVERFLOW", "Not used by GPUs of today."},
    {6, 6, driver, fails, "FIFO_ERROR_PARSE_ERR", "Invalid or corrupted push buffer stream."},
    {7, 7, driver, fails, "FIFO_ERROR_PTE_ERR", "Invalid or corrupted push buffer address."},
    {8, 8, hardware, watch, "FIFO_ERROR_IDLE_TIMEOUT", "The GPU stopped processing."},
    {9, 9, driver, fails, "GR_ERROR_INSTANCE", "The driver made an error when it programmed the GPU."},
    {10, 10, driver, fails, "GR_ERROR_SINGLE_STEP", "Not used by GPUs of today."},
    {11, 11, program, no_alarm, "GR_ERROR_MISSING_HW", "Invalid or corrupted push buffer stream."},
    {12, 12, driver, fails, "GR_ERROR_SW_METHOD", "The driver made an error when it handled an exception of the GPU."},
    {13, 13, program, no_alarm, "GR_EXCEPTION",
     "An exception in the graphics and compute engine: most often a program that writes or reads out of bounds, or an "
     "illegal instruction."},
    {14, 14, program, no_alarm, "FAKE_ERROR", "An error that a program asked for, as a test."},
    {15, 15, driver, fails, "SCANLINE_TIMEOUT", "Not used by GPUs of today."},
    {16, 16, driver, watch, "VBLANK_CALLBACK_TIMEOUT", "The display engine hung."},
    {17, 17, driver, fails, "PARAMETER_ERROR", "Not used by GPUs of today."},
    {18, 18, hardware, fails, "BUS_MASTER_TIMEOUT_ERROR", "Bus mastering is disabled in the PCI configuration space."},
    {19, 19, driver, watch, "DISP_MISSED_NOTIFIER", "An error of the display engine."},
    {20, 22, driver, fails, "SW_METHOD", "Invalid or corrupted push buffer of the video engines."},
    {23, 23, driver, fails, "RC_LOGGING_ENABLED", "Not used by GPUs of today."},
    {24, 24, driver, fails, "GR_SEMAPHORE_TIMEOUT", "A semaphore of the GPU timed out."},
    {25, 25, program, no_alarm, "GR_ILLEGAL_NOTIFY", "Invalid or illegal push buffer stream."},
    {26, 26, hardware, fails, "FIFO_ERROR_FBISTATE_TIMEOUT", "The frame buffer timed out."},
    {27, 29, program, watch, "VIDEO_PROCESSOR_ERROR", "An exception in a video processor."},
    {30, 30, driver, fails, "BAD_ADDR_ACCESS", "A semaphore of the GPU could not be accessed."},
    {31, 31, program, no_alarm, "FIFO_ERROR_MMU_ERR_FLT",
     "A page fault in GPU memory: most often a program that uses an illegal address."},
    {32, 32, hardware, watch, "PBDMA_ERROR",
     "Invalid or corrupted push buffer stream: most often the quality of the PCIe link."},
    {33, 33, driver, fails, "SEC_ERROR", "An error of an internal micro-controller."},
    {34, 36, program, watch, "VIDEO_PROCESSOR_ERROR", "An exception in a video processor."},
    {37, 37, driver, no_alarm, "FECS_ERR_UNIMP_FIRMWARE_METHOD",
     "An error of the firmware: a method that it does not have."},
    {38, 38, driver, watch, "FECS_ERR_WATCHDOG_TIMEOUT", "An error of the firmware: its watchdog timed out."},
    {39, 41, hardware, watch, "COPY_ENGINE_ERROR", "An exception in a copy engine (CE0 to CE2)."},
    {42, 42, program, watch, "VIC_ERROR", "An exception in a video processor."},
    {43, 43, program, no_alarm, "RESETCHANNEL_VERIF_ERROR",
     "The GPU stopped processing because of an error of a program, which has to end; the GPU is healthy."},
    {44, 44, driver, watch, "GR_FAULT_DURING_CTXSW", "A fault in the graphics engine during a context switch."},
    {45, 45, program, no_alarm, "PREEMPTIVE_REMOVAL", "Cleanup after an earlier error, or after a program was ended."},
    {46, 46, hardware, reset, "GPU_TIMEOUT_ERROR", "The GPU stopped processing."},
    {47, 47, program, watch, "NVENC0_ERROR", "An exception in a video encoder."},
    {48, 48, hardware, reset, "GPU_ECC_DBE", "An error of the memory that ECC could not correct."},
    {49, 53, driver, fails, "SILENT_RUNNING", "Not used by GPUs of today."},
    {54, 54, hardware, fails, "PWR_REDUCED_CLOCKING",
     "Auxiliary power is not connected to the board: look at its power cables."},
    {55, 55, driver, fails, "TEMPERATURE_READ_ERROR", "Not used by GPUs of today."},
    {56, 56, driver, watch, "DISPLAY_CHANNEL_EXCEPTION", "An error of the display engine."},
    {57, 57, hardware, fails, "FB_LINK_TRAINING_FAILURE_ERROR", "The interface to the memory could not be programmed."},
    {58, 58, hardware, fails, "FB_MEMORY_ERROR", "The interface to the memory is unstable."},
    {59, 59, hardware, fails, "PMU_ERROR", "An error of an internal micro-controller."},
    {60, 60, program, no_alarm, "SEC2_ERROR", "An exception in a video processor."},
    {61, 61, hardware, fails, "PMU_BREAKPOINT", "A breakpoint or warning of an internal micro-controller."},
    {62, 62, hardware, reset, "PMU_HALT_ERROR", "An internal micro-controller halted."},
    {63, 63, hardware, no_alarm, "INFOROM_DRAM_RETIREMENT_EVENT",
     "A row or page of memory is to be replaced by a spare one: health.row_remap judges whether it was."},
    {64, 64, hardware, no_alarm, "INFOROM_DRAM_RETIREMENT_FAILURE",
     "The replacement of a row or page of memory could not be recorded: health.row_remap fails by it."},
    {65, 65, program, watch, "NVENC1_ERROR", "An exception in a video encoder."},
    {66, 66, driver, watch, "FECS_ERR_REG_ACCESS_VIOLATION", "An illegal access by the driver."},
    {67, 67, driver, watch, "FECS_ERR_VERIF_VIOLATION", "An illegal access by the driver."},
    {68, 68, program, no_alarm, "NVDEC0_ERROR", "An exception in a video decoder."},
    {69, 69, program, no_alarm, "GR_CLASS_ERROR", "A class error in the graphics and compute engine."},
    {70, 72, hardware, watch, "COPY_ENGINE_ERROR", "An unknown error of a copy engine (CE3 to CE5)."},
    {73, 73, program, watch, "NVENC2_ERROR", "An exception in a video encoder."},
    {74, 74, hardware, reset, "NVLINK_ERROR",
     "An error of an NVLink: of the link, or of the GPU or switch at its other end."},
    {75, 77, hardware, watch, "COPY_ENGINE_ERROR", "An unknown error of a copy engine (CE6 to CE8)."},
    {78, 78, driver, watch, "VGPU_START_ERROR",
     "A virtual GPU could not be started: update the driver of host and guest."},
    {79, 79, hardware, lost, "GPU_HAS_FALLEN_OFF_THE_BUS",
     "The GPU cannot be reached over PCIe any more: the link, power, the GPU itself or its driver."},
    {80, 80, hardware, watch, "PBDMA_PUSHBUFFER_CRC_MISMATCH", "Corrupted data was sent to the GPU."},
    {81, 81, driver, watch, "VGA_SUBSYSTEM_ERROR", "An error of the VGA subsystem."},
    {82, 82, program, no_alarm, "NVJPG0_ERROR", "An exception in a JPEG engine."},
    {83, 84, program, no_alarm, "NVDEC_ERROR", "An exception in a video decoder (NVDEC1, NVDEC2)."},
    {85, 85, hardware, watch, "COPY_ENGINE_ERROR", "An unknown error of a copy engine (CE9)."},
    {86, 86, program, no_alarm, "OFA0_ERROR", "An exception in the optical flow engine."},
    {87, 87, driver, fails, "NVTELEMETRY_DRIVER_REPORT", "Not used by GPUs of today."},
    {88, 89, program, no_alarm, "NVDEC_ERROR", "An exception in a video decoder (NVDEC3, NVDEC4)."},
    {90, 91, driver, fails, "RESERVED", "Not used by GPUs of today."},
    {92, 92, hardware, watch, "EXCESSIVE_SBE_INTERRUPTS", "The memory corrects errors at a high rate."},
    {93, 93, driver, watch, "INFOROM_ERASE_LIMIT_EXCEEDED", "The infoROM was written more often than was allowed."},
    {94, 94, hardware, watch, "CONTAINED_ERROR",
     "An uncorrectable error of the memory that hit one program alone: restart that, and reset the GPU when it is "
     "convenient."},
    {95, 95, hardware, reset, "UNCONTAINED_ERROR",
     "An uncorrectable error of the memory that may have hit several programs."},
    {96, 98, program, no_alarm, "NVDEC_ERROR", "An exception in a video decoder (NVDEC5 to NVDEC7)."},
    {99, 105, program, no_alarm, "NVJPG_ERROR", "An exception in a JPEG engine (NVJPG1 to NVJPG7)."},
    {106, 107, driver, no_alarm, "SMBPBI_TEST_MESSAGE", "A test message of the board management interface."},
    {108, 108, program, no_alarm, "NVLINK_REMOTE_TRANSLATION_ERROR",
     "An access over NVLink that the other GPU could not translate."},
    {109, 109, program, watch, "CTXSW_TIMEOUT_ERROR",
     "A context switch timed out: a program that runs too long, or a GPU that hangs."},
    {110, 110, hardware, reset, "SEC_FAULT_ERROR", "A security fault: rare without a failure of the hardware."},
    {111, 111, driver, watch, "BUNDLE_ERROR_EVENT", "An error of the display engine."},
    {112, 118, driver, watch, "DISPLAY_ERROR", "An error of the display engine or its link."},
    {119, 119, driver, reset, "GSP_RPC_TIMEOUT", "The GPU system processor (GSP) did not answer in time."},
    {120, 120, driver, reset, "GSP_ERROR", "An error in what runs on the GPU system processor (GSP)."},
    {121, 121, hardware, watch, "C2C_ERROR", "Corrected errors on the link between CPU and GPU (C2C)."},
    {122, 124, hardware, fails, "SPI_PMU_RPC_FAIL", "The SPI flash could not be read, written or erased."},
    {125, 125, hardware, fails, "INFOROM_FS_ERROR", "An error of the infoROM file system."},
    {126, 135, hardware, watch, "COPY_ENGINE_ERROR", "An unknown error of a copy engine (CE10 to CE19)."},
    {136, 136, hardware, reset, "ALI_TRAINING_FAIL", "An NVLink could not be trained."},
    {137, 137, program, no_alarm, "NVLINK_PRIV_ERR",
     "An illegal access over NVLink that the other GPU reported: most often a program that uses an illegal address."},
    {138, 138, driver, watch, "DLA_ERROR", "An exception in a deep-learning accelerator."},
    {139, 139, program, no_alarm, "OFA1_ERROR", "An exception in the optical flow engine."},
    {140, 140, hardware, reset, "UNRECOVERABLE_ECC_ERROR_ESCAPE",
     "Uncorrectable errors of the memory that the driver could not mark for replacement."},
    {141, 141, driver, watch, "FAST_PATH_ERROR", "An error in the fast path of CUDA."},
    {142, 142, program, watch, "NVENC3_ERROR", "An exception in a video encoder."},
    {143, 143, hardware, reset, "GPU_INIT_ERROR", "The GPU could not be initialised."},
    {144, 144, hardware, reset, "NVLINK_SAW_ERROR", "An NVLink error (SAW): a Nonfatal one warns, a Fatal one fails."},
    {145, 145, hardware, reset, "NVLINK_RLW_ERROR", "An NVLink error (RLW): a Nonfatal one warns, a Fatal one fails."},
    {146, 146, hardware, reset, "NVLINK_TLW_ERROR", "An NVLink error (TLW): a Nonfatal one warns, a Fatal one fails."},
    {147, 147, hardware, reset, "NVLINK_TREX_ERROR",
     "An NVLink error (TREX): a Nonfatal one warns, a Fatal one fails."},
    {148, 148, hardware, reset, "NVLINK_NVLPW_CTRL_ERROR",
     "An NVLink error (NVLPW_CTRL): a Nonfatal one warns, a Fatal one fails."},
    {149, 149, hardware, reset, "NVLINK_NETIR_ERROR",
     "An NVLink error (NETIR): a Nonfatal one warns, a Fatal one fails."},
    {150, 150, hardware, reset, "NVLINK_MSE_ERROR", "An NVLink error (MSE): a Nonfatal one warns, a Fatal one fails."},
    {151, 151, driver, fails, "KEY_ROTATION_ERROR",
     "The keys of confidential computing could not be changed: restart the virtual machine."},
    {152, 153, driver, watch, "DLA_ERROR", "An error or timeout of a deep-learning accelerator."},
    {154, 154, driver, fails, "GPU_RECOVERY_ACTION_CHANGED",
     "What the driver wants done because of other XIDs changed: its text says what (none, reset, restart of the "
     "machine, drain). None ends what was before."},
    {155, 155, hardware, watch, "NVLINK_SW_DEFINED_ERROR", "An NVLink went down on purpose."},
    {156, 156, hardware, reset, "RESOURCE_RETIREMENT_EVENT",
     "A part of the GPU is to be replaced by a spare one at the next reset."},
    {157, 157, hardware, fails, "RESOURCE_RETIREMENT_FAILURE",
     "A part of the GPU is bad and no spare one is left: the error can come again."},
    {158, 158, hardware, reset, "GPU_FATAL_TIMEOUT", "The GPU did not answer within a time that is fatal."},
    {159, 159, hardware, reset, "CHI_NON_DATA_ERROR", "An error on the link between CPU and GPU (C2C)."},
    {160, 160, driver, watch, "CHANNEL_RETIREMENT_EVENT", "A channel of the memory was retired."},
    {161, 161, driver, watch, "CHANNEL_RETIREMENT_FAILURE", "A channel of the memory could not be retired."},
    {162, 162, hardware, no_alarm, "PSHC_REENGAGED", "The circuit that smooths power is at work again."},
    {163, 163, hardware, watch, "PSHC_DISENGAGED", "The circuit that smooths power is off: heat, or a timeout."},
    {164, 164, hardware, watch, "PSHC_LOW_LIFETIME", "The circuit that smooths power reaches the end of its life."},
    {165, 165, hardware, watch, "PSHC_ZERO_LIFETIME",
     "The circuit that smooths power is worn out: replace the GPU where power swings are not acceptable."},
    {166, 166, driver, fails, "NVLINK_SECURE_CRYPTO_ERR",
     "Traffic of confidential computing on an NVLink that was not yet set up for it."},
    {167, 167, hardware, fails, "PCIE_FATAL_TIMEOUT", "A fatal timeout on PCIe."},
    {168, 168, hardware, fails, "REDUCED_GPU_MEMORY_CAPACITY",
     "Errors in the protected region of the memory: switch ECC on, or restart the machine."},
    {169, 169, hardware, reset, "SEC2_HALT_ERROR", "An internal micro-controller halted."},
    {170, 170, driver, watch, "NVLINK_SECURE_OTHER", "An interrupt of confidential computing on an NVLink."},
    {171, 171, hardware, reset, "UNCORRECTABLE_DRAM_ERROR",
     "An uncorrectable error of the DRAM: says more of an XID 48."},
    {172, 172, hardware, reset, "UNCORRECTABLE_SRAM_ERROR",
     "An uncorrectable error of the SRAM: says more of an XID 48. Replace the GPU when the driver says that its "
     "threshold is exceeded."},
};

}  // namespace

std::string_view to_text(XidCause cause) noexcept {
  switch (cause) {
    case program:
      return "program";
    case driver:
      return "driver";
    case hardware:
      return "hardware";
  }
  return "hardware";
}

std::span<const XidInfo> xid_catalog() noexcept { return catalog; }

const XidInfo* find_xid(std::int64_t number) noexcept {
  const auto* const found = std::ranges::find_if(
      catalog, [number](const XidInfo& info) { return info.first <= number && number <= info.last; });
  return found == std::end(catalog) ? nullptr : found;
}

bool is_caused_by_programs(std::int64_t xid) noexcept {
  const XidInfo* const info = find_xid(xid);
  return info != nullptr && info->cause == program;
}

}  // namespace gpucheck::harness
