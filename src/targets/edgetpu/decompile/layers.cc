#include "targets/edgetpu/decompile/layers.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <numeric>

#include "targets/edgetpu/decompile/checks.h"
#include "targets/edgetpu/decompile/classify.h"
#include "targets/edgetpu/decompile/join.h"
#include "targets/edgetpu/decompile/lstm_layer.h"
#include "targets/edgetpu/decompile/parameters.h"
#include "targets/edgetpu/decompile/scalar_softmax.h"
#include "targets/edgetpu/decompile/select.h"
#include "targets/edgetpu/decompile/sizes.h"

namespace edgetwin::edgetpu {
namespace {

// Shares of a stage's words by who made them.
using Shares = std::map<Producer, double>;

constexpr Producer kNobody = -1'000'000;

class Builder {
 public:
  Builder(const darwinn::Executable& inference, const darwinn::Executable* caching,
          ReplayLimits limits)
      : inference_(inference), caching_(caching), limits_(limits) {}

  Result<Layers> run() {
    if (caching_ != nullptr) resident_ = resident_blocks(*caching_);
    EDGETWIN_TRY_ASSIGN(result_.replay, replay(inference_, resident_, limits_));
    layer_of_.assign(stages().size(), -1);
    lstm_ = find_lstm(result_.replay, inference_);
    find_softmax();
    for (size_t s = 0; s < stages().size(); ++s) place(s);
    for (size_t l = 0; l < result_.layers.size(); ++l) finish(l);
    find_outputs();
    add_scalar_softmax(result_, inference_);
    join_maps(result_, inference_);
    check_layers(result_, inference_, resident_);
    return std::move(result_);
  }

 private:
  const std::vector<Stage>& stages() const { return result_.replay.stages; }

  // ---- softmax: from the maximum, or the copies before it, to the last scaling ------------------
  static bool is_scaling(const Stage& s) {
    return s.nest.kind == 0xF0 && s.nest.multiplier < 1e-6F && s.nest.lower == 0.0F;
  }

  void find_softmax() {
    for (size_t s = 0; s < stages().size(); ++s) {
      if (stages()[s].kind != StageKind::exponential_sum) continue;
      size_t first = s;
      for (size_t k = s; k-- > 0 && layer_of_[k] == -1;) {
        if (stages()[k].nest.weighted()) break;
        if (stages()[k].kind == StageKind::maximum) first = k;
      }
      size_t last = s;
      for (size_t k = s; k < stages().size() && !stages()[k].nest.weighted(); ++k) {
        if (is_scaling(stages()[k])) last = k;
        if (last != s && !is_scaling(stages()[k])) break;
      }
      if (first == s || last == s) continue;
      DecompiledLayer layer;
      layer.type = LayerType::softmax;
      layer.numbers = stages()[last].nest;
      for (size_t k = first; k <= last; ++k) {
        layer.stages.push_back(k);
        softmax_[k] = last;
        if (stages()[k].kind == StageKind::exponential) {
          const Nest& n = stages()[k].nest;
          layer.softmax_scale = n.has_scales ? softmax_table_scale() : n.multiplier;
        }
      }
      pending_softmax_[last] = {first, layer};
    }
  }

  // Where the scale of the input stands in a table: lines of four equal numbers and 48 zero bytes,
  // after two tables of zeros.
  float softmax_table_scale() const {
    if (caching_ != nullptr) {
      for (const size_t b : result_.replay.unused_resident) {
        const BlockPlace& block = resident_.blocks[b];
        const float found =
            table_scale(ByteSpan(caching_->parameters).subspan(block.offset, block.bytes));
        if (found != 0.0F) return found;
      }
    }
    return table_scale(inference_.parameters);
  }

