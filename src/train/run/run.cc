#include "train/run/run.h"

#include <chrono>
#include <cmath>
#include <set>

#include "base/file.h"
#include "train/checkpoint/read.h"
#include "train/checkpoint/write.h"
#include "train/journal/events.h"
#include "train/math/random.h"
#include "train/report/epoch_events.h"
#include "train/report/page.h"
#include "train/rules/rules.h"
#include "train/run/ending.h"
#include "train/run/lines.h"
#include "train/run/quantization_start.h"
#include "train/run/resumed.h"
#include "train/run/stepper.h"
#include "train/score/threshold_search.h"
#include "train/settings/settings_files.h"

namespace edgetwin::train {
namespace {

class Run {
 public:
  Run(const RunSettings& settings, Setup setup)
      : s_(settings),
        setup_(std::move(setup)),
        pool_(settings.threads),
        optimizer_(settings.optimizer),
        base_rate_(settings.optimizer.rate),
        folder_(settings.output) {}

  Result<RunResult> go() {
    if (s_.events) EDGETWIN_TRY(start_events());
    if (!s_.resume.empty()) EDGETWIN_TRY(resume());
    EDGETWIN_TRY(folder_.write("train.yaml", as_byte_span(settings_text(s_))));
    if (!s_.description_text.empty()) {  // what messages name exists from here on
      EDGETWIN_TRY(folder_.write("network.yaml", as_byte_span(setup_.description)));
    }
    if (s_.qat_start && *s_.qat_start >= s_.epochs && s_.log) {
      // Not of the run as a whole: more epochs may follow.
      s_.log(format_line("Warning: quantization would start in epoch %d, after the last one\n",
                         *s_.qat_start));
    }
    if (first_epoch_ == 0) {
      log(setup_.summary);
      log(format_line("Training epoch: %zu samples (%d per mini-batch)\n", setup_.training.size(),
                      s_.batch));
    }
    for (int epoch = first_epoch_; epoch < s_.epochs; ++epoch) {
      EDGETWIN_TRY_ASSIGN(const bool whole, one_epoch(epoch));
      if (!whole) return interrupted(epoch);
      if (!s_.patience || epoch - progress_.best_epoch < *s_.patience) continue;
      log(format_line("The last %d epochs were not better than epoch %d: the run ends here\n",
                      *s_.patience, progress_.best_epoch));
      break;
    }
    EDGETWIN_TRY(end());
    return std::move(result_);
  }

 private:
  void log(const std::string& line) {
    log_ += line;
    if (s_.log) s_.log(line);
  }

  // The last whole epoch's files stay; the log says where the run was left.
  Result<RunResult> interrupted(int epoch) {
    log(format_line("Stopped in epoch %d: its steps are lost, --resume-from goes on with it\n",
                    epoch));
    EDGETWIN_TRY(folder_.write("train.log", as_byte_span(log_)));
    result_.interrupted = true;
    result_.files = folder_.files();
    return std::move(result_);
  }

  // Test items, integers, twin, with the best parameters.
  Status end() {
    if (best_.empty()) return broken(Rule::setting, "the run has no epochs left to train");
    if (!result_.epochs.empty() && result_.epochs.back().epoch != progress_.best_epoch) {
      test_last_epoch();
    }
    EDGETWIN_TRY_ASSIGN(const torch::Checkpoint checkpoint,
                        torch::Checkpoint::read(best_, file("best")));
    EDGETWIN_TRY_ASSIGN(const StoredState state, StoredState::of(checkpoint));
    EDGETWIN_TRY(load_state(state, setup_.model));
    result_.best_epoch = progress_.best_epoch;
    Ending ending{s_, setup_, pool_, folder_, [this](const std::string& line) { log(line); }};
    EDGETWIN_TRY(ending.run(tested_, result_.twin));
    result_.test = tested_.scores;
    EDGETWIN_TRY(write_page(true));
    EDGETWIN_TRY(folder_.write("train.log", as_byte_span(log_)));
    result_.files = folder_.files();
    return Ok{};
  }

  // The parameters of the last epoch, before those of the best one take their place.
  void test_last_epoch() {
    const DataSet& test = setup_.data.test;
    const Evaluation last =
        evaluate(setup_.model, setup_.objective, test, all_indices(test.items()), pool_);
    log(format_line("--- test (last epoch, %d)---\n", result_.epochs.back().epoch));
    log("==> " + score_text(last, test.kind) + "\n");
  }

  Status write_page(bool done) {
    RunPage page = begun_page(s_, setup_, result_.epochs, layers_);
    if (done) end_page(page, tested_, result_.twin, setup_, pool_);
    return folder_.write("report.html", as_byte_span(run_page(page)));
  }

  Status start_events() {
    EDGETWIN_TRY_ASSIGN(events_, EventFile::make(s_.output));
    folder_.note(events_->name());
    if (s_.command.empty()) return Ok{};
    return events_->append(text_event(wall_time(), "Command line", s_.command));
  }

