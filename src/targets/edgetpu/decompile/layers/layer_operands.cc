#include "targets/edgetpu/decompile/layers/layer_operands.h"

#include <algorithm>
#include <bit>
#include <map>

#include "targets/edgetpu/decompile/layers/recurrent.h"
#include "targets/edgetpu/decompile/operands/producers.h"
#include "targets/edgetpu/decompile/operands/tile_box.h"

namespace edgetwin::edgetpu {
namespace {

// Over a picture: of a single position it is not known which level counts channels.
bool elementwise(const DecompiledLayer& l) {
  const bool kind = l.type == LayerType::add || l.type == LayerType::quantize ||
                    l.type == LayerType::logistic || l.type == LayerType::tanh ||
                    l.type == LayerType::mul;
  constexpr int kWord = 4;
  const Positions p = positions_of(l.numbers);
  return kind && ((p.columns > 1 && p.rows > 1) || (p.pixels > 1 && p.channels > kWord));
}

// Channels of a pixel that a layer without weights reads; 0: not to be told.
int64_t read_channels_of(const DecompiledLayer& l) {
  const Level& inner = l.numbers.in.level[0];
  if (l.type == LayerType::mul) return inner.net == 1 ? inner.count : 0;
  return positions_of(l.numbers).channels;
}

// Whether these producers side by side are all that a pixel has.
bool fills_pixel(const LayerSearch& search, const DecompiledLayer& l, const Operand& o) {
  if (o.from.size() < 2) return false;  // none: they are not known
  constexpr int kWord = 4;
  int64_t channels = 0;
  const Extent2D first = extent_of(search, {{o.from.front()}, 0, {}});
  for (const Producer p : o.from) {
    const Extent2D e = extent_of(search, {{p}, 0, {}});
    if (p < 0 || e.h != first.h || e.w != first.w) return false;
    channels += (e.c + kWord - 1) / kWord * kWord;
  }
  return channels == read_channels_of(l);
}

// The second operand of a product comes through wide memory.
void split_product(DecompiledLayer& layer) {
  // A square reads the same words twice.
  if (layer.inputs.size() == 1) layer.inputs.push_back(layer.inputs.front());
  layer.inputs.resize(2);
}

// What all bands of a layer read, by operand.
struct VotesOfLayer {
  std::vector<Votes> votes;
  std::vector<ChannelVotes> channels;
};
VotesOfLayer gather_votes(const LayerSearch& search, const DecompiledLayer& layer) {
  VotesOfLayer all;
  std::vector<size_t> reading = layer.stages;
  if (layer.type == LayerType::softmax) reading.resize(1);
  for (const size_t s : reading) {
    const auto& inputs = search.stages()[s].inputs;
    if (all.votes.size() < inputs.size()) all.votes.resize(inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i) {
      for (const auto& [o, n] : inputs[i]) all.votes[i][o] += n;
    }
    all.channels.resize(std::max(all.channels.size(), search.stages()[s].channels.size()));
    for (size_t i = 0; i < search.stages()[s].channels.size(); ++i) {
      add_votes(search.stages()[s].channels[i], all.channels[i]);
    }
  }
  return all;
}

// Several producers in the order of their words in the pixel that is read. What copies brought
// lies elsewhere than where its producer wrote it.
void sort_by_place(LayerSearch& search, const ChannelVotes& channels, Operand& operand) {
  struct Place {
    double words = 0, shares = 0;
  };
  std::map<Producer, Place> places;
  for (size_t k = 0; k < channels.size(); ++k) {
    Votes votes;
    for (const auto& [origin, n] : channels[k]) votes[origin.owner] += n;
    for (const auto& [p, share] : producer_shares(search, votes, 0)) {
      places[p].words += share * static_cast<double>(k);
      places[p].shares += share;
    }
  }
  const auto place = [&](Producer p) { return places[p].words / places[p].shares; };
  const bool all = std::all_of(operand.from.begin(), operand.from.end(),
                               [&](Producer p) { return places[p].shares > 0; });
  if (!all) return;
  std::stable_sort(operand.from.begin(), operand.from.end(),
                   [&](Producer x, Producer y) { return place(x) < place(y); });
}

// By operand: whether its channels told who makes it.
std::vector<bool> gather_inputs(LayerSearch& search, DecompiledLayer& layer) {
  std::vector<bool> by_channels;
  const auto [votes, channels] = gather_votes(search, layer);
  const bool several = has_weights(layer.type) || layer.type == LayerType::concat;
  for (size_t i = 0; i < votes.size(); ++i) {
    auto told = i < channels.size() && several
                    ? operand_of_channels(channels[i], word_makers(search))
                    : std::nullopt;
    if (!told && i < channels.size() && elementwise(layer)) {
      told = operand_of_channels(channels[i], word_makers(search));
    }
    if (!told && !several) {
      const Operand all = operand_of_votes(search, votes[i], true);
      if (fills_pixel(search, layer, all)) told = all;
    }
    // Copies of several producers' words are one stage: the words themselves tell whose they are.
    if (!told && !several) {
      if (const auto maker = only_maker(search, layer, i)) told = Operand{{*maker}, 0};
    }
    by_channels.push_back(told.has_value());
    layer.inputs.push_back(told ? *told : operand_of_votes(search, votes[i], several));
    if (!told && i < channels.size()) sort_by_place(search, channels[i], layer.inputs.back());
  }
  if (layer.type == LayerType::mul) split_product(layer);
  return by_channels;
}

// A constant operand that waits on the chip: each tile has its part of the picture, in words.
bool take_resident(const LayerSearch& search, DecompiledLayer& layer) {
  std::map<size_t, ResidentPart> parts;
  for (const size_t s : layer.stages) {
    parts.insert(search.stages()[s].resident.begin(), search.stages()[s].resident.end());
  }
  if (parts.empty() || search.caching == nullptr) return false;
  const Bytes& all = search.caching->parameters;
  const Extent2D e = extent_of(search, layer.inputs.front());
  const int64_t pixel = int64_t{e.c + 3} / 4 * 4;
  constexpr int64_t kMost = int64_t{1} << 24U;
  if (int64_t{e.h} * e.w > kMost / std::max(1, e.c)) return false;
  layer.constant.resize(static_cast<size_t>(e.h) * static_cast<size_t>(e.w) *
                        static_cast<size_t>(e.c));
  for (int t = 0; t < static_cast<int>(kTiles); ++t) {
    const TileBox box = box_of(e, t);
    const int64_t bytes = int64_t{box.y1 - box.y0} * (box.x1 - box.x0) * pixel;
    if (bytes == 0) continue;
    const auto part = parts.find(static_cast<size_t>(t));
    const bool whole = part != parts.end() && part->second.words * 4 == bytes &&
                       part->second.last - part->second.first + 4 == static_cast<size_t>(bytes) &&
                       part->second.last + 4 <= all.size();
    if (!whole) {
      layer.constant.clear();
      layer.problem = "not every tile has its part of the constant operand";
      return true;
    }
    auto from = all.begin() + static_cast<long>(part->second.first);
    for (int y = box.y0; y < box.y1; ++y) {
      for (int x = box.x0; x < box.x1; ++x, from += pixel) {
        std::copy(from, from + e.c, layer.constant.begin() + (long{y} * e.w + x) * e.c);
      }
    }
  }
  return true;
}

// The one input whose words all stages of the layer read as this operand; nothing: several, or not
// where they came.
std::optional<Producer> read_input(const LayerSearch& search, const DecompiledLayer& layer,
                                   size_t operand) {
  std::optional<size_t> input;
  for (const size_t s : layer.stages) {
    const auto& from = search.stages()[s].from_inputs;
    if (operand >= from.size() || from[operand].size() != 1) return std::nullopt;
    const size_t here = from[operand].begin()->first;
    if (input.value_or(here) != here) return std::nullopt;
    input = here;
  }
  const bool told = input && search.result.replay.inputs_certain;
  return told ? std::optional(input_producer(*input)) : std::nullopt;
}

// Several inputs are told apart by their channels, those of equal channels by the zero point that
// the instruction subtracts, and these by the size: a layer without a window has the positions of
// its input.
Producer input_of(const LayerSearch& search, const DecompiledLayer& layer, Producer p,
                  int64_t channels, size_t operand) {
  const auto& inputs = search.inference.inputs;
  if (inputs.size() <= 1) return p;
  const bool product = layer.type == LayerType::mul;
  const bool weighted = has_weights(layer.type) || product;
  // A product subtracts the zero point of its second operand as that of weights.
  const int subtracted =
      product && operand == 1 ? layer.numbers.weight_zero_point : layer.numbers.input_zero_point;
  int64_t positions = 0;
  for (const size_t s : layer.steps) {
    const Nest& n = search.result.replay.steps.nest(s);
    positions += positions_of(n).pixels * std::popcount(n.tiles);
  }
  Producer best = p;
  int most = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const darwinn::Layer& l = inputs[i];
    if ((l.z_dim + 3) / 4 * 4 != channels) continue;
    const bool zero = weighted && l.numerics && l.numerics->zero_point == subtracted;
    const bool size = int64_t{l.y_dim} * l.x_dim == positions;
    const int score = 1 + (size ? 1 : 0) + (zero ? 2 : 0);
    if (score <= most) continue;
    best = input_producer(i);
    most = score;
  }
  return best;
}

int64_t input_channels(const DecompiledLayer& layer) {
  if (layer.type == LayerType::mul) return (read_channels_of(layer) + 3) / 4 * 4;
  if (!has_weights(layer.type)) return positions_of(layer.numbers).channels;
  const auto w = window_of(layer.numbers, layer.type == LayerType::depthwise);
  return w ? w->in_channels : 0;
}

}  // namespace