  static float table_scale(ByteSpan bytes) {
    for (size_t at = 0; at + kLineBytes <= bytes.size(); at += kLineBytes) {
      {
        const ByteSpan line = bytes.subspan(at, kLineBytes);
        std::array<float, 4> four{};
        std::memcpy(four.data(), line.data(), sizeof(four));
        const bool zeros = std::all_of(line.begin() + sizeof(four), line.end(),
                                       [](std::byte x) { return x == std::byte{0}; });
        if (zeros && four[0] > 0.0F && std::isnormal(four[0]) && four[0] == four[1] &&
            four[1] == four[2] && four[2] == four[3]) {
          return four[0];
        }
      }
    }
    return 0.0F;
  }

  // ---- layers ----------------------------------------------------------------------------------
  static bool transparent(StageKind kind) {
    return kind == StageKind::copy || kind == StageKind::sum;
  }

  void place(size_t s) {
    const Stage& stage = stages()[s];
    const auto softmax = softmax_.find(s);
    if (softmax != softmax_.end()) {
      if (softmax->second == s) add_softmax(s);
      return;
    }
    if (lstm_ && s >= lstm_->first_stage && s <= lstm_->last_stage) {
      if (s == lstm_->last_stage) add_lstm();
      return;
    }
    if (transparent(stage.kind)) {
      result_.copies.push_back(s);
      return;
    }
    if (join(s)) return;
    DecompiledLayer layer;
    layer.type = type_of(stage);
    layer.numbers = stage.nest;
    layer.stages = {s};
    layer.blocks = stage.blocks;
    layer_of_[s] = static_cast<int>(result_.layers.size());
    result_.layers.push_back(std::move(layer));
  }

  void add_lstm() {
    DecompiledLayer layer;
    layer.type = LayerType::lstm;
    for (size_t s = lstm_->first_stage; s <= lstm_->last_stage; ++s) {
      layer.stages.push_back(s);
      layer_of_[s] = static_cast<int>(result_.layers.size());
    }
    lstm_layer_ = result_.layers.size();
    result_.layers.push_back(std::move(layer));
  }

  Follower follower() const { return {result_.replay, result_.layers, layer_of_}; }

  // Matrices that only bring bytes elsewhere, and through which they were followed, are no layers
  // that anybody needs.
  void pass_through(const Follower& f) {
    for (const size_t l : f.through()) {
      result_.layers[l].problem.clear();
      result_.layers[l].followed = true;
    }
  }

  void finish_lstm(DecompiledLayer& layer) {
    Follower f = follower();
    read_lstm(layer, *lstm_, {inference_, caching_, resident_, result_.replay}, f, used_dense_);
    if (layer.problem.empty()) pass_through(f);
  }

  // A layer of one position may read all that the recurrent one left behind, step after step.
  bool reads_lstm(DecompiledLayer& layer) {
    const Stage& stage = stages()[layer.stages.front()];
    if (!lstm_layer_ || stage.row.empty() || layer.type != LayerType::conv) return false;
    const DecompiledLayer& from = result_.layers[*lstm_layer_];
    if (&from >= &layer || !from.problem.empty()) return false;
    const int64_t count = int64_t{from.out.w} * from.out.c;
    Follower f = follower();
    const auto request = f.rows(stage.row, count, 0, from.out.c, lstm_row_bytes(from));
    if (!request || *request < result_.replay.requests.size() ||
        (count + 3) / 4 != static_cast<int64_t>(stage.row.size())) {
      return false;
    }
    pass_through(f);
    layer.inputs = {Operand{{static_cast<Producer>(*lstm_layer_)}}};
    return true;
  }

  void add_softmax(size_t last) {
    auto& [first, layer] = pending_softmax_[last];
    for (const size_t k : layer.stages) layer_of_[k] = static_cast<int>(result_.layers.size());
    result_.layers.push_back(layer);
  }

  static LayerType type_of(const Stage& stage) {
    switch (stage.kind) {
      case StageKind::conv:
        return LayerType::conv;
      case StageKind::depthwise:
        return LayerType::depthwise;
      case StageKind::add:
        return LayerType::add;
      case StageKind::mul:
        return LayerType::mul;
      case StageKind::pool:
        return LayerType::average_pool;
      case StageKind::maximum:
        return LayerType::max_pool;
      case StageKind::resize:
        return LayerType::resize;
      case StageKind::logistic:
        return LayerType::logistic;
      case StageKind::tanh:
        return LayerType::tanh;
      case StageKind::rescale:
        return LayerType::quantize;
      case StageKind::selection:
        return LayerType::concat;
      default:
        return LayerType::unknown;
    }
  }

