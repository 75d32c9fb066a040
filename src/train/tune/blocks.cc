#include "train/tune/blocks.h"

#include <algorithm>
#include <cmath>

#include "train/rules/rules.h"
#include "train/tune/gradients.h"

namespace edgetwin::train {
namespace {

// Of the published methods.
constexpr int kRoundingMethodSteps = 5000, kStepsMethodSteps = 500;
constexpr int kLooks = 50;  // of a block of the method `steps`: how often all samples judge
constexpr double kRoundingMethodRate = 1e-3, kStepsMethodRate = 1e-5;
// Logarithms of scales change by whole numbers, weights by small parts of them.
constexpr double kExponentRate = 1000;  // times the rate of weights

bool has_weights(const Graph& graph, const Op& op) {
  const bool sums = op.kind == OpKind::conv_2d || op.kind == OpKind::depthwise_conv_2d ||
                    op.kind == OpKind::fully_connected || op.kind == OpKind::matmul;
  return sums && op.has_input(1) && graph.value(op.inputs[1]).is_constant() &&
         !graph.value(op.inputs[0]).is_constant();
}

// The operator reads this value and no other activation, and makes one result.
bool continues(const Graph& graph, const Op& op, ValueId id) {
  if (op.outputs.size() != 1 || op.inputs.empty() || op.inputs[0] != id) return false;
  for (size_t i = 1; i < op.inputs.size(); ++i) {
    if (op.has_input(i) && !graph.value(op.inputs[i]).is_constant()) return false;
  }
  return true;
}

// The values of one slot for all samples, by a whole network.
struct Recorded {
  std::vector<Numbers> values;  // by sample
};

class BlockTuner {
 public:
  BlockTuner(quantize::Planned& planned, const std::vector<quantize::Sample>& samples,
             const TuneSettings& settings, ThreadPool& pool)
      : planned_(planned), samples_(samples), s_(settings), pool_(pool) {}

  Result<std::vector<BlockResult>> run() {
    EDGETWIN_TRY_ASSIGN(TunedNetwork floats,
                        TunedNetwork::make(planned_, {.phase = TunedPhase::floats}));
    const std::vector<Chain> blocks = blocks_of(planned_, s_.block_size);
    std::vector<Recorded> targets;
    for (const Chain& b : blocks) targets.push_back(record(floats, floats.slot_of(b.output)));
    std::vector<BlockResult> results;
    for (size_t i = 0; i < blocks.size(); ++i) {
      if (s_.stopped && s_.stopped()) break;
      EDGETWIN_TRY_ASSIGN(BlockResult done, tune_one(blocks[i], targets[i]));
      if (s_.log) s_.log(text(done) + "\n");
      if (s_.progress) {
        s_.progress(static_cast<double>(i + 1) / static_cast<double>(blocks.size()), done.block);
      }
      results.push_back(std::move(done));
    }
    return results;
  }

 private:
  static std::string text(const BlockResult& r) {
    char numbers[96];
    std::snprintf(numbers, sizeof numbers, "mean square distance %.4g, then %.4g", r.before,
                  r.after);
    std::string text = r.block + ": " + numbers;
    if (r.exponents > 0) text += "; " + std::to_string(r.exponents) + " exponents changed";
    return text + (r.kept ? "" : "; stays as it was");
  }

  Recorded record(const TunedNetwork& network, Slot slot) const {
    Recorded r;
    TapeRun run = network.tape().begin();
    for (const quantize::Sample& sample : samples_) {
      for (size_t i = 0; i < sample.size(); ++i) {
        const auto values = sample[i].as<float>();
        run.values[static_cast<size_t>(network.inputs()[i])].assign(values.begin(), values.end());
      }
      network.tape().forward(run);
      r.values.push_back(network.tape().values(run, slot));
    }
    return r;
  }

