#include "edgetwin/diff.h"

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "formats/ai8x/compare.h"
#include "formats/ai8x/read_yaml.h"
#include "formats/darwinn/darwinn.h"
#include "formats/espdl/compare/compare.h"
#include "report/model/diff_report.h"
#include "report/page/page.h"
#include "report/trace_io.h"
#include "targets/edgetpu/inspect/program_diff.h"
#include "twin/load.h"
#include "twin/tools/diff_checkpoint.h"

namespace edgetwin {
namespace {

namespace fs = std::filesystem;

// Two files whose bytes were read.
struct Pair {
  const std::string &a, &b;  // as messages call them
  ByteSpan left, right;
};

bool is_folder(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

FileDifference of_tensors(verify::SetDiff diff, const std::string& noun) {
  FileDifference d;
  d.equal = diff.equal();
  d.noun = noun;
  d.verdict = report::verdict(diff, noun);
  d.tensors = std::move(diff);
  return d;
}

FileDifference of_lines(const std::string& noun_and_verb, const std::string& first,
                        std::vector<std::string> lines) {
  FileDifference d;
  d.equal = lines.empty();
  d.verdict = d.equal ? "equal: both " + noun_and_verb : "different: first " + first;
  d.lines = std::move(lines);
  return d;
}

constexpr const char* kModelsEqual = "models mean the same";

Result<FileDifference> diff_folders(const std::string& a, const std::string& b, double tolerance) {
  EDGETWIN_TRY_ASSIGN(const auto left, report::read_tensor_folder(a));
  EDGETWIN_TRY_ASSIGN(const auto right, report::read_tensor_folder(b));
  FileDifference d = of_tensors(report::compare_folders(left, right, tolerance), "tensor");
  d.kind = "folder";
  return d;
}

// How the compiled operators of two files differ.
Result<edgetpu::FileDiff> diff_edgetpu(const Pair& p) {
  EDGETWIN_TRY_ASSIGN(const darwinn::File x, darwinn::read(p.left, p.a));
  EDGETWIN_TRY_ASSIGN(const darwinn::File y, darwinn::read(p.right, p.b));
  return edgetpu::compare(x, y);
}

Result<FileDifference> diff_models(const Pair& p) {
  twin::LoadOptions structure;
  structure.any_target = true;
  EDGETWIN_TRY_ASSIGN(const twin::LoadedModel x, twin::load_model(p.left, p.a, structure));
  EDGETWIN_TRY_ASSIGN(const twin::LoadedModel y, twin::load_model(p.right, p.b, structure));
  report::ModelDiff diff = report::compare_models(*x.model, *y.model);
  FileDifference d = of_lines(kModelsEqual, diff.first, diff.lines);
  if (!darwinn::container_of(p.left) || !darwinn::container_of(p.right)) return d;
  EDGETWIN_TRY_ASSIGN(const edgetpu::FileDiff programs, diff_edgetpu(p));
  if (diff.equal && !programs.lines.empty()) diff.first = programs.lines.front();
  diff.lines.insert(diff.lines.end(), programs.lines.begin(), programs.lines.end());
  d = of_lines(kModelsEqual, diff.first, std::move(diff.lines));
  d.bitstreams = programs.bitstreams;
  d.different_bitstreams = programs.different_bitstreams;
  return d;
}

// As documents: no chip need be known, and the order of weights counts.
Result<FileDifference> diff_espdl(const Pair& p) {
  EDGETWIN_TRY_ASSIGN(const espdl::Container x, twin::load_espdl(p.left, p.a, ""));
  EDGETWIN_TRY_ASSIGN(const espdl::Container y, twin::load_espdl(p.right, p.b, ""));
  std::vector<std::string> lines;
  std::vector<Finding> notes;
  if (x.models.size() != y.models.size()) {
    lines.push_back("models: " + std::to_string(x.models.size()) + " and " +
                    std::to_string(y.models.size()));
  }
  for (size_t i = 0; i < std::min(x.models.size(), y.models.size()); ++i) {
    const auto diff = espdl::compare_documents(x.models[i].document, y.models[i].document);
    const std::string member = x.models.size() > 1 ? x.models[i].name + ": " : "";
    for (const std::string& line : diff.lines) lines.push_back(member + line);
    for (const std::string& note : diff.notes) {
      notes.push_back({Severity::note, "", p.a, member + note, ""});
    }
  }
  const std::string first = lines.empty() ? "" : lines.front();
  FileDifference d = of_lines(kModelsEqual, first, std::move(lines));
  d.notes = std::move(notes);
  return d;
}

// Networks of the MAX7800x, key by key. Their parameters are in other files.
Result<FileDifference> diff_max78(const Pair& p) {
  const auto read = [](ByteSpan yaml, const std::string& file) {
    return ai8x::read_network(as_text(yaml), file, ai8x::Device::max78002);
  };
  EDGETWIN_TRY_ASSIGN(const ai8x::Network x, read(p.left, p.a));
  EDGETWIN_TRY_ASSIGN(const ai8x::Network y, read(p.right, p.b));
  std::vector<std::string> lines = ai8x::compare_networks(x, y);
  const std::string first = lines.empty() ? "" : lines.front();
  FileDifference d = of_lines(kModelsEqual, first, std::move(lines));
  d.kind = name(FileKind::max78);
  return d;
}

// Packages, executables and bitstreams by themselves.
Result<FileDifference> diff_programs(const Pair& p) {
  EDGETWIN_TRY_ASSIGN(edgetpu::FileDiff programs, diff_edgetpu(p));
  const std::string first = programs.lines.empty() ? "" : programs.lines.front();
  FileDifference d = of_lines("programs are the same", first, std::move(programs.lines));
  d.kind = "edgetpu";
  d.bitstreams = programs.bitstreams;
  d.different_bitstreams = programs.different_bitstreams;
  return d;
}

Error kinds_differ(const std::string& a, const std::string& b, std::string_view left,
                   std::string_view right) {
  return Error(ErrorCode::compare_kind, "'" + a + "' is of kind " + std::string(left) + " and '" +
                                            b + "' of kind " + std::string(right));
}

Result<FileDifference> diff_arrays(const Pair& p, FileKind kind, double tolerance) {
  EDGETWIN_TRY_ASSIGN(std::vector<Tensor> x, twin::load_tensors(kind, p.left, p.a));
  EDGETWIN_TRY_ASSIGN(std::vector<Tensor> y, twin::load_tensors(kind, p.right, p.b));
  if (kind != FileKind::npz) {  // a file with one tensor gives it its name
    x[0].name = y[0].name = fs::path(p.a).filename().string();
  }
  return of_tensors(verify::compare_sets(x, y, tolerance), "array");
}

Result<FileDifference> diff_known(const Pair& p, FileKind kind, double tolerance) {
  if (kind == FileKind::espdl) return diff_espdl(p);
  if (kind == FileKind::tflite || kind == FileKind::onnx) return diff_models(p);
  return diff_arrays(p, kind, tolerance);
}

Result<FileDifference> diff_contents(const std::string& a, const std::string& b, double tolerance) {
  EDGETWIN_TRY_ASSIGN(Bytes left, read_file(a));
  EDGETWIN_TRY_ASSIGN(Bytes right, read_file(b));
  const Pair p{a, b, left, right};
  const FileKind kind_a = file_kind(left), kind_b = file_kind(right);
  if (kind_a == FileKind::max78 && kind_b == FileKind::max78) return diff_max78(p);
  if ((kind_a == FileKind::checkpoint) != (kind_b == FileKind::checkpoint)) {
    return kinds_differ(a, b, name(kind_a), name(kind_b));
  }
  if (kind_a == FileKind::checkpoint) {
    auto d = twin::diff_checkpoints(std::move(left), a, std::move(right), b, tolerance);
    if (d.ok()) d->kind = name(kind_a);
    return d;
  }
  const FileKind kind = twin::sniff(left);
  if (kind == FileKind::unknown && darwinn::container_of(left) && darwinn::container_of(right)) {
    return diff_programs(p);
  }
  if (kind == FileKind::unknown) return twin::unknown_kind(a);
  if (twin::sniff(right) == FileKind::unknown) return twin::unknown_kind(b);
  if (twin::sniff(right) != kind) return kinds_differ(a, b, name(kind), name(twin::sniff(right)));
  auto d = diff_known(p, kind, tolerance);
  if (d.ok()) d->kind = name(kind);
  return d;
}

}  // namespace

Result<FileDifference> diff_files(const std::string& a, const std::string& b, double tolerance) {
  for (const std::string& path : {a, b}) {
    std::error_code ignored;
    if (!fs::exists(path, ignored)) {
      return Error(ErrorCode::file_open, "there is no such file or folder").in_file(path);
    }
  }
  if (is_folder(a) && is_folder(b)) return diff_folders(a, b, tolerance);
  if (is_folder(a)) return kinds_differ(a, b, "folder", "file");
  if (is_folder(b)) return kinds_differ(a, b, "file", "folder");
  return diff_contents(a, b, tolerance);
}

}  // namespace edgetwin