  // Bands: the same parameters again, or the same numbers of the same input.
  bool join(size_t s) {
    const Stage& stage = stages()[s];
    for (size_t l = result_.layers.size(); l-- > 0;) {
      DecompiledLayer& layer = result_.layers[l];
      const Stage& first = stages()[layer.stages.front()];
      if (first.kind != stage.kind) continue;
      if (stage.nest.weighted() || stage.kind == StageKind::selection) {
        if (stage.blocks.empty() || layer.blocks.empty()) continue;
        if (!(stage.blocks.front() == layer.blocks.front())) continue;
      } else if (!same_numbers(stage, first) || !same_inputs(stage, layer)) {
        continue;
      }
      layer.stages.push_back(s);
      layer_of_[s] = static_cast<int>(l);
      return true;
    }
    return false;
  }

  static bool same_numbers(const Stage& x, const Stage& y) {
    if (x.kind == StageKind::resize) return x.nest.output_zero_point == y.nest.output_zero_point;
    return x.nest.multiplier == y.nest.multiplier && x.nest.lower == y.nest.lower &&
           x.nest.upper == y.nest.upper && x.nest.constant == y.nest.constant &&
           x.nest.output_zero_point == y.nest.output_zero_point &&
           x.nest.input_zero_point == y.nest.input_zero_point && x.reduction == y.reduction;
  }

  bool same_inputs(const Stage& stage, const DecompiledLayer& layer) {
    for (size_t i = 0; i < stage.inputs.size(); ++i) {
      Votes all;
      for (const size_t k : layer.stages) {
        if (stages()[k].inputs.size() <= i) return false;
        for (const auto& [o, n] : stages()[k].inputs[i]) all[o] += n;
      }
      const Shares x = shares(stage.inputs[i], 0);
      const Shares y = shares(all, 0);
      if (top(x) != top(y) || top(x) == kNobody) return false;
    }
    return !stage.inputs.empty();
  }

  // ---- who made what is read
  // ---------------------------------------------------------------------
  Shares shares(const Votes& votes, int depth) {
    Shares result;
    double total = 0;
    for (const auto& [owner, n] : votes) {
      if (owner == kUnknown || owner == kConstant) continue;
      total += static_cast<double>(n);
    }
    if (total == 0 || depth > 64) return result;
    for (const auto& [owner, n] : votes) {
      const double part = static_cast<double>(n) / total;
      if (owner == kInput) result[-1] += part;
      if (owner == kStreamed) result[kConstantProducer] += part;
      if (owner < kFirstStage) continue;
      const auto s = static_cast<size_t>(owner - kFirstStage);
      if (layer_of_[s] >= 0) {
        result[layer_of_[s]] += part;
      } else {
        for (const auto& [p, share] : shares_of_copy(s, depth)) result[p] += part * share;
      }
    }
    return result;
  }

  Shares shares_of_copy(size_t s, int depth) {
    const auto known = copied_.find(s);
    if (known != copied_.end()) return known->second;
    Votes all;
    for (const Votes& v : stages()[s].inputs) {
      for (const auto& [o, n] : v) {
        if (o != static_cast<Owner>(s) + kFirstStage) all[o] += n;
      }
    }
    copied_[s] = {};  // a circle of copies adds nothing
    const Shares result = shares(all, depth + 1);
    copied_[s] = result;
    return result;
  }

  static Producer top(const Shares& all) {
    Producer best = kNobody;
    double most = 0;
    for (const auto& [p, share] : all) {
      if (share > most) {
        most = share;
        best = p;
      }
    }
    return best;
  }

