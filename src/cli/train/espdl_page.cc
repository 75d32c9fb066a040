// The page of a network tuned for ESP-DL.
#include <cstdio>

#include "cli/train/arguments.h"
#include "train/report/page.h"
#include "train/tune/tune.h"

namespace edgetwin::cli {
namespace {

std::string score_line(const train::OutputForm& form, const train::PartScore& s) {
  char text[96];
  if (form.kind == train::TargetKind::values) {
    std::snprintf(text, sizeof text, "mean square error %.6g", s.mean_loss());
  } else {
    std::snprintf(text, sizeof text, "Top1 %.3f %%, loss %.6g", s.top1(), s.mean_loss());
  }
  return text;
}

}  // namespace

std::string tuning_page(const std::string& network, const std::string& command,
                        const train::TuneResult& result, bool done) {
  train::RunPage page;
  page.title = network;
  page.command = command;
  page.done = done;
  const bool classes = result.form.kind != train::TargetKind::values;
  for (const train::TuneEpoch& e : result.epochs) {
    train::EpochRow row;
    row.epoch = e.epoch;
    row.quantized = e.quantized;
    row.rate = e.rate;
    row.train_loss = e.train_loss;
    row.validation_loss = e.validation.mean_loss();
    if (classes) {
      row.train_top1 = e.train_top1;
      row.validation_top1 = e.validation.top1();
    }
    page.epochs.push_back(row);
    for (const std::string& warning : e.warnings) {
      page.remarks.push_back("Epoch " + std::to_string(e.epoch) + ": " + warning);
    }
  }
  for (const train::BlockResult& b : result.blocks) {
    char text[96];
    std::snprintf(text, sizeof text, ": mean square distance %.4g, then %.4g", b.before, b.after);
    page.remarks.push_back(b.block + text + (b.kept ? "" : "; stays as it was"));
  }
  if (result.judged && done) {
    page.verdict = "Test items. Float: " + score_line(result.form, result.float_test) +
                   ". Quantized after training: " + score_line(result.form, result.ptq_test) +
                   ". Best, of the integer network: " + score_line(result.form, result.best_test) +
                   ".";
  }
  return train::run_page(page);
}

}  // namespace edgetwin::cli
