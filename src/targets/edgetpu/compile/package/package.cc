#include "targets/edgetpu/compile/package/package.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "base/sha256.h"
#include "formats/darwinn/hints.h"
#include "formats/darwinn/variable_output.h"
#include "targets/edgetpu/compile/judge/values.h"
#include "transform/subgraph.h"

namespace edgetwin::edgetpu::compiler {
namespace {

using darwinn::BaseAddress;

constexpr int kVectorTile = 64;

// The row or column of tiles that has a place, and which of its own it is there.
std::pair<int, int64_t> tile_at(const Axis& axis, int64_t place) {
  int t = 0;
  while (place >= axis.begin(t) + axis.own(t)) ++t;
  return {t, place - axis.begin(t)};
}

int32_t small(int64_t x) { return static_cast<int32_t>(x); }

darwinn::OutputLayout layout_of(const Map& m, bool without_gaps) {
  darwinn::OutputLayout l;
  int64_t offset = 0;
  for (int t = 0; t < kTiles; ++t) {
    l.tile_offset.push_back(small(offset));
    offset += without_gaps ? map_part_bytes(m, t) : map_tile_bytes(m, t);
  }
  for (int t = 0; t < kGrid; ++t) {
    for (int64_t k = 0; k < m.y.own(t); ++k) {
      l.y_tile.push_back(t * kGrid);
      l.y_local.push_back(small(k));
    }
    for (int64_t k = 0; k < m.x.own(t); ++k) {
      l.x_tile.push_back(t);
      l.x_local.push_back(small(k * m.pixel()));
      l.x_row_size.push_back(small(m.x.own(t) * m.pixel()));
    }
  }
  return l;
}

// Rows that leave together are in tiles of their own, beside those of the rows before them.
darwinn::OutputLayout rows_layout(const Map& m, const std::vector<LeftRows>& all) {
  darwinn::OutputLayout l = layout_of(m, false);
  l.tile_offset.clear();
  for (const LeftRows& rows : all) {
    int64_t offset = rows.offset;
    for (int t = 0; t < kTiles; ++t) {
      l.tile_offset.push_back(small(offset));
      offset += map_tile_bytes(rows.map, t);
    }
  }
  for (int64_t y = 0; y < m.y.size; ++y) {
    const int64_t each = all[0].each, row = y % each;
    size_t n = all.size() - 1;
    while (all[n].first > row) --n;
    l.y_tile[static_cast<size_t>(y)] = small(static_cast<int64_t>(n) * kTiles + y / each * kGrid);
    l.y_local[static_cast<size_t>(y)] = small(row - all[n].first);
  }
  return l;
}

// Positions of parts, as many in a row as all parts have in whole rows. Each tile counts once for
// each position that a pixel can have, so that parts lie anywhere.
darwinn::OutputLayout list_layout(const std::vector<LeftPart>& parts, int64_t row,
                                  int64_t channels) {
  std::vector<const LeftPart*> in_order;
  for (const LeftPart& p : parts) in_order.push_back(&p);
  std::ranges::stable_sort(in_order, {}, [](const LeftPart* p) {
    return std::pair{p->begin, p->first};
  });
  darwinn::OutputLayout l;
  for (int64_t k = 0; k < row; ++k) {
    l.x_tile.push_back(small(k * kTiles));
    l.x_local.push_back(0), l.x_row_size.push_back(1);
  }
  for (const LeftPart* p : in_order) {
    const Map& m = p->map;
    if (p->first == 0) {
      for (int64_t y = 0; y < m.y.size; ++y) {
        for (int64_t x = 0; x < m.x.size; ++x) {
          const auto [r, local_y] = tile_at(m.y, y);
          const auto [c, local_x] = tile_at(m.x, x);
          for (int64_t k = 0; k < p->times; k += row) {
            l.y_tile.push_back(
                small(static_cast<int64_t>(l.tile_offset.size()) + k * kTiles + r * kGrid + c));
            l.y_local.push_back(small((local_y * m.x.own(c) + local_x) * m.pixel()));
          }
        }
      }
    }
    for (int64_t k = 0; k < p->count; ++k) {
      int64_t offset = p->offset + k * channels;
      for (int t = 0; t < kTiles; ++t) {
        l.tile_offset.push_back(small(offset));
        offset += map_tile_bytes(m, t);
      }
    }
  }
  return l;
}

darwinn::OutputLayout vector_layout(int64_t bytes) {
  darwinn::OutputLayout l;
  l.y_tile = l.x_tile = l.x_local = l.y_local = {0};
  for (int t = 0; t < kTiles; ++t) {
    l.tile_offset.push_back(small(std::min<int64_t>(int64_t{t} * kVectorTile, bytes)));
  }
  l.x_row_size = {kVectorTile};
  return l;
}

darwinn::DataType data_type_of(DType type) {
  if (type == DType::int16) return darwinn::DataType::signed16;
  return type == DType::int8 ? darwinn::DataType::signed8 : darwinn::DataType::unsigned8;
}

// A list that leaves in parts: rows of as many positions as all parts have whole rows of.
void set_list(darwinn::Layer& l, const HostTensor& t, int64_t elements, int64_t channels) {
  int64_t row = 0;
  for (const LeftPart& p : t.list) row = std::gcd(row, p.times);
  l.y_dim = small(elements / channels / row), l.x_dim = small(row), l.z_dim = small(channels);
  l.size_bytes = small(t.list.back().offset + t.list.back().bytes);
  l.layout = list_layout(t.list, row, 4 * ceil_div(channels, 4));
}

darwinn::Layer layer_of(const Graph& g, const HostTensor& t, darwinn::LayerKind kind) {
  const Value& v = g.value(t.value);
  darwinn::Layer l;
  l.name =
      t.state && kind == darwinn::LayerKind::output ? darwinn::variable_output(v.name) : v.name;
  l.kind = kind;
  l.y_dim = t.vector ? 1 : small(t.map.y.size);
  l.x_dim = t.vector ? 1 : small(t.map.x.size);
  l.z_dim = small(t.vector ? v.shape.elements() : t.map.channels);
  l.size_bytes = small(t.vector ? t.bytes : l.elements());
  l.numerics = darwinn::Numerics{unsigned_zero(v), v.quant.scale_of(0), {}, {}};
  l.data_type = data_type_of(v.dtype);
  if (kind != darwinn::LayerKind::output) return l;
  l.size_bytes = small(t.vector ? vector_output_bytes(t.bytes) : map_output_bytes(t.map));
  if (!t.parts.empty()) l.size_bytes = small(t.parts.back().offset + t.parts.back().bytes);
  l.layout = t.vector ? vector_layout(t.bytes) : layout_of(t.map, !t.parts.empty());
  if (!t.list.empty()) set_list(l, t, v.shape.elements(), v.shape.back(0));
  if (!t.rows.empty()) {
    l.size_bytes = small(t.rows.back().offset + t.rows.back().bytes);
    l.layout = rows_layout(t.map, t.rows);
  }
  if (t.vector) {
    l.shape = std::vector<darwinn::Range>{{0, 0}, {0, l.z_dim - 1}};
  } else {
    l.shape =
        std::vector<darwinn::Range>{{0, 0}, {0, l.y_dim - 1}, {0, l.x_dim - 1}, {0, l.z_dim - 1}};
  }
  return l;
}

// Ties the executables together; other parameters or places of theirs have another token.
uint64_t token_of(const CompiledSegment& s) {
  const std::string digest = sha256_hex(s.parameters) + sha256_hex(s.caching.data);
  const std::string all = sha256_hex(std::as_bytes(std::span(digest)));
  return std::stoull(all.substr(0, 16), nullptr, 16) | 1U;
}

darwinn::Executable executable(const std::string& name, darwinn::ExecutableType type) {
  darwinn::Executable e;
  e.name = name;
  e.chip = "beagle";
  e.type = type;
  return e;
}

// Outputs, rows of inputs that come between them, and parameters from the host in their order among
// these.
void add_outputs(const Graph& g, const CompiledSegment& s, darwinn::Executable& run,
                 std::vector<darwinn::DmaHint>& transfers) {
  struct Transfer {
    size_t turn;
    int64_t streamed_before;
    darwinn::DmaHint hint;
  };
  std::vector<Transfer> between;
  for (const HostRows& rows : s.host_rows) {
    for (const SentRows& part : rows.parts) {
      auto hint = darwinn::transfer_hint(BaseAddress::input, g.value(rows.value).name, part.bytes);
      hint.offset = small(part.offset);
      between.push_back({rows.turn, rows.streamed_before, std::move(hint)});
    }
  }
  for (const ScratchTransfer& t : s.scratch) {
    auto hint = darwinn::transfer_hint(BaseAddress::scratch, "", t.bytes);
    hint.offset = small(t.offset);
    // Nothing comes back before it is there.
    if (t.returns) between.push_back({t.turn, t.streamed_before, darwinn::fence_hint()});
    if (!t.returns) hint.direction = darwinn::Direction::from_device;
    between.push_back({t.turn, t.streamed_before, std::move(hint)});
  }
  const auto all = static_cast<int64_t>(s.streamed.size());
  for (const HostTensor& t : s.outputs) {
    run.outputs.push_back(layer_of(g, t, darwinn::LayerKind::output));
    const darwinn::Layer& layer = run.outputs.back();
    const auto leaves = [&](size_t turn, int64_t bytes, int64_t offset) {
      const int64_t before = turn < s.streamed_before.size() ? s.streamed_before[turn] : all;
      between.push_back(
          {turn, before, darwinn::transfer_hint(BaseAddress::output, layer.name, bytes)});
      between.back().hint.offset = small(offset);
    };
    for (const SentRows& part : t.parts) leaves(t.turn, part.bytes, part.offset);
    for (const LeftPart& part : t.list) leaves(part.turn, part.bytes, part.offset);
    for (const LeftRows& part : t.rows) leaves(part.turn, part.bytes, part.offset);
    if (t.parts.empty() && t.list.empty() && t.rows.empty()) leaves(t.turn, layer.size_bytes, 0);
  }
  std::ranges::stable_sort(between, {}, &Transfer::turn);
  int64_t sent = 0;
  const auto send_until = [&](int64_t end) {
    if (end == sent) return;
    transfers.push_back(darwinn::transfer_hint(BaseAddress::parameter, "", end - sent));
    transfers.back().offset = small(std::exchange(sent, end));
  };
  for (Transfer& t : between) {
    send_until(t.streamed_before);
    transfers.push_back(std::move(t.hint));
  }
  send_until(all);
}

}  // namespace

darwinn::Package package_of(const Graph& g, const CompiledSegment& s) {
  const bool cached = !s.parameters.empty();
  auto run = executable("model", cached ? darwinn::ExecutableType::execution_only
                                        : darwinn::ExecutableType::stand_alone);
  run.bitstreams = {s.run};
  run.narrow_memory_per_tile = small(s.narrow_bytes);
  run.scratch_size = small(s.scratch_bytes);
  std::vector<darwinn::DmaHint> transfers;
  for (const HostTensor& t : s.inputs) {
    run.inputs.push_back(layer_of(g, t, darwinn::LayerKind::input));
    const auto& layer = run.inputs.back();
    for (const SentRows& part : t.parts) {
      transfers.push_back(darwinn::transfer_hint(BaseAddress::input, layer.name, part.bytes));
      transfers.back().offset = small(part.offset);
    }
    const bool later = std::ranges::any_of(
        s.host_rows, [&](const HostRows& rows) { return rows.value == t.value; });
    if (!t.parts.empty() || later) continue;
    transfers.push_back(darwinn::transfer_hint(BaseAddress::input, layer.name, layer.size_bytes));
  }
  run.parameters = s.streamed;
  add_outputs(g, s, run, transfers);
  run.dma_hints = darwinn::hints_of(transfers);
  darwinn::Package package;
  package.min_runtime_version = darwinn::kCurrentRuntimeVersion;
  package.compiler_version = "edgetwin";
  if (!cached) {
    package.executables = {std::move(run)};
    return package;
  }
  auto cache = executable("Unknown", darwinn::ExecutableType::parameter_caching);
  cache.bitstreams = {s.caching};
  const auto bytes = static_cast<int64_t>(s.parameters.size());
  cache.dma_hints = darwinn::hints_of({darwinn::transfer_hint(BaseAddress::parameter, "", bytes)});
  cache.parameter_caching_token = run.parameter_caching_token = token_of(s);
  cache.parameters = s.parameters;
  package.executables = {std::move(run), std::move(cache)};
  return package;
}

namespace {

Result<Op> op_of(const Replacement& r) {
  darwinn::CompiledOp compiled;
  compiled.has_chips = true;
  compiled.chips = {r.chip};
  compiled.packages = {r.package};
  OpaqueAttrs attrs;
  attrs.name = darwinn::kCustomCode;
  attrs.builtin_code = 32;
  EDGETWIN_TRY_ASSIGN(attrs.custom_options, darwinn::write_options(compiled));
  Op op;
  op.kind = OpKind::opaque;
  op.attrs = std::move(attrs);
  op.inputs = r.segment.inputs;
  op.outputs = r.segment.outputs;
  return op;
}

}  // namespace

// Their order counts: in another order they lie elsewhere.
void share_token(const std::vector<darwinn::Package*>& packages) {
  if (packages.size() < 2) return;
  constexpr uint64_t kMix = 0x9E3779B97F4A7C15U;
  uint64_t token = 0;
  for (const darwinn::Package* p : packages) {
    token = (token * kMix) ^ p->inference()->parameter_caching_token;
  }
  for (darwinn::Package* p : packages) {
    for (darwinn::Executable& e : p->executables) e.parameter_caching_token = token | 1U;
  }
}

Result<Model> model_of(const Model& source, const std::vector<size_t>& order,
                       const std::vector<Replacement>& replacements) {
  Model model;
  model.format = source.format;
  model.description = source.description;
  model.metadata = source.metadata;
  Graph graph = source.main();
  std::map<size_t, const Replacement*> replaced;
  for (const Replacement& r : replacements) {
    for (const size_t k : r.segment.ops) replaced[k] = &r;
  }
  std::vector<Op> ops;
  const Replacement* last = nullptr;
  for (const size_t k : order) {
    const auto found = replaced.find(k);
    const Replacement* r = found == replaced.end() ? nullptr : found->second;
    if (r == nullptr) {
      ops.push_back(graph.ops[k]);
    } else if (r != last) {
      EDGETWIN_TRY_ASSIGN(Op op, op_of(*r));
      ops.push_back(std::move(op));
    }
    last = r;
  }
  graph.ops = std::move(ops);
  transform::remove_unused_values(graph);
  model.graphs.push_back(std::move(graph));
  return model;
}

}  // namespace edgetwin::edgetpu::compiler
