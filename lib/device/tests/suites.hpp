#pragma once

#include "device/tests/contract.hpp"

/// Every suite of the contract. A device is put under all of them with
/// GPUCHECK_INSTANTIATE_CONTRACT(prefix, backends).
namespace gpucheck::device::contract {

class Memory : public Contract {};
class VirtualMemory : public Contract {};
class HostMemory : public Contract {};
class StreamOrderedMemory : public Contract {};
class Copies : public Contract {};
class Kernels : public Contract {};
class BlockKernels : public Contract {};
class Streams : public Contract {};
class DefaultStream : public Contract {};
class HostFunctions : public Contract {};
class Events : public Contract {};
class EventTiming : public Contract {};
class ExternalEvents : public Contract {};
class EveryWay : public Contract {};
class Capture : public Contract {};
class CaptureFork : public Contract {};
class CaptureDependencies : public Contract {};
class BrokenCapture : public Contract {};
class CaptureModes : public Contract {};
class Graphs : public Contract {};
class GraphOrder : public Contract {};
class GraphUpdate : public Contract {};
class GraphUpload : public Contract {};
class GraphNodes : public Contract {};
class GraphMemory : public Contract {};
class Errors : public Contract {};
class StickyErrors : public Contract {};
class Initialisation : public Contract {};
class Properties : public Contract {};
class Ranges : public Contract {};
/// Needs a library that multiplies.
class MatrixProducts : public Contract {
 protected:
  struct Matrices;

  void SetUp() override;
  void write(const DeviceArray<std::uint8_t>& array, const std::vector<std::uint8_t>& bytes, Stream stream) const;
  /// Operands with small whole numbers, as they lie by the product, and a workspace.
  Matrices make_matrices(const MatrixProduct& product, Stream stream) const;
  ProductAlgorithm choose(const MatrixProduct& product) const;
  /// That each byte of D is as it must be, also between columns.
  void expect_product(const MatrixProduct& product, std::uint64_t workspace_limit_bytes) const;
};
/// Needs a library that communicates.
class Collectives : public Contract {
 protected:
  void SetUp() override;
};
/// Needs two devices that reach each other's memory.
class Peers : public Contract {
 protected:
  void SetUp() override;
};

}  // namespace gpucheck::device::contract

#define GPUCHECK_INSTANTIATE_CONTRACT(prefix, backends)              \
  GPUCHECK_INSTANTIATE_SUITE(prefix, Memory, backends);              \
  GPUCHECK_INSTANTIATE_SUITE(prefix, VirtualMemory, backends);       \
  GPUCHECK_INSTANTIATE_SUITE(prefix, HostMemory, backends);          \
  GPUCHECK_INSTANTIATE_SUITE(prefix, StreamOrderedMemory, backends); \
  GPUCHECK_INSTANTIATE_SUITE(prefix, Copies, backends);              \
  GPUCHECK_INSTANTIATE_SUITE(prefix, Kernels, backends);             \
  GPUCHECK_INSTANTIATE_SUITE(prefix, BlockKernels, backends);        \
  GPUCHECK_INSTANTIATE_SUITE(prefix, Streams, backends);             \
  GPUCHECK_INSTANTIATE_SUITE(prefix, DefaultStream, backends);       \
  GPUCHECK_INSTANTIATE_SUITE(prefix, HostFunctions, backends);       \
  GPUCHECK_INSTANTIATE_SUITE(prefix, Events, backends);              \
  GPUCHECK_INSTANTIATE_SUITE(prefix, EventTiming, backends);         \
  GPUCHECK_INSTANTIATE_SUITE(prefix, ExternalEvents, backends);      \
  GPUCHECK_INSTANTIATE_SUITE(prefix, EveryWay, backends);            \
  GPUCHECK_INSTANTIATE_SUITE(prefix, Capture, backends);             \
  GPUCHECK_INSTANTIATE_SUITE(prefix, CaptureFork, backends);         \
  GPUCHECK_INSTANTIATE_SUITE(prefix, CaptureDependencies, backends); \
  GPUCHECK_INSTANTIATE_SUITE(prefix, BrokenCapture, backends);       \
  GPUCHECK_INSTANTIATE_SUITE(prefix, CaptureModes, backends);        \
  GPUCHECK_INSTANTIATE_SUITE(prefix, Graphs, backends);              \
  GPUCHECK_INSTANTIATE_SUITE(prefix, GraphOrder, backends);          \
  GPUCHECK_INSTANTIATE_SUITE(prefix, GraphUpdate, backends);         \
  GPUCHECK_INSTANTIATE_SUITE(prefix, GraphUpload, backends);         \
  GPUCHECK_INSTANTIATE_SUITE(prefix, GraphNodes, backends);          \
  GPUCHECK_INSTANTIATE_SUITE(prefix, GraphMemory, backends);         \
  GPUCHECK_INSTANTIATE_SUITE(prefix, Errors, backends);              \
  GPUCHECK_INSTANTIATE_SUITE(prefix, StickyErrors, backends);        \
  GPUCHECK_INSTANTIATE_SUITE(prefix, Initialisation, backends);      \
  GPUCHECK_INSTANTIATE_SUITE(prefix, Properties, backends);          \
  GPUCHECK_INSTANTIATE_SUITE(prefix, Ranges, backends);              \
  GPUCHECK_INSTANTIATE_SUITE(prefix, MatrixProducts, backends);      \
  GPUCHECK_INSTANTIATE_SUITE(prefix, Collectives, backends);         \
  GPUCHECK_INSTANTIATE_SUITE(prefix, Peers, backends)
