#include "targets/edgetpu/decompile/layers/lstm_layer.h"

#include <algorithm>
#include <bit>

namespace edgetwin::edgetpu {
namespace {

constexpr int kLstmWord = 4;

// Of a gate's weights in a tile: outputs that it has room for, inputs, and units.
struct GateBlock {
  int lanes = 0, inputs = 0, units = 0;
};
int round4(int64_t c) { return static_cast<int>((c + kLstmWord - 1) / kLstmWord * kLstmWord); }

// Units and inputs that only fill the block are left out.
BlockContent real_units(BlockContent all, const BlockShape& shape, const GateBlock& block) {
  BlockContent c;
  const auto units = static_cast<size_t>(block.units);
  const auto inputs = static_cast<size_t>(block.inputs);
  const auto pitch = static_cast<size_t>(shape.in);
  for (size_t u = 0; u < units; ++u) {
    const auto row = all.weights.begin() + static_cast<long>(u * pitch);
    c.weights.insert(c.weights.end(), row, row + static_cast<long>(inputs));
  }
  const auto first = [&](auto& numbers) {
    if (numbers.size() > units) numbers.resize(units);
    return std::move(numbers);
  };
  c.scales = first(all.scales);
  c.bias = first(all.bias);
  c.zero_points = first(all.zero_points);
  return c;
}

class Reader {
 public:
  Reader(DecompiledLayer& layer, const LstmStages& found, const LstmContext& c, Follower& follower,
         std::vector<size_t>& used)
      : l_(layer), found_(found), c_(c), follower_(follower), used_(used) {}

  void run() {
    l_.type = LayerType::lstm;
    l_.hidden_state = found_.hidden;
    l_.cell_state = found_.cell;
    l_.numbers = stage(found_.result).nest;
    l_.problem = find_sizes();
    if (l_.problem.empty()) l_.problem = check_steps();
    for (size_t g = 0; g < kGates && l_.problem.empty(); ++g)
      l_.problem = read_gate(found_.gates[g]);
  }

 private:
  const Stage& stage(size_t s) const { return c_.replay.stages[s]; }
  std::span<const int32_t> row(size_t s) const { return stage(s).row; }

  // One position of as many outputs as units, or of whole blocks, each in a tile of its own.
  bool makes_units(const GateStages& g) const {
    const auto window = window_of(stage(g.of_input).nest, false);
    const auto hidden = window_of(stage(g.of_hidden).nest, false);
    if (!window || !hidden || hidden->out_channels != window->out_channels || window->pixels != 1) {
      return false;
    }
    const int64_t blocks = (int64_t{units_} + kBlockChannels - 1) / kBlockChannels;
    const bool whole = window->out_channels == round4(units_) && g.tiles.size() == 1;
    return whole || (window->out_channels == kBlockChannels &&
                     static_cast<int64_t>(g.tiles.size()) == blocks);
  }

  // What every gate reads are the bytes of one input, and of the hidden state; of the first step.
  std::string find_sizes() {
    const darwinn::Layer& state = c_.inference.inputs[found_.hidden];
    units_ = state.z_dim;
    std::optional<size_t> input;
    for (const GateStages& g : found_.gates) {
      if (!makes_units(g)) return "a gate has another number of outputs than its state";
      const auto request = follower_.rows(row(g.of_input), 1, 0, 1, 1);
      if (!request || *request >= c_.replay.requests.size()) {
        return "what a gate reads is not an input";
      }
      const size_t i = c_.replay.requests[*request];
      if (input && *input != i) return "its gates read different inputs";
      input = i;
      request_ = *request;
      const auto hidden = follower_.rows(row(g.of_hidden), units_, 0, units_, units_);
      const bool is_state = hidden && *hidden < c_.replay.requests.size() &&
                            c_.replay.requests[*hidden] == found_.hidden;
      if (!is_state) return "a gate does not read the hidden state";
    }
    const darwinn::Layer& in = c_.inference.inputs[*input];
    l_.inputs = {Operand{{input_producer(*input)}}};
    steps_ = int64_t{in.y_dim} * in.x_dim;
    depth_ = in.z_dim;
    // A sequence may be announced as one row; the results tell how many steps it has.
    const MovedRows* left = result_rows(c_.replay, found_);
    if (left != nullptr && steps_ == 1 && left->rows > 0 && depth_ % left->rows == 0) {
      steps_ = left->rows;
      depth_ /= left->rows;
    }
    constexpr int64_t kMost = 65536;
    if (steps_ < 1 || steps_ > kMost || depth_ < 1 || depth_ > kMost) {
      return "its input has no steps";
    }
    const auto window = window_of(stage(found_.gates[0].of_input).nest, false);
    if (window->in_channels != round4(depth_)) {
      return "its gates read " + std::to_string(window->in_channels) + " bytes of a step of " +
             std::to_string(depth_);
    }
    l_.in = {1, static_cast<int>(steps_), static_cast<int>(depth_)};
    l_.out = {1, static_cast<int>(steps_), units_};
    return {};
  }

