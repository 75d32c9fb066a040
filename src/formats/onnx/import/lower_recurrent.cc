// GRU and LSTM.
#include <algorithm>

#include "formats/onnx/import/importer.h"

namespace edgetwin::onnx {

Status lower_recurrent(Importer& m, const Node& n) {
  const bool gru = n.op_type == "GRU";
  Op op = m.make(n, gru ? OpKind::gru : OpKind::lstm);
  RecurrentAttrs a;
  const std::string direction = n.text("direction").value_or("forward");
  a.bidirectional = direction == "bidirectional";
  a.reverse = direction == "reverse";
  if (!a.bidirectional && !a.reverse && direction != "forward") {
    return m.bad_attribute(n, "direction", "is '" + direction + "'");
  }
  EDGETWIN_TRY_ASSIGN(a.hidden_size, small_integer(m, n, "hidden_size", 0));
  a.linear_before_reset = n.integer("linear_before_reset").value_or(0) != 0;
  for (const char* flag : {"layout", "input_forget"}) {
    if (n.integer(flag).value_or(0) != 0) return m.bad_attribute(n, flag, "must be 0");
  }
  const auto named = [&](const char* name) {
    return std::any_of(n.attributes.begin(), n.attributes.end(),
                       [&](const Attribute& x) { return x.name == name; });
  };
  for (const char* name : {"activations", "activation_alpha", "activation_beta", "clip"}) {
    if (named(name)) return m.bad_attribute(n, name, "are the usual ones only if it is left out");
  }
  const size_t most = gru ? 6 : 7;
  for (size_t i = 0; i < std::max<size_t>(3, n.inputs.size()); ++i) {
    if (i >= most) {
      if (n.has_input(i)) return m.bad_attribute(n, "peepholes", "are not supported");
      continue;
    }
    ValueId id = kAbsent;
    if (i < 3 || n.has_input(i)) {
      EDGETWIN_TRY_ASSIGN(id, m.input(n, i));
    }
    op.inputs.push_back(id);
  }
  op.attrs = a;
  return m.finish(n, std::move(op));
}

}  // namespace edgetwin::onnx
