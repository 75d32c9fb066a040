// Runs of opened networks, and what is in their tensors.
#include <algorithm>
#include <cmath>

#include "edgetwin/inputs.h"
#include "report/json.h"
#include "report/tensor_stats.h"
#include "serve/inspect/inspect.h"
#include "serve/inspect/max78.h"
#include "serve/inspect/requests.h"

namespace edgetwin::serve {
namespace {

constexpr int64_t kMaxValue = 10'000'000;
constexpr int64_t kMaxPictureCells = 256;  // rows and columns of a channel's picture

Result<Inputs> inputs_of(const FileStore& files, const Runner& runner, const std::string& word) {
  if (word.starts_with("xs32:")) return read_inputs({word}, runner);
  EDGETWIN_TRY_ASSIGN(const auto given, files.find(word));
  EDGETWIN_TRY_ASSIGN(const BriefFolder folder, BriefFolder::create());
  EDGETWIN_TRY_ASSIGN(const std::string path, folder.write(given->name, given->data));
  return read_inputs({path}, runner);
}

Json summary_of(const Tensor& t) {
  Json j = Json::object();
  j.set("name", t.name).set("type", name(t.dtype)).set("shape", report::to_json(t.shape));
  return j.set("stats", report::to_json(report::tensor_stats(t), false));
}

// The constant of that index, or what the last run left there.
Result<Tensor> tensor_at(const OpenedFile& file, int64_t value) {
  if (file.loaded != nullptr &&
      value < static_cast<int64_t>(file.loaded->model->main().values.size())) {
    const Value& v = file.loaded->model->main().value(static_cast<ValueId>(value));
    if (v.is_constant()) return Tensor{v.name, v.dtype, v.shape, v.quant, *v.constant};
  }
  if (file.run != nullptr) {
    for (const LayerResult& l : file.run->layers) {
      if (l.value == value) return l.tensor;
    }
  }
  return Error(ErrorCode::bad_value,
               "tensor " + std::to_string(value) + " is no constant, and no run has left it")
      .with_hint("Run the network.");
}

// Rows, columns and channels as a picture has them; fewer axes are rows or columns of 1.
struct Planes {
  int64_t rows = 1, columns = 1, channels = 1;
};
Planes planes_of(const Shape& s, bool planes_first) {
  if (s.rank() >= 3 && planes_first) return {s.back(1), s.back(0), s.back(2)};
  if (s.rank() >= 3) return {s.back(2), s.back(1), s.back(0)};
  return {s.back(1), s.back(0), 1};
}

// Grey levels 0 to 255 from the least to the largest value, at most 256 x 256 of them.
Json picture_of(const Tensor& t, const Planes& p, bool planes_first, int64_t channel,
                const report::TensorStats& stats) {
  const int64_t rows = std::min(p.rows, kMaxPictureCells);
  const int64_t columns = std::min(p.columns, kMaxPictureCells);
  const double span = std::max(stats.max - stats.min, 1e-12);
  Json cells = Json::array();
  for (int64_t y = 0; y < rows; ++y) {
    for (int64_t x = 0; x < columns; ++x) {
      const int64_t at = (y * p.rows / rows) * p.columns + x * p.columns / columns;
      const int64_t index =
          planes_first ? channel * p.rows * p.columns + at : at * p.channels + channel;
      const double v = element_as_double(t.dtype, t.data, index);
      const double grey = std::isfinite(v) ? (v - stats.min) / span * 255.0 : 0.0;
      cells.push(static_cast<int>(std::lround(std::clamp(grey, 0.0, 255.0))));
    }
  }
  Json j = Json::object();
  j.set("rows", rows).set("columns", columns).set("channel", channel);
  return j.set("channels", p.channels).set("cells", std::move(cells));
}

// As max78_network() numbers tensors; what a layer pools or adds before is not among them.
void number_results(Run& run) {
  for (LayerResult& l : run.layers) {
    const bool inside = l.tensor.name.ends_with(".pool") || l.tensor.name.ends_with(".elt");
    if (!inside) l.value = l.index + 1;
  }
}

}  // namespace

Result<Json> inspect_run(FileStore& files, const Members& m) {
  EDGETWIN_TRY_ASSIGN(const auto file, files.find(member_of(m, "id")));
  EDGETWIN_TRY_ASSIGN(const BriefFolder folder, BriefFolder::create());
  OpenOptions open = file->options;
  if (!member_of(m, "target").empty()) open.target = member_of(m, "target");
  if (file->kind == FileKind::max78) {
    EDGETWIN_TRY_ASSIGN(open, max78_options(files, *file, m, folder));
  }
  EDGETWIN_TRY_ASSIGN(const Network network, Network::open(file->data, file->name, open));
  RunnerOptions how;  // a compiled model runs in the machine, every other file on the twin
  how.keep_layers = true;
  EDGETWIN_TRY_ASSIGN(const std::unique_ptr<Runner> runner, network.runner(how));
  std::string word = member_of(m, "input");
  if (word.empty()) word = "xs32:1";
  EDGETWIN_TRY_ASSIGN(const Inputs inputs, inputs_of(files, *runner, word));
  EDGETWIN_TRY_ASSIGN(Run run, runner->run(inputs.tensors));
  if (file->kind == FileKind::max78) number_results(run);
  Json outputs = Json::array(), layers = Json::array();
  for (const Tensor& t : run.outputs) outputs.push(summary_of(t));
  for (const LayerResult& l : run.layers) {
    Json row = summary_of(l.tensor);
    layers.push(row.set("layer", l.layer).set("operator", l.index).set("value", l.value));
  }
  Json j = Json::object();
  j.set("success", true).set("where", runner->description()).set("input", word);
  j.set("outputs", std::move(outputs)).set("layers", std::move(layers));
  files.keep(file->id, std::make_shared<const Run>(std::move(run)));
  return j;
}

Result<Json> inspect_tensor(const FileStore& files, const Members& m) {
  EDGETWIN_TRY_ASSIGN(const auto file, files.find(member_of(m, "id")));
  EDGETWIN_TRY_ASSIGN(const int64_t value, number_member(m, "value", kMaxValue));
  EDGETWIN_TRY_ASSIGN(const Tensor t, tensor_at(*file, value));
  const report::TensorStats stats = report::tensor_stats(t);
  Json j = Json::object();
  j.set("value", value).set("name", t.name).set("type", name(t.dtype));
  j.set("shape", report::to_json(t.shape)).set("quant", to_string(t.quant));
  j.set("stats", report::to_json(stats, true));
  if (bits(t.dtype) % 8 != 0 || t.data.empty()) return j;
  // Networks of the MAX7800x and ONNX have channels before rows.
  const bool planes_first = file->kind == FileKind::max78 || file->kind == FileKind::onnx;
  const Planes p = planes_of(t.shape, planes_first);
  int64_t channel = 0;
  if (!member_of(m, "channel").empty()) {
    EDGETWIN_TRY_ASSIGN(channel, number_member(m, "channel", p.channels - 1));
  }
  return j.set("picture", picture_of(t, p, planes_first, channel, stats));
}

}  // namespace edgetwin::serve