  // The loop runs over all steps of the input in their order, and leaves each one's result behind
  // the one before.
  std::string check_steps() {
    if (const MovedRows* rows = result_rows(c_.replay, found_)) {
      l_.left_words = rows->row;
      if (rows->rows != steps_ || rows->row != (units_ + kLstmWord - 1) / kLstmWord) {
        return "its results are " + std::to_string(rows->rows) + " rows of " +
               std::to_string(rows->row) + " words";
      }
      const auto taken = step_rows(c_.replay, found_, steps_);
      if (!taken) return "its loop does not end after " + std::to_string(steps_) + " steps";
      LoopFetch all = c_.replay.traces.loop_fetches[taken->fetch];
      all.words = static_cast<size_t>(taken->words);
      return in_order(all) ? "" : "the order of its steps was not found";
    }
    if (!compares_with(c_.replay.steps, found_, steps_)) {
      return "its loop does not end after " + std::to_string(steps_) + " steps";
    }
    if (c_.inference.scratch_size != steps_ * lstm_row_bytes(l_)) {
      return "the scratch memory has not the size of its results";
    }
    for (const LoopFetch& f : c_.replay.traces.loop_fetches) {
      if (f.step < found_.first_step || f.step > found_.last_step) continue;
      if (in_order(f)) return {};
    }
    return "the order of its steps was not found";
  }

  // Tile after tile, place after place: step after step.
  bool in_order(const LoopFetch& f) {
    int64_t step = 0;
    for (const auto& nodes : f.nodes) {
      for (size_t at = 0; f.words > 0 && at + f.words <= nodes.size(); at += f.words) {
        const auto here = std::span(nodes).subspan(at, f.words);
        if (step >= steps_ ||
            follower_.rows(here, depth_, step * depth_, depth_, depth_) != request_) {
          break;
        }
        ++step;
      }
    }
    return step == steps_;
  }

  std::string read_gate(const GateStages& g) {
    GateNumbers n;
    n.scale = stage(g.sum).nest.multiplier;
    n.input_multiplier = stage(g.of_input).nest.multiplier;
    n.hidden_multiplier = stage(g.of_hidden).nest.multiplier;
    n.input_zero_point = stage(g.of_input).nest.input_zero_point;
    n.hidden_zero_point = stage(g.of_hidden).nest.input_zero_point;
    std::string problem =
        read_blocks(g, g.of_input, static_cast<int>(depth_), n.of_input, n.input_multiplier);
    if (problem.empty()) {
      problem = read_blocks(g, g.of_hidden, units_, n.of_hidden, n.hidden_multiplier);
    }
    const auto& added = n.of_hidden.bias;
    if (std::any_of(added.begin(), added.end(), [](int32_t b) { return b != 0; })) {
      problem = "a gate adds numbers to what the hidden state makes";
    }
    l_.gates.push_back(std::move(n));
    return problem;
  }

