#include "train/run/run.h"

#include <chrono>
#include <cmath>
#include <cstdio>

#include "base/file.h"
#include "tensor/npy.h"
#include "train/checkpoint/read.h"
#include "train/checkpoint/write.h"
#include "train/layers/weights.h"
#include "train/losses/losses.h"
#include "train/math/random.h"
#include "train/network/parameters.h"
#include "train/rules/rules.h"
#include "train/run/events.h"

namespace edgetwin::train {
namespace {

template <class... Values>
std::string format_line(const char* format, Values... values) {
  char line[256];
  std::snprintf(line, sizeof line, format, values...);
  return line;
}

class Run {
 public:
  Run(const RunSettings& settings, Setup setup)
      : s_(settings),
        setup_(std::move(setup)),
        pool_(settings.threads),
        optimizer_(settings.optimizer),
        base_rate_(settings.optimizer.rate) {}

  Result<RunResult> go() {
    if (s_.events) EDGETWIN_TRY(start_events());
    if (!s_.resume.empty()) EDGETWIN_TRY(resume());
    log(format_line("Training epoch: %zu samples (%d per mini-batch)\n", setup_.training.size(),
                    s_.batch));
    for (int epoch = first_epoch_; epoch < s_.epochs; ++epoch) {
      EDGETWIN_TRY(one_epoch(epoch));
      if (!s_.patience || epoch - progress_.best_epoch < *s_.patience) continue;
      log(format_line("The last %d epochs were not better than epoch %d: the run ends here\n",
                      *s_.patience, progress_.best_epoch));
      break;
    }
    EDGETWIN_TRY(finish());
    return std::move(result_);
  }

 private:
  void log(const std::string& line) {
    log_ += line;
    if (s_.log) s_.log(line);
  }

  Status start_events() {
    EDGETWIN_TRY_ASSIGN(events_, EventFile::make(s_.output));
    result_.files.push_back(events_->name());
    if (s_.command.empty()) return Ok{};
    return events_->append(text_event(wall_time(), "Command line", s_.command));
  }

  // The scalars of an epoch under the tags of the vendor's program.
  Status write_events(const EpochRow& row) const {
    if (!events_) return Ok{};
    const auto batch = static_cast<size_t>(s_.batch);
    const size_t steps = (setup_.training.size() + batch - 1) / batch;
    const std::string training = "Performance/Training/", validation = "Performance/Validation/";
    const double now = wall_time();
    Bytes records = scalar_event(now, (row.epoch + 1) * static_cast<int64_t>(steps),
                                 {{training + "Overall_Loss", row.train_loss},
                                  {training + "Objective_Loss", row.train_loss},
                                  {training + "Top1", row.train_top1},
                                  {training + "LR", row.rate},
                                  {training + "Time", row.seconds / static_cast<double>(steps)}});
    const Bytes more = scalar_event(now, row.epoch,
                                    {{validation + "Loss", row.validation_loss},
                                     {validation + "Top1", row.validation_top1},
                                     {validation + "Top5", row.validation_top5}});
    records.insert(records.end(), more.begin(), more.end());
    for (size_t i = 0; row.quantized && i < setup_.model.parameters.size(); ++i) {
      const LayerParameters& p = setup_.model.parameters[i];
      if (p.weights.empty()) continue;
      const int shift = weight_scale(p.weights, p.bias, setup_.model.quantization[i]).shift;
      const Bytes layer = scalar_event(
          now, row.epoch,
          {{"QAT/" + setup_.model.network.layers[i].name + "/shift", static_cast<double>(shift)}});
      records.insert(records.end(), layer.begin(), layer.end());
    }
    return events_->append(records);
  }

  Status resume() {
    EDGETWIN_TRY_ASSIGN(Bytes bytes, read_file(s_.resume));
    EDGETWIN_TRY_ASSIGN(const torch::Checkpoint checkpoint,
                        torch::Checkpoint::read(std::move(bytes), s_.resume.string()));
    EDGETWIN_TRY_ASSIGN(const StoredState state, StoredState::of(checkpoint));
    EDGETWIN_TRY(load_state(state, setup_.model));
    EDGETWIN_TRY_ASSIGN(progress_, load_progress(checkpoint, setup_.model, optimizer_));
    first_epoch_ = progress_.epoch + 1;
    losses_ = progress_.losses;
    const auto best = s_.resume.parent_path() / file("best");
    std::error_code failed;
    if (std::filesystem::exists(best, failed)) {
      EDGETWIN_TRY_ASSIGN(best_, read_file(best));
      EDGETWIN_TRY(write(file("best"), best_));
    }
    return Ok{};
  }

  std::string file(const std::string& name) const {
    return (setup_.model.quantized ? "qat_" : "") + name + ".pth.tar";
  }

  Status write(const std::string& name, ByteSpan bytes) {
    EDGETWIN_TRY(write_file(s_.output / name, bytes, Overwrite::yes));
    if (std::find(result_.files.begin(), result_.files.end(), name) == result_.files.end()) {
      result_.files.push_back(name);
    }
    return Ok{};
  }