  // The mean square distance of a block's results from the targets, and its gradients.
  PartScore distance(const TunedNetwork& block, BatchGradients& gradients, const Recorded& inputs,
                     const Recorded& targets, std::span<const size_t> which, bool back) {
    const Slot out = block.outputs()[0];
    const auto fill = [&](size_t i, TapeRun& run) {
      run.values[static_cast<size_t>(block.inputs()[0])] = inputs.values[which[i]];
    };
    const auto judge = [&](size_t i, TapeRun& run) {
      const Numbers& y = block.tape().values(run, out);
      const Numbers& wanted = targets.values[which[i]];
      const auto n = static_cast<double>(y.size());
      ItemLoss l;
      for (size_t k = 0; k < y.size(); ++k) {
        const double apart = y[k] - wanted[k];
        l.value += apart * apart / n;
        if (back && block.tape().wants_gradient(out)) {
          run.gradients[static_cast<size_t>(out)][k] +=
              2 * apart / n / static_cast<double>(which.size());
        }
      }
      return l;
    };
    return back ? gradients.run(which.size(), fill, judge)
                : gradients.judge(which.size(), fill, judge);
  }

  // With hard rounding, as the chip has the weights.
  Result<double> hard_distance(const Chain& chain, const Recorded& inputs,
                               const Recorded& targets) {
    EDGETWIN_TRY_ASSIGN(TunedNetwork block, TunedNetwork::make(planned_, {.part = &chain}));
    BatchGradients gradients(block, pool_);
    std::vector<size_t> all;
    for (size_t i = 0; i < samples_.size(); ++i) all.push_back(i);
    return distance(block, gradients, inputs, targets, all, false).mean_loss();
  }

  Result<BlockResult> tune_one(const Chain& chain, const Recorded& targets) {
    const Graph& graph = *planned_.graph;
    BlockResult result;
    result.block = op_label(graph, chain.ops.front());
    if (chain.ops.size() > 1) result.block += " to " + op_label(graph, chain.ops.back());
    EDGETWIN_TRY_ASSIGN(TunedNetwork whole, TunedNetwork::make(planned_, {}));
    const Recorded inputs = record(whole, whole.slot_of(chain.input));
    EDGETWIN_TRY_ASSIGN(result.before, hard_distance(chain, inputs, targets));
    EDGETWIN_TRY_ASSIGN(TunedNetwork block, TunedNetwork::make(planned_, form_of(chain)));
    std::vector<std::shared_ptr<const Bytes>> kept;
    for (const auto& p : block.parameters()) {
      kept.push_back(p.value == kAbsent ? nullptr : graph.value(p.value).constant);
    }
    const auto plan = std::make_unique<const quantize::Plan>(*planned_.plan);
    train_block(block, inputs, targets);
    block.store(*planned_.graph);
    const auto exponents = block.exponents();
    if (!exponents.empty()) EDGETWIN_TRY(quantize::set_exponents(planned_, exponents));
    EDGETWIN_TRY_ASSIGN(result.after, hard_distance(chain, inputs, targets));
    result.kept = result.after < result.before;
    if (result.kept) {
      result.exponents = changed_exponents(*plan, *planned_.plan);
      return result;
    }
    for (size_t i = 0; i < kept.size(); ++i) {
      if (kept[i] == nullptr) continue;
      planned_.graph->value(block.parameters()[i].value).constant = kept[i];
    }
    planned_.plan = std::make_unique<const quantize::Plan>(*plan);
    return result;
  }

  TapeForm form_of(const Chain& chain) const {
    return {.part = &chain,
            .rounding = s_.method == TuneMethod::rounding,
            .thresholds = s_.method == TuneMethod::thresholds};
  }

  // How many tensors and parameters have another one; those that follow others are not counted.
  static int changed_exponents(const quantize::Plan& before, const quantize::Plan& after) {
    int changed = 0;
    for (size_t i = 0; i < before.quants().size(); ++i) {
      const auto id = static_cast<quantize::QuantId>(i);
      const bool decides =
          before.root(id) == id && before.quant(id).kind != quantize::OperandQuant::Kind::bias;
      changed += decides && before.quant(id).exponent != after.quant(id).exponent ? 1 : 0;
    }
    return changed;
  }