  Operand operand(const Votes& votes, bool several) {
    const Shares all = shares(votes, 0);
    Operand o;
    if (all.empty()) return o;
    constexpr double kPart = 0.1;
    if (several) {
      for (const auto& [p, share] : all) {
        if (share >= kPart) o.from.push_back(p);
      }
    }
    if (o.from.size() <= 1) o.from = {top(all)};
    std::sort(o.from.begin(), o.from.end(),
              [&](Producer x, Producer y) { return output_start(x) < output_start(y); });
    return o;
  }

  WordMakers makers() const {
    return {result_.layers, stages(), layer_of_, inference_, result_.replay.inputs_certain};
  }

  int64_t output_start(Producer p) const {
    if (p < 0) return p;
    return result_.layers[static_cast<size_t>(p)].numbers.out.start;
  }

  // ---- one layer
  // -----------------------------------------------------------------------------------
  void gather_inputs(DecompiledLayer& layer) {
    told_.clear();
    std::vector<Votes> votes;
    std::vector<ChannelVotes> channels;
    std::vector<size_t> reading = layer.stages;
    if (layer.type == LayerType::softmax) reading.resize(1);
    for (const size_t s : reading) {
      const auto& inputs = stages()[s].inputs;
      if (votes.size() < inputs.size()) votes.resize(inputs.size());
      for (size_t i = 0; i < inputs.size(); ++i) {
        for (const auto& [o, n] : inputs[i]) votes[i][o] += n;
      }
      channels.resize(std::max(channels.size(), stages()[s].channels.size()));
      for (size_t i = 0; i < stages()[s].channels.size(); ++i) {
        add_votes(stages()[s].channels[i], channels[i]);
      }
    }
    const bool several = layer.numbers.weighted() || layer.type == LayerType::concat;
    for (size_t i = 0; i < votes.size(); ++i) {
      auto told = i < channels.size() && several ? operand_of_channels(channels[i], makers())
                                                 : std::nullopt;
      if (!told && i < channels.size() && elementwise(layer)) {
        told = operand_of_channels(channels[i], makers());
      }
      told_.push_back(told.has_value());
      layer.inputs.push_back(told ? *told : operand(votes[i], several));
    }
    if (layer.type == LayerType::mul) split_product(layer);
  }

  // Over a picture: of a single position it is not known which level counts channels.
  static bool elementwise(const DecompiledLayer& l) {
    const bool kind = l.type == LayerType::add || l.type == LayerType::quantize ||
                      l.type == LayerType::logistic || l.type == LayerType::tanh ||
                      l.type == LayerType::mul;
    const Positions p = positions_of(l.numbers);
    return kind && p.columns > 1 && p.rows > 1;
  }

  // The second operand of a product comes through wide memory.
  void split_product(DecompiledLayer& layer) {
    // A square reads the same words twice.
    if (layer.inputs.size() == 1) layer.inputs.push_back(layer.inputs.front());
    layer.inputs.resize(2);
  }

  // A constant operand stands row by row in the program's own parameters.
  void take_constant(DecompiledLayer& layer) {
    if (layer.inputs[1].from != std::vector<Producer>{kConstantProducer}) return;
    layer.inputs.pop_back();
    std::optional<size_t> offset;
    for (const size_t s : layer.stages) {
      for (const auto& [owner, n] : stages()[s].inputs.back()) {
        if (owner < kFirstStage) continue;
        const auto& from = stages()[static_cast<size_t>(owner - kFirstStage)].streamed;
        if (from) offset = std::min(offset.value_or(*from), *from);
      }
    }
    const Extent2D e = extent_of(layer.inputs.front());
    const auto size =
        static_cast<size_t>(e.h) * static_cast<size_t>(e.w) * static_cast<size_t>(e.c);
    const Bytes& all = inference_.parameters;
    if (!offset || size > all.size() || *offset > all.size() - size) {
      layer.problem = "its constant operand was not found";
      return;
    }
    const auto begin = all.begin() + static_cast<long>(*offset);
    layer.constant.assign(begin, begin + static_cast<long>(size));
  }

