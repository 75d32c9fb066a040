#include "cli/demo/fft.h"

#include "cli/demo/demo.h"
#include "cli/shared/exit_codes.h"
#include "edgetwin/network.h"
#include "exec/session.h"
#include "robotics/sidecar.h"
#include "signals/fft/network.h"
#include "signals/measure/measure.h"
#include "signals/radio/receiver.h"
#include "signals/spectrum/waterfall.h"
#include "signals/stream/spectrum_stream.h"
#include "tensor/npy.h"

namespace edgetwin::cli {
namespace {

using report::Json;

constexpr size_t kLineWidth = 64;
constexpr int kRowsOfEndless = 32;  // of sources without an end, where --rows is not given
constexpr double kReceiverRate = 2048000.0, kReceiverCentre = 100e6;
// A picture has no more rows, and a terminal no more lines, than one wants to see.
constexpr size_t kMostRows = 16384;

Result<std::unique_ptr<signals::SampleSource>> receiver_of(const FftDemoArguments& a) {
  signals::ReceiverOptions options;
  const size_t colon = a.source.find(':');
  if (colon != std::string::npos) {
    const std::string number = a.source.substr(colon + 1);
    if (number.empty() || number.size() > 2 ||
        number.find_first_not_of("0123456789") != std::string::npos) {
      return Error(ErrorCode::usage, "'" + a.source + "' does not name a receiver")
          .with_hint("Write rtl_sdr, or rtl_sdr:1 for the second one.");
    }
    options.index = static_cast<uint32_t>(std::stoi(number));
  }
  options.sample_rate = a.rate > 0.0 ? a.rate : kReceiverRate;
  options.centre = a.frequency > 0.0 ? a.frequency : kReceiverCentre;
  options.gain = a.gain;
  EDGETWIN_TRY_ASSIGN(auto library, signals::load_rtl_sdr());
  return signals::receiver_source(std::move(library), options);
}

Result<std::unique_ptr<signals::SampleSource>> source_of(const FftDemoArguments& a) {
  const bool receiver = a.source == "rtl_sdr" || a.source.starts_with("rtl_sdr:");
  const bool synthetic = a.source.starts_with("synthetic:");
  if (!receiver && (a.frequency > 0.0 || a.gain)) {
    return Error(ErrorCode::usage, "--frequency and --gain are of a receiver")
        .with_hint("Leave them out, or choose --source rtl_sdr.");
  }
  if ((receiver || synthetic) && !a.samples.empty()) {
    return Error(ErrorCode::usage, "--samples says what a file holds; '" + a.source + "' is none")
        .with_hint("Leave --samples out.");
  }
  if (receiver) return receiver_of(a);
  if (synthetic) {
    return signals::synthetic_source(a.source.substr(a.source.find(':') + 1), a.rate);
  }
  std::optional<recordings::SampleType> type;
  if (!a.samples.empty()) type = recordings::raw_type(a.samples);
  EDGETWIN_TRY_ASSIGN(auto recording, recordings::open_recording(a.source, type, a.rate));
  return signals::recorded_source(std::move(recording), a.source);
}

// The network's input, and what computes it.
struct Computer {
  signals::Transform transform;
  Tensor input;
  signals::InputOrder order{};
};

Result<Tensor> empty_tensor(const std::string& name, DType type, const Shape& shape,
                            const Quant& quant) {
  EDGETWIN_TRY_ASSIGN(Tensor t, Tensor::zeros(type, shape));
  t.name = name;
  t.quant = quant;
  return t;
}

// The order of a model's samples: as given, or as its side-car file says.
Result<signals::InputOrder> order_of(const FftDemoArguments& a) {
  std::string word = a.order;
  if (word.empty()) {
    EDGETWIN_TRY_ASSIGN(const auto sidecar, robotics::Sidecar::beside(a.model));
    word = sidecar.text("input_order").value_or("");
  }
  if (const auto order = signals::input_order(word)) return *order;
  return Error(ErrorCode::usage,
               "the order in which '" + a.model + "' takes its samples is unknown")
      .with_hint(
          "Say it with --order, or put the file of `template fft --metadata` beside the "
          "model under the name NAME.json.");
}

Result<Computer> computer_of_model(const FftDemoArguments& a) {
  EDGETWIN_TRY_ASSIGN(const signals::InputOrder order, order_of(a));
  OpenOptions open;
  open.numerics = a.numerics;
  EDGETWIN_TRY_ASSIGN(const Network network, Network::open(a.model, open));
  EDGETWIN_TRY_ASSIGN(std::shared_ptr<Runner> runner, network.runner());
  if (runner->inputs().size() != 1 || runner->outputs().empty()) {
    return Error(ErrorCode::template_argument, "the network has " +
                                                   std::to_string(runner->inputs().size()) +
                                                   " inputs; a transform has one")
        .with_hint("Give a network that `template fft` made.");
  }
  const auto& port = runner->inputs().front();
  Computer c{nullptr, {}, order};
  EDGETWIN_TRY_ASSIGN(c.input, empty_tensor(port.name, port.dtype, port.shape, port.quant));
  c.transform = [runner](const Tensor& input) -> Result<Tensor> {
    EDGETWIN_TRY_ASSIGN(auto run, runner->run(std::span(&input, 1)));
    return std::move(run.outputs.front());
  };
  return c;
}

Result<Computer> computer_of(const FftDemoArguments& a) {
  if (!a.model.empty()) return computer_of_model(a);
  const signals::FftOptions o{a.size, a.batch, *signals::fft_form(a.form),
                              *signals::fft_scaling(a.scaling), *signals::fft_number(a.number)};
  auto good = signals::check(o);
  if (!good.ok()) return std::move(good.error()).in_field("--" + good.error().place.field);
  signals::FftReach reach = signals::fft_reach(o);
  if (o.scaling == signals::FftScaling::calibrated) {
    EDGETWIN_TRY_ASSIGN(reach, signals::calibrated_reach(
                                   o, signals::calibration_noise(static_cast<size_t>(o.size))));
  }
  EDGETWIN_TRY_ASSIGN(const Model model, signals::fft_network(o, reach));
  const Value& v = model.main().value(model.main().inputs.front());
  Computer c{nullptr, {}, signals::input_order(o.form)};
  EDGETWIN_TRY_ASSIGN(c.input, empty_tensor(v.name, v.dtype, v.shape, v.quant));
  const std::string usual = o.number == signals::FftNumber::int8 ? "edgetpu" : "tflite";
  EDGETWIN_TRY_ASSIGN(exec::Session session,
                      exec::Session::create(std::make_shared<const Graph>(model.main()),
                                            {.numerics = a.numerics.empty() ? usual : a.numerics}));
  const auto shared = std::make_shared<exec::Session>(std::move(session));
  c.transform = [shared](const Tensor& input) -> Result<Tensor> {
    EDGETWIN_TRY(shared->set_input(0, input.data));
    EDGETWIN_TRY(shared->run());
    return shared->output(0);
  };
  return c;
}

// The place of the strongest line, for people and for the document.
Json line_of(const std::vector<float>& row, double rate, double centre, std::string& text) {
  const size_t peak = static_cast<size_t>(std::max_element(row.begin(), row.end()) - row.begin());
  const double share = signals::frequency_of(peak, row.size());
  Json json = Json::object();
  json.set("peak_db", static_cast<double>(row[peak])).set("peak_place", share);
  text = decimal(static_cast<double>(row[peak]), 1) + " dB at ";
  if (rate > 0.0) {
    text += decimal(centre + share * rate, 0) + " Hz";
    json.set("peak_hz", centre + share * rate);
  } else {
    text += decimal(share, 4) + " of the rate";
  }
  return json;
}

// complex64 as NumPy has it: pairs of float32, one row a transform.
Result<Bytes> complex_npy(const std::vector<std::complex<float>>& numbers, size_t size) {
  std::string header = "{'descr': '<c8', 'fortran_order': False, 'shape': (" +
                       std::to_string(numbers.size() / size) + ", " + std::to_string(size) + "), }";
  constexpr size_t kBefore = 10;  // magic, version, length of the header
  header += std::string(63 - (kBefore + header.size()) % 64, ' ') + "\n";
  ByteWriter w;
  w.append(as_byte_span("\x93NUMPY\x01"), "magic");
  w.write(uint8_t{0}, "version");
  w.write(static_cast<uint16_t>(header.size()), "length");
  w.append(as_byte_span(header), "header");
  w.append(std::as_bytes(std::span(numbers)), "numbers");
  return w.bytes();
}

class FftDemo {
 public:
  FftDemo(const FftDemoArguments& a, Console& console) : a_(a), console_(console) {}

