#include "targets/edgetpu/recordings/verify.h"

#include <algorithm>

#include "base/file.h"
#include "ops/registry/numerics.h"
#include "targets/edgetpu/recordings/recorded.h"

namespace edgetwin::edgetpu::silicon {
namespace {

constexpr const char* kCasesFile = "cases.json";

Status run_case(const Bench& bench) {
  struct Visitor {
    const Bench& bench;
    Status operator()(const FullOutput& w) { return full_output(bench, w); }
    Status operator()(const OutputHash& w) { return output_hash(bench, w); }
    Status operator()(const DecodedRows& w) { return decoded_rows(bench, w); }
    Status operator()(const PrintedOutputs& w) { return printed_outputs(bench, w); }
    Status operator()(const PrintedStatistics& w) { return printed_statistics(bench, w); }
    Status operator()(const Score& w) { return score(bench, w); }
  };
  return std::visit(Visitor{bench}, bench.c.what);
}

Result<GraphPtr> open_single(ByteSpan data, const std::string& name) {
  EDGETWIN_TRY_ASSIGN(const darwinn::File file, darwinn::read(data, name));
  auto graph = single_layer(file);
  if (!graph.ok()) return Error(graph.error()).in_file(name);
  return graph;
}

}  // namespace

std::string_view name(Outcome outcome) {
  switch (outcome) {
    case Outcome::equal:
      return "equal";
    case Outcome::different:
      return "different";
    case Outcome::missing:
      break;
  }
  return "missing";
}

size_t Report::count(Outcome outcome) const {
  return static_cast<size_t>(std::count_if(
      checks.begin(), checks.end(), [outcome](const Check& c) { return c.outcome == outcome; }));
}

Result<Report> verify(const Options& options, const ProgressSink& progress) {
  const std::string path = (options.folder / kCasesFile).string();
  EDGETWIN_TRY_ASSIGN(const Bytes text, read_file(path));
  EDGETWIN_TRY_ASSIGN(const std::vector<Case> cases, read_cases(as_text(text), path));
  std::vector<std::filesystem::path> folders = {options.folder};
  folders.insert(folders.end(), options.models.begin(), options.models.end());
  EDGETWIN_TRY_ASSIGN(const Files files, Files::list(folders));
  const Models models(files, options.open_compiled ? options.open_compiled : open_single,
                      options.compiled_first);
  Report report;
  for (size_t i = 0; i < cases.size(); ++i) {
    if (progress) {
      progress(static_cast<double>(i) / static_cast<double>(cases.size()), cases[i].id);
    }
    const Bench bench{options, files, models, cases[i], report.checks};
    const Status status = run_case(bench);
    if (!status.ok()) return Error(status.error()).in_field("case '" + cases[i].id + "'");
  }
  return report;
}

}  // namespace edgetwin::edgetpu::silicon
