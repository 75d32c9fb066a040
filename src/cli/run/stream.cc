// `run --stream`: samples of a recording, a receiver or a synthetic signal through a network. A
// Fourier transform gives spectra; a key-word network of the MAX78000 or MAX78002 takes windows of
// the waveform and gives classes.
#include <cmath>

#include "base/file.h"
#include "base/sha256.h"
#include "cli/networks/twin_inputs.h"
#include "cli/run/kinds.h"
#include "cli/run/run_output.h"
#include "cli/shared/exit_codes.h"
#include "cli/shared/open_arguments.h"
#include "cli/streams/sources.h"
#include "cli/streams/spectrum_view.h"
#include "report/format.h"
#include "report/trace_io.h"
#include "signals/keywords/waveform.h"

namespace edgetwin::cli {
namespace {

using report::Json;

Error stream_misfit(const std::string& option, const std::string& reason) {
  return Error(ErrorCode::usage, option + " does not go with --stream: " + reason)
      .with_hint("Leave " + option + " out.");
}

// What would be left aside is refused instead.
Status stream_options_fit(const RunArguments& a) {
  const std::pair<bool, const char*> single[] = {
      {!a.inputs.empty(), "--input"},       {!a.trace.empty(), "--trace"},
      {!a.report.empty(), "--report"},      {!a.image.empty(), "--image"},
      {!a.decode.empty(), "--decode"},      {a.repeat, "--repeat"},
      {!a.max78.sample.empty(), "--sample"}};
  for (const auto& [given, option] : single) {
    if (given) return stream_misfit(option, "it belongs to one run with one input");
  }
  if (!a.device.record.empty()) return stream_misfit("--record", "it keeps one run");
  if (!a.device.device.empty() && !a.machine.empty()) {
    return Error(ErrorCode::usage, "--device and --machine are two places to compute");
  }
  return refuse_reference(a.device);
}

// Where the runs of a stream are computed.
RunnerOptions place_of(const RunArguments& a) {
  RunnerOptions how = runner_options(a.compute);
  how.where = Where::twin;
  if (!a.machine.empty()) how.where = Where::machine;
  const std::string& device = a.device.device;
  if (device.empty()) return how;
  const bool is_virtual = device.starts_with("virtual");
  how.where = is_virtual ? Where::virtual_device : Where::device;
  if (!is_virtual) how.device = device;
  how.reference = a.device.reference;
  return how;
}

// A network of the MAX78000 or MAX78002 does not say what its integers stand for; all others do.
Status add_steps(const RunArguments& a, const Network& network, StreamTransform& transform) {
  const StreamArguments& s = a.stream;
  const bool max78 = network.kind() == FileKind::max78;
  const bool given = s.input_step.has_value() || s.output_step.has_value();
  if (!max78 && given) {
    return stream_misfit(s.input_step ? "--input-step" : "--output-step",
                         "the file says what its integers stand for");
  }
  if (!max78) return Ok{};
  if (!s.input_step || !s.output_step) {
    return Error(ErrorCode::usage, "the network does not say what its integers stand for")
        .in_file(a.model)
        .with_hint(
            "Add --input-step and --output-step: where `quantize` printed q = x * 2^7 and "
            "x = q * 2^-3, they are 0.0078125 and 0.125.");
  }
  const Quant own = transform.input.quant;
  transform.input.quant = Quant::affine(static_cast<float>(*s.input_step), 0);
  const auto step = static_cast<float>(*s.output_step);
  transform.compute = [run = std::move(transform.compute), step,
                       own](const Tensor& input) -> Result<Tensor> {
    Tensor bytes = input;
    bytes.quant = own;
    EDGETWIN_TRY_ASSIGN(Tensor output, run(bytes));
    output.quant = Quant::affine(step, 0);
    return output;
  };
  return Ok{};
}

Result<Inputs> given_stream(const StreamArguments& a) {
  Inputs inputs;
  GivenInput given{a.source, ""};
  if (!is_endless(a)) {
    EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(a.source));
    given.sha256 = sha256_hex(data);
  }
  inputs.given.push_back(std::move(given));
  return inputs;
}

// outputs.json, beside what else was written.
Status finish_folder(const Json& origin, const Json& stream, AtomicFolder& folder) {
  Json document = Json::object();
  document.set("schema", 1).merge(origin).set("stream", stream);
  EDGETWIN_TRY(folder.write(report::kOutputsFile, std::string_view(document.text())));
  return folder.commit();
}

Result<Json> show_spectra(const RunArguments& a, const Network& network,
                          std::shared_ptr<Runner> runner, AtomicFolder* folder, Console& console) {
  if (!a.labels.empty()) return stream_misfit("--labels", "a transform gives no classes");
  EDGETWIN_TRY_ASSIGN(StreamTransform transform,
                      transform_of(std::move(runner), a.model, a.stream.order));
  say_order(transform, console);
  EDGETWIN_TRY(add_steps(a, network, transform));
  EDGETWIN_TRY_ASSIGN(const auto source, source_of(a.stream));
  SpectrumView view(a.stream, console);
  EDGETWIN_TRY(view.show(*source, transform, folder != nullptr));
  if (folder == nullptr) return view.summary();
  EDGETWIN_TRY_ASSIGN(const Bytes png, view.waterfall());
  EDGETWIN_TRY(folder->write("waterfall.png", png));
  EDGETWIN_TRY_ASSIGN(const Bytes npy, view.spectra());
  EDGETWIN_TRY(folder->write("spectra.npy", npy));
  return view.summary();
}

// Windows of 16,384 samples of sound, one after the other or overlapping.
class Words {
 public:
  Words(const RunArguments& a, Runner& runner, signals::SampleSource& source, Console& console)
      : a_(a), runner_(runner), source_(source), console_(console) {
    const double kept = a.stream.overlap / 100.0 * static_cast<double>(held_.size());
    step_ = held_.size() - static_cast<size_t>(kept);
  }

