// Parameters: which rest in the tiles and where, and which come from the host at every inference.
#include <algorithm>
#include <numeric>

#include "targets/edgetpu/compile/place/rest.h"
#include "targets/edgetpu/compile/plan/lowering.h"

namespace edgetwin::edgetpu::compiler {
namespace {

constexpr int64_t kStreamBytes = 64;     // of a line of the parameter stream
constexpr int64_t kMostStream = 65'000;  // lines of one transfer: readers know turns of 16 bits

constexpr int64_t kEvenLines = 256;  // of a piece where tiles are to fill evenly

}  // namespace

size_t Lowering::add_block(const ReferenceLayer& layer, BlockShape shape, float out_scale,
                           bool dense) {
  Block b;
  b.size = shape.stored_bytes();
  if (!plan_only_) {
    BlockContent content = layer.content;
    if (shape.has_scale) content.scales = layer.effective_scales(out_scale);
    if (shape.has_bias && content.bias.empty()) {
      content.bias.assign(static_cast<size_t>(shape.out), 0);
    }
    b.bytes = write_block(shape, content);
  }
  b.dense = dense;
  b.op = now_;
  b.returns = returns(shape, source_.style);
  b.items = shape.items();
  b.slots = b.returns ? 64 : shape.slots();
  b.bytes_per_line = 4 * b.slots;
  b.lines = b.returns ? ceil_div(shape.bytes(), kWideBytes)
                      : shape.blocks() * shape.block_bytes() / b.bytes_per_line;
  if (dense) {
    // One piece for each block of 64 outputs.
    const int64_t lines = shape.padded_block_bytes() / b.bytes_per_line;
    for (int64_t k = 0; k < shape.blocks(); ++k) {
      b.pieces.push_back({static_cast<int>(k % kTiles), 0, lines});
    }
  }
  blocks_.push_back(std::move(b));
  return blocks_.size() - 1;
}

size_t Lowering::add_table(SoftmaxTable which, int64_t count, float multiplier) {
  const std::vector<uint32_t> words = softmax_table(which, count, multiplier);
  Block b;
  b.size = 4 * static_cast<int64_t>(words.size());
  const ByteSpan bytes = std::as_bytes(std::span(words));
  if (!plan_only_) b.bytes.assign(bytes.begin(), bytes.end());
  b.op = now_;
  b.slots = kTableSlots;
  b.bytes_per_line = 4 * b.slots;
  b.lines = b.size / b.bytes_per_line;
  b.uses = 1;
  const TileSoftmaxShape shape{count};
  const int tiles = which == SoftmaxTable::last ? 1 : shape.tiles();
  for (int t = 0; t < tiles; ++t) {
    b.in_turn.push_back(which == SoftmaxTable::last ? 1 : shape.own(t));
  }
  blocks_.push_back(std::move(b));
  return blocks_.size() - 1;
}

// What comes from the host at every inference, in lines of so many slots.
size_t Lowering::streamed_block(Bytes bytes, int64_t slots) {
  Block b;
  b.slots = slots;
  b.bytes_per_line = 4 * slots;
  b.lines = ceil_div(static_cast<int64_t>(bytes.size()), b.bytes_per_line);
  b.size = b.lines * b.bytes_per_line;
  bytes.resize(static_cast<size_t>(b.size));
  if (!plan_only_) b.bytes = std::move(bytes);
  b.op = now_;
  b.uses = 1;
  b.streamed = true;
  blocks_.push_back(std::move(b));
  return blocks_.size() - 1;
}

bool Lowering::can_stream(const Block& b) const {
  const auto bytes = b.size;
  // One that several bands need would have to come again for each.
  if (b.returns || b.uses != 1 || !b.in_turn.empty() || b.bytes_per_line % kStreamBytes != 0)
    return false;
  if (!b.dense) return bytes == b.lines * b.bytes_per_line && bytes <= kMostStream * kStreamBytes;
  int64_t lines = 0;
  for (const Piece& piece : b.pieces) lines += piece.lines;
  return bytes == lines * b.bytes_per_line;
}

// What an inference takes longer if they come from the host, for each line that is free then.
double Lowering::stream_cost(const Block& b) const {
  const double bytes = static_cast<double>(b.size) * static_cast<double>(b.uses);
  const double hidden = limits::iteration_steps * static_cast<double>(b.iterations);
  return std::max(0.0, bytes * limits::host_byte_steps - hidden) / static_cast<double>(b.size);
}

// Blocks of fully connected layers that come from the host lie below this line: where nothing is
// kept.
int64_t Lowering::dense_top() const { return wide_.keeps() ? lowest_ : kWideTop; }

// Lines above which the buffers of all steps lie.
int64_t Lowering::lowest_line() const {
  int64_t lowest = lowest_;
  for (const Block& b : blocks_) {
    if (b.streamed && b.dense) lowest = std::min(lowest, dense_top() - b.pieces[0].lines);
  }
  return lowest - kept_lines_;
}

int64_t Lowering::resident_top() const {
  const int64_t top = lowest_line() - parked_lines_;
  return source_.style == Style::vendor ? std::min(top, limits::vendor_resident_lines) : top;
}

// The first of the lines in which tensors wait: after all parameters, if none come after these.
int64_t Lowering::parked_line() const {
  const bool dense =
      std::ranges::any_of(blocks_, [](const Block& b) { return b.streamed && b.dense; });
  return before_.last && !dense ? std::ranges::max(occupied_.used) : lowest_line() - parked_lines_;
}

// Lines from which on constants stay, and after them those in which steps may keep what they move.
int64_t Lowering::room_line() const {
  const bool dense =
      std::ranges::any_of(blocks_, [](const Block& b) { return b.streamed && b.dense; });
  return dense ? kWideTop : parked_line() + parked_lines_;
}

// In the tiles in which the vendor's compiler has them. `residence` has those already that rest
// where they are used.
bool Lowering::rest_by_law(Residence residence, int64_t top) {
  if (before_.even) return false;
  // They are taken in the order of the network's operators, as far as the law leaves it open.
  std::vector<size_t> order;
  for (size_t k = 0; k < blocks_.size(); ++k) {
    if (!blocks_[k].streamed) order.push_back(k);
  }
  std::ranges::stable_sort(order, {}, [&](size_t k) { return blocks_[k].op; });
  std::vector<RestingBlock> blocks;
  for (const size_t k : order) {
    const Block& b = blocks_[k];
    RestingBlock r;
    r.lines = b.lines, r.uses = std::max<int64_t>(1, b.uses);
    r.whole = b.returns || b.bytes_per_line % kStreamBytes != 0;
    r.table = !b.in_turn.empty();
    std::ranges::copy(b.in_turn, r.in_tiles.begin());
    const bool fixed = b.dense && !r.table;
    if (fixed) r.fixed = true, r.lines = b.pieces[0].lines;
    for (const Piece& piece : b.pieces) {
      if (fixed) r.in_tiles.at(static_cast<size_t>(piece.tile)) += piece.lines;
    }
    blocks.push_back(r);
  }
  const auto tiles = resting_tiles(blocks, before_.used, top);
  if (!tiles) return false;
  std::vector<std::vector<Piece>> all(blocks_.size());
  for (size_t n = 0; n < order.size(); ++n) {
    Block& b = blocks_[order[n]];
    if (!b.in_turn.empty()) b.dense = (*tiles)[n].empty();
    if (!b.in_turn.empty() && b.dense && !table_at_next(b, residence)) return false;
    for (const PartInTile& part : (*tiles)[n]) {
      all[order[n]].push_back({part.tile, 0, part.lines});
    }
  }
  for (std::vector<Piece>& pieces : all) {
    if (!residence.at_next(pieces)) return false;
  }
  for (size_t k = 0; k < all.size(); ++k) {
    if (!all[k].empty()) blocks_[k].pieces = std::move(all[k]);
  }
  settle_residence(residence, top);
  return true;
}

void Lowering::settle_residence(const Residence& residence, int64_t top) {
  resident_ = residence.used() - Residence(top, before_.used).used();
  occupied_ = {residence.lines_used(), top, false, before_.even};
}

// Its own lines to each tile; false: one has no room for them.
bool Lowering::table_at_next(Block& b, Residence& residence) {
  Residence with = residence;
  b.pieces.clear();
  for (size_t t = 0; t < b.in_turn.size(); ++t) {
    b.pieces.push_back({static_cast<int>(t), 0, b.in_turn[t]});
  }
  b.dense = with.at_next(b.pieces);
  if (b.dense) residence = with;
  return b.dense;
}

std::optional<Refusal> Lowering::reside() {
  const int64_t own = resident_top(), top = std::min(own, before_.top);
  Residence residence(top, before_.used);
  const auto no = [](std::string message) {
    return Refusal{Rule::parameter_room, 0, std::move(message)};
  };
  if (*std::max_element(before_.used.begin(), before_.used.end()) > own) {
    return no("its buffers would lie over parameters of other programs");
  }
  const auto full = [&](const Block& b) {
    return no("parameters of " + std::to_string(b.size) + " bytes more do not fit the " +
              std::to_string(residence.room()) + " lines of all tiles");
  };
  std::vector<Block*> dense;
  for (Block& b : blocks_) {
    if (b.dense && b.in_turn.empty()) dense.push_back(&b);
  }
  // There those with most lines first, of equal ones those of most tiles.
  if (source_.style == Style::vendor) {
    std::ranges::stable_sort(dense, std::greater<>{}, [](const Block* b) {
      return std::pair(b->pieces[0].lines, b->pieces.size());
    });
  }
  for (Block* each : dense) {
    Block& b = *each;
    if (!b.streamed && b.pieces[0].lines > top) {
      return no("its weights take " + std::to_string(b.pieces[0].lines) + " of the " +
                std::to_string(top) + " lines of a tile");
    }
    for (size_t first = 0; first < b.pieces.size(); first += kTiles) {
      const size_t end = std::min(b.pieces.size(), first + kTiles);
      const auto line =
          b.streamed ? dense_top() - b.pieces[0].lines
                     : residence.same_line(b.pieces[first].tile, static_cast<int64_t>(end - first),
                                           b.pieces[0].lines);
      if (!line) return full(b);
      for (size_t k = first; k < end; ++k) b.pieces[k].line = *line;
    }
  }
  if (source_.style == Style::vendor && rest_by_law(residence, top)) return std::nullopt;
  for (Block& b : blocks_) {
    if ((b.dense && b.in_turn.empty()) || b.streamed) continue;
    if (!b.in_turn.empty() && table_at_next(b, residence)) continue;
    // What goes to the scalar core and returns goes in one piece: no public program has another.
    const bool whole = b.returns || b.bytes_per_line % kStreamBytes != 0;
    const auto pieces = residence.anywhere(b.lines, whole, before_.even ? kEvenLines : kWideTop);
    if (!pieces) return full(b);
    b.pieces = *pieces;
  }
  settle_residence(residence, top);
  return std::nullopt;
}

// All rest in the tiles where they fit. Else those come from the host at every inference that cost
// least, as few as suffice.
bool Lowering::place_parameters() {
  kept_lines_ = source_.style == Style::own && !before_.even ? limits::kept_lines : 0;
  auto why = reside();
  if (why && kept_lines_ != 0) {
    kept_lines_ = 0;
    why = reside();
  }
  std::vector<Block*> order;
  for (Block& b : blocks_) {
    if (!b.streamed && can_stream(b)) order.push_back(&b);
  }
  std::stable_sort(order.begin(), order.end(), [&](const Block* a, const Block* b) {
    return stream_cost(*a) < stream_cost(*b);
  });
  size_t taken = 0;
  while (why && taken < order.size()) {
    order[taken++]->streamed = true;
    why = reside();
  }
  if (why) return refuse(why->rule, why->message);
  while (taken > 0) {
    Block& last = *order[--taken];
    if (!last.streamed) continue;
    last.streamed = false;
    if (reside()) last.streamed = true;
  }
  reside();
  int64_t offset = 0;
  for (Block& b : blocks_) {
    if (!b.streamed) continue;
    b.offset = offset;
    offset += b.size;
  }
  return true;
}

}  // namespace edgetwin::edgetpu::compiler