  Result<int> run() {
    EDGETWIN_TRY(a_.output.check());
    EDGETWIN_TRY(a_.spectra.check());
    EDGETWIN_TRY_ASSIGN(const Computer computer, computer_of(a_));
    EDGETWIN_TRY_ASSIGN(source_, source_of(a_));
    console_.print(source_->description() + "\n");
    size_ = static_cast<size_t>(computer.input.shape.back(1));
    signals::StreamOptions options{*signals::window_by_name(a_.window), a_.overlap / 100.0,
                                   a_.average, a_.rows};
    const bool endless = a_.source.starts_with("synthetic:") || a_.source.starts_with("rtl_sdr");
    if (options.rows == 0 && endless) options.rows = kRowsOfEndless;
    signals::StreamSinks sinks{nullptr,
                               [this](const std::vector<float>& row) { return take(row); }};
    if (!a_.spectra.empty()) {
      sinks.frame = [this](std::span<const std::complex<float>> spectrum) -> Status {
        numbers_.insert(numbers_.end(), spectrum.begin(), spectrum.end());
        return Ok{};
      };
    }
    EDGETWIN_TRY_ASSIGN(const auto summary,
                        signals::stream_spectrum(*source_, computer.input, computer.order, options,
                                                 computer.transform, sinks));
    EDGETWIN_TRY(finish(summary));
    return kYes;
  }