  void train_block(TunedNetwork& block, const Recorded& inputs, const Recorded& targets) {
    const bool rounding = s_.method == TuneMethod::rounding;
    const int steps =
        s_.block_steps > 0 ? s_.block_steps : (rounding ? kRoundingMethodSteps : kStepsMethodSteps);
    OptimizerOptions how{OptimizerKind::adam, rounding ? kRoundingMethodRate : kStepsMethodRate};
    how.rate = s_.block_rate.value_or(how.rate);
    how.weight_decay = 0;
    Optimizer optimizer(how);
    OptimizerOptions of_exponents = how;
    of_exponents.rate *= kExponentRate;
    Optimizer exponents(of_exponents);
    BatchGradients gradients(block, pool_);
    const RoundingPenalty penalty{steps};
    std::vector<size_t> all;
    for (size_t i = 0; i < samples_.size(); ++i) all.push_back(i);
    std::vector<TunedNetwork::Parameter> best = block.parameters();
    double least = distance(block, gradients, inputs, targets, all, false).loss;
    const auto batch = std::min(static_cast<size_t>(s_.batch), samples_.size());
    size_t next = 0;
    for (int step = 0; step < steps; ++step) {
      if (s_.stopped && s_.stopped()) return;
      std::vector<size_t> which;
      for (size_t i = 0; i < batch; ++i) which.push_back(next++ % samples_.size());
      distance(block, gradients, inputs, targets, which, true);
      for (TunedNetwork::Parameter& p : block.parameters()) {
        const Numbers& g = gradients.gradient(p.slot);
        std::vector<float> narrow(g.begin(), g.end());
        if (p.rounding) {
          const std::vector<float> more = penalty.gradient(p.numbers, step);
          for (size_t i = 0; i < narrow.size(); ++i) narrow[i] += more[i];
        }
        (p.exponent_of == quantize::kNone ? optimizer : exponents).step(p.name, p.numbers, narrow);
      }
      block.refresh();
      // Rounded weights jump: the last step need not be the best one.
      if (rounding || (step + 1) % std::max(1, steps / kLooks) != 0) continue;
      const double now = distance(block, gradients, inputs, targets, all, false).loss;
      if (now >= least) continue;
      least = now;
      best = block.parameters();
    }
    if (!rounding) block.parameters() = std::move(best);
  }

  quantize::Planned& planned_;
  const std::vector<quantize::Sample>& samples_;
  const TuneSettings& s_;
  ThreadPool& pool_;
};

}  // namespace

std::vector<Chain> blocks_of(const quantize::Planned& planned, int size) {
  const Graph& graph = *planned.graph;
  const quantize::Plan& plan = *planned.plan;
  std::vector<Chain> blocks;
  std::vector<bool> taken(graph.ops.size(), false);
  for (size_t i = 0; i < graph.ops.size(); ++i) {
    if (taken[i] || !has_weights(graph, graph.ops[i])) continue;
    Chain c{{i}, graph.ops[i].inputs[0], graph.ops[i].outputs[0]};
    taken[i] = true;
    while (c.ops.size() < static_cast<size_t>(size) && !plan.is_graph_output(c.output)) {
      const auto& next = plan.consumers(c.output);
      if (next.size() != 1 || !continues(graph, graph.ops[next[0]], c.output)) break;
      if (graph.ops[next[0]].kind == OpKind::softmax) break;
      c.ops.push_back(next[0]);
      c.output = graph.ops[next[0]].outputs[0];
      taken[next[0]] = true;
    }
    blocks.push_back(std::move(c));
  }
  return blocks;
}

Result<std::vector<BlockResult>> tune_blocks(quantize::Planned& planned,
                                             const std::vector<quantize::Sample>& samples,
                                             const TuneSettings& settings, ThreadPool& pool) {
  return BlockTuner(planned, samples, settings, pool).run();
}

}  // namespace edgetwin::train
