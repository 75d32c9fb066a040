#include "train/tune/tune.h"

#include <algorithm>
#include <numeric>

#include "train/rules/rules.h"
#include "train/tune/blocks.h"
#include "train/tune/epoch.h"
#include "train/tune/parameters.h"

namespace edgetwin::train {
namespace {

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
    if (resumes_quantized()) {
      EDGETWIN_TRY(take_up_plan(samples));
    } else if (s_.method == TuneMethod::qat && s_.qat_start > 0) {
      EDGETWIN_TRY(float_epochs(samples));
      if (result_.interrupted) return std::move(result_);
    }
    EDGETWIN_TRY(prepare(quantized_form()));
    if (!resumes_quantized()) EDGETWIN_TRY(judge_start());
    if (s_.method == TuneMethod::qat) {
      EDGETWIN_TRY(epochs());
      if (result_.interrupted) return std::move(result_);
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
    if (resumes_float()) EDGETWIN_TRY(take_up(optimizer));
    for (int e = resumes_float() ? s_.resume->epoch + 1 : 0; e < s_.qat_start; ++e) {
      EDGETWIN_TRY_ASSIGN(TuneEpoch done, one_epoch(e, optimizer, gradients));
      if (stopped()) break;
      done.quantized = false;
      done.validation = float_score(*network_, validating(), validating_items());
      log("--- validate (epoch=" + std::to_string(e) + ")---\n==> " +
          tune_score_text(form_, done.validation));
      result_.epochs.push_back(std::move(done));
      EDGETWIN_TRY(tell(optimizer, {}));
    }
    result_.interrupted = stopped();
    if (result_.interrupted) return Ok{};
    network_->store(*result_.planned.graph);
    return plan_again(samples);
  }

  // The exponents for the parameters that the graph has now.
  Status plan_again(const std::vector<quantize::Sample>& samples) {
    const Graph trained = graph();
    const quantize::Settings settings = *result_.planned.settings;
    network_.reset();
    EDGETWIN_TRY_ASSIGN(result_.planned, quantize::plan_espdl(trained, samples, settings));
    return Ok{};
  }

  // --- What a run has reached.
  bool resumes_float() const { return s_.resume && !s_.resume->quantized; }
  bool resumes_quantized() const { return s_.resume && s_.resume->quantized; }

  ParameterSet parameters() const { return parameters_of(*network_); }
  Status set_parameters(const ParameterSet& from) { return put_parameters(from, *network_); }

  Status take_up(Optimizer& optimizer) {
    EDGETWIN_TRY(set_parameters(s_.resume->parameters));
    if (s_.resume->optimizer_kind != s_.optimizer.kind) {
      return broken(Rule::checkpoint_shape, "the checkpoint is of another kind of optimizer");
    }
    optimizer.states() = s_.resume->optimizer;
    for (const auto& p : network_->parameters()) {
      if (p.exponent_of == quantize::kNone) continue;
      exponents_.states().insert(optimizer.states().extract(p.name));
    }
    result_.epochs = s_.resume->epochs;
    return Ok{};
  }

  // The network of the epoch in which quantization began, with the exponents found there.
  Status take_up_plan(const std::vector<quantize::Sample>& samples) {
    EDGETWIN_TRY(set_parameters(s_.resume->planned));
    network_->store(*result_.planned.graph);
    if (s_.qat_start > 0) EDGETWIN_TRY(plan_again(samples));
    result_.float_test = s_.resume->float_test;
    result_.ptq_test = s_.resume->ptq_test;
    result_.ptq_validation = s_.resume->ptq_validation;
    result_.best_validation = s_.resume->best_validation;
    result_.best_epoch = s_.resume->best_epoch;
    return Ok{};
  }

  // `best`: empty in float epochs.
  Status tell(const Optimizer& optimizer, const ParameterSet& best) {
    if (!s_.after_epoch) return Ok{};
    TuneState state;
    state.epoch = result_.epochs.back().epoch;
    state.quantized = result_.epochs.back().quantized;
    state.optimizer_kind = s_.optimizer.kind;
    state.parameters = parameters();
    state.planned = planned_parameters_;
    state.best = best;
    state.optimizer = optimizer.states();
    state.optimizer.insert(exponents_.states().begin(), exponents_.states().end());
    state.epochs = result_.epochs;
    state.best_epoch = result_.best_epoch;
    state.ptq_validation = result_.ptq_validation;
    state.best_validation = result_.best_validation;
    state.float_test = result_.float_test;
    state.ptq_test = result_.ptq_test;
    return s_.after_epoch(result_, std::move(state));
  }

