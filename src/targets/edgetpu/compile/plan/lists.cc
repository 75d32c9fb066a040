// Joined lists (heads of detectors) that are larger than narrow memory: each part of them leaves
// the chip as soon as it is made, as pixels that have several positions, and the layout of the
// output says where each position is.
#include <algorithm>

#include "targets/edgetpu/compile/plan/lowering.h"

namespace edgetwin::edgetpu::compiler {
namespace {

// Positions in a row: [1, N, C], or one column of them.
bool joins_in_a_row(const Shape& s, int from_end) {
  if (s.rank() == 3) return from_end == 2 && s[0] == 1;
  return s.rank() == 4 && from_end == 3 && s[0] == 1 && s[2] == 1;
}

}  // namespace

// The operators that make `id` of another tensor of this segment byte by byte, in their order; that
// tensor then stands in `id`.
std::vector<size_t> Lowering::single_bytes_before(ValueId& id) const {
  std::vector<size_t> all;
  for (auto place = only_maker(id); place; place = only_maker(id)) {
    const Op& op = graph().ops[segment_.ops[*place]];
    if (!of_single_bytes(op) || banding_at(*place) != nullptr) break;
    all.insert(all.begin(), segment_.ops[*place]);
    id = op.inputs[0];
  }
  return all;
}

// What the join takes, as pixels of so many positions each.
std::optional<ListPart> Lowering::list_part(const Op& join, ValueId in) const {
  ListPart part;
  part.in = in;
  ValueId at = in;
  part.functions = single_bytes_before(at);
  const auto maker = only_maker(at);
  if (!maker) return std::nullopt;
  const size_t reshape = segment_.ops[*maker];
  if (only_reshapes(graph().ops[reshape])) {
    part.skipped.push_back(reshape);
    at = graph().ops[reshape].inputs[0];
  }
  part.from = root(at);
  const auto store = stores_.find(part.from);
  const auto made = std::ranges::any_of(
      segment_.ops, [&](size_t k) { return graph().ops[k].outputs[0] == part.from; });
  if (!made || store == stores_.end() || store->second.vector) return std::nullopt;
  const Store& from = store->second;
  const int64_t channels = value(join.outputs[0]).shape.back(0);
  const int64_t all = value(in).shape.elements() / channels;
  const int64_t pixels = from.map.y.size * from.map.x.size;
  part.times = all / pixels;
  const bool words = from.part != 0 || channels % 4 == 0 || part.times == 1;
  const int64_t each = from.part != 0 ? 4 * ceil_div(channels, 4) : channels;
  const bool parted = from.part == 0 || from.part == channels;
  if (part.times * pixels != all || !words || !parted || from.map.channels != part.times * each) {
    return std::nullopt;
  }
  return part;
}

// The join that makes a result of the program, and the functions after it.
std::optional<LeftList> Lowering::list_of(ValueId output) const {
  const auto made = [&](size_t k) { return graph().ops[k].outputs[0] == output; };
  const auto last = std::ranges::find_if(segment_.ops, made);
  if (last == segment_.ops.end()) return std::nullopt;
  LeftList list{output, *last, {}, {}};
  if (of_single_bytes(graph().ops[*last])) {
    ValueId at = graph().ops[*last].inputs[0];
    list.functions = single_bytes_before(at);
    list.functions.push_back(*last);
    const auto maker = only_maker(at);
    if (!maker) return std::nullopt;
    list.join = segment_.ops[*maker];
  }
  const Op& join = graph().ops[list.join];
  if (join.kind != OpKind::concatenation) return std::nullopt;
  const Store& all = stores_.at(root(join.outputs[0]));
  const bool large = !all.vector && all.map.bytes() > limits::piece_bytes;
  if (!large || !joins_in_a_row(value(join.outputs[0]).shape, axis_from_end(join))) {
    return std::nullopt;
  }
  return list;
}

// What a join takes, in its order; nothing where not all of it can leave apart.
std::vector<ListPart> Lowering::parts_of(const Op& join) const {
  const int64_t channels = value(join.outputs[0]).shape.back(0);
  std::vector<ListPart> parts;
  std::set<ValueId> from;
  int64_t begin = 0;
  for (const ValueId in : join.inputs) {
    auto part = list_part(join, in);
    // A tensor that two parts are made of would have to leave twice.
    if (!part || lists_.parts.contains(part->from) || !from.insert(part->from).second) return {};
    part->list = lists_.all.size();
    part->begin = begin;
    begin += value(in).shape.elements() / channels;
    parts.push_back(std::move(*part));
  }
  return parts;
}

// Large lists that are results of the program; false: there are none.
bool Lowering::find_lists() {
  for (const ValueId output : segment_.outputs) {
    auto list = list_of(output);
    if (!list) continue;
    std::vector<ListPart> parts = parts_of(graph().ops[list->join]);
    if (parts.empty()) continue;
    lists_.ops.insert(list->join);
    lists_.ops.insert(list->functions.begin(), list->functions.end());
    for (ListPart& p : parts) {
      lists_.ops.insert(p.functions.begin(), p.functions.end());
      lists_.ops.insert(p.skipped.begin(), p.skipped.end());
      const ValueId from = p.from;
      lists_.parts.emplace(from, std::move(p));
    }
    planned_.push_back({list->join, "list that leaves in parts", 0, 0});
    lists_.all.push_back(std::move(*list));
  }
  return has_lists();
}

// Of one that has a byte for each byte of `from`, in its place where `over` says that nothing else
// reads it.
Store& Lowering::place_for(const Store& from, int zero, bool over) {
  Store made;
  made.map = map_of(from.map.y.size, from.map.x.size, from.map.channels);
  made.zero = zero;
  made.region = over && !from.map.bordered() ? from.region : region(made.map.bytes());
  return band_stores_.emplace_back(made);
}

// What one operator makes of each byte.
Store& Lowering::function_of(size_t index, Store& from, bool over) {
  const Op& op = graph().ops[index];
  Store& to = place_for(from, unsigned_zero(value(op.outputs[0])), over);
  const auto before = std::exchange(now_, index);
  band_of_ = {{root(op.inputs[0]), &from}, {root(op.outputs[0]), &to}};
  const size_t planned = planned_.size();
  scaled(index);
  planned_.resize(planned);
  band_of_.clear();
  now_ = before;
  return to;
}

// `count` positions of each pixel from the `first` one on, which `made` has. `over`: nothing else
// reads it.
void Lowering::leave_part(const ListPart& part, Store& made, int64_t first, int64_t count,
                          bool over) {
  LeftList& list = lists_.all.at(part.list);
  const Op& join = graph().ops[list.join];
  const Value& out = value(join.outputs[0]);
  Store* at = &made;
  for (const size_t k : part.functions) at = &function_of(k, *at, std::exchange(over, true));
  const Activation activation = join.as<ConcatAttrs>().activation;
  if (!same_numbers(value(part.in), out) || activation != Activation::none) {
    Store& scaled = place_for(*at, unsigned_zero(out), over);
    Numbers numbers = numbers_of_part(part.in, out, activation);
    use(at->region), use(scaled.region);
    copy_channels(*at, scaled, 0, 0, numbers);
    at = &scaled, over = true;
  }
  for (const size_t k : list.functions) at = &function_of(k, *at, std::exchange(over, true));
  int64_t offset = 0;
  for (const LeftPart& p : list.parts) offset += p.bytes;
  list.parts.push_back({at->map, part.begin, part.times, first, count, offset,
                        map_output_bytes(at->map), left_.size()});
  left_.push_back(list.output);
  use(at->region);
  emit([at, name = value(list.output).name,
        offset](Program& p) { map_output(p, at->map, name, p.output_line(), offset); },
       kOutputLowest, Follows::barrier);
  steps_.back().part = true;
  steps_.back().turn = static_cast<int>(left_.size()) - 1;
}

// Parts of lists among what the operator makes.
void Lowering::leave_parts(size_t index) {
  for (const ValueId id : graph().ops[index].outputs) {
    const auto part = lists_.parts.find(id);
    if (part == lists_.parts.end() || pieces_.contains(index)) continue;
    const bool over = only_maker(id).has_value();
    leave_part(part->second, store(id), 0, part->second.times, over);
  }
}

}  // namespace edgetwin::edgetpu::compiler
