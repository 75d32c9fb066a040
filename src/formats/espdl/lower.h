// From a document to a graph: names resolved, weights in plain order, attributes understood.
// docs/formats/espdl.md, "From file to graph".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "formats/espdl/document.h"
#include "formats/espdl/operators.h"
#include "graph/graph.h"
#include "tensor/tensor.h"

namespace edgetwin::espdl {

// What a file was made for: it decides the order of the weights (plain C has none of the vector
// units' blocks) and, in every computation, the rounding.
enum class Target : uint8_t { c, esp32s3, esp32p4 };
std::string_view name(Target target);  // "c", "esp32s3", "esp32p4"
// Also the other chips without a vector unit (esp32, esp32s2, esp32c3, …), esp32s31, and "s3",
// "p4".
std::optional<Target> target_by_name(std::string_view text);

// What a file says about its target without running it.
struct TargetEvidence {
  std::optional<Target> target;  // nothing: the file fits more than one
  std::string why;               // one sentence
  // Whether weights are in the blocks of a vector unit or in plain order, as far as their texts
  // say.
  std::optional<bool> blocks;
};
TargetEvidence target_evidence(const Document& document);

// The graph has passed verify_graph(). `file` is used in errors only. Operators that the runtime
// does not have become OpKind::opaque. Findings of the model: what is odd, but runs.
// Errors: espdl_reference, espdl_attribute, espdl_tensor, espdl_layout, op_undefined, graph_*.
Result<Model> lower(const Document& document, Target target, const std::string& file);

// An embedded test value or initializer as a tensor. Error: espdl_tensor.
Result<Tensor> to_tensor(const TensorData& data);

}  // namespace edgetwin::espdl
