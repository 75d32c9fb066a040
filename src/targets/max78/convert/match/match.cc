#include "targets/max78/convert/match/match.h"

#include <algorithm>
#include <cstring>

#include "targets/max78/convert/match/matcher.h"

namespace edgetwin::max78 {
namespace {

int as_int(int64_t n) { return static_cast<int>(n); }

}  // namespace

std::string Matcher::layer_name(size_t op) const {
  const Op& o = at(op);
  return draft_.unique_name(o.name.empty() ? value(o.outputs[0]).name : o.name);
}

int Matcher::users(ValueId id) const { return as_int(static_cast<int64_t>(uses_.count(id))); }

bool Matcher::is_output(ValueId id) const { return uses_.is_output(id); }

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

// What can stand in its place; empty: the rule's own remedy.
std::string proposal_for(OpKind kind) {
  switch (kind) {
    case OpKind::swish:
    case OpKind::hard_swish:
    case OpKind::gelu:
    case OpKind::elu:
    case OpKind::prelu:
    case OpKind::leaky_relu:
      return "Put Relu in its place and train again: Relu and Abs are the activations of a layer.";
    case OpKind::tanh:
    case OpKind::hard_sigmoid:
      return "Inside the network put Clip with the limits 0 and 1, or Relu, in its place and train "
             "again; after the last layer leave it out and compute it on the host.";
    case OpKind::logistic:
      return "Inside the network put Clip with the limits 0 and 1 in its place and train again; a "
             "gate that multiplies by it has no layer at all.";
    case OpKind::mul:
    case OpKind::div:
      return "Put Add or Concat in the place of a gate; a constant factor goes into the weights of "
             "the convolution before it.";
    default:
      return "";
  }
}

void Matcher::unknown(size_t op, const std::string& why) {
  draft_.misfit(label(op), label(op) + ": " + why);
  const Op& o = at(op);
  const std::string proposal = proposal_for(o.kind);
  if (!proposal.empty()) draft_.misfits.back().hint = proposal;
  // Behind an operator that keeps the shape the search for further misfits goes on.
  for (const ValueId in : o.inputs) {
    if (in == kAbsent || value(in).is_constant()) continue;
    if (value(in).shape == value(o.outputs[0]).shape) flows_[o.outputs[0]] = flow(in);
    return;
  }
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

void Matcher::concat(size_t op) {
  const Op& o = at(op);
  Flow all;
  const int rank = value(o.outputs[0]).shape.rank();
  const int axis = o.as<ConcatAttrs>().axis;
  for (const ValueId in : o.inputs) {
    if (value(in).is_constant()) return unknown(op, "joins a constant");
    Flow f = settled(op, flow(in), in);
    if (!f.known) return;
    if (f.last) return unknown(op, "joins rows of features");
    if (f.vector || (axis != 1 && axis != 1 - rank)) {
      return unknown(op, "joins along axis " + std::to_string(axis) +
                             "; channels of pictures can be placed side by side, nothing else");
    }
    all.dim = f.dim;
    all.tensors.insert(all.tensors.end(), f.tensors.begin(), f.tensors.end());
  }
  all.known = true;
  pass_on(op, std::move(all));
}

// Zeros around the picture, which the convolution after it takes as its own.
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
    return unknown(op, "is inside the network; the host computes it after the last layer only");
  }
  draft_.note(Severity::warning, label(op),
              label(op) + " is left to the host: the result of the device is its input",
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
  if (known && in.last && !of_rows(o.kind)) {
    return unknown(op,
                   "reads rows of features; linear layers, sums and activations do, and a "
                   "Transpose that puts the features in front again");
  }
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
    case OpKind::transpose:
      return known ? turn(op, in) : void();
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

Draft match(const Graph& graph, ai8x::Device device, const std::string& name, bool fold) {
  Draft draft;
  draft.fold_input = fold;
  draft.device = device;
  draft.name = name;
  Matcher(graph, draft).run();
  return draft;
}

}  // namespace edgetwin::max78