 private:
  Result<bool> take(const std::vector<float>& row) {
    if (rows_.empty()) first_ = signals::range_of({row});
    std::string text;
    lines_.push(line_of(row, source_->sample_rate(), source_->centre(), text));
    console_.print("|" + signals::waterfall_line(row, kLineWidth, first_) + "| " + text + "\n");
    rows_.push_back(row);
    return rows_.size() < kMostRows;
  }

  Status finish(const signals::StreamSummary& s) {
    const uint64_t lost = source_->lost(), rest = source_->rest();
    console_.print(std::to_string(s.samples) + " samples, " + std::to_string(s.frames) +
                   " transforms, " + std::to_string(s.rows) + " rows\n");
    if (s.unused > 0) {
      console_.print(std::to_string(s.unused) + " samples at the end fill no transform\n");
    }
    if (rest > 0) {
      console_.print(std::to_string(rest) + " bytes at the end are no whole sample\n");
    }
    if (s.cut_off > 0) {
      console_.print(std::to_string(s.cut_off) +
                     " parts of samples are beyond the input's range and "
                     "were cut off\n");
    }
    if (lost > 0) {
      console_.print(std::to_string(lost) +
                     " samples came faster than they were computed and are "
                     "lost\n");
    }
    console_.json().set("source", source_->description()).set("samples", s.samples);
    console_.json().set("transforms", s.frames).set("unused", s.unused).set("rest_bytes", rest);
    console_.json().set("cut_off", s.cut_off).set("lost", lost).set("rows", std::move(lines_));
    if (!a_.output.empty()) {
      EDGETWIN_TRY_ASSIGN(const Bytes png, signals::waterfall_png(rows_, signals::range_of(rows_)));
      EDGETWIN_TRY(a_.output.write(ByteSpan(png)));
    }
    if (a_.spectra.empty()) return Ok{};
    EDGETWIN_TRY_ASSIGN(const Bytes npy, complex_npy(numbers_, size_));
    return a_.spectra.write(ByteSpan(npy));
  }

  const FftDemoArguments& a_;
  Console& console_;
  std::unique_ptr<signals::SampleSource> source_;
  signals::DecibelRows rows_;
  signals::DecibelRange first_;
  std::vector<std::complex<float>> numbers_;
  Json lines_ = Json::array();
  size_t size_ = 0;
};

}  // namespace

Result<int> execute(const FftDemoArguments& a, Console& console) {
  return FftDemo(a, console).run();
}

}  // namespace edgetwin::cli
