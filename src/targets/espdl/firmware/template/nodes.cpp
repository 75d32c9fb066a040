#include "nodes.hpp"

#include "tensors.hpp"

namespace check {
namespace {

// Copies of tensors that one run may make.
constexpr size_t kBatchBytes = size_t{1} << 20;
constexpr size_t kBatchNodes = 64;

// What one run is asked for.
struct Batch {
  Copies copies;
  std::vector<const GoldenTensor*> nodes;
};

// False where the walk ends: a form differs or memory ran out; `walk` says so then.
bool take(dl::Model& model, const GoldenTensor& node, Batch& batch, NodeWalk& walk) {
  dl::TensorBase* known = model.get_intermediate(node.name);
  if (known == nullptr) {
    ++walk.unknown;
    return true;
  }
  Difference form = compare_form(node, *known);
  if (form.equal() && !batch.copies.add(node)) form = wrong("memory", 0, node.bytes);
  if (form.equal()) {
    batch.nodes.push_back(&node);
    return true;
  }
  walk.name = node.name;
  walk.difference = form;
  return false;
}

void run_batch(dl::Model& model, Inputs& inputs, Batch& batch, NodeWalk& walk) {
  if (batch.nodes.empty()) return;
  run(model, inputs.map(), batch.copies.map());
  for (const GoldenTensor* node : batch.nodes) {
    const Difference difference = compare(*node, batch.copies.of(*node));
    ++walk.checked;
    if (difference.equal()) continue;
    // An earlier node than one whose form differs.
    walk.name = node->name;
    walk.difference = difference;
    return;
  }
}

}  // namespace

NodeWalk walk_nodes(dl::Model& model, const Golden& golden) {
  NodeWalk walk;
  Inputs inputs(golden.inputs);
  for (size_t next = 0; next < golden.nodes.size() && walk.name.empty();) {
    Batch batch;
    size_t bytes = 0;
    while (next < golden.nodes.size() && batch.nodes.size() < kBatchNodes) {
      const GoldenTensor& node = golden.nodes[next];
      if (!batch.nodes.empty() && bytes + node.bytes > kBatchBytes) break;
      ++next;
      bytes += node.bytes;
      if (!take(model, node, batch, walk)) break;
    }
    run_batch(model, inputs, batch, walk);
  }
  return walk;
}

}  // namespace check
