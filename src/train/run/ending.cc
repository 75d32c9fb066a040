#include "train/run/ending.h"

#include <cstdio>

#include "tensor/npy.h"
#include "train/journal/layer_rows.h"

namespace edgetwin::train {

std::string quantization_text(const Model& model) {
  std::string text;
  for (const LayerRow& r : layer_rows(model, 0)) {
    char line[200];
    std::snprintf(line, sizeof line,
                  "  %s: shift %d, largest weight %.6g, %.2f %% of the weights saturated\n",
                  r.layer.c_str(), r.shift, r.largest, r.saturated);
    text += line;
  }
  const size_t last = model.network.outputs()[0];
  if (model.network.layers[last].spec.wide) {
    text += "  32-bit outputs are not scaled back: their loss changes by a power of two here\n";
  }
  return text;
}

RunPage begun_page(const RunSettings& settings, const Setup& setup,
                   const std::vector<EpochRow>& epochs, const std::vector<LayerRow>& layers) {
  RunPage page;
  page.title = setup.network.arch + ", " + setup.network.dataset;
  page.command = settings.command;
  page.epochs = epochs;
  page.layers = layers;
  page.classes = setup.data.classes;
  return page;
}

void end_page(RunPage& page, const Evaluation& test, const std::optional<TwinComparison>& twin,
              Setup& setup, ThreadPool& pool) {
  constexpr size_t kWorst = 30;
  page.done = true;
  page.test = &test;
  page.worst = worst_items(setup.model, setup.data, kWorst, pool);
  if (!twin) return;
  page.verdict = "The twin's integers equal the trained outputs on " + std::to_string(twin->equal) +
                 " of " + std::to_string(twin->items) + " test items.";
}

Status Ending::run(Evaluation& test, std::optional<TwinComparison>& twin) {
  Model& model = setup.model;
  test =
      evaluate(model, setup.objective, setup.data.test, all_indices(setup.data.test.items()), pool);
  log("--- test ---\n");
  log("==> " + score_text(test, setup.data.test.kind) + "\n");
  if (test.classes) EDGETWIN_TRY(write_confusion(test));
  EDGETWIN_TRY(write_sample());
  EDGETWIN_TRY(folder.write("network.yaml", as_byte_span(setup.description)));
  EDGETWIN_TRY_ASSIGN(const Bytes quantized, quantized_checkpoint(setup.network, model));
  const std::string prefix = settings.name.empty() ? "" : settings.name + "_";
  EDGETWIN_TRY(
      folder.write(prefix + (model.quantized ? "qat_" : "") + "best-q.pth.tar", quantized));
  if (!model.quantized) return Ok{};
  EDGETWIN_TRY_ASSIGN(twin, compare_with_twin(settings, setup, model, quantized, pool));
  log("==> Twin: " + std::to_string(twin->equal) + " of " + std::to_string(twin->items) +
      " test items equal in every output\n");
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
  return folder.write("sample_" + setup.network.dataset + ".npy", bytes);
}

}  // namespace edgetwin::train
