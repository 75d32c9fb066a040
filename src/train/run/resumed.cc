#include "train/run/resumed.h"

#include "base/file.h"
#include "train/checkpoint/read.h"
#include "train/rules/rules.h"
#include "train/run/setup_checks.h"

namespace edgetwin::train {
namespace {

namespace fs = std::filesystem;

Status take_up_journal(const fs::path& folder, Resumed& resumed) {
  std::error_code failed;
  const fs::path history = folder / "history.csv";
  const fs::path log = folder / "train.log";
  if (!fs::exists(history, failed) || !fs::exists(log, failed)) return Ok{};
  const auto later = [&](const auto& row) { return row.epoch >= resumed.first_epoch; };
  EDGETWIN_TRY_ASSIGN(const Bytes rows, read_file(history));
  EDGETWIN_TRY_ASSIGN(resumed.epochs, parse_history(as_text(rows), history.string()));
  std::erase_if(resumed.epochs, later);
  if (const auto layers = read_file(folder / "layers.csv")) {
    resumed.layers = parse_layer_rows(as_text(*layers));
    std::erase_if(resumed.layers, later);
  }
  EDGETWIN_TRY_ASSIGN(const Bytes text, read_file(log));
  resumed.log = log_until(as_text(text), resumed.progress.epoch);
  return Ok{};
}

}  // namespace

Result<Resumed> take_up(const RunSettings& settings, Setup& setup, Optimizer& optimizer) {
  EDGETWIN_TRY_ASSIGN(Bytes bytes, read_file(settings.resume));
  EDGETWIN_TRY_ASSIGN(const torch::Checkpoint checkpoint,
                      torch::Checkpoint::read(std::move(bytes), settings.resume.string()));
  EDGETWIN_TRY_ASSIGN(const StoredState state, StoredState::of(checkpoint));
  EDGETWIN_TRY(check_stored_method(settings, state));
  const std::string_view normalisation = normalisation_name(settings.data_options.normalisation);
  if (!state.normalisation().empty() && state.normalisation() != normalisation) {
    return broken(Rule::conflict,
                  "the checkpoint was trained with `normalise: " + state.normalisation() +
                      "`, the settings say " + std::string(normalisation))
        .in_file(settings.resume.string());
  }
  if (state.average_rounding().value_or(settings.average_rounding) != settings.average_rounding) {
    const auto how = [](bool rounds) { return rounds ? "true" : "false"; };
    return broken(Rule::conflict, std::string("the checkpoint was trained with "
                                              "`avg_pool_rounding: ") +
                                      how(*state.average_rounding()) + "`, the settings say " +
                                      how(settings.average_rounding))
        .in_file(settings.resume.string());
  }
  EDGETWIN_TRY(load_state(state, setup.model));
  setup.model.method = settings.qat_method;
  Resumed resumed;
  EDGETWIN_TRY_ASSIGN(resumed.progress, load_progress(checkpoint, setup.model, optimizer));
  if (settings.reset_optimizer) {
    optimizer = Optimizer(settings.optimizer);
    return Resumed();
  }
  resumed.first_epoch = resumed.progress.epoch + 1;
  EDGETWIN_TRY(take_up_journal(settings.resume.parent_path(), resumed));
  return resumed;
}

}  // namespace edgetwin::train
