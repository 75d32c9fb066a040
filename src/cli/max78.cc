#include "cli/max78.h"

#include "base/file.h"
#include "cli/exit_codes.h"
#include "formats/ai8x/read_yaml.h"
#include "formats/ai8x/sample.h"
#include "formats/torch/checkpoint.h"

namespace edgetwin::cli {
namespace {

Result<ai8x::Device> device_of(const std::string& target) {
  if (target == "max78000") return ai8x::Device::max78000;
  if (target == "max78002") return ai8x::Device::max78002;
  return Error(ErrorCode::usage, target.empty() ? "the target of the network is missing"
                                                : "there is no target '" + target + "' for it")
      .with_hint("Add --target max78000 or --target max78002.");
}

void show(const Error& error, Severity severity, Console& console) {
  Finding f;
  f.severity = severity;
  f.id = std::string(error.id());
  f.place = error.place.file;
  if (error.place.line) f.place += ":" + std::to_string(*error.place.line);
  f.message = error.message;
  f.hint = error.hint;
  console.finding(f);
}

// All errors at once; true if there was none.
bool show_report(const ai8x::Report& report, Console& console) {
  for (const Error& e : report.notes) show(e, Severity::note, console);
  for (const Error& e : report.warnings) show(e, Severity::warning, console);
  for (const Error& e : report.errors) console.error(e);
  return report.ok();
}

bool show_findings(const max78::Findings& findings, Console& console) {
  for (const max78::RuleFinding& f : findings) {
    const Error error = max78::to_error(f);
    if (f.severity == Severity::error) {
      console.error(error);
    } else {
      show(error, f.severity, console);
    }
  }
  return !max78::has_errors(findings);
}

Result<ai8x::ParameterReading> read_parameters(const Max78Arguments& a,
                                               const ai8x::Network& network) {
  if (!a.checkpoint.empty()) {
    EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(a.checkpoint));
    EDGETWIN_TRY_ASSIGN(const torch::Checkpoint checkpoint,
                        torch::Checkpoint::read(data, a.checkpoint));
    return ai8x::read_checkpoint(network, checkpoint);
  }
  if (a.weights.empty()) {
    return Error(ErrorCode::usage, "the network's weights are missing")
        .with_hint("Add --checkpoint FILE, or --weights FILE and perhaps --bias FILE.");
  }
  EDGETWIN_TRY_ASSIGN(const Bytes weights, read_file(a.weights));
  Bytes bias;
  if (!a.bias.empty()) {
    EDGETWIN_TRY_ASSIGN(bias, read_file(a.bias));
  }
  return ai8x::read_arrays(network, weights, a.weights, bias, a.bias);
}

max78::SampleShape shape_of(const Tensor& t) {
  const auto size = [&](int axis) {
    return t.shape.rank() > axis ? static_cast<int>(t.shape[axis]) : 1;
  };
  return {size(0), size(1), size(2)};
}

Max78Outcome refused(int exit_code) { return {nullptr, false, exit_code}; }

}  // namespace

Result<bool> is_max78_network(ByteSpan model, const Max78Arguments& a, const std::string& verb) {
  if (ai8x::looks_like_network(as_text(model))) return true;
  const bool named =
      !a.checkpoint.empty() || !a.weights.empty() || !a.bias.empty() || !a.sample.empty();
  if (a.options.empty() && !named) return false;
  std::string words;
  for (const std::string& word : a.options) words += (words.empty() ? "" : " ") + word;
  const std::string what =
      a.options.empty() ? "--checkpoint, --weights, --bias and --sample belong to a network .yaml"
      : a.options.size() == 1 ? "The following argument was not expected: " + words
                              : "The following arguments were not expected: " + words;
  return Error(ErrorCode::usage, what)
      .with_hint("edgetwin " + verb + " --help lists the options and ends with an example.");
}

Result<Max78Outcome> load_max78(const Max78Arguments& a, Console& console) {
  EDGETWIN_TRY_ASSIGN(const ai8x::Device device, device_of(a.target));
  auto job = std::make_unique<Max78Job>();
  EDGETWIN_TRY_ASSIGN(job->options, max78::options_from(a.options));
  EDGETWIN_TRY_ASSIGN(const Bytes yaml, read_file(a.network));
  ai8x::NetworkReading reading = ai8x::read_network_report(as_text(yaml), a.network, device);
  if (!show_report(reading.report, console) || !reading.network) return refused(kInput);
  job->network = std::move(*reading.network);
  EDGETWIN_TRY_ASSIGN(ai8x::ParameterReading parameters, read_parameters(a, job->network));
  if (!show_report(parameters.report, console) || !parameters.parameters) return refused(kInput);
  job->parameters = std::move(*parameters.parameters);
  if (a.sample.empty()) {
    return Error(ErrorCode::input_missing,
                 "the network's sample was not given, and with it the size of its input")
        .with_hint("Add --sample FILE, an .npy of (channels, rows, columns).");
  }
  EDGETWIN_TRY_ASSIGN(const Bytes sample, read_file(a.sample));
  EDGETWIN_TRY_ASSIGN(job->sample, ai8x::read_sample(sample, a.sample));
  job->plan = max78::make_plan(job->network, job->parameters, shape_of(job->sample), job->options);
  Max78Outcome outcome;
  outcome.ok = show_findings(job->plan.findings, console);
  outcome.exit_code = outcome.ok ? kYes : kNo;
  outcome.job = std::move(job);
  return outcome;
}

}  // namespace edgetwin::cli