  Status check() const {
    if (source_.is_complex()) {
      return Error(ErrorCode::usage, "samples of two parts; the network takes sound of one channel")
          .in_file(a_.stream.source)
          .with_hint("Save one channel alone.");
    }
    if (source_.sample_rate() == signals::kWaveformRate) return Ok{};
    if (source_.sample_rate() == 0.0) {
      return Error(ErrorCode::usage, "the source does not say its sample rate")
          .in_file(a_.stream.source)
          .with_hint("Say it with --rate; the network takes 16000.");
    }
    return Error(ErrorCode::usage,
                 "the sample rates differ: the network takes 16000, the source has " +
                     std::to_string(std::llround(source_.sample_rate())))
        .in_file(a_.stream.source)
        .with_hint("Resample it to 16 kHz.");
  }

  Result<Json> run() {
    if (!a_.labels.empty()) {
      EDGETWIN_TRY_ASSIGN(labels_, read_labels(a_.labels));
    }
    const Port& port = runner_.inputs().front();
    EDGETWIN_TRY_ASSIGN(input_, empty_input(port.name, port.dtype, port.shape, port.quant));
    console_.print(source_.description() + "\n");
    const int most = a_.stream.rows;
    for (int row = 0; most == 0 || row < most; ++row) {
      EDGETWIN_TRY_ASSIGN(const bool more, next_window());
      if (!more) break;
      EDGETWIN_TRY(classify());
    }
    return finish();
  }

 private:
  // Moves the held samples on by a step. Zeros follow where the source ends.
  Result<bool> next_window() {
    if (ended_) return false;
    const size_t wanted = begun_ ? step_ : held_.size();
    if (begun_) first_ += step_;
    std::move(held_.begin() + static_cast<std::ptrdiff_t>(wanted), held_.end(), held_.begin());
    std::vector<std::complex<float>> fresh(wanted);
    EDGETWIN_TRY_ASSIGN(const size_t got, source_.read(fresh));
    samples_ += got;
    for (size_t i = 0; i < wanted; ++i) {
      held_[held_.size() - wanted + i] = i < got ? fresh[i].real() : 0.0F;
    }
    ended_ = got < wanted;
    padded_ = wanted - got;
    if (got == 0) padded_ = 0;
    begun_ = true;
    return got > 0;
  }

