#include <algorithm>
#include <functional>

#include "exec/plan.h"
#include "targets/edgetpu/compile/outlook/outlook.h"

namespace edgetwin::edgetpu::compiler {
namespace {

constexpr int64_t kLeastSide = 8, kMostSide = 4096;
constexpr size_t kPictureRank = 4;

// Shapes that depend on inputs are found by planning.
void forget_shapes(Graph& graph) {
  for (const Op& op : graph.ops) {
    for (const ValueId id : op.outputs) {
      Value& v = graph.value(id);
      if (v.is_variable || v.is_constant()) continue;
      v.has_shape = false;
      v.shape = {};
    }
  }
}

Result<exec::Plan> planned(Graph graph) {
  exec::Options options;
  options.numerics = "edgetpu";
  options.fast = false;
  return exec::make_plan(std::make_shared<const Graph>(std::move(graph)), options);
}

// Shapes of `id` when operators from `end` on are left out.
Result<Shape> shape_before(const Graph& graph, size_t end, ValueId id) {
  Graph part = graph;
  part.ops.resize(end);
  part.outputs = {id};
  EDGETWIN_TRY_ASSIGN(const exec::Plan plan, planned(std::move(part)));
  return plan.shapes[static_cast<size_t>(id)];
}

bool whole_picture(const Graph& graph, const Op& op) {
  const auto* pool = std::get_if<PoolAttrs>(&op.attrs);
  if (pool == nullptr || op.inputs.empty()) return false;
  const Shape& in = graph.value(op.inputs[0]).shape;
  return in.rank() == kPictureRank && in[1] * in[2] > 1 && pool->filter_h == in[1] &&
         pool->filter_w == in[2];
}

std::optional<ValueId> picture_of(const Graph& graph) {
  if (graph.inputs.size() != 1) return std::nullopt;
  const Value& v = graph.value(graph.inputs[0]);
  const bool picture = v.shape.rank() == kPictureRank && v.shape.is_static() && v.shape[0] == 1 &&
                       v.shape[1] > 1 && v.shape[2] > 1;
  return picture ? std::optional(graph.inputs[0]) : std::nullopt;
}

bool about_memory(Rule rule) {
  return rule == Rule::narrow_memory || rule == Rule::wide_memory || rule == Rule::parameter_room;
}

std::string words(const Graph& graph, const Refusal& r) {
  return std::string(info(r.rule).id) + " at " + op_label(graph, r.op) + ": " + r.message;
}

// What is against a size: of groups that stay together, or of memory anywhere.
class Sizes {
 public:
  Sizes(const Graph& graph, const Partition& partition, const Shape& now)
      : graph_(graph), partition_(partition), now_(now) {
    for (const Assignment& a : partition.ops) {
      memory_ = memory_ || (a.refusal && about_memory(a.refusal->rule));
    }
  }
  bool memory_now() const { return memory_; }
  int64_t columns(int64_t rows) const {
    return std::max<int64_t>(1, (now_[2] * rows + now_[1] / 2) / now_[1]);
  }
  std::optional<std::string> against(int64_t rows) const {
    auto made = with_picture(graph_, rows, columns(rows));
    if (!made.ok()) {
      const Error& e = made.error();
      return (e.place.layer.empty() ? "" : e.place.layer + ": ") + e.message;
    }
    return memory_ ? memory_against(*made) : groups_against(*made);
  }
  // The groups' plans alone are quick; whether the whole compiler agrees is asked at the end.
  std::optional<std::string> confirmed(int64_t rows) const {
    auto made = with_picture(graph_, rows, columns(rows));
    if (!made.ok()) return made.error().message;
    const Partition p = partition_of(*made);
    for (size_t k = 0; k < p.ops.size(); ++k) {
      if (partition_.ops[k].group < 0 || p.ops[k].group >= 0) continue;
      return p.ops[k].refusal ? words(*made, *p.ops[k].refusal) : op_label(*made, k);
    }
    return std::nullopt;
  }

