#include "runtime/graphs/dot.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <string_view>
#include <vector>

namespace gpucheck::runtime {
namespace {

using device::NodeDescription;
using device::NodeKind;

std::string escaped(std::string_view text) {
  std::string result;
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') result += '\\';
    result += letter;
  }
  return result;
}

/// Eight bytes a number, in the machine's order; the last one has what is left.
std::string parameter_words(const std::vector<std::byte>& bytes) {
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, std::min(sizeof(word), bytes.size() - at));
    text += fmt::format("{}{:#x}", at == 0 ? "" : " ", word);
  }
  return text;
}

std::string kernel_label(const NodeDescription& node) {
  std::string label = fmt::format("kernel {}", node.kernel.empty() ? "(unknown)" : escaped(node.kernel));
  if (node.count != 0) label += fmt::format("\\ninvocations {}", node.count);
  if (node.block.threads != 0) {
    label += fmt::format("\\nblock of {} threads, {} shared bytes", node.block.threads, node.block.shared_bytes);
  }
  if (!node.parameters.empty()) label += fmt::format("\\nparameters {}", parameter_words(node.parameters));
  return label;
}

std::string label_of(const NodeDescription& node) {
  switch (node.kind) {
    case NodeKind::kernel:
      return kernel_label(node);
    case NodeKind::copy:
      return fmt::format("copy {} bytes\\n{} to {}", node.bytes, node.source, node.destination);
    case NodeKind::fill:
      return fmt::format("fill {} bytes\\nat {}", node.bytes, node.destination);
    case NodeKind::host_function:
      return "host function";
    case NodeKind::event_record:
      return "event record";
    case NodeKind::event_wait:
      return "event wait";
    case NodeKind::allocation:
      return fmt::format("allocate {} bytes\\nat {}", node.bytes, node.destination);
    case NodeKind::free:
      return fmt::format("free\\n{}", node.destination);
    case NodeKind::other:
      break;
  }
  return "other";
}

}  // namespace

std::string dot_text(std::span<const NodeDescription> nodes) {
  std::string text = "digraph captured {\n  node [shape=box];\n";
  for (std::size_t place = 0; place < nodes.size(); ++place) {
    text += fmt::format("  n{} [label=\"{}\"];\n", place, label_of(nodes[place]));
  }
  for (std::size_t place = 0; place < nodes.size(); ++place) {
    for (const std::size_t dependency : nodes[place].dependencies) {
      text += fmt::format("  n{} -> n{};\n", dependency, place);
    }
  }
  return text + "}\n";
}

}  // namespace gpucheck::runtime
