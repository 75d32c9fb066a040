#include "serve/inspect/side_by_side.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "edgetwin/inputs.h"
#include "edgetwin/quantize.h"
#include "report/json.h"
#include "serve/inspect/requests.h"
#include "serve/inspect/signal.h"
#include "targets/target.h"
#include "twin/values.h"

namespace edgetwin::serve {
namespace {

constexpr targets::Id kChips[] = {targets::Id::edgetpu, targets::Id::esp32s3, targets::Id::esp32p4,
                                  targets::Id::max78000, targets::Id::max78002};
constexpr double kLimit = 20;       // decibels
constexpr size_t kMostAnswers = 5;  // of a network's outputs, largest first
constexpr float kMaxOne = 128.0F;   // steps of an activation of 1 of the MAX7800x

struct Contender {
  std::string target, reason;
  std::unique_ptr<Runner> runner;  // null: see reason
  std::optional<double> input_step;
  bool max78 = false;
};

// The first answer's best values: {index, value}.
Json best_of(const std::vector<double>& values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const size_t count = std::min(order.size(), kMostAnswers);
  const auto middle = order.begin() + static_cast<std::ptrdiff_t>(count);
  std::partial_sort(order.begin(), middle, order.end(),
                    [&](size_t a, size_t b) { return values[a] > values[b]; });
  Json list = Json::array();
  for (size_t i = 0; i < count; ++i) {
    Json row = Json::object();
    list.push(row.set("index", order[i]).set("value", values[order[i]]));
  }
  return list;
}

Result<std::unique_ptr<Runner>> runner_of(const OpenedFile& file, const OpenOptions& open) {
  EDGETWIN_TRY_ASSIGN(const Network network, Network::open(file.data, file.name, open));
  RunnerOptions how;
  how.where = Where::twin;
  how.keep_layers = true;
  return network.runner(how);
}

// The network in the integers of a chip, opened from the files that the quantizer made.
Status open_chip(const std::string& network, const std::string& calibration, Contender& c) {
  QuantizeOptions q;
  q.target = c.target;
  q.calibrate = {calibration};
  EDGETWIN_TRY_ASSIGN(const QuantizedNetwork made, quantize_network(network, q));
  if (!made.fits) {
    const Finding* f = first_error(made.findings);
    c.reason = f == nullptr ? "it does not fit" : f->id + ": " + f->message;
    return Ok{};
  }
  c.input_step = made.input_step;
  c.max78 = made.target->family == Family::max78;
  EDGETWIN_TRY_ASSIGN(const BriefFolder folder, BriefFolder::create());
  OpenOptions open;
  open.target = c.target;
  if (made.target->family == Family::edgetpu) {  // a .tflite file in the numerics of the chip
    open.target.clear();
    open.numerics = std::string(made.target->numerics);
  }
  std::string main;
  for (const MadeFile& f : made.files) {
    EDGETWIN_TRY_ASSIGN(const std::string path, folder.write(f.path, f.bytes));
    if (f.path.ends_with(".tar")) open.checkpoint = path;
    if (f.path.ends_with(".npy")) open.sample = path;
    const bool network_file =
        f.path.ends_with(".yaml") || f.path.ends_with(".espdl") || f.path.ends_with(".tflite");
    if (network_file) main = path;
  }
  EDGETWIN_TRY_ASSIGN(const Network opened, Network::open(main, open));
  RunnerOptions how;
  how.where = Where::twin;
  how.keep_layers = true;
  EDGETWIN_TRY_ASSIGN(c.runner, opened.runner(how));
  return Ok{};
}

// The picture as the float network takes it: 0 to 1, as the quantizer does without mean and std.
Result<Tensor> input_of_picture(const Port& port, const Tensor& picture) {
  if (port.shape.rank() != 4) {
    return Error(ErrorCode::bad_value, "the network takes " + to_string(port.shape) +
                                           ", which is no picture; choose the first sample");
  }
  exec::PictureScale scale;
  scale.mean = {0.0F};
  scale.std = {255.0F};
  return twin::picture_for(port, picture, scale, Resize::half_pixel, numerics::Rounding::half_even);
}

Result<Tensor> first_sample(const Port& port, const OpenedFile& calibration) {
  EDGETWIN_TRY_ASSIGN(const std::vector<Tensor> arrays,
                      twin::load_tensors(calibration.kind, calibration.data, calibration.name));
  if (calibration.kind == FileKind::image) return input_of_picture(port, arrays[0]);
  const auto bytes = static_cast<size_t>(port.shape.elements()) * sizeof(float);
  if (arrays.empty() || arrays[0].dtype != DType::float32 || arrays[0].data.size() < bytes) {
    return Error(ErrorCode::bad_value, "'" + calibration.name + "' has no sample of " +
                                           to_string(port.shape) + " float32");
  }
  Tensor t = arrays[0];
  t.shape = port.shape;
  t.data.resize(bytes);
  return t;
}

Result<Run> run_chip(Contender& c, const Runner& real, const Tensor& input) {
  Tensor scaled = input;
  if (c.input_step) {
    const auto factor = static_cast<float>(1.0 / (kMaxOne * *c.input_step));
    for (float& v : scaled.as<float>()) v *= factor;
  }
  const std::vector<Tensor> inputs = {scaled};
  EDGETWIN_TRY_ASSIGN(const std::vector<Tensor> own, same_inputs(inputs, real, *c.runner));
  return c.runner->run(own);
}

// Of the outputs. Networks of the MAX7800x may end before the float network does, whose softmax the
// host computes: then it is the last layer that both have.
Json output_signal(const Contender& c, const Run& chip, const Run& real,
                   const std::vector<LayerSignal>& signals) {
  if (c.max78) return signals.empty() ? Json() : Json(signals.back().db);
  const std::vector<double> own = reals_of(chip.outputs[0]);
  const std::vector<double> wanted = reals_of(real.outputs[0]);
  return own.size() == wanted.size() ? Json(decibels(wanted, own, false)) : Json();
}

Json compared(const Contender& c, const Run& chip, const Run& real) {
  Json layers = Json::array(), first;
  const std::vector<LayerSignal> signals = signals_of(chip, real, c.max78);
  for (const LayerSignal& s : signals) {
    Json row = Json::object();
    layers.push(row.set("layer", s.layer).set("tensor", s.tensor).set("db", s.db));
    if (s.db < kLimit && !first.as_string()) first = Json(s.layer);
  }
  Json j = Json::object();
  j.set("target", c.target).set("fits", true).set("reason", "");
  j.set("layers", std::move(layers)).set("first_below", std::move(first));
  j.set("output_db", output_signal(c, chip, real, signals));
  return j.set("answers", best_of(reals_of(chip.outputs[0])));
}

bool same_best(const std::vector<double>& a, const std::vector<double>& b) {
  const auto best = [](const std::vector<double>& v) {
    return std::max_element(v.begin(), v.end()) - v.begin();
  };
  return a.size() == b.size() && !a.empty() && best(a) == best(b);
}

}  // namespace

struct SideBySide::Prepared {
  std::unique_ptr<Runner> real;
  std::vector<Contender> chips;