  // The biases of a rescaling, one per channel.
  void take_bias(DecompiledLayer& layer) {
    if (layer.type != LayerType::quantize || !layer.numbers.has_bias) return;
    const auto& blocks = stages()[layer.stages.front()].blocks;
    const auto channels = static_cast<size_t>(layer.in.c);
    if (blocks.empty() || blocks.front().cached ||
        channels * 4 > inference_.parameters.size() - blocks.front().offset) {
      layer.problem = "the numbers that it adds were not found";
      return;
    }
    layer.content.bias.resize(channels);
    std::memcpy(layer.content.bias.data(), inference_.parameters.data() + blocks.front().offset,
                channels * 4);
  }

  Extent2D extent_of(const Operand& operand) {
    Extent2D e{1, 1, 0};
    for (size_t i = 0; i < operand.from.size(); ++i) {
      const Producer p = operand.from[i];
      Extent2D part;
      if (p < 0) {
        const auto index = static_cast<size_t>(-1 - p);
        if (index >= inference_.inputs.size()) continue;
        const darwinn::Layer& l = inference_.inputs[index];
        constexpr int kMost = 65536;
        const auto real = [](int n) { return n > 0 && n <= kMost ? n : 0; };
        part = {real(l.y_dim), real(l.x_dim), real(l.z_dim)};
      } else {
        part = result_.layers[static_cast<size_t>(p)].out;
      }
      if (!operand.taken.empty()) part.c = operand.taken[i].count;
      e.h = part.h;
      e.w = part.w;
      constexpr int kMostChannels = 1 << 20;
      e.c = std::min(e.c + part.c, kMostChannels);
    }
    return e;
  }

  // Several inputs are told apart by their channels.
  Producer input_of(Producer p, int64_t channels) const {
    if (inference_.inputs.size() <= 1) return p;
    for (size_t i = 0; i < inference_.inputs.size(); ++i) {
      if ((inference_.inputs[i].z_dim + 3) / 4 * 4 == channels) return input_producer(i);
    }
    return p;
  }

  void finish(size_t index) {
    DecompiledLayer& layer = result_.layers[index];
    for (const size_t s : layer.stages) {
      layer.steps.insert(layer.steps.end(), stages()[s].steps.begin(), stages()[s].steps.end());
    }
    std::sort(layer.steps.begin(), layer.steps.end());
    if (layer.type == LayerType::lstm) return finish_lstm(layer);
    gather_inputs(layer);
    if (reads_lstm(layer)) told_ = {true};
    if (layer.inputs.empty() || layer.inputs.front().from.empty()) {
      layer.problem = "nobody is known who wrote its input";
      return;
    }
    if (layer.type == LayerType::mul) take_constant(layer);
    const int64_t channels = input_channels(layer);
    // Where channels told the inputs apart, their number is not asked.
    for (size_t i = 0; i < layer.inputs.size(); ++i) {
      if (i < told_.size() && told_[i]) continue;
      for (Producer& p : layer.inputs[i].from) {
        if (p < 0) p = input_of(p, channels);
      }
    }
    layer.in = extent_of(layer.inputs.front());
    const SizeContext context{result_.replay, stages(), expected_output(index)};
    find_size(layer, context);
    if ((layer.numbers.weighted() || layer.type == LayerType::concat) && layer.problem.empty()) {
      read_parameters(layer, {parts_of(layer), inference_, caching_, resident_, result_.replay},
                      used_dense_);
    }
    if (layer.problem.empty()) take_bias(layer);
    if (layer.type == LayerType::add) find_add_weights(layer);
    if (layer.type == LayerType::add && layer.numbers.function && layer.problem.empty()) {
      layer.problem = "its sum passes the table of a function";
    }
  }

  std::vector<int> parts_of(const DecompiledLayer& layer) {
    std::vector<int> parts;
    const Operand& o = layer.inputs.front();
    for (size_t i = 0; i < o.from.size(); ++i) {
      parts.push_back(o.taken.empty() ? extent_of({{o.from[i]}, 0, {}}).c : o.taken[i].count);
    }
    return parts;
  }

