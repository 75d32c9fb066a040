#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "cli/diff/arguments.h"
#include "cli/diff/checkpoint.h"
#include "cli/shared/exit_codes.h"
#include "formats/ai8x/compare.h"
#include "formats/ai8x/read_yaml.h"
#include "formats/darwinn/darwinn.h"
#include "formats/espdl/compare/compare.h"
#include "report/model/diff_report.h"
#include "report/page/page.h"
#include "report/trace_io.h"
#include "targets/edgetpu/inspect/program_diff.h"
#include "twin/load.h"

namespace edgetwin::cli {
namespace {

namespace fs = std::filesystem;

bool is_folder(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

int show(const verify::SetDiff& diff, const std::string& noun, Console& console) {
  console.print(report::diff_text(diff, noun));
  console.json().set("verdict", report::verdict(diff, noun)).merge(report::diff_json(diff));
  return diff.equal() ? kYes : kNo;
}

Result<int> diff_folders(const DiffArguments& a, Console& console) {
  EDGETWIN_TRY_ASSIGN(const auto left, report::read_tensor_folder(a.a));
  EDGETWIN_TRY_ASSIGN(const auto right, report::read_tensor_folder(a.b));
  console.json().set("kind", "folder");
  return show(report::compare_folders(left, right, a.tolerance), "tensor", console);
}

int show_models(bool equal, const std::string& first, const std::vector<std::string>& lines,
                Console& console) {
  std::string text;
  for (const std::string& line : lines) text += "  " + line + "\n";
  const std::string verdict =
      equal ? "equal: both models mean the same" : "different: first " + first;
  console.print(text + verdict + "\n");
  console.json().set("verdict", verdict).set("equal", equal);
  console.json().set("differences", report::Json::list(lines));
  return equal ? kYes : kNo;
}

// The lines in which the compiled operators of two files differ.
Result<std::vector<std::string>> diff_edgetpu(const DiffArguments& arguments, ByteSpan a,
                                              ByteSpan b, Console& console) {
  EDGETWIN_TRY_ASSIGN(const darwinn::File x, darwinn::read(a, arguments.a));
  EDGETWIN_TRY_ASSIGN(const darwinn::File y, darwinn::read(b, arguments.b));
  edgetpu::FileDiff diff = edgetpu::compare(x, y);
  console.json().set("bitstreams", diff.bitstreams);
  console.json().set("different_bitstreams", diff.different_bitstreams);
  return std::move(diff.lines);
}

Result<int> diff_models(const DiffArguments& a, ByteSpan left, ByteSpan right, Console& console) {
  twin::LoadOptions structure;
  structure.any_target = true;
  EDGETWIN_TRY_ASSIGN(const twin::LoadedModel x, twin::load_model(left, a.a, structure));
  EDGETWIN_TRY_ASSIGN(const twin::LoadedModel y, twin::load_model(right, a.b, structure));
  report::ModelDiff diff = report::compare_models(*x.model, *y.model);
  if (darwinn::container_of(left) && darwinn::container_of(right)) {
    EDGETWIN_TRY_ASSIGN(const auto lines, diff_edgetpu(a, left, right, console));
    if (diff.equal && !lines.empty()) diff.first = lines.front();
    diff.equal = diff.equal && lines.empty();
    diff.lines.insert(diff.lines.end(), lines.begin(), lines.end());
  }
  return show_models(diff.equal, diff.first, diff.lines, console);
}

// As documents: no chip need be known, and the order of weights counts.
Result<int> diff_espdl(const DiffArguments& a, ByteSpan left, ByteSpan right, Console& console) {
  EDGETWIN_TRY_ASSIGN(const espdl::Container x, twin::load_espdl(left, a.a, ""));
  EDGETWIN_TRY_ASSIGN(const espdl::Container y, twin::load_espdl(right, a.b, ""));
  std::string first;
  std::vector<std::string> lines;
  const auto add = [&](const std::string& line) {
    if (lines.empty()) first = line;
    lines.push_back(line);
  };
  if (x.models.size() != y.models.size()) {
    add("models: " + std::to_string(x.models.size()) + " and " + std::to_string(y.models.size()));
  }
  for (size_t i = 0; i < std::min(x.models.size(), y.models.size()); ++i) {
    const auto diff = espdl::compare_documents(x.models[i].document, y.models[i].document);
    const std::string member = x.models.size() > 1 ? x.models[i].name + ": " : "";
    for (const std::string& line : diff.lines) add(member + line);
    for (const std::string& note : diff.notes) {
      console.finding({Severity::note, "", a.a, member + note, ""});
    }
  }
  return show_models(lines.empty(), first, lines, console);
}

// Networks of the MAX7800x, key by key. Their parameters are in other files.
Result<int> diff_max78(const DiffArguments& a, ByteSpan left, ByteSpan right, Console& console) {
  const auto read = [](ByteSpan yaml, const std::string& file) {
    return ai8x::read_network(as_text(yaml), file, ai8x::Device::max78002);
  };
  EDGETWIN_TRY_ASSIGN(const ai8x::Network x, read(left, a.a));
  EDGETWIN_TRY_ASSIGN(const ai8x::Network y, read(right, a.b));
  const std::vector<std::string> lines = ai8x::compare_networks(x, y);
  console.json().set("kind", name(FileKind::max78));
  return show_models(lines.empty(), lines.empty() ? "" : lines.front(), lines, console);
}

// Packages, executables and bitstreams by themselves.
Result<int> diff_programs(const DiffArguments& a, ByteSpan left, ByteSpan right, Console& console) {
  console.json().set("kind", "edgetpu");
  EDGETWIN_TRY_ASSIGN(const auto lines, diff_edgetpu(a, left, right, console));
  std::string text;
  for (const std::string& line : lines) text += "  " + line + "\n";
  const std::string verdict =
      lines.empty() ? "equal: both programs are the same" : "different: first " + lines.front();
  console.print(text + verdict + "\n");
  console.json().set("verdict", verdict).set("equal", lines.empty());
  console.json().set("differences", report::Json::list(lines));
  return lines.empty() ? kYes : kNo;
}

Error kinds_differ(const DiffArguments& a, std::string_view left, std::string_view right) {
  return Error(ErrorCode::compare_kind, "'" + a.a + "' is of kind " + std::string(left) + " and '" +
                                            a.b + "' of kind " + std::string(right));
}

Result<int> diff_files(const DiffArguments& a, Console& console) {
  EDGETWIN_TRY_ASSIGN(const Bytes left, read_file(a.a));
  EDGETWIN_TRY_ASSIGN(const Bytes right, read_file(a.b));
  if (file_kind(left) == FileKind::max78 && file_kind(right) == FileKind::max78) {
    return diff_max78(a, left, right, console);
  }
  const bool checkpoint = file_kind(left) == FileKind::checkpoint;
  if (checkpoint != (file_kind(right) == FileKind::checkpoint)) {
    return kinds_differ(a, name(file_kind(left)), name(file_kind(right)));
  }
  console.json().set("kind", name(file_kind(left)));
  if (checkpoint) return diff_checkpoints(a, left, right, console);
  const FileKind kind = twin::sniff(left);
  if (kind == FileKind::unknown && darwinn::container_of(left) && darwinn::container_of(right)) {
    return diff_programs(a, left, right, console);
  }
  if (kind == FileKind::unknown) return twin::unknown_kind(a.a);
  if (twin::sniff(right) == FileKind::unknown) return twin::unknown_kind(a.b);
  if (twin::sniff(right) != kind)
    return kinds_differ(a, edgetwin::name(kind), name(twin::sniff(right)));
  console.json().set("kind", edgetwin::name(kind));
  if (kind == FileKind::espdl) return diff_espdl(a, left, right, console);
  if (kind == FileKind::tflite || kind == FileKind::onnx) {
    return diff_models(a, left, right, console);
  }
  EDGETWIN_TRY_ASSIGN(std::vector<Tensor> x, twin::load_tensors(kind, left, a.a));
  EDGETWIN_TRY_ASSIGN(std::vector<Tensor> y, twin::load_tensors(kind, right, a.b));
  if (kind != FileKind::npz) {  // a file with one tensor gives it its name
    x[0].name = y[0].name = fs::path(a.a).filename().string();
  }
  return show(verify::compare_sets(x, y, a.tolerance), "array", console);
}

}  // namespace

Result<int> execute(const DiffArguments& a, Console& console) {
  for (const std::string& path : {a.a, a.b}) {
    std::error_code ignored;
    if (!fs::exists(path, ignored)) {
      return Error(ErrorCode::file_open, "there is no such file or folder").in_file(path);
    }
  }
  console.json().set("a", a.a).set("b", a.b).set("tolerance", a.tolerance);
  if (is_folder(a.a) && is_folder(a.b)) return diff_folders(a, console);
  if (is_folder(a.a)) return kinds_differ(a, "folder", "file");
  if (is_folder(a.b)) return kinds_differ(a, "file", "folder");
  return diff_files(a, console);
}

}  // namespace edgetwin::cli
