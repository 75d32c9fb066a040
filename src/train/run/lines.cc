#include "train/run/lines.h"

#include "train/network/parameters.h"

namespace edgetwin::train {
namespace {

constexpr double kMuch = 5;      // percent
constexpr int kManyChanges = 3;  // of a shift in one epoch

// How many parameters are not 0, of tensors with two to four dimensions.
int64_t counted_weights(Model& model) {
  int64_t count = 0;
  for_each_parameter(model, nullptr, [&](const ParameterRef& p) {
    if (p.shape.rank() < 2) return;
    for (const float v : *p.values) count += v != 0 ? 1 : 0;
  });
  return count;
}

}  // namespace

bool is_better(const EpochRow& row, const Progress& best) {
  if (row.validation_map) return *row.validation_map >= best.best_map;
  if (!row.validation_top1) return row.validation_loss <= best.best_loss;
  if (*row.validation_top1 != best.best_top1) return *row.validation_top1 > best.best_top1;
  return row.validation_top5.value_or(0) >= best.best_top5;
}

std::string best_text(const Progress& best, const Evaluation& judged, Model& model) {
  std::string scores = format_line("Top1: %.3f", best.best_top1);
  if (judged.has_top5()) scores += format_line("   Top5: %.3f", best.best_top5);
  if (judged.detects) scores = format_line("mAP: %.3f", best.best_map);
  if (!judged.classes && !judged.detects) scores = format_line("MSE: %.6f", best.best_loss);
  return "==> Best [" + scores +
         format_line("   Params: %lld on epoch: %d]\n",
                     static_cast<long long>(counted_weights(model)), best.best_epoch);
}

std::string step_line(const StepPlace& place, const EpochRow& row, double objective_loss,
                      bool detects) {
  std::string line =
      format_line("Epoch: [%d][%5zu/%5zu]    Overall Loss %.6f    Objective Loss %.6f    ",
                  place.epoch, place.step, place.total, row.train_loss, objective_loss);
  if (row.train_top1) {
    line += format_line("Top1 %.6f    ", *row.train_top1);
  } else if (!detects) {
    line += format_line("MSE %.6f    ", row.train_loss);
  }
  if (row.train_top5) line += format_line("Top5 %.6f    ", *row.train_top5);
  return line + format_line("LR %.6f\n", row.rate);
}

std::string progress_line(int epoch, int epochs, size_t items, const StepSums& sums, double rate,
                          double seconds_left) {
  std::string line =
      format_line("%d/%d loss %.3f", epoch, epochs, sums.overall / static_cast<double>(items));
  if (sums.all.judged > 0) {
    line += format_line(" %.1f %%", 100.0 * static_cast<double>(sums.all.right) /
                                        static_cast<double>(sums.all.judged));
  }
  return line + format_line(" %.0f/s %.0f s", rate, seconds_left);
}

std::string confusion_lines(const std::vector<std::vector<int64_t>>& confusion) {
  std::string text = "==> Confusion:\n";
  for (const auto& row : confusion) {
    for (const int64_t n : row) text += format_line("%7lld", static_cast<long long>(n));
    text += "\n";
  }
  return text;
}

std::vector<std::string> layer_warnings(const std::vector<LayerRow>& rows,
                                        const std::vector<int>& changes) {
  std::vector<std::string> lines;
  for (size_t i = 0; i < rows.size(); ++i) {
    const LayerRow& r = rows[i];
    const std::string start = "Warning: layer " + r.layer + ": ";
    if (r.saturated > kMuch)
      lines.push_back(start + "more than 5 % of the weights are saturated\n");
    if (r.low + r.high > kMuch) {
      lines.push_back(start + "more than 5 % of the outputs are at a limit of 8 bits\n");
    }
    if (changes[i] > kManyChanges) {
      lines.push_back(start + "the shift changed more than 3 times in an epoch\n");
    }
  }
  return lines;
}

std::set<std::string> layer_warnings_in(std::string_view log) {
  std::set<std::string> lines;
  while (!log.empty()) {
    const size_t size = std::min(log.find('\n'), log.size() - 1) + 1;
    const std::string_view line = log.substr(0, size);
    if (line.starts_with("Warning: layer ")) lines.emplace(line);
    log.remove_prefix(size);
  }
  return lines;
}

}  // namespace edgetwin::train
