// Any bytes as a checkpoint: of a network for the MAX78000 into a model of two layers, and of a
// tuning run, which is written and read again; any text as the files of settings.
#include <cstdlib>

#include "formats/torch/checkpoint.h"
#include "train/checkpoint/read.h"
#include "train/checkpoint/write.h"
#include "train/journal/layer_rows.h"
#include "train/network/parameters.h"
#include "train/settings/settings_files.h"
#include "train/tune/tune_state.h"

namespace {

using namespace edgetwin;

// A convolution with batch norm and a linear layer.
train::Model model_of_two() {
  train::Model model;
  model.network.input = {1, {4, 4}};
  train::NetworkLayer conv;
  conv.name = "conv1";
  conv.sources = {train::kNetworkInput};
  conv.spec.op = ai8x::Operator::conv2d;
  conv.spec.window.kernel = {3, 3};
  conv.spec.window.pad = {1, 1};
  conv.spec.window.first = 4;
  conv.spec.window.second = 1;
  conv.norm = train::NormKind::affine;
  conv.input = {1, {4, 4}};
  conv.output = {4, {4, 4}};
  train::NetworkLayer linear;
  linear.name = "fc";
  linear.sources = {0};
  linear.spec.op = ai8x::Operator::linear;
  linear.spec.flatten = true;
  linear.spec.window.first = 2;
  linear.spec.window.second = 64;
  linear.input = {4, {4, 4}};
  linear.output = {2, {1, 1}};
  linear.is_output = true;
  model.network.layers = {conv, linear};
  train::initialize(model, 0);
  return model;
}

void check_sizes(const train::Model& loaded, const train::Model& made) {
  for (size_t i = 0; i < made.parameters.size(); ++i) {
    if (loaded.parameters[i].weights.size() != made.parameters[i].weights.size()) std::abort();
  }
}

void as_checkpoint(ByteSpan bytes) {
  const auto checkpoint = torch::Checkpoint::read(to_bytes(bytes), "fuzz");
  if (!checkpoint.ok()) return;
  const train::Model made = model_of_two();
  train::Model model = made;
  if (const auto state = train::StoredState::of(*checkpoint); state.ok()) {
    if (train::load_state(*state, model).ok()) check_sizes(model, made);
  }
  for (const auto kind : {train::OptimizerKind::sgd, train::OptimizerKind::adam}) {
    model = made;
    train::Optimizer optimizer({.kind = kind});
    const auto progress = train::load_progress(*checkpoint, model, optimizer);
    if (progress.ok()) train::checkpoint_of(model, optimizer, *progress);
  }
}

// What was read is written, and then read as the same.
void as_tuning_state(ByteSpan bytes) {
  const auto state = train::read_state(to_bytes(bytes), "fuzz");
  if (!state.ok()) return;
  const auto written = train::write_state(*state);
  if (!written.ok()) return;
  const auto again = train::read_state(*written, "fuzz");
  if (!again.ok() || again->epochs.size() != state->epochs.size()) std::abort();
  const auto twice = train::write_state(*again);
  if (!twice.ok() || *twice != *written) std::abort();
}

// Without paths: settings may name files, which are read.
void as_settings(std::string_view text) {
  if (text.find('/') != std::string_view::npos) return;
  if (const auto schedule = train::parse_schedule(text, "fuzz"); schedule.ok()) {
    train::rate_after(schedule->scheduler, 0.1, schedule->steps_before(7), {1, 2, 3});
  }
  train::RunSettings policy;
  static_cast<void>(train::apply_policy(text, "fuzz", policy));
  train::RunSettings settings;
  if (!train::apply_settings(text, "fuzz", settings).ok()) return;
  train::RunSettings again;
  if (!train::apply_settings(train::settings_text(settings), "fuzz", again).ok()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const ByteSpan bytes = std::as_bytes(std::span(data, size));
  as_checkpoint(bytes);
  as_tuning_state(bytes);
  as_settings(as_text(bytes));
  const auto rows = train::parse_layer_rows(as_text(bytes));
  if (train::parse_layer_rows(train::layer_rows_text(rows)).size() != rows.size()) std::abort();
  return 0;
}
