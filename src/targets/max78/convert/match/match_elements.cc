// Activations, sums of pictures, constants that weights take up.
#include <algorithm>
#include <cmath>

#include "targets/max78/convert/match/matcher.h"

namespace edgetwin::max78 {

using ai8x::Activation;
using ai8x::Eltwise;

// Through a stride and through the largest of a window an activation may be moved to the layer
// before; through a mean it may not.
int Matcher::only_producer(ValueId id, const Flow& flow) const {
  if (flow.tensors.size() != 1 || flow.pooling == ai8x::Pooling::average || flow.padded) return -1;
  const int t = flow.tensors[0];
  const int p = draft_.tensor(t).producer;
  if (p < 0 || !draft_.layer(p).has_weights()) return -1;
  if (users(id) != 1) return -1;
  // Every value between the layer's own and this one has one reader.
  for (ValueId at = id; at != draft_.tensor(t).value;) {
    const auto maker = std::find_if(graph_.ops.begin(), graph_.ops.end(),
                                    [&](const Op& o) { return o.outputs[0] == at; });
    if (maker == graph_.ops.end()) return -1;
    at = maker->inputs[0];
    if (users(at) != 1) return -1;
  }
  return p;
}

void Matcher::identity(size_t op, const Flow& flow, Activation activation) {
  DraftLayer l = identity_layer(draft_, flow.tensors, layer_name(op), label(op));
  const bool vector = flow.vector;
  l.pooling = flow.pooling;
  l.pool = flow.pool;
  l.pool_stride = flow.stride;
  l.in_dim = flow.dim;
  if (flow.dim.w == 1 && flow.dim.h > 1) l.op = ai8x::Operator::conv1d;
  l.activation = activation;
  const int channels = draft_.channels_of(flow.tensors);
  Flow out = finish(op, std::move(l), channels, flow.pooled());
  out.vector = vector;
  flows_[at(op).outputs[0]] = out;
}

void Matcher::activate(size_t op, const Flow& flow, Activation activation) {
  const int p = only_producer(at(op).inputs[0], flow);
  if (p < 0 || draft_.layer(p).activation != Activation::none) {
    if (flow.padded) return unknown(op, "is between a Pad and its convolution");
    // The sum before it is not needed by itself: both in one layer.
    return identity(op, flow, activation);
  }
  draft_.layer(p).activation = activation;
  DraftTensor& t = draft_.tensor(flow.tensors[0]);
  if (flow.pools()) {
    t.rectify = true;
  } else {
    t.value = at(op).outputs[0];
    t.last = flow.last;
  }
  pass_on(op, flow);
}

// Limits 0 and c: as Relu, with the device's own limit instead of c.
void Matcher::clip(size_t op, const Flow& flow) {
  const Op& o = at(op);
  const auto limit = [&](size_t i, float otherwise) {
    if (!o.has_input(i)) return otherwise;
    const std::vector<float> v = floats(o.inputs[i]);
    return v.empty() ? otherwise : v[0];
  };
  const float low = limit(1, -INFINITY);
  const float high = limit(2, INFINITY);
  if (low != 0.0F || !(high > 0.0F)) {
    return unknown(op, "has the limits " + std::to_string(low) + " and " + std::to_string(high) +
                           "; the device limits below at 0");
  }
  if (std::isfinite(high)) {
    draft_.note(
        Severity::note, label(op),
        label(op) + " becomes Relu, and 127 means its limit where the result's range may be that");
  }
  activate(op, flow, Activation::relu);
  if (!std::isfinite(high)) return;
  const Flow result = this->flow(o.outputs[0]);
  if (result.tensors.size() == 1)
    draft_.tensor(result.tensors[0]).limit = static_cast<double>(high);
}

void Matcher::binary(size_t op, Eltwise eltwise) {
  const Op& o = at(op);
  if (fold_constant(op) || affine(op)) return;
  const Shape& shape = value(o.outputs[0]).shape;
  std::vector<int> operands;
  Flow last;
  for (const ValueId in : o.inputs) {
    if (value(in).is_constant()) {
      return unknown(op, "has a constant operand that is neither one number nor one per channel");
    }
    if (!flow(in).known) return;
    if (!(value(in).shape == shape)) {
      return unknown(op, "combines " + to_string(value(o.inputs[0]).shape) + " and " +
                             to_string(value(o.inputs[1]).shape) +
                             "; operands of the device have one size");
    }
    last = joined(op, flow(in), in);
    if (!last.known) return;
    operands.push_back(last.tensors[0]);
  }
  DraftLayer l;
  l.name = layer_name(op);
  l.node = label(op);
  l.eltwise = eltwise;
  l.sources = operands;
  l.in_dim = last.dim;
  const bool vector = last.vector;
  const int channels = draft_.tensor(operands[0]).channels;
  Flow out = finish(op, std::move(l), channels, last.dim);
  out.vector = vector;
  flows_[o.outputs[0]] = out;
}

// One constant or one per channel, into weights and bias of the layer before.
bool Matcher::fold_constant(size_t op) {
  const Op& o = at(op);
  const bool first = value(o.inputs[0]).is_constant();
  const ValueId constant = o.inputs[first ? 0 : 1];
  const ValueId data = o.inputs[first ? 1 : 0];
  if (!value(constant).is_constant() || value(constant).dtype != DType::float32) return false;
  if (first && (o.kind == OpKind::div || o.kind == OpKind::sub)) return false;
  const Flow f = flow(data);
  if (!f.known || f.pending() || f.vector || !(value(data).shape == value(o.outputs[0]).shape))
    return false;
  const int p = only_producer(data, f);
  if (p < 0 || draft_.layer(p).activation != Activation::none) return false;
  DraftLayer& l = draft_.layer(p);
  const auto out = static_cast<size_t>(draft_.tensor(l.out).channels);
  const std::vector<float> c =
      per_channel(constant, draft_.tensor(l.out).channels, value(data).shape.rank(), f.last);
  if (c.empty()) return false;
  const bool sum = o.kind == OpKind::add || o.kind == OpKind::sub;
  if (sum && l.bias.empty()) l.bias.assign(out, 0.0F);
  const size_t row = l.weights.size() / out;
  for (size_t i = 0; i < out; ++i) {
    if (sum) {
      l.bias[i] += o.kind == OpKind::sub ? -c[i] : c[i];
      continue;
    }
    const float factor = o.kind == OpKind::div ? 1.0F / c[i] : c[i];
    for (size_t k = 0; k < row; ++k) l.weights[i * row + k] *= factor;
    if (!l.bias.empty()) l.bias[i] *= factor;
  }
  l.identity = false;
  draft_.tensor(l.out).value = o.outputs[0];
  draft_.tensor(l.out).last = f.last;
  flows_[o.outputs[0]] = f;
  return true;
}

// The larger one of x and -x. The reader of ONNX makes this of Abs.
bool Matcher::absolute(size_t op) {
  const Op& o = at(op);
  const auto negated = [&](ValueId id) -> ValueId {
    for (const Op& m : graph_.ops) {
      if (m.outputs[0] == id && m.kind == OpKind::neg) return m.inputs[0];
    }
    return kAbsent;
  };
  if (o.kind == OpKind::neg) {
    for (const Op& m : graph_.ops) {
      if (m.kind != OpKind::maximum || users(o.outputs[0]) != 1) continue;
      const bool pair = (m.inputs[0] == o.outputs[0] && m.inputs[1] == o.inputs[0]) ||
                        (m.inputs[1] == o.outputs[0] && m.inputs[0] == o.inputs[0]);
      if (pair) return true;  // part of the operator after it
    }
    return false;
  }
  for (const size_t i : {size_t{0}, size_t{1}}) {
    const ValueId x = negated(o.inputs[i]);
    if (x == kAbsent || x != o.inputs[1 - i]) continue;
    const Flow f = flow(x);
    if (!f.known) return true;
    const bool direct = f.tensors.size() == 1 && !f.pending() && !f.padded && users(x) == 2 &&
                        draft_.tensor(f.tensors[0]).value == x;
    const int p = direct ? draft_.tensor(f.tensors[0]).producer : -1;
    if (p < 0 || !draft_.layer(p).has_weights() || draft_.layer(p).activation != Activation::none) {
      identity(op, f, Activation::abs);
      return true;
    }
    draft_.layer(p).activation = Activation::abs;
    draft_.tensor(f.tensors[0]).value = o.outputs[0];
    draft_.tensor(f.tensors[0]).last = f.last;
    pass_on(op, f);
    return true;
  }
  return false;
}

}  // namespace edgetwin::max78
