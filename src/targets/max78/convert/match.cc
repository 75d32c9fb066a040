#include <algorithm>
#include <cstring>

#include "targets/max78/convert/matcher.h"

namespace edgetwin::max78 {
namespace {

using ai8x::Operator;
using ai8x::Pooling;

std::string text(Size2 s) { return std::to_string(s.h) + "x" + std::to_string(s.w); }

int as_int(int64_t n) { return static_cast<int>(n); }

}  // namespace

std::string Matcher::layer_name(size_t op) const {
  const Op& o = at(op);
  return draft_.unique_name(o.name.empty() ? value(o.outputs[0]).name : o.name);
}

int Matcher::users(ValueId id) const {
  int64_t n = std::count(graph_.outputs.begin(), graph_.outputs.end(), id);
  for (const Op& o : graph_.ops) n += std::count(o.inputs.begin(), o.inputs.end(), id);
  return as_int(n);
}

bool Matcher::is_output(ValueId id) const {
  return std::find(graph_.outputs.begin(), graph_.outputs.end(), id) != graph_.outputs.end();
}

Flow Matcher::flow(ValueId id) const {
  const auto found = flows_.find(id);
  return found == flows_.end() ? Flow{} : found->second;
}

std::vector<float> Matcher::floats(ValueId id) const {
  const Value& v = value(id);
  std::vector<float> values(static_cast<size_t>(v.shape.elements()));
  std::memcpy(values.data(), v.constant->data(), values.size() * sizeof(float));
  return values;
}

void Matcher::unknown(size_t op, const std::string& why) {
  draft_.misfit(label(op), why);
  const Op& o = at(op);
  // Behind an operator that keeps the shape the search for further misfits goes on.
  for (const ValueId in : o.inputs) {
    if (in == kAbsent || value(in).is_constant()) continue;
    if (value(in).shape == value(o.outputs[0]).shape) flows_[o.outputs[0]] = flow(in);
    return;
  }
}

void Matcher::pass_on(size_t op, Flow flow) { flows_[at(op).outputs[0]] = std::move(flow); }

// (1, C, H, W), (1, C, L) or (1, C).
void Matcher::take_input() {
  if (graph_.inputs.size() != 1) {
    draft_.misfit("", "the network has " + std::to_string(graph_.inputs.size()) +
                          " inputs; the device loads one");
    return;
  }
  const Value& in = value(graph_.inputs[0]);
  DraftTensor t;
  t.name = "input";
  t.value = graph_.inputs[0];
  const int rank = in.shape.rank();
  if (rank < 2 || rank > 4 || in.shape[0] != 1) {
    draft_.misfit("", "the input '" + in.name + "' is " + to_string(in.shape) +
                          "; (1, channels, rows, columns), (1, channels, length) and "
                          "(1, channels) have a place in data memory");
    return;
  }
  t.channels = as_int(in.shape[1]);
  if (rank > 2) t.h = as_int(in.shape[2]);
  if (rank > 3) t.w = as_int(in.shape[3]);
  draft_.tensors.push_back(t);
  Flow f;
  f.known = true;
  f.tensors = {0};
  f.dim = {t.h, t.w};
  flows_[graph_.inputs[0]] = f;
}

void Matcher::take_outputs() {
  for (const ValueId id : graph_.outputs) {
    Flow f = flow(id);
    if (!f.known) {
      if (draft_.misfits.empty()) {
        draft_.misfit("", "the output '" + value(id).name + "' does not depend on the input");
      }
      continue;
    }
    // The result of a stride alone, of pooling, or several parts: a last layer.
    size_t producer = 0;
    for (size_t i = 0; i < graph_.ops.size(); ++i) {
      const auto& outs = graph_.ops[i].outputs;
      if (std::find(outs.begin(), outs.end(), id) != outs.end()) producer = i;
    }
    if (graph_.ops.empty()) continue;
    f = joined(producer, f, id);
    if (!f.known) continue;
    const int t = f.tensors[0];
    if (t == 0 && !draft_.misfits.empty()) continue;
    if (t == 0) {
      draft_.misfit("", "the output '" + value(id).name + "' is the input itself");
      continue;
    }
    draft_.tensor(t).output = true;
    draft_.outputs.push_back(t);
  }
}

DraftLayer Matcher::start_layer(size_t op, const Flow& flow, Operator kind) const {
  DraftLayer l;
  l.name = layer_name(op);
  l.node = label(op);
  l.op = kind;
  l.sources = flow.tensors;
  l.pooling = flow.pooling;
  l.pool = flow.pool;
  l.pool_stride = flow.stride;
  l.in_dim = flow.dim;
  return l;
}

Flow Matcher::finish(size_t op, DraftLayer layer, int channels, Size2 dim, Size2 stride) {
  Flow f = add_layer(std::move(layer), at(op).outputs[0], channels, dim, stride);
  flows_[at(op).outputs[0]] = f;
  return f;
}

Flow Matcher::add_layer(DraftLayer layer, ValueId result, int channels, Size2 dim, Size2 stride) {
  DraftTensor t;
  t.name = layer.name;
  t.value = result;
  t.channels = channels;
  t.h = dim.h;
  t.w = dim.w;
  t.stride = stride;
  t.producer = static_cast<int>(draft_.layers.size());
  layer.out = static_cast<int>(draft_.tensors.size());
  draft_.tensors.push_back(t);
  draft_.layers.push_back(std::move(layer));
  Flow f;
  f.known = true;
  f.tensors = {static_cast<int>(draft_.tensors.size()) - 1};
  f.dim = dim;
  f.stride = stride;
  return f;
}

Flow Matcher::settled(size_t op, Flow flow, ValueId id) {
  if (!flow.known) return flow;
  if (flow.padded) {
    unknown(op, "zeros are put around a picture in front of a convolution only");
    return {};
  }
  if (!flow.pending()) return flow;
  const int channels = draft_.channels_of(flow.tensors);
  const Size2 size = flow.pooled();
  // One pass of a layer without operator pools 64 channels; on the MAX78000 there is one only.
  const bool passes = channels > 64 && draft_.small() && (size.h > 1 || size.w > 1);
  const std::string name = draft_.tensor(flow.tensors[0]).name + "_pool";
  DraftLayer l;
  if (passes || flow.tensors.size() > 1) {
    l = identity_layer(draft_, flow.tensors, name, label(op));
    draft_.note(Severity::note, label(op),
                "is pooled in a convolution of its own with weights of 1");
  } else {
    l.name = draft_.unique_name(name);
    l.node = label(op);
    l.sources = flow.tensors;
  }
  l.pooling = flow.pooling;
  l.pool = flow.pool;
  l.pool_stride = flow.stride;
  l.in_dim = flow.dim;
  Flow out = add_layer(std::move(l), id, channels, size);
  out.vector = flow.vector;
  return out;
}

Flow Matcher::joined(size_t op, Flow flow, ValueId id) {
  flow = settled(op, std::move(flow), id);
  if (!flow.known || flow.tensors.size() == 1) return flow;
  DraftLayer l = identity_layer(draft_, flow.tensors, layer_name(op) + "_join", label(op));
  l.in_dim = flow.dim;
  const int channels = draft_.channels_of(flow.tensors);
  Flow out = add_layer(std::move(l), id, channels, flow.dim);
  out.vector = flow.vector;
  return out;
}

// Shapes that name the same elements in the same order.
void Matcher::reshape(size_t op, Flow flow) {
  const Shape& to = value(at(op).outputs[0]).shape;
  const auto refuse = [&] {
    unknown(op, "makes " + to_string(to) + " of " + to_string(value(at(op).inputs[0]).shape) +
                    "; a layer keeps the channels and counts the pixels anew, or has all of them "
                    "in one row");
  };
  if (to.rank() < 1 || to[0] != 1) return refuse();
  const Shape& from = value(at(op).inputs[0]).shape;
  if (from == to) return pass_on(op, std::move(flow));
  const int channels = draft_.channels_of(flow.tensors);
  const Size2 size = flow.pending() ? flow.pooled() : flow.dim;
  const int64_t pixels = int64_t{size.h} * size.w;
  if (flow.padded) return refuse();
  if (to.rank() >= 2 && to[1] == int64_t{channels} * pixels && to.elements() == to[1]) {  // one row
    flow.vector = pixels > 1;
    return pass_on(op, std::move(flow));
  }
  if (flow.vector || to.rank() < 3 || to.rank() > 4 || to[1] != channels) return refuse();
  flow = settled(op, std::move(flow), at(op).inputs[0]);
  if (!flow.known) return;
  flow.dim = {as_int(to[2]), to.rank() > 3 ? as_int(to[3]) : 1};
  pass_on(op, std::move(flow));
}

void Matcher::window(size_t op, Flow flow, Pooling kind, Size2 size, Size2 stride) {
  if (flow.pending()) flow = settled(op, std::move(flow), at(op).inputs[0]);
  if (!flow.known) return;
  for (const int v : {size.h, size.w, stride.h, stride.w}) {
    if (v > 16) {
      return unknown(op, "a pooling window of " + text(size) + " with strides of " + text(stride) +
                             " exceeds 16");
    }
  }
  if (stride.h != stride.w && flow.dim.w > 1) {
    return unknown(op, "a pooling stride of " + text(stride) + " is not square");
  }
  flow.pooling = kind;
  flow.pool = size;
  flow.stride = stride;
  pass_on(op, std::move(flow));
}

void Matcher::pool(size_t op, Flow flow) {
  const auto& a = at(op).as<PoolAttrs>();
  const auto kind = at(op).kind == OpKind::max_pool_2d ? Pooling::max : Pooling::average;
  if (flow.vector) return unknown(op, "pools what is in one row already");
  const bool whole = a.filter_h == 0 || a.filter_w == 0;
  if (flow.pending()) flow = settled(op, std::move(flow), at(op).inputs[0]);
  if (!flow.known) return;
  if (whole) return window(op, flow, kind, flow.dim, {1, 1});
  const bool line = value(at(op).inputs[0]).shape.rank() == 3;
  const Size2 size = line ? Size2{a.filter_w, 1} : Size2{a.filter_h, a.filter_w};
  const Size2 stride = line ? Size2{a.stride_w, 1} : Size2{a.stride_h, a.stride_w};
  const Padding& p = a.padding;
  const bool one = (line || (p.top == 1 && p.bottom == 1)) && p.left == 1 && p.right == 1;
  // Zeros change no maximum of numbers from 0 on, and a mean that counts them has them.
  const bool zeros = kind == Pooling::max ? not_negative(flow) : a.count_padding;
  if (p.kind == Padding::Kind::given && one && zeros && !flow.padded) {
    flow = bordered(op, flow);
    return window(op, std::move(flow), kind, size, stride);
  }
  if (p.kind != Padding::Kind::given || p.top + p.bottom + p.left + p.right != 0) {
    return unknown(op, "pools with padding (" + std::to_string(p.top) + ", " +
                           std::to_string(p.left) + ", " + std::to_string(p.bottom) + ", " +
                           std::to_string(p.right) + "); the device pools without");
  }
  if (flow.padded)
    return unknown(op, "zeros are put around a picture in front of convolutions only");
  window(op, std::move(flow), kind, size, stride);
}

// Mean or largest over all pixels.
void Matcher::reduce(size_t op, Flow flow) {
  const Op& o = at(op);
  const Shape& in = value(o.inputs[0]).shape;
  std::vector<int64_t> axes;
  if (o.has_input(1)) {
    const Value& v = value(o.inputs[1]);
    axes.resize(static_cast<size_t>(v.shape.elements()));
    if (v.dtype == DType::int64) std::memcpy(axes.data(), v.constant->data(), axes.size() * 8);
  }
  for (int64_t& a : axes) a += a < 0 ? in.rank() : 0;
  std::sort(axes.begin(), axes.end());
  std::vector<int64_t> wanted;
  for (int i = 2; i < in.rank(); ++i) wanted.push_back(i);
  if (flow.vector || wanted.empty() || axes != wanted) {
    return unknown(op, "reduces other axes than all rows and columns");
  }
  if (flow.pending()) flow = settled(op, std::move(flow), at(op).inputs[0]);
  if (!flow.known) return;
  const auto kind = o.kind == OpKind::reduce_max ? Pooling::max : Pooling::average;
  const Size2 whole = flow.dim;
  window(op, std::move(flow), kind, whole, {1, 1});
}

void Matcher::concat(size_t op) {
  const Op& o = at(op);
  Flow all;
  const int rank = value(o.outputs[0]).shape.rank();
  const int axis = o.as<ConcatAttrs>().axis;
  for (const ValueId in : o.inputs) {
    if (value(in).is_constant()) return unknown(op, "joins a constant");
    Flow f = settled(op, flow(in), in);
    if (!f.known) return;
    if (f.vector || (axis != 1 && axis != 1 - rank)) {
      return unknown(op, "joins along axis " + std::to_string(axis) +
                             "; channels of pictures stand side by side, nothing else");
    }
    all.dim = f.dim;
    all.tensors.insert(all.tensors.end(), f.tensors.begin(), f.tensors.end());
  }
  all.known = true;
  pass_on(op, std::move(all));
}

// Zeros around the picture, which the convolution behind it takes as its own.
void Matcher::pad(size_t op, Flow flow) {
  const auto& a = at(op).as<BorderPadAttrs>();
  bool plain = a.mode == BorderPadAttrs::Mode::constant && !flow.vector && !flow.padded;
  if (at(op).has_input(1)) {
    const ValueId v = at(op).inputs[1];
    for (const float x : value(v).is_constant() && value(v).dtype == DType::float32
                             ? floats(v)
                             : std::vector<float>{1.0F}) {
      plain = plain && x == 0.0F;
    }
  }
  for (size_t i = 0; i < a.before.size(); ++i) {
    plain = plain && a.before[i] >= 0 && a.after[i] >= 0 && a.before[i] < 16 && a.after[i] < 16;
    if (i < 2) plain = plain && a.before[i] == 0 && a.after[i] == 0;
  }
  if (!plain || a.before.size() < 3) {
    return unknown(op, "pads otherwise than with zeros around rows and columns");
  }
  const bool line = a.before.size() == 3;
  flow.padded = true;
  flow.pad.kind = Padding::Kind::given;
  flow.pad.top = as_int(line ? 0 : a.before[2]);
  flow.pad.bottom = as_int(line ? 0 : a.after[2]);
  flow.pad.left = as_int(a.before.back());
  flow.pad.right = as_int(a.after.back());
  pass_on(op, std::move(flow));
}

void Matcher::stretch(size_t op, const Flow& flow) {
  stretched_[at(op).outputs[0]] = at(op).as<InsertZerosAttrs>();
  pass_on(op, flow);
}

// Softmax and Sigmoid of a result: the host computes them from the device's numbers.
void Matcher::leave_to_host(size_t op, const Flow& flow) {
  if (users(at(op).outputs[0]) != 1 || !is_output(at(op).outputs[0])) {
    return unknown(op, "is inside the network; the host computes it behind the last layer only");
  }
  draft_.note(Severity::warning, label(op),
              "is left to the host: the result of the device is its input",
              at(op).kind == OpKind::softmax ? "compile --softmax adds it to the C project." : "");
  pass_on(op, flow);
}

void Matcher::step(size_t op) {
  const Op& o = at(op);
  if (o.kind == OpKind::concatenation) return concat(op);
  ValueId data = kAbsent;
  for (const ValueId in : o.inputs) {
    if (in != kAbsent && !value(in).is_constant() && data == kAbsent) data = in;
  }
  const Flow in = data == kAbsent ? Flow{} : flow(data);
  const bool known = in.known;
  switch (o.kind) {
    case OpKind::conv_2d:
    case OpKind::depthwise_conv_2d:
      return known ? convolution(op, in) : void();
    case OpKind::fully_connected:
    case OpKind::matmul:
      return known ? linear(op, in) : void();
    case OpKind::max_pool_2d:
    case OpKind::average_pool_2d:
      return known ? pool(op, in) : void();
    case OpKind::reduce_mean:
    case OpKind::reduce_max:
      return known ? reduce(op, in) : void();
    case OpKind::reshape:
    case OpKind::flatten:
    case OpKind::squeeze:
    case OpKind::unsqueeze:
      return known ? reshape(op, in) : void();
    case OpKind::identity:
      return pass_on(op, in);
    case OpKind::relu:
      return known ? activate(op, in, ai8x::Activation::relu) : void();
    case OpKind::clip:
      return known ? clip(op, in) : void();
    case OpKind::add:
      return binary(op, ai8x::Eltwise::add);
    case OpKind::sub:
      return binary(op, ai8x::Eltwise::sub);
    case OpKind::mul:
    case OpKind::div:
      if (!known || fold_constant(op)) return;
      return unknown(op,
                     "multiplies two pictures, or by a constant that no convolution before it "
                     "takes up; the device adds and subtracts, its layers have no product");
    case OpKind::neg:
    case OpKind::maximum:
      if (!known || absolute(op)) return;
      return unknown(op, "has no layer on the device");
    case OpKind::split_sizes:
      return known ? split(op, in) : void();
    case OpKind::slice_steps:
      return known ? slice(op, in) : void();
    case OpKind::resize:
      return known ? resize(op, in) : void();
    case OpKind::border_pad:
      return known ? pad(op, in) : void();
    case OpKind::insert_zeros:
      return known ? stretch(op, in) : void();
    case OpKind::softmax:
    case OpKind::log_softmax:
    case OpKind::logistic:
      return known ? leave_to_host(op, in) : void();
    default:
      return unknown(op, "has no layer on the device");
  }
}

void Matcher::run() {
  take_input();
  if (!draft_.misfits.empty()) return;
  for (size_t i = 0; i < graph_.ops.size(); ++i) step(i);
  take_outputs();
}

Draft match(const Graph& graph, ai8x::Device device, const std::string& name) {
  Draft draft;
  draft.device = device;
  draft.name = name;
  Matcher(graph, draft).run();
  return draft;
}

}  // namespace edgetwin::max78