bool find_operands(LayerSearch& search, DecompiledLayer& layer) {
  std::vector<bool> told = gather_inputs(search, layer);
  if (reads_lstm(search, layer)) told = {true};
  if (layer.inputs.empty() || layer.inputs.front().from.empty()) {
    layer.problem = "nobody is known who wrote its input";
    return false;
  }
  if (layer.type == LayerType::mul &&
      layer.inputs[1].from == std::vector<Producer>{kConstantProducer}) {
    layer.inputs.pop_back();
    layer.by_constant = true;
  }
  for (const Operand& o : layer.inputs) {
    if (std::find(o.from.begin(), o.from.end(), kConstantProducer) == o.from.end()) continue;
    layer.problem = "one of its operands is a constant";
    return false;
  }
  const int64_t channels = input_channels(layer);
  // Where channels told the inputs apart, their number is not asked.
  for (size_t i = 0; i < layer.inputs.size(); ++i) {
    if (i < told.size() && told[i]) continue;
    for (Producer& p : layer.inputs[i].from) {
      if (p >= 0) continue;
      const auto read =
          layer.inputs[i].from.size() == 1 ? read_input(search, layer, i) : std::nullopt;
      p = read ? *read : input_of(search, layer, p, channels, i);
    }
  }
  return true;
}

