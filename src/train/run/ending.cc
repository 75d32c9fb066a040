#include "train/run/ending.h"

#include <algorithm>
#include <cstdio>

#include "base/json/json.h"
#include "tensor/npy.h"
#include "train/journal/layer_rows.h"
#include "train/run/quantization_start.h"
#include "train/score/threshold_search.h"
#include "train/settings/settings_files.h"

namespace edgetwin::train {
namespace {

bool shows_curves(const Setup& setup) {
  return setup.objective.judges_classes() && setup.data.test.kind == TargetKind::classes;
}

// One pass over the items: for the scores, the page and the twin.
TestRun test_run(Setup& setup, ThreadPool& pool) {
  TestRun result;
  result.observed = Observer(shows_curves(setup), false);
  result.scores = evaluate(
      setup.model, setup.objective, setup.data.test, all_indices(setup.data.test.items()), pool,
      [&](const Maps& some, const IntMaps& sums) {
        const std::vector<float> planes = to_planes(some);
        result.outputs.insert(result.outputs.end(), planes.begin(), planes.end());
        const std::vector<int32_t> exact = to_planes(sums);
        result.sums.insert(result.sums.end(), exact.begin(), exact.end());
      },
      &result.observed);
  return result;
}

// Where the vendor's loader computes other integers than training and the chip's twin here.
std::string remark_of(const Network& network) {
  std::string text;
  if (average_rounding(network).value_or(false)) {
    text +=
        "  as with --avg-pool-rounding --numerics max7800x-training; the vendor's loader, whose\n"
        "  answer `compile` takes without these, rounds ties of means away from zero\n";
  }
  const auto dilated = [](const NetworkLayer& l) {
    return l.spec.pooling != ai8x::Pooling::none && l.spec.op == ai8x::Operator::conv1d &&
           l.spec.pool.dilation.h > 1;
  };
  if (std::any_of(network.layers.begin(), network.layers.end(), dilated)) {
    text +=
        "  as with --numerics max7800x-training; the vendor's loader, whose answer `compile`\n"
        "  takes without it, ignores `pool_dilation` in one dimension\n";
  }
  return text;
}

}  // namespace

RunPage begun_page(const RunSettings& settings, const Setup& setup,
                   const std::vector<EpochRow>& epochs, const std::vector<LayerRow>& layers) {
  RunPage page;
  page.title = setup.network.arch + ", " + setup.network.dataset;
  page.command = settings.command;
  page.epochs = epochs;
  page.layers = layers;
  page.classes = setup.data.classes;
  page.kind = setup.data.test.kind;
  page.settings = settings_text(settings);
  return page;
}

void end_page(RunPage& page, const TestRun& test, const std::optional<TwinComparison>& twin,
              Setup& setup, ThreadPool& pool) {
  constexpr size_t kWorst = 30;
  page.done = true;
  page.test = &test.scores;
  if (shows_curves(setup)) {
    page.curves = test.observed.curves();
    page.projection =
        projection_of(test.outputs, setup.data.classes.size(), setup.data.test.labels);
  }
  page.worst = worst_items(setup.model, setup.objective, setup.data, test.outputs, kWorst, pool);
  if (!twin) return;
  page.verdict = "The twin's integers equal the trained outputs on " + std::to_string(twin->equal) +
                 " of " + std::to_string(twin->items) + " test items.";
}

Status Ending::run(TestRun& test, std::optional<TwinComparison>& twin) {
  const Model& model = setup.model;
  test = test_run(setup, pool);
  log("--- test ---\n");
  log("==> " + score_text(test.scores, setup.data.test.kind) + "\n");
  if (test.scores.classes) EDGETWIN_TRY(write_confusion(test.scores));
  EDGETWIN_TRY(write_sample());
  EDGETWIN_TRY(folder.write("network.yaml", as_byte_span(setup.description)));
  const float z_score = settings.outlier_score.value_or(kUsualOutlierScore);
  Progress stated;
  stated.normalisation = normalisation_name(settings.data_options.normalisation);
  EDGETWIN_TRY_ASSIGN(
      const Bytes quantized,
      quantized_checkpoint(setup.network, ready_model(setup, setup.training, z_score, pool),
                           std::move(stated)));
  const std::string prefix = settings.name.empty() ? "" : settings.name + "_";
  EDGETWIN_TRY(
      folder.write(prefix + (model.quantized ? "qat_" : "") + "best-q.pth.tar", quantized));
  if (!model.quantized) return Ok{};
  EDGETWIN_TRY_ASSIGN(twin, compare_with_twin(settings, setup, model, quantized,
                                              {.real = test.outputs, .sums = test.sums}));
  log("==> Twin: " + std::to_string(twin->equal) + " of " + std::to_string(twin->items) +
      " test items equal in every output\n");
  log(remark_of(model.network));
  return Ok{};
}

Status Ending::write_confusion(const Evaluation& test) {
  std::string text;
  for (const auto& row : test.confusion) {
    for (size_t c = 0; c < row.size(); ++c) {
      text += (c == 0 ? "" : ",") + std::to_string(row[c]);
    }
    text += "\n";
  }
  return folder.write("confusion.csv", as_byte_span(text));
}

// A test item as the compilers want it.
Status Ending::write_sample() {
  const DataSet& d = setup.data.test;
  const PictureSize size = d.input();
  Tensor sample = Tensor::zeros(DType::int64, {size.channels, size.height, size.width}).value();
  const std::vector<int8_t> levels = d.levels(static_cast<size_t>(settings.sample));
  std::copy(levels.begin(), levels.end(), sample.as<int64_t>().begin());
  EDGETWIN_TRY_ASSIGN(const Bytes bytes, write_npy(sample));
  EDGETWIN_TRY(folder.write("sample_" + setup.network.dataset + ".npy", bytes));
  Json json = Json::object();
  json.set("item", settings.sample);
  if (d.kind == TargetKind::classes) {
    const auto label = static_cast<size_t>(d.labels[static_cast<size_t>(settings.sample)]);
    json.set("label", setup.data.classes[label]);
  }
  const std::vector<uint32_t> one = {static_cast<uint32_t>(settings.sample)};
  std::vector<double> outputs;
  // The chip's integers, where quantization takes part.
  const double unit = setup.model.quantized ? output_unit(setup.model) : 1;
  evaluate(setup.model, setup.objective, d, one, pool, [&](const Maps& maps, const IntMaps& sums) {
    for (const int32_t v : to_planes(sums)) outputs.push_back(v);
    if (!outputs.empty()) return;
    for (const float v : to_planes(maps)) outputs.push_back(static_cast<double>(v) * unit);
  });
  json.set("outputs", Json::list(outputs));
  return folder.write("sample_" + setup.network.dataset + ".json", as_byte_span(json.text()));
}

}  // namespace edgetwin::train
