// The walk over a graph that finds the layers in it, a file for each kind of operator.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "graph/uses.h"
#include "targets/max78/convert/draft/draft.h"

namespace edgetwin::max78 {

// What a value of the graph is on the device: one tensor or several side by side, and what the
// layer that reads it does first.
struct Flow {
  bool known = false;        // false: something before it has no layer
  std::vector<int> tensors;  // parts of a concatenation
  ai8x::Pooling pooling = ai8x::Pooling::none;
  Size2 pool, stride;  // of the reader's pooling; a stride alone leaves pixels out
  Size2 dim;           // as the reader sees the tensors: rows and columns before pooling
  Padding pad;         // zeros around it, from a Pad in front of a convolution
  bool padded = false;
  bool vector = false;  // the pixels of all channels in one row: after Flatten
  bool last = false;    // rows of features: the value has its channels after the pixels
  bool flat() const { return vector; }
  bool pools() const { return pooling != ai8x::Pooling::none; }
  bool pending() const { return pools() || stride.h > 1 || stride.w > 1; }
  Size2 pooled() const {
    return {(dim.h + stride.h - pool.h) / stride.h, (dim.w + stride.w - pool.w) / stride.w};
  }
};

class Matcher {
 public:
  Matcher(const Graph& graph, Draft& draft) : graph_(graph), uses_(graph), draft_(draft) {}
  void run();

 private:
  // --- match.cc
  void take_input();
  void take_outputs();
  void step(size_t op);
  void unknown(size_t op, const std::string& why);
  void pass_on(size_t op, Flow flow);
  // --- match_linear.cc
  bool reads_rows(ValueId input) const;
  bool of_rows(OpKind kind) const;
  void turn(size_t op, Flow flow);
  // --- match.cc
  void reshape(size_t op, Flow flow);
  void pool(size_t op, Flow flow);
  void reduce(size_t op, Flow flow);
  void window(size_t op, Flow flow, ai8x::Pooling kind, Size2 size, Size2 stride);
  void concat(size_t op);
  void pad(size_t op, Flow flow);
  void stretch(size_t op, const Flow& flow);
  void leave_to_host(size_t op, const Flow& flow);
  // What is pending becomes a layer of its own: one tensor, or parts, of the size that it has.
  // `id` is the value that has this flow.
  Flow settled(size_t op, Flow flow, ValueId id);
  // The same as one tensor.
  Flow joined(size_t op, Flow flow, ValueId id);
  // --- match_moves.cc: what a convolution with weights of 0 and 1 does
  Flow bordered(size_t op, Flow flow, const Padding& zeros);
  Flow border_layer(size_t op, const Flow& flow, Size2 before);
  bool affine(size_t op);
  void choose_channels(size_t op, const Flow& flow, ValueId result, int64_t first);
  void split(size_t op, const Flow& flow);
  void slice(size_t op, const Flow& flow);
  void resize(size_t op, const Flow& flow);
  bool not_negative(const Flow& flow) const;
  std::vector<float> per_channel(ValueId constant, int channels, int rank, bool last) const;
  // --- match_windows.cc
  void convolution(size_t op, Flow flow);
  void linear(size_t op, Flow flow);
  bool window_filter(size_t op, const Flow& flow, DraftLayer& layer);
  bool line_filter(size_t op, const Flow& flow, DraftLayer& layer);
  bool transposed_filter(size_t op, const Flow& flow, DraftLayer& layer);
  bool whole_picture(size_t op, const Flow& flow, DraftLayer& layer);
  void groups(size_t op, DraftLayer& layer, int channels);
  // --- match_wide.cc
  struct ShiftStage {
    std::vector<float> weights;
    int channels = 0, pad = 0;
  };
  struct WideFilter {
    std::vector<int> rows, columns;  // shifts of the copies
    int top = 0, left = 0;           // of the first tap from the middle
  };
  struct Fold {
    int by = 1, taps = 1, pad = 0, top = 0, left = 0;
  };
  Flow shifted(size_t op, const Flow& flow, const ShiftStage& stage);
  bool wide_window(size_t op, const Flow& flow, const Padding& p);
  void wide_weights(size_t op, DraftLayer& layer, const WideFilter& filter);
  bool folded(size_t op, const Flow& flow, const Padding& p);
  void fold_by(size_t op, const Fold& fold);
  // --- match_elements.cc
  void activate(size_t op, const Flow& flow, ai8x::Activation activation);
  void clip(size_t op, const Flow& flow);
  void binary(size_t op, ai8x::Eltwise eltwise);
  bool fold_constant(size_t op);
  bool absolute(size_t op);
  void identity(size_t op, const Flow& flow, ai8x::Activation activation);
  // The layer whose result `value` is and that nobody else reads; -1: there is none.
  int only_producer(ValueId value, const Flow& flow) const;

  // --- shared
  const Op& at(size_t op) const { return graph_.ops[op]; }
  std::string label(size_t op) const { return op_label(graph_, op); }
  std::string layer_name(size_t op) const;
  const Value& value(ValueId id) const { return graph_.value(id); }
  int users(ValueId id) const;
  bool is_output(ValueId id) const;
  Flow flow(ValueId id) const;
  // A layer that reads `flow`, with its pooling.
  DraftLayer start_layer(size_t op, const Flow& flow, ai8x::Operator kind) const;
  // Its result stands for output 0 of `op`; rows and columns as the device has them.
  Flow finish(size_t op, DraftLayer layer, int channels, Size2 dim, Size2 stride = {});
  // The same for any value, or none of the float network (kAbsent).
  Flow add_layer(DraftLayer layer, ValueId result, int channels, Size2 dim, Size2 stride = {});
  std::vector<float> floats(ValueId id) const;

  const Graph& graph_;
  const Uses uses_;
  Draft& draft_;
  std::map<ValueId, Flow> flows_;
  std::map<ValueId, InsertZerosAttrs> stretched_;  // after InsertZeros: half of a ConvTranspose
};

}  // namespace edgetwin::max78
