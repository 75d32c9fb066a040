// The work of compile_segment().
#pragma once

#include <set>

#include "targets/edgetpu/compile/plan/values.h"

namespace edgetwin::edgetpu::compiler {

// A tensor on the chip.
struct Store {
  bool vector = false;
  Map map;
  int64_t bytes = 0;  // of a vector: its elements
  int zero = 0;       // its zero point
  // What windows read outside the picture: the zero point, or 0 where they give the greatest byte.
  int edge = -1;
  bool two_edges = false;  // readers want both
  int region = -1;         // of the map
  int blocks = -1;         // region of a vector in pieces of 64, one in each tile
  int whole = -1;  // region of a vector, or of a map without borders, that all tiles have whole
};

class Lowering {
 public:
  Lowering(const Source& source, const Segment& segment) : source_(source), segment_(segment) {}
  std::variant<CompiledSegment, Refusal> run(bool plan_only);

 private:
  using Emit = std::function<void(Program&)>;
  struct Block {  // parameters in one run
    Bytes bytes;
    std::vector<Piece> pieces;
    int64_t slots = 64, bytes_per_line = 256;
    int64_t lines = 0;  // of wide memory; bytes that only fill up the stream are not among them
    bool dense = false;
    int64_t items = 0;
  };

  const Graph& graph() const { return source_.graph; }
  const Value& value(ValueId id) const { return source_.graph.value(id); }

  // aliases.cc: which values are one tensor, and what borders tensors have
  void name_stores();
  void border_stores();
  ValueId root(ValueId id) const;
  Store& store(ValueId id) { return stores_.at(root(id)); }
  bool neighbours(const Store& in, const Windows& w) const;

  // steps
  int step() const { return static_cast<int>(steps_.size()); }
  int region(int64_t bytes);
  void use(int region) { regions_[static_cast<size_t>(region)].last = step(); }
  int64_t at(int region) const { return regions_[static_cast<size_t>(region)].base; }
  int scratch();
  void emit(Emit e, int64_t lowest);
  bool input(ValueId id);
  void output(ValueId id);
  bool op(size_t index);
  bool window_layer(size_t index);
  int input_for(LayerSpec& spec, Store& from, const Windows& w);
  bool dense_layer(size_t index, const Windows* window);
  bool sum(size_t index);
  bool pool(size_t index);
  bool window_pool_layer(size_t index);
  bool max_pool_layer(size_t index);
  bool scaled(size_t index);
  bool join(size_t index);
  bool part(size_t index);
  bool nearest(size_t index);
  bool few_enough(const Map& in, const Map& out);
  // The window of an operator that reads `id`, and the tensor that it goes over: PAD before it is a
  // border.
  struct Reading {
    ValueId from = kAbsent;
    Windows windows;
  };
  Reading reading_of(const Op& op, int kernel_h, int kernel_w) const;
  void border(Store& s);
  int gathered(const Store& s, const GatherSpec& how);
  int whole_vector(Store& s);
  bool vector_result(Store& s);
  bool refuse(Rule rule, std::string message, bool at_edge = false);

  // parameters
  size_t add_block(const ReferenceLayer& layer, BlockShape shape, float out_scale, bool dense);
  bool place_parameters();
  CompiledSegment finish(bool plan_only);
  void make_caching(CompiledSegment& result);

  const Source& source_;
  const Segment& segment_;
  std::map<ValueId, ValueId> alias_;
  std::map<ValueId, Store> stores_;
  std::vector<Region> regions_;
  std::vector<Emit> steps_;
  std::vector<size_t> step_ops_;  // the operator of each
  std::vector<Block> blocks_;
  std::vector<PlannedOp> planned_;
  int scratch_ = -1;
  int64_t lowest_ = kWideTop;
  int64_t narrow_ = 0, resident_ = 0;
  size_t now_ = 0;  // operator
  std::optional<Refusal> refusal_;
};

// Of a layer whose result has `out_scale`.
Numbers numbers_of(const ReferenceLayer& layer, const Value& in, const Value& out,
                   Activation activation);

}  // namespace edgetwin::edgetpu::compiler