  int64_t input_channels(const DecompiledLayer& layer) const {
    if (!layer.numbers.weighted()) return positions_of(layer.numbers).channels;
    const auto w = window_of(layer.numbers, layer.type == LayerType::depthwise);
    return w ? w->in_channels : 0;
  }

  // Whose words leave for the host tell the size that the file announces.
  std::vector<Extent2D> expected_output(size_t index) {
    std::vector<Extent2D> sizes;
    for (const Sent& s : result_.replay.sent) {
      const Shares all = shares(s.votes, 0);
      if (top(all) != static_cast<Producer>(index)) continue;
      for (const darwinn::Layer& l : inference_.outputs)
        sizes.push_back({l.y_dim, l.x_dim, l.z_dim});
      break;
    }
    return sizes;
  }

  // The weights of an addition are halves of the constants put into wide memory before it.
  void find_add_weights(DecompiledLayer& layer) {
    const auto& patterns = stages()[layer.stages.front()].patterns;
    std::vector<int> found;
    for (const uint32_t p : patterns) {
      const auto low = static_cast<int16_t>(p & 0xFFFFU);
      const auto high = static_cast<int16_t>(p >> 16U);
      if (low == 0 || high != 0) continue;
      if (std::find(found.begin(), found.end(), low) == found.end()) found.push_back(low);
    }
    if (found.empty() || found.size() > 2) {
      layer.problem = "the weights of the addition were not found";
      return;
    }
    layer.add_weight[0] = found.front();
    layer.add_weight[1] = found.back();
    // The constant of the instruction tells which weight is whose: -(w1 * z1 + w2 * z2).
    const auto constant = [&](int first, int second) {
      return -(int64_t{layer.add_weight[first]} * zero_point_of(layer.inputs[0]) +
               int64_t{layer.add_weight[second]} * zero_point_of(layer.inputs[1]));
    };
    const bool usual = constant(0, 1) == layer.numbers.constant;
    if (!usual && layer.inputs.size() == 2 && constant(1, 0) == layer.numbers.constant) {
      std::swap(layer.add_weight[0], layer.add_weight[1]);
    }
  }

  int zero_point_of(const Operand& o) const {
    if (o.from.empty()) return 0;
    Producer p = o.from.front();
    for (int depth = 0; p >= 0 && depth < 64; ++depth) {
      const DecompiledLayer& l = result_.layers[static_cast<size_t>(p)];
      const bool moves = l.type == LayerType::resize || l.type == LayerType::reshape ||
                         l.type == LayerType::concat || l.type == LayerType::max_pool;
      if (!moves || l.inputs.empty() || l.inputs.front().from.empty()) {
        return l.numbers.output_zero_point;
      }
      p = l.inputs.front().from.front();
    }
    const auto index = static_cast<size_t>(-1 - p);
    if (p >= 0 || index >= inference_.inputs.size()) return 0;
    return inference_.inputs[index].numerics ? inference_.inputs[index].numerics->zero_point : 0;
  }

  struct OutputGroup {
    Operand from;
    std::vector<Origin> words;
    int64_t count = 0;  // of words that left
  };

  // What leaves one after the other and comes from the same place is one output; `sized`: as long
  // as the output takes it.
  std::vector<OutputGroup> group_sent(const std::vector<size_t>& order, bool sized) {
    std::vector<OutputGroup> groups;
    for (const Sent& s : result_.replay.sent) {
      // What leaves inside the loop is put aside for later.
      if (lstm_ && s.step >= lstm_->first_step && s.step <= lstm_->last_step) continue;
      const Operand from = operand(s.votes, true);
      if (from.from.empty()) continue;
      bool same = !groups.empty() && groups.back().from == from;
      if (same && sized && groups.size() < order.size() &&
          order[groups.size() - 1] < inference_.outputs.size()) {
        const darwinn::Layer& l = inference_.outputs[order[groups.size() - 1]];
        const double words = double{1} * l.y_dim * l.x_dim * std::ceil(l.z_dim / 4.0);
        same = groups.back().words == s.words && static_cast<double>(groups.back().count) < words;
      }
      if (!same) groups.push_back({from, {}, 0});
      OutputGroup& g = groups.back();
      for (const Origin& o : s.words) {
        if (std::find(g.words.begin(), g.words.end(), o) == g.words.end()) g.words.push_back(o);
      }
      g.count += s.count;
    }
    return groups;
  }

