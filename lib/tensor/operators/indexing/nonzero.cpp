#include <algorithm>
#include <string>

#include "device/check.hpp"
#include "runtime/memory/buffer.hpp"
#include "tensor/call/structured.hpp"
#include "tensor/iterator/overlap.hpp"
#include "tensor/iterator/reduction.hpp"
#include "tensor/operators/copies/copies.hpp"
#include "tensor/operators/indexing/indexing.hpp"
#include "tensor/operators/indexing/kernels/positions.hpp"
#include "tensor/operators/indexing/support.hpp"
#include "tensor/operators/reductions/kernels/scans.hpp"

namespace gpucheck::tensor::operators::in_indexing::nonzero {
namespace {

namespace kernels = device::kernels;
using Counts = runtime::Buffer<std::int64_t>;

/// How many elements of each block and of all before it are not 0.
Counts count_blocks(const kernels::FlatElements& from, runtime::Runtime& runtime) {
  const std::int64_t blocks = from.blocks();
  Counts counts(runtime, static_cast<std::size_t>(blocks), runtime.current_stream());
  const kernels::CountSet count{from, counts.data()};
  device::check(device::launch(runtime.device(), count, from.invocations(), from.block(), runtime.current_stream()),
                "count_nonzero");
  kernels::Scan<std::int64_t> scan{};
  scan.in = scan.out = counts.data();
  scan.in_dtype = scan.out_dtype = DType::int64;
  scan.rows = 1;
  scan.length = blocks;
  scan.in_stride = scan.out_stride = sizeof(std::int64_t);
  scan.shape = block_shape(1, blocks, true);
  detail::launch_blocks(scan, runtime);
  return counts;
}

/// The number of all, for which the caller waits. Allocations and the wait come in the order in which PyTorch has them.
std::int64_t total_of(const kernels::FlatElements& from, runtime::Runtime& runtime, Counts& total) {
  const auto copy = [&](void* to, const void* source, device::CopyKind kind) {
    device::check(runtime.device().copy(to, source, sizeof(std::int64_t), kind, runtime.current_stream()), "copy");
  };
  {
    const Counts counts = count_blocks(from, runtime);
    copy(total.data(), counts.data() + counts.size() - 1, device::CopyKind::device_to_device);
  }
  std::int64_t number = 0;
  copy(&number, total.data(), device::CopyKind::device_to_host);
  runtime.synchronize(runtime.current_stream());
  return number;
}

/// A row for each, the columns one after another in memory.
Tensor make_rows(std::int64_t rows, std::int64_t columns, Device device) {
  return make_empty_strided({rows, columns}, {1, std::max<std::int64_t>(rows, 1)}, DType::int64, device);
}

kernels::WritePositions writer(const kernels::FlatElements& from, const Tensor& self, const Tensor& rows) {
  kernels::WritePositions kernel{};
  kernel.from = from;
  kernel.out = rows.data_as<std::int64_t>();
  kernel.total = rows.sizes()[0];
  for (std::size_t i = self.sizes().size(); i-- > 0;)
    kernel.dimensions.sizes[kernel.dimensions.rank++] = self.sizes()[i];
  return kernel;
}

Tensor find_on_host(const kernels::FlatElements& from, const Tensor& self) {
  std::int64_t total = 0;
  from.for_each_set(0, from.elements, [&total](std::int64_t) { ++total; });
  const Tensor rows = make_rows(total, self.rank(), host);
  if (rows.count() > 0) writer(from, self, rows).write_all_on_host();
  return rows;
}

Tensor find_on_device(const kernels::FlatElements& from, const Tensor& self) {
  runtime::Runtime& runtime = self.device().runtime();
  Counts total(runtime, 1, runtime.current_stream());
  const Tensor rows = make_rows(total_of(from, runtime, total), self.rank(), self.device());
  if (rows.count() == 0) return rows;
  const Counts counts = count_blocks(from, runtime);
  kernels::WritePositions kernel = writer(from, self, rows);
  kernel.counts = counts.data();
  device::check(device::launch(runtime.device(), kernel, from.invocations(), from.block(), runtime.current_stream()),
                "nonzero");
  return rows;
}

Tensor find(const Tensor& given) {
  const Tensor self = contiguous(given);
  if (self.count() == 0) return make_rows(0, self.rank(), self.device());
  const kernels::FlatElements from{self.data(), self.dtype(), self.count()};
  return self.device().is_host() ? find_on_host(from, self) : find_on_device(from, self);
}

Tensor compute(const Destination& destination, const Tensor& self) {
  const Tensor& out = destination.tensor;
  if (!out.defined()) return find(self);
  if (out.dtype() != DType::int64) {
    throw Error("Expected object of scalar type Long as out, but got scalar type " +
                std::string(to_error_text(out.dtype())));
  }
  require_same_device(self, out);
  require_no_internal_overlap(out);
  const Tensor rows = find(self);
  if (out.sizes() != rows.sizes()) resize(out, rows.sizes());
  return copy_(out, rows);
}

}  // namespace

std::vector<Entry> define() { return structured<&compute>({}, Nonzero{}, nonzero_out); }

}  // namespace gpucheck::tensor::operators::in_indexing::nonzero
