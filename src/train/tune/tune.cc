#include "train/tune/tune.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "train/math/random.h"
#include "train/rules/rules.h"
#include "train/tune/blocks.h"
#include "train/tune/gradients.h"

namespace edgetwin::train {
namespace {

std::string fixed(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string score_text(const OutputForm& form, const PartScore& s) {
  std::string text;
  if (form.kind != TargetKind::values) text = "Top1: " + fixed("%.3f", s.top1()) + "    ";
  return text + "Loss: " + fixed("%.6f", s.mean_loss());
}

std::vector<uint32_t> all_items(const Items& items) {
  std::vector<uint32_t> all(items.count());
  std::iota(all.begin(), all.end(), 0U);
  return all;
}

class TuneRun {
 public:
  TuneRun(quantize::Planned planned, const ItemSets& sets, const TuneSettings& settings)
      : sets_(sets), s_(settings), pool_(settings.threads) {
    result_.planned = std::move(planned);
    result_.judged = true;
  }

  Result<TuneResult> run(const std::vector<quantize::Sample>& samples) {
    EDGETWIN_TRY(prepare({.phase = TunedPhase::floats}));
    if (s_.method == TuneMethod::qat && s_.qat_start > 0) EDGETWIN_TRY(float_epochs(samples));
    EDGETWIN_TRY(prepare({}));
    EDGETWIN_TRY(judge_start());
    if (s_.method == TuneMethod::qat) {
      EDGETWIN_TRY(epochs());
    } else {
      EDGETWIN_TRY(by_blocks(samples));
    }
    EDGETWIN_TRY(finish());
    return std::move(result_);
  }

 private:
  const Graph& graph() const { return *result_.planned.graph; }
  void log(const std::string& line) const {
    if (s_.log) s_.log(line + "\n");
  }
  bool stopped() const { return s_.stopped && s_.stopped(); }

  Status prepare(const TapeForm& form) {
    if (graph().inputs.size() != 1) {
      return broken(Rule::shapes, "the network has " + std::to_string(graph().inputs.size()) +
                                      " inputs; items of a data set are one");
    }
    const Value& in = graph().value(graph().inputs[0]);
    if (in.shape.elements() != static_cast<int64_t>(sets_.train.size())) {
      std::string shape;
      for (const int64_t n : sets_.item_shape)
        shape += (shape.empty() ? "" : "x") + std::to_string(n);
      return broken(Rule::data_shape, "items are " + shape + ", the input '" + in.name + "' is " +
                                          to_string(in.shape));
    }
    EDGETWIN_TRY_ASSIGN(TunedNetwork made, TunedNetwork::make(result_.planned, form));
    network_.emplace(std::move(made));
    EDGETWIN_TRY_ASSIGN(form_, OutputForm::of(network_->logits_shape(), sets_.train.set()));
    EDGETWIN_TRY_ASSIGN(form_, OutputForm::of(network_->logits_shape(), sets_.test.set()));
    result_.form = form_;
    softmax_ = network_->logits() != network_->outputs()[0] && ends_in(OpKind::softmax);
    if (form_.kind == TargetKind::values)
      loss_slot_ = network_->outputs()[0];
    else
      loss_slot_ = network_->logits();
    return Ok{};
  }

  bool ends_in(OpKind kind) const {
    const auto producer = result_.planned.plan->producer(graph().outputs[0]);
    return producer && graph().ops[*producer].kind == kind;
  }

  // The part that decides which epoch is the best, and its items.
  const Items& validating() const { return sets_.validation.empty() ? sets_.test : sets_.train; }
  std::vector<uint32_t> validating_items() const {
    return sets_.validation.empty() ? all_items(sets_.test) : sets_.validation;
  }

  Result<TwinScore> score(const Items& items, std::span<const uint32_t> which) {
    EDGETWIN_TRY_ASSIGN(const quantize::Quantized q, quantize::lower_espdl(result_.planned));
    return twin_score(q, *result_.planned.settings, form_, softmax_, items, which, pool_);
  }

  PartScore float_score(const TunedNetwork& floats, const Items& items,
                        std::span<const uint32_t> which) {
    BatchGradients judge(floats, pool_);
    const Slot out = form_.kind == TargetKind::values ? floats.outputs()[0] : floats.logits();
    return judge.judge(
        which.size(),
        [&](size_t i, TapeRun& run) {
          items.input(which[i], run.values[static_cast<size_t>(floats.inputs()[0])]);
        },
        [&](size_t i, TapeRun& run) {
          return loss_of_item(form_, floats.tape().values(run, out), items.set(), which[i], 0,
                              nullptr);
        });
  }

  // The last epoch before quantization is what is quantized.
  Status float_epochs(const std::vector<quantize::Sample>& samples) {
    Optimizer optimizer(s_.optimizer);
    BatchGradients gradients(*network_, pool_);
    for (int e = 0; e < s_.qat_start && !stopped(); ++e) {
      EDGETWIN_TRY_ASSIGN(TuneEpoch done, epoch(e, optimizer, gradients));
      done.quantized = false;
      done.validation = float_score(*network_, validating(), validating_items());
      log("--- validate (epoch=" + std::to_string(e) + ")---\n==> " +
          score_text(form_, done.validation));
      result_.epochs.push_back(std::move(done));
    }
    network_->store(*result_.planned.graph);
    const Graph trained = graph();
    const quantize::Settings settings = *result_.planned.settings;
    network_.reset();
    EDGETWIN_TRY_ASSIGN(result_.planned, quantize::plan_espdl(trained, samples, settings));
    return Ok{};
  }

  Status judge_start() {
    const auto test = all_items(sets_.test);
    EDGETWIN_TRY_ASSIGN(const TunedNetwork floats,
                        TunedNetwork::make(result_.planned, {.phase = TunedPhase::floats}));
    result_.float_test = float_score(floats, sets_.test, test);
    log("--- test, float ---\n==> " + score_text(form_, result_.float_test));
    EDGETWIN_TRY_ASSIGN(const TwinScore ptq, score(sets_.test, test));
    result_.ptq_test = ptq.score;
    log("--- test, quantized after training ---\n==> " + score_text(form_, ptq.score));
    EDGETWIN_TRY_ASSIGN(const TwinScore start, score(validating(), validating_items()));
    result_.ptq_validation = result_.best_validation = start.score;
    if (sets_.validation.empty()) log("the test items decide which epoch is the best");
    return Ok{};
  }

  Status epochs() {
    std::vector<std::vector<float>> best;
    for (const auto& p : network_->parameters()) best.push_back(p.numbers);
    Optimizer optimizer(s_.optimizer);
    BatchGradients gradients(*network_, pool_);
    for (int e = s_.qat_start; e < s_.epochs && !stopped(); ++e) {
      EDGETWIN_TRY_ASSIGN(TuneEpoch done, epoch(e, optimizer, gradients));
      if (stopped()) break;
      network_->store(*result_.planned.graph);
      EDGETWIN_TRY_ASSIGN(TwinScore twin, score(validating(), validating_items()));
      done.validation = twin.score;
      done.warnings = std::move(twin.warnings);
      log_epoch(done);
      result_.epochs.push_back(done);
      if (is_better(form_, done.validation, result_.best_validation)) {
        result_.best_validation = done.validation;
        result_.best_epoch = e;
        for (size_t i = 0; i < best.size(); ++i) best[i] = network_->parameters()[i].numbers;
      }
      if (s_.patience && e - std::max(result_.best_epoch, s_.qat_start - 1) >= *s_.patience) break;
    }
    result_.interrupted = stopped();
    for (size_t i = 0; i < best.size(); ++i) network_->parameters()[i].numbers = best[i];
    return Ok{};
  }

  void log_epoch(const TuneEpoch& done) const {
    log("--- validate (epoch=" + std::to_string(done.epoch) + ")---\n==> " +
        score_text(form_, done.validation) + "    of the integer network");
    for (const std::string& layer : done.warnings) {
      log("sums left the range of the chip's lanes: " + layer);
    }
  }

  double rate_of(int e) const {
    if (!s_.schedule) return s_.optimizer.rate;
    std::vector<double> losses;  // of the epochs after which the scheduler advanced
    for (const TuneEpoch& done : result_.epochs) {
      if (s_.schedule->steps_before(done.epoch + 1) > s_.schedule->steps_before(done.epoch)) {
        losses.push_back(done.validation.mean_loss());
      }
    }
    return rate_after(s_.schedule->scheduler, s_.optimizer.rate, s_.schedule->steps_before(e),
                      losses);
  }

  Result<TuneEpoch> epoch(int e, Optimizer& optimizer, BatchGradients& gradients) {
    const auto begin = std::chrono::steady_clock::now();
    optimizer.set_rate(rate_of(e));
    std::vector<uint32_t> order = sets_.training;
    Random(s_.seed, Purpose::permutation, static_cast<uint64_t>(e)).shuffle(order);
    log("Training epoch: " + std::to_string(order.size()) + " samples (" +
        std::to_string(s_.batch) + " per mini-batch)");
    PartScore sum;
    const auto size = static_cast<size_t>(s_.batch);
    for (size_t first = 0; first < order.size() && !stopped(); first += size) {
      const std::span<const uint32_t> batch(order.data() + first,
                                            std::min(size, order.size() - first));
      const PartScore part = step(batch, optimizer, gradients);
      if (!std::isfinite(part.loss)) {
        return broken(Rule::not_finite, "the loss of epoch " + std::to_string(e) + ", step " +
                                            std::to_string(first / size) +
                                            " is not finite at a rate of " +
                                            fixed("%g", optimizer.options().rate));
      }
      sum.loss += part.loss;
      sum.right += part.right;
      sum.counted += part.counted;
      sum.items += part.items;
      if (s_.progress) {
        s_.progress(
            (e + static_cast<double>(first) / static_cast<double>(order.size())) / s_.epochs,
            "epoch " + std::to_string(e) + ", " + score_text(form_, sum));
      }
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    log("Epoch: [" + std::to_string(e) + "]    Overall " + score_text(form_, sum) + "    LR " +
        fixed("%g", optimizer.options().rate));
    return TuneEpoch{e,  true, optimizer.options().rate, sum.mean_loss(), sum.top1(), took.count(),
                     {}, {}};
  }

  PartScore step(std::span<const uint32_t> batch, Optimizer& optimizer, BatchGradients& gradients) {
    const double weight = 1.0 / static_cast<double>(batch.size());
    const StepTape& tape = network_->tape();
    const PartScore part = gradients.run(
        batch.size(),
        [&](size_t i, TapeRun& run) {
          sets_.train.input(batch[i], run.values[static_cast<size_t>(network_->inputs()[0])]);
        },
        [&](size_t i, TapeRun& run) {
          Numbers* to = tape.wants_gradient(loss_slot_)
                            ? &run.gradients[static_cast<size_t>(loss_slot_)]
                            : nullptr;
          return loss_of_item(form_, tape.values(run, loss_slot_), sets_.train.set(), batch[i],
                              weight, to);
        });
    if (!std::isfinite(part.loss)) return part;
    for (TunedNetwork::Parameter& p : network_->parameters()) {
      const Numbers& g = gradients.gradient(p.slot);
      const std::vector<float> narrow(g.begin(), g.end());
      optimizer.step(p.name, p.numbers, narrow);
    }
    network_->refresh();
    return part;
  }

  Status by_blocks(const std::vector<quantize::Sample>& samples) {
    EDGETWIN_TRY_ASSIGN(result_.blocks, tune_blocks(result_.planned, samples, s_, pool_));
    result_.interrupted = stopped();
    return after_blocks();
  }

  // The whole is kept only where the integer network is not worse.
  Status after_blocks() {
    EDGETWIN_TRY_ASSIGN(TunedNetwork made, TunedNetwork::make(result_.planned, {}));
    network_.emplace(std::move(made));
    EDGETWIN_TRY_ASSIGN(const TwinScore after, score(validating(), validating_items()));
    result_.best_validation = after.score;
    result_.best_epoch = 0;
    return Ok{};
  }

  Status finish() {
    network_->refresh();
    network_->store(*result_.planned.graph);
    EDGETWIN_TRY_ASSIGN(result_.quantized, quantize::lower_espdl(result_.planned));
    const auto test = all_items(sets_.test);
    EDGETWIN_TRY_ASSIGN(const TwinScore best,
                        twin_score(result_.quantized, *result_.planned.settings, form_, softmax_,
                                   sets_.test, test, pool_));
    result_.best_test = best.score;
    log("--- test, best ---\n==> " + score_text(form_, best.score) +
        "   of the integer network, epoch " + std::to_string(result_.best_epoch));
    return Ok{};
  }

  const ItemSets& sets_;
  const TuneSettings& s_;
  ThreadPool pool_;
  TuneResult result_;
  std::optional<TunedNetwork> network_;
  OutputForm form_;
  Slot loss_slot_ = 0;
  bool softmax_ = false;
};

}  // namespace

Result<TuneResult> tune(quantize::Planned planned, const ItemSets* sets,
                        const std::vector<quantize::Sample>& samples,
                        const TuneSettings& settings) {
  if (sets != nullptr) return TuneRun(std::move(planned), *sets, settings).run(samples);
  if (settings.method == TuneMethod::qat) {
    return broken(Rule::conflict, "the method qat needs items with labels");
  }
  TuneResult result;
  result.planned = std::move(planned);
  ThreadPool pool(settings.threads);
  EDGETWIN_TRY_ASSIGN(result.blocks, tune_blocks(result.planned, samples, settings, pool));
  EDGETWIN_TRY_ASSIGN(result.quantized, quantize::lower_espdl(result.planned));
  return result;
}

}  // namespace edgetwin::train