  void find_outputs() {
    std::vector<size_t> order;
    if (inference_.dma_hints) {
      for (const darwinn::DmaHint& h : inference_.dma_hints->hints) {
        if (h.kind != darwinn::HintKind::descriptor) continue;
        // What waits in the host's memory leaves among the outputs.
        const bool waits = h.meta.base == darwinn::BaseAddress::scratch &&
                           h.direction == darwinn::Direction::from_device;
        if (waits && !lstm_) order.push_back(inference_.outputs.size());
        if (h.meta.base != darwinn::BaseAddress::output) continue;
        for (size_t o = 0; o < inference_.outputs.size(); ++o) {
          if (inference_.outputs[o].name == h.meta.name &&
              std::find(order.begin(), order.end(), o) == order.end()) {
            order.push_back(o);
          }
        }
      }
    }
    for (size_t o = 0; o < inference_.outputs.size(); ++o) {
      if (std::find(order.begin(), order.end(), o) == order.end()) order.push_back(o);
    }
    std::vector<OutputGroup> groups = group_sent(order, false);
    if (groups.size() < order.size()) groups = group_sent(order, true);
    for (size_t k = 0; k < order.size() && k < groups.size(); ++k) {
      if (order[k] >= inference_.outputs.size()) continue;
      const int channels = inference_.outputs[order[k]].z_dim;
      const auto told = operand_of_words(groups[k].words, channels, makers());
      result_.outputs.push_back({order[k], told ? *told : groups[k].from});
    }
    std::sort(result_.outputs.begin(), result_.outputs.end(),
              [](const auto& x, const auto& y) { return x.layer_index < y.layer_index; });
  }

  const darwinn::Executable& inference_;
  const darwinn::Executable* caching_;
  ReplayLimits limits_;
  Resident resident_;
  Layers result_;
  std::vector<int> layer_of_;  // by stage; -1: a copy
  std::map<size_t, size_t> softmax_;
  std::map<size_t, std::pair<size_t, DecompiledLayer>> pending_softmax_;
  std::map<size_t, Shares> copied_;
  std::vector<bool> told_;  // by operand of the layer at hand: its channels told who makes it
  std::vector<size_t> used_dense_;
  std::optional<LstmStages> lstm_;
  std::optional<size_t> lstm_layer_;
};

}  // namespace

std::string_view name(LayerType type) {
  static constexpr std::array<std::string_view, 16> kNames{"CONV_2D",
                                                           "DEPTHWISE_CONV_2D",
                                                           "FULLY_CONNECTED",
                                                           "ADD",
                                                           "MUL",
                                                           "AVERAGE_POOL_2D",
                                                           "MAX_POOL_2D",
                                                           "RESIZE_BILINEAR",
                                                           "SOFTMAX",
                                                           "LOGISTIC",
                                                           "TANH",
                                                           "QUANTIZE",
                                                           "RESHAPE",
                                                           "UNIDIRECTIONAL_SEQUENCE_LSTM",
                                                           "CONCATENATION",
                                                           "not recovered"};
  return kNames[static_cast<size_t>(type)];
}

bool adds_number(const DecompiledLayer& layer) {
  const auto& bias = layer.content.bias;
  constexpr int kByte = 255;
  return layer.type == LayerType::quantize && layer.numbers.has_bias && !bias.empty() &&
         std::abs(int64_t{bias.front()}) <= kByte &&
         std::all_of(bias.begin(), bias.end(), [&](int32_t b) { return b == bias.front(); });
}

Result<Layers> find_layers(const darwinn::Executable& inference, const darwinn::Executable* caching,
                           ReplayLimits limits) {
  return Builder(inference, caching, limits).run();
}

}  // namespace edgetwin::edgetpu