 private:
  std::optional<std::string> groups_against(const Graph& made) const {
    const Source source(made);
    for (const CompiledGroup& g : partition_.groups) {
      const auto result = compile_segment(source, g.segment, true);
      if (const auto* r = std::get_if<Refusal>(&result)) return words(made, *r);
    }
    return std::nullopt;
  }
  static std::optional<std::string> memory_against(const Graph& made) {
    for (const Assignment& a : partition_of(made).ops) {
      if (a.refusal && about_memory(a.refusal->rule)) return words(made, *a.refusal);
    }
    return std::nullopt;
  }

  const Graph& graph_;
  const Partition& partition_;
  Shape now_;
  bool memory_ = false;
};

// The largest that `against` has nothing against, between one that is good and one that is not.
template <typename Against>
int64_t bisected(int64_t good, int64_t bad, const Against& against, std::string& why) {
  while (bad - good > 1) {
    const int64_t middle = good + (bad - good) / 2;
    if (auto r = against(middle)) {
      bad = middle;
      why = *r;
    } else {
      good = middle;
    }
  }
  return good;
}

}  // namespace

Result<Graph> with_picture(const Graph& graph, int64_t rows, int64_t columns) {
  Graph changed = graph;
  const auto picture = picture_of(graph);
  if (!picture) return Error(ErrorCode::usage, "the network does not take one picture");
  const Shape old = graph.value(*picture).shape;
  if (old[1] != rows || old[2] != columns) {
    forget_shapes(changed);
    changed.value(*picture).shape = Shape{1, rows, columns, old[3]};
    for (size_t k = 0; k < changed.ops.size(); ++k) {
      if (!whole_picture(graph, graph.ops[k])) continue;
      EDGETWIN_TRY_ASSIGN(const Shape in, shape_before(changed, k, changed.ops[k].inputs[0]));
      auto& pool = std::get<PoolAttrs>(changed.ops[k].attrs);
      pool.filter_h = static_cast<int>(in[1]);
      pool.filter_w = static_cast<int>(in[2]);
    }
  }
  EDGETWIN_TRY_ASSIGN(const exec::Plan plan, planned(changed));
  for (size_t id = 0; id < changed.values.size(); ++id) {
    Value& v = changed.values[id];
    if (v.has_shape) continue;
    v.shape = plan.shapes[id];
    v.has_shape = true;
  }
  return changed;
}

std::optional<LargestInput> largest_input(const Graph& graph, const Partition& partition) {
  const auto picture = picture_of(graph);
  if (!picture || partition.groups.empty()) return std::nullopt;
  const Shape now = graph.value(*picture).shape;
  const Sizes sizes(graph, partition, now);
  LargestInput result;
  result.rows = now[1];
  result.columns = now[2];
  const std::function<std::optional<std::string>(int64_t)> quick = [&](int64_t rows) {
    return sizes.against(rows);
  };
  std::function<std::optional<std::string>(int64_t)> against = quick;
  int64_t good = now[1], bad = 0;
  if (sizes.memory_now()) {
    bad = now[1];
    for (good = bad / 2; good >= kLeastSide; good /= 2) {
      if (!against(good)) break;
      bad = good;
    }
    if (good < kLeastSide) return result;
  }
  const auto up = [&] {
    for (bad = good * 2; bad <= kMostSide; bad *= 2) {
      const auto r = against(bad);
      if (r) {
        result.limit = *r;
        return;
      }
      good = bad;
    }
  };
  if (!sizes.memory_now()) up();
  if (bad <= kMostSide) good = bisected(good, bad, against, result.limit);
  // An instruction without a known form is only seen where programs are made.
  if (!sizes.memory_now() && good != now[1] && sizes.confirmed(good)) {
    bad = good;
    result.limit = *sizes.confirmed(good);
    good = bisected(
        now[1], bad, [&](int64_t rows) { return sizes.confirmed(rows); }, result.limit);
  }
  result.most_rows = good;
  result.most_columns = sizes.columns(good);
  return result;
}

}  // namespace edgetwin::edgetpu::compiler