  static Result<std::unique_ptr<Prepared>> make(const OpenedFile& network,
                                                const OpenedFiles& calibration) {
    auto p = std::make_unique<Prepared>();
    EDGETWIN_TRY_ASSIGN(p->real, runner_of(network, network.options));
    if (p->real->inputs().size() != 1) {
      return Error(ErrorCode::bad_value, "the network has " +
                                             std::to_string(p->real->inputs().size()) +
                                             " inputs; one is possible here");
    }
    EDGETWIN_TRY_ASSIGN(const BriefFolder folder, BriefFolder::create());
    EDGETWIN_TRY_ASSIGN(const std::string path, folder.write(network.name, network.data));
    EDGETWIN_TRY_ASSIGN(const BriefFolder beside, BriefFolder::create());
    EDGETWIN_TRY_ASSIGN(const std::string samples, beside.write_set(calibration));
    for (const targets::Id target : kChips) {
      Contender c;
      c.target = targets::name(target);
      const Status opened = open_chip(path, samples, c);
      if (!opened.ok()) c.reason = std::string(opened.error().id()) + ": " + opened.error().message;
      p->chips.push_back(std::move(c));
    }
    return p;
  }
};

SideBySide::SideBySide() = default;
SideBySide::~SideBySide() = default;

Result<Json> SideBySide::answers(const FileStore& files, const Members& m,
                                 const std::optional<Tensor>& picture) {
  EDGETWIN_TRY_ASSIGN(const auto network, files.find(member_of(m, "id")));
  EDGETWIN_TRY_ASSIGN(const OpenedFiles calibration, files_member(files, m, "calibration"));
  if (network->kind != FileKind::onnx) {
    return Error(ErrorCode::file_kind, "'" + network->name + "' is not a float network (.onnx)");
  }
  const std::string from = member_of(m, "input");
  if (from != "camera" && from != "sample") {
    return Error(ErrorCode::bad_value, "input is camera or sample");
  }
  const std::lock_guard lock(mutex_);
  std::string key = network->sha256;
  for (const auto& file : calibration) key += file->sha256;
  if (key != key_) {
    key_.clear();
    EDGETWIN_TRY_ASSIGN(prepared_, Prepared::make(*network, calibration));
    key_ = key;
  }
  const Port& port = prepared_->real->inputs()[0];
  if (from == "camera" && !picture) {
    return Error(ErrorCode::bad_value, "there is no picture yet");
  }
  EDGETWIN_TRY_ASSIGN(const Tensor input, from == "camera" ? input_of_picture(port, *picture)
                                                           : first_sample(port, *calibration[0]));
  const std::vector<Tensor> inputs = {input};
  EDGETWIN_TRY_ASSIGN(const Run real, prepared_->real->run(inputs));
  const std::vector<double> wanted = reals_of(real.outputs[0]);
  Json chips = Json::array();
  for (Contender& c : prepared_->chips) {
    Json row = Json::object();
    row.set("target", c.target).set("fits", false).set("reason", c.reason);
    if (c.runner != nullptr) {
      const Result<Run> run = run_chip(c, *prepared_->real, input);
      if (run.ok()) row = compared(c, *run, real);
      if (run.ok()) row.set("same_answer", same_best(reals_of(run->outputs[0]), wanted));
      if (!run.ok()) row.set("reason", run.error().message);
    }
    chips.push(std::move(row));
  }
  Json j = Json::object();
  j.set("success", true).set("input", from).set("shape", report::to_json(port.shape));
  return j.set("answers", best_of(wanted)).set("chips", std::move(chips));
}

}  // namespace edgetwin::serve