  double rate_of(int epoch) const {
    if (!s_.schedule) return base_rate_;
    return rate_after(s_.schedule->scheduler, base_rate_, s_.schedule->steps_before(epoch),
                      losses_);
  }

  Status one_epoch(int epoch) {
    if (s_.qat_start && epoch >= *s_.qat_start && !setup_.model.quantized) {
      log(format_line("Epoch: [%d] batch norm folded; quantization takes part from here\n", epoch));
      start_quantization(setup_.model);
      progress_.best_top1 = 0;
      best_.clear();
    }
    optimizer_.set_rate(rate_of(epoch));
    EpochRow row{
        .epoch = epoch, .quantized = setup_.model.quantized, .rate = optimizer_.options().rate};
    const auto start = std::chrono::steady_clock::now();
    EDGETWIN_TRY(steps(epoch, row));
    row.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    row.items_per_second =
        static_cast<double>(setup_.training.size()) / std::max(row.seconds, 1e-9);
    validate(row);
    EDGETWIN_TRY(keep(row));
    result_.epochs.push_back(row);
    EDGETWIN_TRY(write_events(row));
    EDGETWIN_TRY(write("train.log", as_byte_span(log_)));
    return write_history();
  }

  Status steps(int epoch, EpochRow& row) {
    std::vector<uint32_t> order = setup_.training;
    Random random(s_.seed, Purpose::permutation, static_cast<uint64_t>(epoch));
    random.shuffle(order);
    const auto batch = static_cast<size_t>(s_.batch);
    const size_t total = (order.size() + batch - 1) / batch;
    double loss = 0;
    int64_t right = 0;
    for (size_t first = 0; first < order.size(); first += batch) {
      const auto part = std::span(order).subspan(first, std::min(batch, order.size() - first));
      EDGETWIN_TRY_ASSIGN(const double own, one_step(epoch, part, right));
      loss += own * static_cast<double>(part.size());
    }
    row.train_loss = loss / static_cast<double>(order.size());
    row.train_top1 = 100.0 * static_cast<double>(right) / static_cast<double>(order.size());
    log(
        format_line("Epoch: [%d][%5zu/%5zu]    Overall Loss %.6f    Objective Loss %.6f    "
                    "Top1 %.6f    LR %.6f\n",
                    epoch, total, total, row.train_loss, row.train_loss, row.train_top1, row.rate));
    return Ok{};
  }

  Result<double> one_step(int epoch, std::span<const uint32_t> part, int64_t& right) {
    Recording recording;
    Model& model = setup_.model;
    forward(model, setup_.data.train.augmented(part, s_.augment, s_.seed, epoch), true, recording,
            pool_);
    EDGETWIN_TRY(check_shifts(recording));
    const size_t last = model.network.outputs()[0];
    const std::vector<int64_t> labels = setup_.data.train.batch_labels(part);
    Loss loss = cross_entropy(recording.outputs[last], labels);
    if (!std::isfinite(loss.value)) {
      return broken(Rule::not_finite, "epoch " + std::to_string(epoch) + ": the loss is not finite")
          .detail("learning rate " + std::to_string(optimizer_.options().rate));
    }
    for (size_t i = 0; i < labels.size(); ++i) {
      const float* outputs = recording.outputs[last].at(static_cast<int>(i), 0, 0);
      if (best_class(outputs, recording.outputs[last].c) == labels[i]) ++right;
    }
    std::vector<std::pair<size_t, Maps>> gradients;
    gradients.emplace_back(last, std::move(loss.gradient));
    const auto own = backward(model, recording, std::move(gradients), pool_);
    for_each_parameter(model, &own, [&](const ParameterRef& p) {
      optimizer_.step(p.name, *p.values, *p.gradient);
    });
    return loss.value;
  }

  // The chip adds 8 - bits to a shift; the sum must be within its range.
  Status check_shifts(const Recording& recording) const {
    for (size_t i = 0; i < recording.tapes.size(); ++i) {
      const auto& scale = recording.tapes[i].scale;
      if (!scale || std::abs(scale->shift + 8 - scale->bits) <= kLargestShift) continue;
      return broken(Rule::shift, "the output shift is beyond the range of the chip")
          .in_layer(setup_.model.network.layers[i].name)
          .detail("shift " + std::to_string(scale->shift) + " + 8 - " +
                  std::to_string(scale->bits) + " bits must be within -15 .. 15");
    }
    return Ok{};
  }

  void validate(EpochRow& row) {
    const bool own = !setup_.validation.empty();
    const DataSet& data = own ? setup_.data.train : setup_.data.test;
    const std::vector<uint32_t> indices =
        own ? setup_.validation : all_indices(setup_.data.test.items());
    const Evaluation e = evaluate(setup_.model, data, indices, pool_);
    row.validation_loss = e.loss;
    row.validation_top1 = e.top1();
    row.validation_top5 = e.top5();
    losses_.push_back(e.loss);
    log(format_line("--- validate (epoch=%d)---\n", row.epoch));
    log(format_line("==> Top1: %.3f    Top5: %.3f    Loss: %.3f\n", e.top1(), e.top5(), e.loss));
  }

