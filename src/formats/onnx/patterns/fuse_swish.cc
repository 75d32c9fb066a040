#include <algorithm>

#include "formats/onnx/patterns/patterns.h"

namespace edgetwin::onnx {
namespace {

// The vendor's quantizer knows a Swish only after these.
constexpr std::string_view kSources[] = {
    "Conv",      "ConvTranspose", "Gemm",           "MatMul",  "LSTM",   "BatchNormalization",
    "MaxPool",   "GlobalMaxPool", "Reshape",        "Flatten", "Slice",  "Identity",
    "Pad",       "Split",         "Transpose",      "Squeeze", "Gather", "Unsqueeze",
    "ReduceMax", "ReduceMin",     "ReverseSequence"};

bool is_source(const Node* n) {
  return n != nullptr &&
         std::find(std::begin(kSources), std::end(kSources), n->op_type) != std::end(kSources);
}

// The node that will stand before the Swish: a batch norm goes into its convolution.
const Node* source_of(Pattern& p, const std::string& x) {
  const Node* n = p.any_maker(x);
  if (n == nullptr || n->op_type != "BatchNormalization" || n->inputs.empty()) return n;
  const Node* before = p.any_maker(n->inputs[0]);
  return is_source(before) ? before : n;
}

}  // namespace

// x * Sigmoid(x). It goes by the name of what makes x.
void fuse_swish(Pattern& p, const Passes& passes) {
  for (Node& mul : p.document().nodes) {
    if (mul.op_type != "Mul" || mul.inputs.size() != 2) continue;
    for (const std::string& side : mul.inputs) {
      Node* sigmoid = p.only_maker(side, "Sigmoid");
      if (sigmoid == nullptr || sigmoid->inputs.size() != 1) continue;
      const std::string x = Pattern::other(mul, side);
      if (sigmoid->inputs[0] != x) continue;
      const Node* source = source_of(p, x);
      if (!is_source(source) && !passes.swish_of_anything) continue;
      Node swish;
      swish.op_type = "Swish";
      swish.name = (source == nullptr ? mul.name : source->name) + "/Swish";
      swish.inputs = {x};
      p.replace(mul, std::move(swish), {sigmoid});
      break;
    }
  }
}

}  // namespace edgetwin::onnx
