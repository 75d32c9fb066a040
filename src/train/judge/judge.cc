#include "train/judge/judge.h"

#include <cmath>
#include <cstdio>

#include "base/file.h"
#include "formats/onnx/write/write.h"
#include "train/export/onnx.h"
#include "train/judge/attribution.h"
#include "train/rules/rules.h"
#include "train/run/quantization_start.h"
#include "train/run/setup.h"
#include "train/run/twin.h"
#include "train/score/threshold_search.h"

namespace edgetwin::train {
namespace {

// Weights that are whole numbers beyond 1 are those of the chip.
bool has_integers(const Model& model) {
  float largest = 0;
  for (const LayerParameters& p : model.parameters) {
    for (const float w : p.weights) {
      if (w != std::floor(w)) return false;
      largest = std::max(largest, std::abs(w));
    }
  }
  return largest > 1;
}

Status choose_items(const JudgeSettings& settings, const Setup& setup, Judged& judged) {
  const bool test = settings.part == JudgedPart::test;
  judged.data = test ? setup.data.test : setup.data.train;
  judged.items = all_indices(judged.data.items());
  if (!test) {
    RunSettings drawn = settings.run;
    EDGETWIN_TRY_ASSIGN(const Parts parts, parts_of(drawn, setup.data));
    judged.items = settings.part == JudgedPart::training ? parts.training : parts.validation;
  }
  if (settings.limit > 0 && judged.items.size() > settings.limit) {
    judged.items.resize(settings.limit);
  }
  if (!judged.items.empty()) return Ok{};
  return broken(Rule::data_part, "the part has no items").in_file(settings.run.data.string());
}

void keep_outputs(const Maps& outputs, Judged& judged) {
  const std::vector<float> planes = to_planes(outputs);
  judged.outputs.insert(judged.outputs.end(), planes.begin(), planes.end());
}

// One item in the chip's integers.
void judge_integers(const Objective& objective, const Setup& setup,
                    const std::vector<double>& integers, uint32_t item, Judged& judged,
                    std::optional<PrecisionCounter>& counter, ThreadPool& pool) {
  const double unit = output_unit(setup.model);
  std::vector<float> real;
  for (const double v : integers) {
    judged.integer_outputs.push_back(static_cast<int32_t>(v));
    real.push_back(static_cast<float>(v / unit));
  }
  const Maps outputs = from_planes(real, 1, judged.shape);
  const std::vector<uint32_t> one = {item};
  const Truth truth = truth_of(objective, judged.data, one);
  const std::vector<int64_t>& labels = truth.labels;
  const ObjectiveLoss loss =
      objective_loss(objective, outputs, judged.data.batch(one), truth, pool);
  if (objective.detects()) count_found(objective.detector, outputs, truth, counter);
  judged.evaluation.loss += loss.overall;
  ++judged.evaluation.items;
  for (size_t p = 0; p < labels.size(); ++p) {
    judge_item(outputs.values.data() + p * static_cast<size_t>(outputs.c), outputs.c, labels[p],
               judged.evaluation);
  }
  judged.outputs.insert(judged.outputs.end(), real.begin(), real.end());
}

Status judge_by_twin(const JudgeSettings& settings, const Setup& setup, bool whole, Judged& judged,
                     ThreadPool& pool) {
  Bytes quantized;
  if (whole) {
    EDGETWIN_TRY_ASSIGN(quantized, read_file(settings.run.init));
  } else {
    EDGETWIN_TRY_ASSIGN(quantized, quantized_checkpoint(setup.network, setup.model));
  }
  judged.quantized_here = !whole;
  judged.phase = JudgedPhase::integers;
  judged.evaluation.classes = setup.objective.judges_classes();
  judged.evaluation.detects = setup.objective.detects();
  const Objective plain = plain_of(setup.objective);
  std::optional<PrecisionCounter> counter;
  EDGETWIN_TRY(run_twin(settings.run, setup, quantized, judged.data, judged.items,
                        [&](size_t i, const std::vector<double>& integers) -> Status {
                          judge_integers(plain, setup, integers, judged.items[i], judged, counter,
                                         pool);
                          return Ok{};
                        }));
  if (counter) judged.evaluation.precision = counter->result();
  judged.evaluation.loss /= static_cast<double>(judged.evaluation.items);
  return Ok{};
}

// One output per class and no maps of them.
Status check_attribution(const JudgeSettings& settings, const Setup& setup, const Judged& judged) {
  const bool classes = setup.objective.judges_classes() &&
                       judged.data.kind == TargetKind::classes && judged.shape.size == Pair{1, 1};
  if (classes) return Ok{};
  return broken(Rule::conflict, "attributions are of classes, one of each item")
      .in_file(settings.run.data.string());
}

// What needs the parameters before they became integers.
Status add_extras(const JudgeSettings& settings, Setup& setup, bool whole, Judged& judged,
                  ThreadPool& pool) {
  if (settings.attribution == 0 && !settings.onnx) return Ok{};
  if (whole) {
    return broken(Rule::conflict,
                  "the checkpoint has integers, which have no gradient and no scale")
        .in_file(settings.run.init.string())
        .with_hint("Give the checkpoint that it was made of.");
  }
  if (settings.attribution > 0) EDGETWIN_TRY(check_attribution(settings, setup, judged));
  for (size_t i = 0; i < std::min(settings.attribution, judged.items.size()); ++i) {
    EDGETWIN_TRY_ASSIGN(Bytes picture, attribution_picture(setup.model, judged.data, judged.classes,
                                                           judged.items[i], pool));
    char name[40];
    std::snprintf(name, sizeof name, "attribution_%05u.png", judged.items[i]);
    judged.attributions.emplace_back(name, std::move(picture));
  }
  if (!settings.onnx) return Ok{};
  EDGETWIN_TRY_ASSIGN(
      Exported made,
      export_onnx(setup.model, settings.integers ? ExportForm::integers : ExportForm::real));
  EDGETWIN_TRY_ASSIGN(judged.onnx, onnx::write_document(made.document));
  judged.inexact = std::move(made.inexact);
  return Ok{};
}

// How means become integers: as the checkpoint says, else as the settings do.
Status choose_rounding(JudgeSettings& settings, Setup& setup) {
  const std::optional<bool> found = average_rounding(setup.model.network);
  const std::string file = settings.run.init.string();
  if (settings.average_rounding && !found) {
    return broken(Rule::conflict,
                  "--avg-pool-rounding changes nothing: the network has no average pooling")
        .in_file(settings.run.description.string())
        .with_hint("Leave it out.");
  }
  if (settings.run.average_rounding && found && !*found) {
    return broken(Rule::conflict,
                  "the checkpoint was trained with `avg_pool_rounding: false`, true was asked for")
        .in_file(file);
  }
  settings.run.average_rounding = found.value_or(false);
  return Ok{};
}

Status check_arithmetic(const JudgeSettings& settings, bool by_twin) {
  if (!settings.arithmetic || by_twin) return Ok{};
  return broken(Rule::conflict,
                "--numerics changes nothing: the twin computes integers alone, and the checkpoint "
                "has none")
      .in_file(settings.run.init.string())
      .with_hint("Give -8 too, or leave it out.");
}

}  // namespace

std::string_view phase_name(JudgedPhase phase) {
  switch (phase) {
    case JudgedPhase::floating:
      return "float";
    case JudgedPhase::quantized:
      return "qat";
    case JudgedPhase::integers:
      return "integer";
  }
  return "";
}

Result<Judged> judge(JudgeSettings settings) {
  settings.run.average_rounding = settings.run.average_rounding || settings.average_rounding;
  settings.run.arithmetic = settings.arithmetic.value_or(settings.run.arithmetic);
  EDGETWIN_TRY_ASSIGN(Setup setup, open_trained(settings.run));
  EDGETWIN_TRY(choose_rounding(settings, setup));
  Judged judged;
  EDGETWIN_TRY(choose_items(settings, setup, judged));
  judged.classes = setup.data.classes;
  judged.detector = setup.objective.detector;
  judged.shape = setup.model.network.layers[setup.model.network.outputs()[0]].output;
  ThreadPool pool(settings.run.threads);
  const bool whole = has_integers(setup.model);
  EDGETWIN_TRY(check_arithmetic(settings, whole || settings.integers));
  if (settings.integers && !whole) {
    EDGETWIN_TRY_ASSIGN(const Parts parts, parts_of(settings.run, setup.data));
    const float z_score = settings.run.outlier_score.value_or(kUsualOutlierScore);
    setup.model = ready_model(setup, parts.training, z_score, pool);
  }
  EDGETWIN_TRY(add_extras(settings, setup, whole, judged, pool));
  if (whole || settings.integers) {
    EDGETWIN_TRY(judge_by_twin(settings, setup, whole, judged, pool));
    return judged;
  }
  judged.phase = setup.model.quantized ? JudgedPhase::quantized : JudgedPhase::floating;
  judged.evaluation =
      evaluate(setup.model, setup.objective, judged.data, judged.items, pool,
               [&](const Maps& outputs, const IntMaps&) { keep_outputs(outputs, judged); });
  return judged;
}

}  // namespace edgetwin::train
