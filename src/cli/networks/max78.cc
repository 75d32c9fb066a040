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
#include "targets/max78/page/memory_drawing.h"
#include "targets/max78/page/page.h"
#include "targets/target.h"

namespace edgetwin::cli {
namespace {

Result<ai8x::Device> device_of(const std::string& target) {
  EDGETWIN_TRY_ASSIGN(const Target* chip, targets::require_target(target, {Family::max78}));
  return ai8x::Device{*max78::device_by_name(chip->name)};
}

// Prints what was found, and keeps it for the page.
class FindingPrinter {
 public:
  FindingPrinter(Console& console, std::vector<Finding>& kept) : console_(console), kept_(kept) {}

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
  void add(const std::vector<max78::Notice>& notices) {
    for (const max78::Notice& n : notices) add(n.error, n.severity);
  }

 private:
  Console& console_;
  std::vector<Finding>& kept_;
};

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

Result<max78::NetworkSources> sources_of(const Max78Arguments& a, ai8x::Device device) {
  using max78::Source;
  max78::NetworkSources s;
  s.device = device;
  EDGETWIN_TRY_ASSIGN(s.options, max78::options_from(a.options));
  s.description = Source::file(a.network);
  s.checkpoint = Source::file(a.checkpoint);
  s.weights = Source::file(a.weights);
  s.bias = Source::file(a.bias);
  s.sample = Source::file(a.sample);
  if (!a.shape.empty() && a.sample.empty()) {
    EDGETWIN_TRY_ASSIGN(s.shape, read_shape(a.shape));
  }
  return s;
}

// 1: it does not fit. Of files that cannot be used the smallest code of their errors, at most 3.
int exit_code_of(const max78::Loading& loading) {
  if (loading.ok()) return kYes;
  if (loading.step == max78::LoadStep::plan) return kNo;
  int code = kInput;
  if (loading.step != max78::LoadStep::description) return code;
  for (const max78::Notice& n : loading.notices) {
    if (n.severity == Severity::error) code = std::min(code, info(n.error.code).exit_code);
  }
  return code;
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

Result<Max78Outcome> load_max78(const Max78Arguments& a, max78::SampleNeed need, Console& console) {
  EDGETWIN_TRY_ASSIGN(const ai8x::Device device, device_of(a.target));
  EDGETWIN_TRY_ASSIGN(const max78::NetworkSources sources, sources_of(a, device));
  max78::Loading loading = max78::load_network(sources, need);
  Max78Outcome outcome;
  FindingPrinter(console, outcome.findings).add(loading.notices);
  if (loading.failure) return *loading.failure;
  outcome.ok = loading.ok();
  outcome.exit_code = exit_code_of(loading);
  outcome.job = std::move(loading.network);
  return outcome;
}

Result<std::optional<ai8x::Parameters>> match_max78(const Max78Arguments& a,
                                                    const ai8x::Network& network,
                                                    Console& console) {
  // Parameters do not depend on the device.
  EDGETWIN_TRY_ASSIGN(const max78::NetworkSources sources, sources_of(a, ai8x::Device::max78000));
  EDGETWIN_TRY_ASSIGN(ai8x::ParameterReading reading, max78::read_parameters(sources, network));
  std::vector<Finding> ignored;
  FindingPrinter(console, ignored)
      .add(max78::notices_of(reading.report, sources.options.warn_zero));
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
  const max78::Planning* plan = outcome.job != nullptr ? &outcome.job->planning : nullptr;
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
  if (a.image.empty() || plan == nullptr || plan->hardware == nullptr) return Ok{};
  EDGETWIN_TRY_ASSIGN(const Bytes png, plot::to_png(max78::memory_drawing(*plan)));
  EDGETWIN_TRY(a.image.write(png));
  console.print("picture     " + a.image.path + "\n");
  console.json().set("picture", a.image.path);
  return Ok{};
}

}  // namespace edgetwin::cli
