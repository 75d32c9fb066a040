// Layers and tensors of the draft: how one begins and ends, and what is pending in front of one.
#include <algorithm>

#include "targets/max78/convert/match/matcher.h"

namespace edgetwin::max78 {

void Matcher::pass_on(size_t op, Flow flow) { flows_[at(op).outputs[0]] = std::move(flow); }

// (1, C, H, W), (1, C, L) or (1, C).
void Matcher::take_input() {
  if (graph_.inputs.size() != 1) {
    draft_.misfit("",
                  "the network has " + std::to_string(graph_.inputs.size()) +
                      " inputs of different rows, columns or types; the device loads one picture");
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
  const bool last = reads_rows(graph_.inputs[0]);
  t.last = last;
  t.channels = static_cast<int>(in.shape[last ? 2 : 1]);
  if (rank > 2) t.h = static_cast<int>(in.shape[last ? 1 : 2]);
  if (rank > 3) t.w = static_cast<int>(in.shape[3]);
  draft_.tensors.push_back(t);
  Flow f;
  f.known = true;
  f.tensors = {0};
  f.dim = {t.h, t.w};
  f.last = last;
  flows_[graph_.inputs[0]] = f;
  if (!last) return;
  draft_.note(Severity::note, "",
              "the input '" + in.name + "' has rows of features: " + std::to_string(t.channels) +
                  " channels of " + std::to_string(t.h) + " pixels on the device");
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
    if (graph_.ops.empty()) continue;
    f = joined(uses_.producer(id).value_or(0), f, id);
    if (!f.known) continue;
    const int t = f.tensors[0];
    if (t == 0 && !draft_.misfits.empty()) continue;
    if (t == 0) {
      draft_.misfit("", "the output '" + value(id).name + "' is the input itself");
      continue;
    }
    draft_.tensor(t).output = true;
    if (f.last) {
      draft_.note(
          Severity::note, "",
          "the output '" + value(id).name +
              "' has rows of features; the device gives their channels one after the other");
    }
    draft_.outputs.push_back(t);
  }
}

DraftLayer Matcher::start_layer(size_t op, const Flow& flow, ai8x::Operator kind) const {
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
  for (const ValueId in : at(op).inputs) {
    if (in != kAbsent && !value(in).is_constant()) f.last = f.last || flow(in).last;
  }
  draft_.tensor(f.tensors[0]).last = f.last;
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
  out.last = flow.last;
  draft_.tensor(out.tensors[0]).last = flow.last;
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
  out.last = flow.last;
  draft_.tensor(out.tensors[0]).last = flow.last;
  return out;
}

}  // namespace edgetwin::max78
