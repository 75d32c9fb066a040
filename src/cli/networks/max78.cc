#include "cli/networks/max78.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>

#include "base/file.h"
#include "cli/networks/page.h"
#include "cli/shared/exit_codes.h"
#include "cli/shared/version.h"
#include "formats/ai8x/read_yaml.h"
#include "formats/ai8x/sample.h"
#include "formats/torch/checkpoint.h"
#include "targets/max78/page/memory_scene.h"
#include "targets/max78/page/page.h"
#include "targets/max78/program.h"

namespace edgetwin::cli {
namespace {

Result<ai8x::Device> device_of(const std::string& target) {
  if (target == "max78000") return ai8x::Device::max78000;
  if (target == "max78002") return ai8x::Device::max78002;
  return Error(ErrorCode::usage, target.empty() ? "the target of the network is missing"
                                                : "there is no target '" + target + "' for it")
      .with_hint("Add --target max78000 or --target max78002.");
}

// Prints what was found, and keeps it for the page.
class Shown {
 public:
  Shown(Console& console, std::vector<Finding>& kept) : console_(console), kept_(kept) {}

  void add(const Error& error, Severity severity) {
    Finding f;
    f.severity = severity;
    f.id = std::string(error.id());
    f.place = error.place.file;
    if (error.place.line) f.place += ":" + std::to_string(*error.place.line);
    if (!error.place.layer.empty()) f.place += ", " + error.place.layer;
    if (!error.place.field.empty()) f.place += ", field " + error.place.field;
    f.message = error.message;
    f.hint = error.hint;
    if (severity == Severity::error) {
      console_.error(error);
    } else {
      console_.finding(f);
    }
    for (const std::string& detail : error.details) f.message += "; " + detail;
    kept_.push_back(std::move(f));
  }
  // All at once; true if there was no error.
  bool add(const ai8x::Report& report, bool warn_zero) {
    for (const Error& e : report.notes) add(e, Severity::note);
    for (const Error& e : report.warnings) {
      if (warn_zero || e.code != ErrorCode::ai8x_zero) add(e, Severity::warning);
    }
    for (const Error& e : report.errors) add(e, Severity::error);
    return report.ok();
  }
  bool add(const max78::Findings& findings) {
    for (const max78::RuleFinding& f : findings) add(max78::to_error(f), f.severity);
    return !max78::has_errors(findings);
  }