  // The checkpoint of the epoch; the same bytes as the best if it is the best of its phase.
  Status keep(const EpochRow& row) {
    progress_.epoch = row.epoch;
    progress_.seed = s_.seed;
    progress_.losses = losses_;
    progress_.current_top1 = row.validation_top1;
    if (s_.schedule) progress_.initial_rate = base_rate_;
    const bool best = best_.empty() || row.validation_top1 >= progress_.best_top1;
    if (best) {
      progress_.best_top1 = row.validation_top1;
      progress_.best_epoch = row.epoch;
    }
    EDGETWIN_TRY_ASSIGN(Bytes bytes,
                        torch::write(checkpoint_of(setup_.model, optimizer_, progress_)));
    EDGETWIN_TRY(write(file("checkpoint"), bytes));
    log(format_line("==> Best [Top1: %.3f on epoch: %d]\n", progress_.best_top1,
                    progress_.best_epoch));
    if (!best) return Ok{};
    best_ = std::move(bytes);
    return write(file("best"), best_);
  }

  Status write_history() {
    std::string text =
        "epoch,phase,lr,train_loss,train_top1,val_loss,val_top1,val_top5,seconds,images_per_s\n";
    for (const EpochRow& r : result_.epochs) {
      text += format_line("%d,%s,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.3f,%.1f\n", r.epoch,
                          r.quantized ? "qat" : "float", r.rate, r.train_loss, r.train_top1,
                          r.validation_loss, r.validation_top1, r.validation_top5, r.seconds,
                          r.items_per_second);
    }
    return write("history.csv", as_byte_span(text));
  }

  Status write_confusion() {
    std::string text;
    for (const auto& row : result_.test.confusion) {
      for (size_t c = 0; c < row.size(); ++c) {
        text += (c == 0 ? "" : ",") + std::to_string(row[c]);
      }
      text += "\n";
    }
    return write("confusion.csv", as_byte_span(text));
  }

  // The test items with the best parameters, the integers, the comparison with the twin.
  Status finish() {
    if (best_.empty()) {
      return broken(Rule::setting, "the run has no epochs left to train");
    }
    EDGETWIN_TRY_ASSIGN(const torch::Checkpoint checkpoint,
                        torch::Checkpoint::read(best_, file("best")));
    EDGETWIN_TRY_ASSIGN(const StoredState state, StoredState::of(checkpoint));
    EDGETWIN_TRY(load_state(state, setup_.model));
    result_.best_epoch = progress_.best_epoch;
    result_.test =
        evaluate(setup_.model, setup_.data.test, all_indices(setup_.data.test.items()), pool_);
    log("--- test ---\n");
    log(format_line("==> Top1: %.3f    Top5: %.3f    Loss: %.3f\n", result_.test.top1(),
                    result_.test.top5(), result_.test.loss));
    EDGETWIN_TRY(write_confusion());
    EDGETWIN_TRY(write_sample());
    EDGETWIN_TRY(write("network.yaml", as_byte_span(setup_.description)));
    EDGETWIN_TRY_ASSIGN(const Bytes quantized, quantized_checkpoint(s_, setup_, setup_.model));
    EDGETWIN_TRY(
        write(setup_.model.quantized ? "qat_best-q.pth.tar" : "best-q.pth.tar", quantized));
    if (!setup_.model.quantized) return write("train.log", as_byte_span(log_));
    EDGETWIN_TRY_ASSIGN(result_.twin,
                        compare_with_twin(s_, setup_, setup_.model, quantized, pool_));
    log(format_line("==> Twin: %lld of %lld test items equal in every output\n",
                    static_cast<long long>(result_.twin->equal),
                    static_cast<long long>(result_.twin->items)));
    return write("train.log", as_byte_span(log_));
  }

  // Test item 0 as the compilers want it.
  Status write_sample() {
    const DataSet& d = setup_.data.test;
    Tensor sample = Tensor::zeros(DType::int64, {d.channels, d.height, d.width}).value();
    auto values = sample.as<int64_t>();
    for (size_t i = 0; i < values.size(); ++i) values[i] = d.bytes[i] - 128;
    EDGETWIN_TRY_ASSIGN(const Bytes bytes, write_npy(sample));
    return write("sample_" + setup_.network.dataset + ".npy", bytes);
  }

  const RunSettings& s_;
  Setup setup_;
  ThreadPool pool_;
  Optimizer optimizer_;
  double base_rate_;
  int first_epoch_ = 0;
  Progress progress_;
  Bytes best_;
  std::string log_;
  std::optional<EventFile> events_;
  std::vector<double> losses_;
  RunResult result_;
};

}  // namespace

Result<RunResult> train_network(const RunSettings& settings) {
  EDGETWIN_TRY_ASSIGN(Setup setup, set_up(settings));
  return Run(settings, std::move(setup)).go();
}

}  // namespace edgetwin::train