  // Of all its tiles, one after the other.
  std::string read_blocks(const GateStages& g, size_t s, int inputs, BlockContent& content,
                          float& multiplier) {
    const auto window = window_of(stage(s).nest, false);
    for (size_t k = 0; k < g.tiles.size(); ++k) {
      const auto lanes = static_cast<int>(window->out_channels);
      const int units = std::min(lanes, units_ - static_cast<int>(k) * kBlockChannels);
      BlockContent part;
      std::string problem = read_block_of(s, g.tiles[k], {lanes, inputs, units}, part);
      if (!problem.empty()) return problem;
      add_part(part, content);
    }
    const auto& zeros = content.zero_points;
    if (std::any_of(zeros.begin(), zeros.end(), [&](uint8_t z) { return z != zeros.front(); })) {
      return "the outputs of a gate have different zero points";
    }
    const auto& scales = content.scales;
    if (scales.empty()) return {};
    multiplier = scales.front();
    const bool one = std::all_of(scales.begin(), scales.end(), [&](float m) {
      return std::bit_cast<uint32_t>(m) == std::bit_cast<uint32_t>(multiplier);
    });
    return one ? "" : "the outputs of a gate have different scales";
  }

  static void add_part(const BlockContent& part, BlockContent& to) {
    to.weights.insert(to.weights.end(), part.weights.begin(), part.weights.end());
    to.scales.insert(to.scales.end(), part.scales.begin(), part.scales.end());
    to.bias.insert(to.bias.end(), part.bias.begin(), part.bias.end());
    to.zero_points.insert(to.zero_points.end(), part.zero_points.begin(), part.zero_points.end());
  }

  // Weights lie where the instruction's own address says.
  std::string read_block_of(size_t s, size_t tile, GateBlock block, BlockContent& content) {
    const Nest& n = stage(s).nest;
    BlockShape shape;
    shape.has_bias = n.has_bias;
    shape.has_scale = n.has_scales;
    shape.has_zero = n.channel_zero_points;
    // Blocks in tiles of their own have all outputs, and inputs that fill words.
    shape.out = shape.has_scale ? block.lanes : block.units;
    shape.in = shape.has_scale ? round4(block.inputs) : block.inputs;
    constexpr int64_t kQuarters = 4;
    const auto at = c_.resident.at.find({static_cast<int>(tile), n.weight.start / kQuarters});
    if (c_.caching == nullptr || at == c_.resident.at.end()) {
      return "the weights of a gate were not found";
    }
    const BlockPlace& place = c_.resident.blocks[at->second];
    const auto wanted = static_cast<size_t>(shape.bytes());
    if (shape.has_scale != shape.has_zero || place.bytes < wanted ||
        place.bytes >= wanted + kLineBytes) {
      return "the parameters of a gate are " + std::to_string(place.bytes) + " bytes, not " +
             std::to_string(wanted);
    }
    auto read = read_block(shape, ByteSpan(c_.caching->parameters).subspan(place.offset),
                           static_cast<uint8_t>(n.weight_zero_point));
    if (!read.ok()) return read.error().message;
    content = real_units(std::move(*read), shape, block);
    l_.blocks.push_back(place);
    used_.push_back(at->second);
    return {};
  }

  DecompiledLayer& l_;
  const LstmStages& found_;
  const LstmContext& c_;
  Follower& follower_;
  std::vector<size_t>& used_;
  size_t request_ = 0;
  int units_ = 0;
  int64_t steps_ = 0, depth_ = 0;
};

}  // namespace

void read_lstm(DecompiledLayer& layer, const LstmStages& stages, const LstmContext& context,
               Follower& follower, std::vector<size_t>& used) {
  Reader(layer, stages, context, follower, used).run();
}

// Transfers are whole words of eight bytes.
int64_t lstm_row_bytes(const DecompiledLayer& layer) {
  if (layer.left_words > 0) return layer.left_words * kLstmWord;
  constexpr int64_t kTransfer = 8;
  return (int64_t{layer.out.c} + kTransfer - 1) / kTransfer * kTransfer;
}

}  // namespace edgetwin::edgetpu