  Status judge_start() {
    const auto test = all_items(sets_.test);
    EDGETWIN_TRY_ASSIGN(const TunedNetwork floats,
                        TunedNetwork::make(result_.planned, {.phase = TunedPhase::floats}));
    result_.float_test = float_score(floats, sets_.test, test);
    log("--- test, float ---\n==> " + tune_score_text(form_, result_.float_test));
    EDGETWIN_TRY_ASSIGN(const TwinScore ptq, score(sets_.test, test));
    result_.ptq_test = ptq.score;
    log("--- test, quantized after training ---\n==> " + tune_score_text(form_, ptq.score));
    EDGETWIN_TRY_ASSIGN(const TwinScore start, score(validating(), validating_items()));
    result_.ptq_validation = result_.best_validation = start.score;
    if (sets_.validation.empty()) log("the test items decide which epoch is the best");
    return Ok{};
  }

  Status epochs() {
    planned_parameters_ = parameters();
    ParameterSet best = planned_parameters_;
    Optimizer optimizer(s_.optimizer);
    std::optional<BatchGradients> gradients;
    int first = s_.qat_start;
    if (resumes_quantized()) {
      EDGETWIN_TRY(take_up(optimizer));
      best = s_.resume->best;
      first = s_.resume->epoch + 1;
      EDGETWIN_TRY(follow_exponents());
    }
    gradients.emplace(*network_, pool_);
    for (int e = first; e < s_.epochs && !stopped() && !is_patient_until(e - 1); ++e) {
      EDGETWIN_TRY_ASSIGN(TuneEpoch done, one_epoch(e, optimizer, *gradients));
      if (stopped()) break;
      network_->store(*result_.planned.graph);
      EDGETWIN_TRY(follow_exponents());
      if (trains_exponents()) gradients.emplace(*network_, pool_);
      EDGETWIN_TRY_ASSIGN(TwinScore twin, score(validating(), validating_items()));
      done.validation = twin.score;
      done.warnings = std::move(twin.warnings);
      log_epoch(done);
      result_.epochs.push_back(done);
      if (is_better(form_, done.validation, result_.best_validation)) {
        result_.best_validation = done.validation;
        result_.best_epoch = e;
        best = parameters();
      }
      EDGETWIN_TRY(tell(optimizer, best));
    }
    result_.interrupted = stopped();
    EDGETWIN_TRY(set_parameters(best));
    return follow_exponents();
  }

  TapeForm quantized_form() const { return {.thresholds = trains_exponents()}; }
  bool trains_exponents() const { return s_.train_exponents && s_.method == TuneMethod::qat; }

  // The plan gets the exponents that were trained, and the network is made anew of it: shifts and
  // biases follow.
  Status follow_exponents() {
    if (!trains_exponents()) return Ok{};
    const ParameterSet now = parameters();
    network_->store(*result_.planned.graph);
    EDGETWIN_TRY(quantize::set_exponents(result_.planned, network_->exponents()));
    EDGETWIN_TRY(prepare(quantized_form()));
    return set_parameters(now);
  }

  // After this epoch the run has waited long enough for a better one.
  bool is_patient_until(int e) const {
    return s_.patience && e - std::max(result_.best_epoch, s_.qat_start - 1) >= *s_.patience;
  }

  void log_epoch(const TuneEpoch& done) const {
    log("--- validate (epoch=" + std::to_string(done.epoch) + ")---\n==> " +
        tune_score_text(form_, done.validation) + "    of the integer network");
    for (const std::string& layer : done.warnings) {
      log("sums left the range of the chip's lanes: " + layer);
    }
  }

  Result<TuneEpoch> one_epoch(int e, Optimizer& optimizer, BatchGradients& gradients) {
    return EpochTraining{sets_, s_, *network_, form_, loss_slot_, optimizer, exponents_, gradients}
        .run(e, rate_of_epoch(s_, result_.epochs, e));
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
    log("--- test, best ---\n==> " + tune_score_text(form_, best.score) +
        "   of the integer network, epoch " + std::to_string(result_.best_epoch));
    return Ok{};
  }

  const ItemSets& sets_;
  const TuneSettings& s_;
  ThreadPool pool_;
  TuneResult result_;
  std::optional<TunedNetwork> network_;
  Optimizer exponents_{{.kind = OptimizerKind::adam, .weight_decay = 0}};
  OutputForm form_;
  Slot loss_slot_ = 0;
  bool softmax_ = false;
  ParameterSet planned_parameters_;  // those that the exponents were found for
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