 private:
  Console& console_;
  std::vector<Finding>& kept_;
};

Result<ai8x::ParameterReading> read_parameters(const Max78Arguments& a,
                                               const ai8x::Network& network,
                                               const ai8x::ParameterOptions& options) {
  if (!a.checkpoint.empty()) {
    EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(a.checkpoint));
    EDGETWIN_TRY_ASSIGN(const torch::Checkpoint checkpoint,
                        torch::Checkpoint::read(data, a.checkpoint));
    return ai8x::read_checkpoint(network, checkpoint, options);
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
  return ai8x::read_arrays(network, weights, a.weights, bias, a.bias, options);
}

max78::SampleShape shape_of(const Tensor& t) {
  const auto size = [&](int axis) {
    return t.shape.rank() > axis ? static_cast<int>(t.shape[axis]) : 1;
  };
  return {size(0), size(1), size(2)};
}

// "3x32x32": channels, rows, columns; what is missing behind is 1.
Result<max78::SampleShape> read_shape(const std::string& text) {
  std::array<int, 3> sizes = {0, 1, 1};
  size_t n = 0;
  for (size_t at = 0; at <= text.size() && n < 4; ++n) {
    const size_t end = std::min(text.find('x', at), text.size());
    int value = 0;
    const auto [stop, error] = std::from_chars(text.data() + at, text.data() + end, value);
    if (n == 3 || error != std::errc() || stop != text.data() + end || value < 1 || value > 4096) {
      return Error(ErrorCode::usage, "--input-shape cannot be '" + text + "'")
          .with_hint("Channels, rows and columns with x between them: 3x32x32.");
    }
    sizes[n] = value;
    at = end + 1;
  }
  return max78::SampleShape{sizes[0], sizes[1], sizes[2]};
}

// From the sample, from --input-shape, or as the description states it.
Result<max78::SampleShape> input_shape(const Max78Arguments& a, Max78Sample need, Max78Job& job) {
  if (!a.sample.empty()) {
    EDGETWIN_TRY_ASSIGN(const Bytes sample, read_file(a.sample));
    EDGETWIN_TRY_ASSIGN(job.sample, ai8x::read_sample(sample, a.sample));
    EDGETWIN_TRY(max78::synthesize(job.sample, job.options));
    return shape_of(job.sample);
  }
  if (need == Max78Sample::needed) {
    return Error(ErrorCode::input_missing,
                 "the network's sample was not given, and with it the size of its input")
        .with_hint("Add --sample FILE, an .npy of (channels, rows, columns).");
  }
  if (!a.shape.empty()) return read_shape(a.shape);
  const auto stated = max78::stated_shape(job.network, job.parameters, job.options.start_layer);
  if (stated) return *stated;
  return Error(ErrorCode::input_missing, "the size of the network's input is not known")
      .in_file(a.network)
      .with_hint("Add --input-shape CxHxW, --sample FILE, or in_dim to the first layer.");
}

Status load_steps(const Max78Arguments& a, Max78Sample need, ai8x::Device device, Shown& shown,
                  Max78Outcome& outcome) {
  auto job = std::make_unique<Max78Job>();
  EDGETWIN_TRY_ASSIGN(job->options, max78::options_from(a.options));
  EDGETWIN_TRY_ASSIGN(const Bytes yaml, read_file(a.network));
  outcome.ok = false;
  outcome.exit_code = kInput;
  ai8x::NetworkReading reading = ai8x::read_network_report(as_text(yaml), a.network, device);
  if (!shown.add(reading.report, true) || !reading.network) {
    for (const Error& e : reading.report.errors) {
      outcome.exit_code = std::min(outcome.exit_code, info(e.code).exit_code);
    }
    return Ok{};
  }
  job->network = std::move(*reading.network);
  max78::apply_to(job->network, job->options);
  EDGETWIN_TRY_ASSIGN(ai8x::ParameterReading parameters,
                      read_parameters(a, job->network, job->options.parameters));
  if (!shown.add(parameters.report, job->options.warn_zero) || !parameters.parameters) return Ok{};
  job->parameters = std::move(*parameters.parameters);
  EDGETWIN_TRY_ASSIGN(const max78::SampleShape shape, input_shape(a, need, *job));
  job->plan = max78::make_plan(job->network, job->parameters, shape, job->options);
  outcome.ok = shown.add(job->plan.findings);
  outcome.exit_code = outcome.ok ? kYes : kNo;
  outcome.job = std::move(job);
  return Ok{};
}

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

Result<Max78Outcome> load_max78(const Max78Arguments& a, Max78Sample need, Console& console) {
  EDGETWIN_TRY_ASSIGN(const ai8x::Device device, device_of(a.target));
  Max78Outcome outcome;
  Shown shown(console, outcome.findings);
  EDGETWIN_TRY(load_steps(a, need, device, shown, outcome));
  return outcome;
}

Result<std::optional<ai8x::Parameters>> match_max78(const Max78Arguments& a,
                                                    const ai8x::Network& network,
                                                    Console& console) {
  EDGETWIN_TRY_ASSIGN(const max78::Options options, max78::options_from(a.options));
  EDGETWIN_TRY_ASSIGN(ai8x::ParameterReading reading,
                      read_parameters(a, network, options.parameters));
  std::vector<Finding> ignored;
  Shown(console, ignored).add(reading.report, options.warn_zero);
  return std::move(reading.parameters);
}

Status check_max78_pages(const Max78Arguments& a) {
  for (const Output* file : {&a.report, &a.image}) {
    if (!file->empty()) EDGETWIN_TRY(check_page(*file, {}));
  }
  return Ok{};
}

Status write_max78_pages(const Max78Arguments& a, const Max78Outcome& outcome,
                         const std::string& verdict, Console& console) {
  const max78::Plan* plan = outcome.job != nullptr ? &outcome.job->plan : nullptr;
  if (!a.report.empty()) {
    max78::NetworkPage page;
    page.title = std::filesystem::path(a.network).filename().string();
    page.version = std::string(kVersion);
    page.yes = outcome.ok;
    page.verdict = verdict;
    page.asked = {{"network", a.network}, {"target", a.target}};
    if (!a.checkpoint.empty()) page.asked.emplace_back("checkpoint", a.checkpoint);
    if (!a.weights.empty()) page.asked.emplace_back("weights", a.weights);
    if (!a.bias.empty()) page.asked.emplace_back("bias", a.bias);
    if (!a.sample.empty()) page.asked.emplace_back("sample", a.sample);
    std::string options;
    for (const std::string& word : a.options) options += (options.empty() ? "" : " ") + word;
    if (!options.empty()) page.asked.emplace_back("options", options);
    page.plan = plan;
    page.findings = outcome.findings;
    page.command = console.command_line();
    EDGETWIN_TRY(a.report.write(std::string_view(max78::html_page(page))));
    console.print("report      " + a.report.path + "\n");
    console.json().set("page", a.report.path);
  }
  if (a.image.empty() || plan == nullptr || plan->groups.empty()) return Ok{};
  EDGETWIN_TRY_ASSIGN(const Bytes png, max78::to_png(max78::memory_scene(*plan)));
  EDGETWIN_TRY(a.image.write(png));
  console.print("picture     " + a.image.path + "\n");
  console.json().set("picture", a.image.path);
  return Ok{};
}

}  // namespace edgetwin::cli
