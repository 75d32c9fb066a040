// Small graphs of host and compiled operators: values in, a, b, c, d, e in this order.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"

namespace edgetwin::edgetpu {

inline Graph values_of_split() {
  Graph g;
  for (const char* name : {"in", "a", "b", "c", "d", "e"}) {
    Value v;
    v.name = name;
    v.dtype = DType::int8;
    v.shape = Shape{1, 4};
    v.quant = Quant::affine(0.5F, 0);
    g.values.push_back(v);
  }
  return g;
}

inline void add_op(Graph& g, OpKind kind, Attrs attrs, std::vector<ValueId> in,
                   std::vector<ValueId> out) {
  Op o;
  o.kind = kind;
  o.attrs = std::move(attrs);
  o.inputs = std::move(in);
  o.outputs = std::move(out);
  g.ops.push_back(std::move(o));
}

inline OpaqueAttrs compiled_op() {
  OpaqueAttrs compiled;
  compiled.name = "edgetpu-custom-op";
  return compiled;
}

}  // namespace edgetwin::edgetpu