  Status write_events(const EpochRow& row, const Evaluation& judged, const Observer& observed) {
    if (!events_) return Ok{};
    const auto batch = static_cast<size_t>(s_.batch);
    const EpochReport report{
        .row = row,
        .judged = judged,
        .observed = observed,
        .classes = setup_.data.classes,
        .objective_loss = objective_loss_,
        .steps = static_cast<int64_t>((setup_.training.size() + batch - 1) / batch)};
    EDGETWIN_TRY_ASSIGN(const Bytes records, epoch_events(report, setup_.model, s_));
    return events_->append(records);
  }

  Status resume() {
    EDGETWIN_TRY_ASSIGN(Resumed resumed, take_up(s_, setup_, optimizer_));
    progress_ = std::move(resumed.progress);
    first_epoch_ = resumed.first_epoch;
    result_.epochs = std::move(resumed.epochs);
    layers_ = std::move(resumed.layers);
    log_ = std::move(resumed.log);
    warned_ = layer_warnings_in(log_);
    if (first_epoch_ == 0) return Ok{};
    losses_ = progress_.losses;
    const auto best = s_.resume.parent_path() / file("best");
    std::error_code failed;
    if (!std::filesystem::exists(best, failed)) return Ok{};
    EDGETWIN_TRY_ASSIGN(best_, read_file(best));
    return folder_.write(file("best"), best_);
  }

  std::string file(const std::string& name) const {
    return (s_.name.empty() ? "" : s_.name + "_") + (setup_.model.quantized ? "qat_" : "") + name +
           ".pth.tar";
  }

  double rate_of(int epoch) const {
    if (!s_.schedule) return base_rate_;
    return rate_after(s_.schedule->scheduler, base_rate_, s_.schedule->steps_before(epoch),
                      losses_);
  }

  void start_qat(int epoch) {
    log(format_line("Epoch: [%d] quantization takes part from here; batch norm is folded\n",
                    epoch));
    const Judging judging = judging_of();
    log(begin_quantization(setup_, s_.outlier_score.value_or(kUsualOutlierScore), *judging.data,
                           judging.indices, pool_));
    progress_.best_top1 = progress_.best_top5 = progress_.best_map = 0;
    best_.clear();
  }

  // False: the run was asked to stop before the epoch was whole.
  Result<bool> one_epoch(int epoch) {
    if (s_.qat_start && epoch >= *s_.qat_start && !setup_.model.quantized) start_qat(epoch);
    optimizer_.set_rate(rate_of(epoch));
    EpochRow row;
    row.epoch = epoch;
    row.quantized = setup_.model.quantized;
    row.rate = optimizer_.options().rate;
    const auto start = std::chrono::steady_clock::now();
    EDGETWIN_TRY_ASSIGN(const bool whole, steps(epoch, row));
    if (!whole) return false;
    row.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    row.items_per_second =
        static_cast<double>(setup_.training.size()) / std::max(row.seconds, 1e-9);
    Observer observed(s_.curves);
    const Evaluation judged = validate(row, observed);
    EDGETWIN_TRY(keep(row, judged));
    result_.epochs.push_back(row);
    EDGETWIN_TRY(write_events(row, judged, observed));
    const std::vector<LayerRow> layers = observed_rows(setup_.model, epoch, observed);
    if (row.quantized) warn(layers);
    layers_.insert(layers_.end(), layers.begin(), layers.end());
    EDGETWIN_TRY(folder_.write("layers.csv", as_byte_span(layer_rows_text(layers_))));
    EDGETWIN_TRY(write_page(false));
    EDGETWIN_TRY(folder_.write("train.log", as_byte_span(log_)));
    EDGETWIN_TRY(folder_.write("history.csv", as_byte_span(history_text(result_.epochs))));
    return true;
  }

  // Each warning once in a phase: said again it would hide the scores.
  void warn(const std::vector<LayerRow>& rows) {
    std::vector<int> changes;
    for (size_t i = 0; i < setup_.model.parameters.size(); ++i) {
      if (!setup_.model.parameters[i].weights.empty()) changes.push_back(changes_[i]);
    }
    for (const std::string& line : layer_warnings(rows, changes)) {
      if (warned_.insert(line).second) log(line);
    }
  }

  void show_progress(int epoch, size_t items, const StepSums& sums) const {
    const auto size = static_cast<double>(setup_.training.size());
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begun_;
    const double done = (epoch - first_epoch_) * size + static_cast<double>(items);
    const double left = (s_.epochs - first_epoch_) * size - done;
    const double rate = done / std::max(passed.count(), 1e-9);
    s_.progress(done / (done + left),
                progress_line(epoch, s_.epochs, items, sums, rate, left / std::max(rate, 1e-9)));
  }

