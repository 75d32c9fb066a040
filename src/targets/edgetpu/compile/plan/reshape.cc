// Operators after which positions lie in other tiles: by way of all tiles.
#include <algorithm>

#include "targets/edgetpu/compile/plan/lowering.h"

namespace edgetwin::edgetpu::compiler {
namespace {

constexpr int64_t kPacked = 4;  // positions whose bytes fill whole words, whatever the channels

}  // namespace

// Each tile takes its positions of what all tiles have whole.
bool Lowering::from_whole(size_t index, int whole, Store& to, int64_t pixel, int64_t row,
                          const char* name) {
  if (!few_enough(to.map, to.map, true)) return false;
  use(whole);
  to.region = region(to.map.bytes());
  planned_.push_back({index, name, to.map.bytes(), 0});
  emit(
      [this, whole, pixel, row, &to, constants = scratch()](Program& p) {
        spread(p, {at(whole), &to.map, at(constants), pixel, row});
      },
      kConstantLine, Follows::tile);
  border(to);
  return true;
}

// Positions in a row in every tile, whose channels fill whole words or not: the other way. Gives
// the region. Four positions at a time are picked by a matrix of zeros and ones.
int Lowering::repacked(size_t index, int whole, int64_t positions, int64_t channels, bool pack,
                       const Value& like) {
  const int64_t pixel = 4 * ceil_div(channels, 4), turns = ceil_div(positions, kPacked);
  if (turns > kMostWords) {
    refuse(Rule::shape, "its " + std::to_string(positions) + " positions of " +
                            std::to_string(channels) + " channels are taken in " +
                            std::to_string(turns) + " turns; " + std::to_string(kMostWords) +
                            " can be counted");
    return -1;
  }
  const auto row = [&](int64_t bytes) {
    Map map;
    map.y.everywhere = map.x.everywhere = true;
    map.x.size = turns;
    map.channels = kPacked * bytes;
    return map;
  };
  Store loose;
  loose.map = row(pack ? pixel : channels);
  loose.zero = unsigned_zero(like);
  loose.region = whole;
  Store& from = band_stores_.emplace_back(loose);
  Store& to = between(row(pack ? channels : pixel), from.zero);
  std::vector<int> of;
  for (int64_t k = 0; k < kPacked * (pack ? channels : pixel); ++k) {
    const int64_t position = pack ? k / channels : k / pixel;
    const int64_t channel = pack ? k % channels : k % pixel;
    const int64_t at = position * (pack ? pixel : channels) + channel;
    of.push_back(channel < channels ? static_cast<int>(at) : -1);
  }
  return select(index, from, to, of, like) ? to.region : -1;
}

// The bytes of a picture in the order of its elements, in every tile; -1: refused.
int Lowering::elements_in_order(size_t index, Store& s, const Value& like) {
  if (s.vector || s.map.channels % 4 == 0) return whole_vector(s);
  if (s.packed < 0) {
    const int whole = whole_vector(s);
    const int64_t positions = s.map.y.size * s.map.x.size;
    regions_.at(static_cast<size_t>(whole)).bytes =
        ceil_div(positions, kPacked) * kPacked * s.map.pixel();
    s.packed = repacked(index, whole, positions, s.map.channels, true, like);
    if (s.packed < 0) return -1;
  }
  use(s.packed);
  return s.packed;
}

// The operator's input as so many positions, each in whole words, in every tile; -1: refused.
int Lowering::positions_in_order(size_t index, int64_t positions, int64_t channels) {
  const ValueId input = graph().ops[index].inputs[0];
  Store& from = store(input);
  if (!from.vector && (from.map.channels == channels || from.part != 0)) {
    return whole_vector(from);
  }
  const int whole = elements_in_order(index, from, value(input));
  if (whole < 0 || channels % 4 == 0 || from.part != 0) return whole;
  int64_t& bytes = regions_.at(static_cast<size_t>(whole)).bytes;
  bytes = std::max(bytes, ceil_div(positions, kPacked) * kPacked * channels);
  return repacked(index, whole, positions, channels, false, value(input));
}

// Channels of each position become several positions, which go from tile to tile.
bool Lowering::reordered(size_t index, Store& from, Store& to) {
  const bool in_words = from.part != 0;
  const int64_t times = from.map.channels / (in_words ? to.map.pixel() : to.map.channels);
  Store* source = &from;
  if (to.map.channels % 4 != 0 && times > 1 && !in_words) {
    Map map;
    map.y = Axis(from.map.y.size);
    map.x = Axis(from.map.x.size);
    map.channels = times * to.map.pixel();
    source = &between(map, from.zero);
    if (!words_of_parts(index, from, *source, to.map.channels)) return false;
  }
  if (place_in_join(index)) {
    to_join(index, *source, {.times = times});
    to.joined = true;
    return true;
  }
  to.region = region(to.map.bytes());
  use(source->region), use(to.region);
  planned_.push_back({index, "positions in order", to.map.bytes(), 0});
  emit(
      [source, &to, times](Program& p) {
        reorder(p, {&source->map, &to.map, 0, times});
      },
      kTransferLowest);
  border(to);
  return true;
}

// Every `channels` of a pixel as whole words: a part of the pixel at a time, so that the matrices
// are small.
bool Lowering::words_of_parts(size_t index, Store& from, Store& to, int64_t channels) {
  const int64_t pixel = 4 * ceil_div(channels, 4);
  const Value& like = value(graph().ops[index].inputs[0]);
  for (int64_t part = 0; part * channels < from.map.channels; ++part) {
    const int64_t first = part * channels / 4 * 4;
    const int64_t end = std::min(from.map.pixel(), ceil_div((part + 1) * channels, 4) * 4);
    Map map;
    map.y = Axis(from.map.y.size);
    map.x = Axis(from.map.x.size);
    map.channels = end - first;
    Store& some = between(map, from.zero);
    use(from.region), use(some.region), use(to.region);
    copy_channels(from, some, first, 0, same_of(from, like));
    std::vector<int> of;
    for (int64_t k = 0; k < pixel; ++k) {
      of.push_back(k < channels ? static_cast<int>(part * channels - first + k) : -1);
    }
    if (!select(index, some, to, of, like, part * pixel)) return false;
  }
  return true;
}

// RESHAPE to positions that lie in other tiles.
bool Lowering::reshaped(size_t index) {
  Store& to = store(graph().ops[index].outputs[0]);
  Store& from = store(graph().ops[index].inputs[0]);
  if (to.joined || listed(index, from, to)) return true;
  const bool in_words = from.part != 0;
  const bool parts = !from.vector && !to.vector &&
                     (in_words || from.map.channels % to.map.channels == 0) &&
                     (from.map.channels == to.map.channels || to.map.channels > 1);
  // Nor a matrix for four positions of many channels.
  const bool wide = !in_words && to.map.channels % 4 != 0 && from.map.channels > 64;
  if (parts && (to.bytes > limits::whole_list_bytes || wide || place_in_join(index))) {
    return reordered(index, from, to);
  }
  const int whole = positions_in_order(index, to.map.y.size * to.map.x.size, to.map.channels);
  if (whole < 0) return false;
  return from_whole(index, whole, to, to.map.pixel(), to.map.x.size * to.map.pixel(),
                    "other positions");
}

// Channels of groups by turns, where both RESHAPEs are here.
bool Lowering::mixes(size_t index, const MixedChannels& mixed) {
  const Op& op = graph().ops[index];
  Store &from = store(op.inputs[0]), &to = store(op.outputs[0]);
  if (!alias_.contains(op.inputs[0]) ||
      std::ranges::find(segment_.outputs, op.outputs[0]) != segment_.outputs.end()) {
    return refuse(Rule::shape, "the RESHAPEs before and after it are elsewhere", true);
  }
  std::vector<int> of;
  for (int64_t k = 0; k < to.map.channels; ++k) {
    of.push_back(static_cast<int>(k % mixed.groups * mixed.each + k / mixed.groups));
  }
  to.region = region(to.map.bytes());
  planned_.push_back({index, "channels of groups by turns", to.map.bytes(), 0});
  if (!select(index, from, to, of, value(op.outputs[0]))) return false;
  border(to);
  return true;
}

bool Lowering::transposed(size_t index) {
  const Op& op = graph().ops[index];
  Store& from = store(op.inputs[0]);
  Store& to = store(op.outputs[0]);
  if (from.vector || to.vector) return not_a_picture();
  if (const auto mixed = mixed_channels(graph(), op)) return mixes(index, *mixed);
  const auto axes = transposed_axes(graph(), op);
  if (!axes) return refuse(Rule::attributes, "its order of axes is not known");
  const int whole = whole_vector(from);
  const int64_t pixel = from.map.pixel();
  const std::array<int64_t, 4> apart = {0, from.map.x.size * pixel, pixel, 1};
  const auto step = [&](size_t k) { return apart.at(static_cast<size_t>((*axes)[k])); };
  if ((*axes)[3] == 3) {
    return from_whole(index, whole, to, step(2), step(1), "rows for columns");
  }
  if (!few_enough(to.map, to.map)) return false;
  use(whole);
  to.region = region(to.map.bytes());
  planned_.push_back({index, "channels for positions", to.map.bytes(), 0});
  emit(
      [this, whole, &to, step_x = step(2), step_y = step(1), step_c = step(3),
       constants = scratch()](Program& p) {
        compiler::transpose(p, {{at(whole), &to.map, at(constants), step_x, step_y}, step_c});
      },
      kConstantLine, Follows::tile);
  border(to);
  return true;
}

}  // namespace edgetwin::edgetpu::compiler