// A constant operand stands row by row in the program's own parameters.
void read_constant(const LayerSearch& search, DecompiledLayer& layer) {
  if (take_resident(search, layer)) return;
  std::optional<size_t> offset;
  for (const size_t s : layer.stages) {
    for (const auto& [owner, n] : search.stages()[s].inputs.back()) {
      if (owner < kFirstStage) continue;
      const auto& from = search.stages()[static_cast<size_t>(owner - kFirstStage)].streamed;
      if (from) offset = std::min(offset.value_or(*from), *from);
    }
  }
  const Extent2D e = extent_of(search, layer.inputs.front());
  const auto size = static_cast<size_t>(e.h) * static_cast<size_t>(e.w) * static_cast<size_t>(e.c);
  const Bytes& all = search.inference.parameters;
  if (!offset || size > all.size() || *offset > all.size() - size) {
    layer.problem = "its constant operand was not found";
    return;
  }
  const auto begin = all.begin() + static_cast<long>(*offset);
  layer.constant.assign(begin, begin + static_cast<long>(size));
}

Extent2D extent_of(const LayerSearch& search, const Operand& operand) {
  Extent2D e{1, 1, 0};
  if (!operand.moved.empty()) {
    e = {operand.height, operand.width, 0};
    for (const MovedPart& p : operand.moved) e.c += p.chunk;
    return e;
  }
  for (size_t i = 0; i < operand.from.size(); ++i) {
    const Producer p = operand.from[i];
    Extent2D part;
    if (p < 0) {
      const auto index = static_cast<size_t>(-1 - p);
      if (index >= search.inference.inputs.size()) continue;
      const darwinn::Layer& l = search.inference.inputs[index];
      constexpr int kMost = 65536;
      const auto real = [](int n) { return n > 0 && n <= kMost ? n : 0; };
      part = {real(l.y_dim), real(l.x_dim), real(l.z_dim)};
    } else {
      part = search.result.layers[static_cast<size_t>(p)].out;
    }
    if (!operand.taken.empty()) part.c = operand.taken[i].count;
    // One position beside a picture was copied to all positions of the picture.
    const bool spread = operand.row_channels == 0 && part.h == 1 && part.w == 1;
    if (!spread) {
      e.h = part.h;
      e.w = part.w;
    }
    constexpr int kMostChannels = 1 << 20;
    e.c = std::min(e.c + part.c, kMostChannels);
  }
  return e;
}

std::vector<int> parts_of(const LayerSearch& search, const DecompiledLayer& layer) {
  std::vector<int> parts;
  const Operand& o = layer.inputs.front();
  for (const MovedPart& p : o.moved) parts.push_back(p.chunk);
  if (!parts.empty()) return parts;
  for (size_t i = 0; i < o.from.size(); ++i) {
    parts.push_back(o.taken.empty() ? extent_of(search, {{o.from[i]}, 0, {}}).c : o.taken[i].count);
  }
  return parts;
}

}  // namespace edgetwin::edgetpu