  Result<bool> steps(int epoch, EpochRow& row) {
    std::vector<uint32_t> order = setup_.training;
    Random random(s_.seed, Purpose::permutation, static_cast<uint64_t>(epoch));
    random.shuffle(order);
    const auto batch = static_cast<size_t>(s_.batch);
    const size_t total = (order.size() + batch - 1) / batch;
    Stepper stepper{s_, setup_, optimizer_, pool_, epoch};
    StepSums sums;
    for (size_t first = 0; first < order.size(); first += batch) {
      const auto part = std::span(order).subspan(first, std::min(batch, order.size() - first));
      EDGETWIN_TRY(stepper.step(first / batch, part, sums));
      if (s_.stopped && s_.stopped()) return false;
      if (s_.progress) show_progress(epoch, first + part.size(), sums);
      const size_t number = first / batch + 1;
      if (number < total && number % static_cast<size_t>(s_.print_every) == 0) {
        log_step(epoch, number, total, static_cast<double>(first + part.size()), sums, row);
      }
    }
    log_step(epoch, total, total, static_cast<double>(order.size()), sums, row);
    changes_ = std::move(stepper.changes);
    return true;
  }

  // The means of the epoch so far.
  void log_step(int epoch, size_t step, size_t total, double items, const StepSums& sums,
                EpochRow& row) {
    row.train_loss = sums.overall / items;
    objective_loss_ = sums.objective / items;
    if (setup_.objective.judges_classes()) {
      const StepSums::Classes& of = s_.last_batch_accuracy ? sums.last : sums.all;
      const auto percent = [&of](int64_t n) {
        return 100.0 * static_cast<double>(n) / static_cast<double>(of.judged);
      };
      row.train_top1 = percent(of.right);
      if (sums.has_five) row.train_top5 = percent(of.among_five);
    }
    log(step_line({epoch, step, total}, row, objective_loss_, setup_.objective.detects()));
  }

  // What validates.
  struct Judging {
    const DataSet* data;
    std::vector<uint32_t> indices;
  };
  Judging judging_of() const {
    if (!setup_.validation.empty()) return {&setup_.data.train, setup_.validation};
    return {&setup_.data.test, all_indices(setup_.data.test.items())};
  }

  Evaluation validate(EpochRow& row, Observer& observer) {
    const Judging judging = judging_of();
    Evaluation e = evaluate(setup_.model, setup_.objective, *judging.data, judging.indices, pool_,
                            nullptr, &observer);
    row.validation_loss = e.loss;
    if (e.classes) row.validation_top1 = e.top1();
    if (e.detects) row.validation_map = e.map().mean;
    if (e.has_top5()) row.validation_top5 = e.top5();
    losses_.push_back(e.loss);
    log(format_line("--- validate (epoch=%d)---\n", row.epoch));
    log("==> " + score_text(e, judging.data->kind) + "\n");
    if (s_.confusion && e.classes) log(confusion_lines(e.confusion));
    return e;
  }

  // The checkpoint of the epoch; the same bytes as the best if it is the best of its phase.
  Status keep(const EpochRow& row, const Evaluation& judged) {
    progress_.epoch = row.epoch;
    progress_.seed = s_.seed;
    progress_.normalisation = normalisation_name(s_.data_options.normalisation);
    progress_.average_rounding = average_rounding(setup_.model.network);
    if (s_.schedule) progress_.scheduler_steps = s_.schedule->steps_before(row.epoch + 1);
    progress_.losses = losses_;
    progress_.current_top1 = row.validation_top1.value_or(0);
    progress_.current_map = row.validation_map.value_or(0);
    if (s_.schedule) progress_.initial_rate = base_rate_;
    const bool best = best_.empty() || is_better(row, progress_);
    if (best) {
      progress_.best_top1 = row.validation_top1.value_or(0);
      progress_.best_top5 = row.validation_top5.value_or(0);
      progress_.best_map = row.validation_map.value_or(0);
      progress_.best_loss = row.validation_loss;
      progress_.best_epoch = row.epoch;
    }
    EDGETWIN_TRY_ASSIGN(Bytes bytes,
                        torch::write(checkpoint_of(setup_.model, optimizer_, progress_)));
    EDGETWIN_TRY(folder_.write(file("checkpoint"), bytes));
    log(best_text(progress_, judged, setup_.model));
    if (!best) return Ok{};
    best_ = std::move(bytes);
    return folder_.write(file("best"), best_);
  }

  const RunSettings& s_;
  Setup setup_;
  ThreadPool pool_;
  Optimizer optimizer_;
  double base_rate_;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  RunFolder folder_;
  int first_epoch_ = 0;
  Progress progress_;
  Bytes best_;
  std::string log_;
  std::optional<EventFile> events_;
  std::vector<double> losses_;
  std::vector<LayerRow> layers_;
  std::vector<int> changes_;  // of shifts in the last epoch, by layer
  std::set<std::string> warned_;
  double objective_loss_ = 0;
  TestRun tested_;
  RunResult result_;
};

}  // namespace

Result<RunResult> train_network(const RunSettings& settings) {
  EDGETWIN_TRY_ASSIGN(Setup setup, set_up(settings));
  return Run(settings, std::move(setup)).go();
}

}  // namespace edgetwin::train