  Status classify() {
    signals::fill_waveform(held_, input_);
    EDGETWIN_TRY(runner_.reset());
    EDGETWIN_TRY_ASSIGN(const Run run, runner_.run(std::span(&input_, 1)));
    const std::vector<Tensor> outputs = classes_last(run);
    const RankedClass best = best_classes(outputs.front(), labels_, 1).front();
    const double seconds = static_cast<double>(first_) / signals::kWaveformRate;
    std::string line = report::fixed_text(seconds, 3) + " s  class " + std::to_string(best.index);
    if (!best.label.empty()) line += " " + best.label;
    console_.print(line + "  " + report::real_text(static_cast<float>(best.score)) + "\n");
    Json row = Json::object();
    row.set("seconds", seconds).set("class", best.index).set("score", best.score);
    if (!best.label.empty()) row.set("label", best.label);
    rows_.push(std::move(row));
    return Ok{};
  }

  Json finish() {
    const uint64_t rest = source_.rest();
    console_.print(std::to_string(samples_) + " samples, " + std::to_string(rows_.size()) +
                   " windows\n");
    if (padded_ > 0) {
      console_.print(std::to_string(padded_) + " zeros fill the last window\n");
    }
    if (rest > 0) {
      console_.print(std::to_string(rest) + " bytes at the end are no whole sample\n");
    }
    Json json = Json::object();
    json.set("source", source_.description()).set("samples", samples_).set("zeros", padded_);
    json.set("rest_bytes", rest).set("rows", std::move(rows_));
    console_.json().merge(json);
    return json;
  }

  const RunArguments& a_;
  Runner& runner_;
  signals::SampleSource& source_;
  Console& console_;
  Labels labels_;
  Tensor input_;
  std::vector<float> held_ = std::vector<float>(signals::kWaveformSamples);
  size_t step_ = 1;
  uint64_t first_ = 0, samples_ = 0, padded_ = 0;
  bool begun_ = false, ended_ = false;
  Json rows_ = Json::array();
};

Result<Json> show_words(const RunArguments& a, Runner& runner, Console& console) {
  const std::pair<bool, const char*> spectral[] = {
      {!a.stream.window.empty(), "--window"},
      {a.stream.average > 0, "--average"},
      {a.stream.input_step.has_value(), "--input-step"},
      {a.stream.output_step.has_value(), "--output-step"},
      {!a.stream.order.empty(), "--order"}};
  for (const auto& [given, option] : spectral) {
    if (given) return stream_misfit(option, "this network takes the waveform, not spectra");
  }
  EDGETWIN_TRY_ASSIGN(const auto source, source_of(a.stream));
  Words words(a, runner, *source, console);
  EDGETWIN_TRY(words.check());
  return words.run();
}

bool takes_waveform(const Network& network, const Runner& runner) {
  return network.kind() == FileKind::max78 && runner.inputs().size() == 1 &&
         signals::is_waveform(runner.inputs().front().shape);
}

}  // namespace

Result<int> run_on_stream(const RunArguments& a, Console& console) {
  EDGETWIN_TRY(stream_options_fit(a));
  EDGETWIN_TRY_ASSIGN(const Network network, open_for_twin(a.model, a.compute, a.max78, {}));
  EDGETWIN_TRY_ASSIGN(const std::shared_ptr<Runner> runner, network.runner(place_of(a)));
  const bool waveform = takes_waveform(network, *runner);
  if (!waveform && !is_transform(*runner)) {
    const std::string shape =
        runner->inputs().empty() ? "nothing" : to_string(runner->inputs().front().shape);
    return Error(ErrorCode::usage,
                 "--stream feeds transforms and key-word networks; the input of '" + a.model +
                     "' is " + shape)
        .with_hint(
            "A transform takes batch x N x 2 (template fft), a key-word network of the "
            "MAX78000 or MAX78002 takes 128 x 128.");
  }
  std::optional<AtomicFolder> folder;
  if (!a.output.empty()) {
    EDGETWIN_TRY_ASSIGN(AtomicFolder made, a.output.folder());
    folder.emplace(std::move(made));
  }
  EDGETWIN_TRY_ASSIGN(const Inputs inputs, given_stream(a.stream));
  const Json origin = origin_json(network, inputs, runner->numerics());
  console.json().merge(origin);
  EDGETWIN_TRY_ASSIGN(const Json stream,
                      waveform
                          ? show_words(a, *runner, console)
                          : show_spectra(a, network, runner, folder ? &*folder : nullptr, console));
  if (folder) EDGETWIN_TRY(finish_folder(origin, stream, *folder));
  return kYes;
}

}  // namespace edgetwin::cli
