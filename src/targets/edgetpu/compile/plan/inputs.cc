// What the host gives and gets.
#include <algorithm>
#include <ranges>

#include "targets/edgetpu/compile/plan/lowering.h"
#include "targets/edgetpu/isa/nest.h"

namespace edgetwin::edgetpu::compiler {
namespace {

// Bytes of such pixels that become words in a microsecond (four steps each, by the timed machine),
// and what a program may cost more than the host.
constexpr int64_t kLooseBytes = 125, kWorthMicroseconds = 100;
constexpr auto kHostElements = static_cast<int64_t>(limits::host_elements_per_microsecond);

bool sums_products(OpKind kind) {
  return kind == OpKind::conv_2d || kind == OpKind::depthwise_conv_2d ||
         kind == OpKind::fully_connected || kind == OpKind::transpose_conv;
}

std::string size_text(const Map& m) {
  return std::to_string(m.y.size) + " x " + std::to_string(m.x.size) + " x " +
         std::to_string(m.channels);
}

}  // namespace

// Whether the host is done with the segment before the chip has a loose input in order.
bool Lowering::host_is_quicker(int64_t loose_bytes) const {
  int64_t elements = 0;
  for (const size_t k : segment_.ops) {
    const Op& op = graph().ops[k];
    if (sums_products(op.kind)) return false;
    for (const ValueId id : op.outputs) elements += value(id).shape.elements();
  }
  return loose_bytes / kLooseBytes > elements / kHostElements + kWorthMicroseconds;
}

bool Lowering::vector_given(ValueId id) {
  Store& s = stores_.at(id);
  const std::string& name = value(id).name;
  if (splits(id)) {
    // Two lines of rows before it, as the vendor's compiler leaves them.
    constexpr int64_t kRows = 512, kOwn = 64;
    s.blocks = aside(kRows + kOwn);
    s.before_blocks = kRows;
    emit([this, name, bytes = s.bytes,
          to = s.blocks](Program& p) { split_vector_input(p, name, bytes, at(to) + kRows); },
         kTransferLowest - 1);
    return true;
  }
  // The cell of a recurrent layer has room for what a step computes.
  const bool cell = !is_byte(value(id).dtype);
  s.whole = region(cell ? 8 * recurrent_words(s.bytes / 2) : ceil_div(s.bytes, 4) * 4);
  emit([this, name, bytes = s.bytes,
        to = s.whole](Program& p) { vector_input(p, name, bytes, at(to)); },
       kTransferLowest);
  return true;
}

// Pixels that are no whole words: all bytes to every tile, where a matrix of zeros and ones makes
// words of them.
bool Lowering::loose_input(ValueId id, Store& s) {
  const int64_t positions = s.map.y.size * s.map.x.size, bytes = positions * s.map.channels;
  s.linear = true;
  const int raw = region(ceil_div(positions, 4) * 4 * s.map.channels);
  emit([this, name = value(id).name, bytes,
        raw](Program& p) { vector_input(p, name, bytes, at(raw)); },
       kTransferLowest);
  const int whole = repacked(now_, raw, positions, s.map.channels, false, value(id));
  if (whole < 0 || !from_whole(now_, whole, s, s.map.pixel(), s.map.x.size * s.map.pixel(),
                               "positions of the input")) {
    return false;
  }
  steps_.back().anew = true;  // as after other pictures
  return true;
}

// A run that ends before it has no such input.
size_t Lowering::first_reader(ValueId id) const {
  for (const size_t k : segment_.ops) {
    if (std::ranges::find(graph().ops[k].inputs, id) != graph().ops[k].inputs.end()) return k;
  }
  return now_;
}

// Whether its rows are sent for each row of bands.
bool Lowering::by_host(ValueId id) const {
  return std::ranges::any_of(bandings_, [&](const Banding& b) {
    return b.sends_rows() && root(layers_of(b).front().reading.from) == id;
  });
}

// Whether rows of the input can be sent apart: it is the only one, and one operator reads it.
bool Lowering::comes_by_rows(const Banding& b) const {
  const auto layers = layers_of(b);
  if ((source_.style == Style::vendor && !b.mesh) || segment_.inputs.size() != 1) return false;
  const ValueId id = segment_.inputs[0];
  const Store& s = stores_.at(root(id));
  const bool words = s.map.channels <= 4 || s.map.channels % 4 == 0;
  return layers.front().reference != nullptr && root(layers.front().reading.from) == root(id) &&
         !s.vector && words && readers_of(root(id)) == 1;
}

// Whether all of a picture can come at once, or some of its rows.
bool Lowering::picture_fits(ValueId id, const Map& map, int64_t first_row) {
  const std::string& name = value(id).name;
  if (map.bytes() > kNarrowBytes) {
    return refuse(Rule::shape,
                  "its input '" + name + "' is " + size_text(map) + ": a tile takes " +
                      std::to_string(map.bytes()) + " bytes of it, more than it has",
                  true);
  }
  if (picture_lowest(map, source_.style, first_row) >= 0) return true;
  return refuse(Rule::wide_memory,
                "a row of its input '" + name + "' has " +
                    std::to_string(map.x.size * map.channels) +
                    " bytes; two of them do not fit 2,080 lines",
                true);
}

// To its place, which it has. `block`: a constant that comes as parameters do, by the matrix of the
// input's bytes.
void Lowering::take_picture(ValueId id, Store& s, int64_t first_row,
                            const std::vector<ComingRows>& parts, std::optional<size_t> block) {
  const int rows = region(picture_buffers(s.map, source_.style));
  // An instruction that begins at the second buffer names a place after it.
  regions_.back().reach = regions_.back().bytes / 2;
  regions_.back().rows = true;
  const bool vendor = source_.style == Style::vendor, words = vendor && s.map.channels % 4 == 0;
  const auto before = block ? wide_.bytes() : rows_matrix_;
  const bool there = words ? wide_.has_matrix() : before && wide_.was_before(*before, step());
  const int constants = there ? rows : aside(picture_constants(s.map, source_.style));
  const int64_t lowest = picture_lowest(s.map, source_.style, first_row);
  std::optional<size_t> matrix = rows_matrix_ ? rows_matrix_ : wide_.bytes(), lines;
  if (block) matrix = before;
  if (vendor) {
    const int64_t n = picture_row_lines(s.map, source_.style, first_row);
    if (words) {
      keep_matrix();
    } else {
      if (!matrix) matrix = wide(kWideTop - lowest - n);
      wide_.keep(*matrix, step());
    }
    lines = wide(n);
  }
  use(s.region);
  emit(
      [this, name = value(id).name, &s, rows, constants, first_row, there, words, matrix, lines,
       parts, block, all = block ? s.map.y.size : stores_.at(id).map.y.size](Program& p) {
        PictureSpec spec{&s.map, name, at(rows), at(constants), first_row, all};
        spec.parts = parts;
        if (block) spec.stream = Stream{blocks_[*block].offset, blocks_[*block].size};
        if (lines) spec.row_line = wide_.line(*lines);
        if (matrix) spec.matrix_line = wide_.line(*matrix);
        spec.matrix_there = there;
        if (words) spec.matrix_line = p.matrix_line(), spec.matrix_there = p.takes_matrix();
        picture_input(p, spec);
      },
      vendor ? kWideTop : lowest);
}

// Rows of the picture from the host, to a tensor of their own where there is none; null: they do
// not fit.
Store* Lowering::send_row(ValueId picture, const Span& rows, Store* to) {
  const Store& whole = store(picture);
  if (to == nullptr) {
    to = &band_stores_.emplace_back();
    to->map = map_of(rows.size(), whole.map.x.size, whole.map.channels);
    to->zero = to->edge = whole.zero;
  }
  if (!picture_fits(picture, to->map, rows.begin)) return nullptr;
  to->region = region(to->map.bytes());
  sent_.push_back(sent_rows(to->map, rows.begin, whole.map.y.size));
  take_picture(picture, *to, rows.begin);
  return to;
}

// For a row of bands: to the band itself where it has all columns.
bool Lowering::send_rows(const Banding& banding, const std::vector<Layer>& layers,
                         std::span<Band> row) {
  now_ = layers.front().op;
  if (band_made_ != nullptr) last_band(store(graph().ops[layers.back().op].outputs[0]));
  Store* sent = send_row(root(layers.front().reading.from), row[0].of.y[0],
                         row.size() == 1 ? row[0].stores[0] : nullptr);
  if (sent == nullptr) return false;
  for (Band& band : row) band.sent = sent;
  if (banding.by_lines && row.size() > 1) cut_to_lines(banding, *sent, row);
  return true;
}

bool Lowering::input(ValueId id) {
  Store& s = stores_.at(id);
  const std::string& name = value(id).name;
  if (s.vector) return vector_given(id);
  const bool loose = s.map.channels > 4 && s.map.channels % 4 != 0;
  if (loose || picture_reaches_over(s.map, source_.style)) {
    const int64_t bytes = s.map.y.size * s.map.x.size * s.map.channels;
    if (host_is_quicker(bytes)) {
      return refuse(Rule::too_little,
                    "its input '" + name + "' is " + size_text(s.map) + ": to bring " +
                        std::to_string(bytes) + " bytes of " + std::to_string(s.map.channels) +
                        " channels into words of 4 takes longer than the host needs for all of it",
                    true);
    }
    if (s.map.y.size * s.map.x.size * (s.map.channels + s.map.pixel()) <= limits::loose_bytes) {
      return loose_input(id, s);
    }
    return refuse(Rule::shape,
                  "its input '" + name + "' is " + size_text(s.map) +
                      (loose ? "; channels that the host sends must be at most 4, a "
                               "multiple of 4, or of a smaller picture"
                             : "; rows of so few bytes must be those of a smaller picture"),
                  true);
  }
  if (by_host(id) || comes_in_strips(id)) return true;
  if (!picture_fits(id, s.map, 0)) {
    // What else does not fit tells which operators are computed in bands, for which rows may come.
    if (!bandings_.empty() || segment_.inputs.size() != 1 || readers_of(root(id)) != 1)
      return false;
    unsent_ = std::exchange(refusal_, std::nullopt);
  }
  s.region = region(s.map.bytes());
  if (source_.style == Style::vendor && s.map.channels % 4 != 0 && takes_constants()) {
    wide_.set_bytes(wide(kByteMatrixLines));
  }
  take_picture(id, s, 0);
  border(s);
  return true;
}

// Some operator takes a constant of several numbers, which come as bytes.
bool Lowering::takes_constants() const {
  return std::ranges::any_of(segment_.ops, [&](size_t k) {
    const Op& op = graph().ops[k];
    for (size_t n = 0; n < op.inputs.size(); ++n) {
      if (takes_constant(graph(), op, n)) return true;
    }
    return false;
  });
}

// What is made word by word has a barrier after it in own style.
void Lowering::border(Store& s, Behind behind) {
  if (behind == Behind::words && source_.style == Style::own) behind = Behind::barrier;
  if (!s.map.bordered()) return;
  if (s.brought) return bring(s);
  use(s.region);
  // Where tiles have no part of it counters begin anew after it.
  const bool small = source_.style == Style::vendor && std::min(s.map.y.size, s.map.x.size) < kGrid;
  emit(
      [&s, behind, small](Program& p) {
        halo(p, s.map, s.edge < 0 || s.edge > 255 ? s.zero : s.edge, behind);
        if (small) p.epoch();
      },
      kWideTop, behind == Behind::barrier ? Follows::epoch : Follows::layer);
  steps_.back().border = true;
}

// In the vendor's style what leaves the chip does so after the operator that makes it. If the next
// one makes another output of its bytes, that one leaves first (the scores of MoveNet).
bool Lowering::leave(size_t index) {
  const auto leaves = [&](ValueId id) {
    return std::ranges::find(segment_.outputs, id) != segment_.outputs.end();
  };
  const auto place = std::ranges::find(segment_.ops, index);
  const bool last = place == segment_.ops.end() || place + 1 == segment_.ops.end();
  const Op* next = last ? nullptr : &graph().ops[*(place + 1)];
  std::vector<ValueId> now, later;
  for (const ValueId id : graph().ops[index].outputs) {
    if (!leaves(id)) continue;
    const bool rescaled = next != nullptr && is_unary(*next) && next->inputs[0] == id &&
                          leaves(next->outputs[0]) && !alias_.contains(next->outputs[0]);
    (rescaled ? later : now).push_back(id);
  }
  now.insert(now.end(), leaving_.begin(), leaving_.end());
  leaving_ = std::move(later);
  for (const ValueId id : now) {
    output(id);
    if (!refusal_) steps_.back().leaves = true;
  }
  return !refusal_;
}

void Lowering::output(ValueId id) {
  const auto parted = [&](const LeftList& list) { return list.output == id; };
  if (std::ranges::any_of(lists_.all, parted) || leaves_in_strips(id)) return;
  const auto turn = static_cast<int>(left_.size());
  left_.push_back(id);
  for (const size_t k : segment_.ops) {
    const Op& made = graph().ops[k];
    if (made.outputs[0] == id && space_pad(graph(), made)) {
      now_ = k;
      refuse(Rule::too_little, "what reads its result is on the host", true);
      return;
    }
  }
  Store& s = store(id);
  const std::string& name = value(id).name;
  if (!s.vector) {
    use(s.region);
    emit([&s, name](Program& p) { map_output(p, s.map, name, p.output_line()); }, kOutputLowest,
         Follows::tile);
    steps_.back().ready = ready_.contains(id) ? ready_.at(id) : step();
    steps_.back().turn = turn;
    return;
  }
  if (s.computed) {
    use(s.whole);
    emit([this, name, bytes = s.bytes,
          from = s.whole](Program& p) { whole_output(p, bytes, at(from), name); },
         kOutputLowest, Follows::tile);
    steps_.back().turn = turn;
    return;
  }
  if (s.blocks < 0) {
    refuse(Rule::too_little, "'" + name + "' is what the host gave", true);
    return;
  }
  use(s.blocks);
  emit([this, name, bytes = s.bytes, first = s.first_tile,
        from = s.blocks](Program& p) { vector_output(p, bytes, at(from), name, first); },
       kOutputLowest, Follows::tile);
  steps_.back().turn = turn;
}

}  // namespace edgetwin::edgetpu::compiler
