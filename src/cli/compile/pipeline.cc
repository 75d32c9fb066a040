#include <algorithm>

#include "base/file.h"
#include "cli/compile/arguments.h"
#include "cli/shared/exit_codes.h"
#include "cli/shared/text.h"
#include "edgetwin/compile.h"
#include "report/format.h"
#include "targets/target.h"

namespace edgetwin::cli {
namespace {

// NAME_edgetpu.tflite: NAME_segment_0_of_2_edgetpu.tflite.
Output named(const Output& file, const std::string& segment) {
  Output one = file;
  for (const std::string ending : {"_edgetpu.tflite", ".tflite", ""}) {
    if (!one.path.ends_with(ending)) continue;
    one.path.insert(one.path.size() - ending.size(), segment);
    break;
  }
  return one;
}

Status only_files(const CompileArguments& a) {
  const auto refuse = [](const std::string& what) {
    return Error(ErrorCode::usage, what + " does not go with --segments")
        .with_hint("Leave it out, or compile the segments one by one.");
  };
  if (!a.proof.empty()) return refuse("--proof");
  if (!a.compare.empty()) return refuse("--compare");
  if (!a.like.empty()) return refuse("--like");
  if (!a.output.empty()) return Ok{};
  return Error(ErrorCode::usage, "nothing to write was named")
      .with_hint("Add -o NAME_edgetpu.tflite.");
}

report::Json shown(const EdgetpuCompiled& c, const std::string& path, Console& console) {
  int64_t steps = 0;
  for (const ProgramGroup& g : c.groups) steps += g.steps;
  console.print("segment     " + path + ": " + std::to_string(c.on_chip()) + " of " +
                plural(c.operators.size(), "operator") + " on the chip in " +
                plural(c.groups.size(), "group") + ", " + std::to_string(steps) +
                " steps of the timed machine\n");
  for (const PlacedOperator& p : c.operators) {
    if (p.group < 0) console.print("host        " + p.label + " [" + p.rule + "]: " + p.why + "\n");
  }
  report::Json j = report::Json::object();
  j.set("output", path).set("operators", c.operators.size()).set("on_chip", c.on_chip());
  j.set("groups", c.groups.size()).set("steps", steps).set("bytes", c.file.size());
  return j;
}

using Segments = std::vector<std::pair<Output, EdgetpuCompiled>>;

EdgetpuCompileOptions options_of(const CompileArguments& a) {
  EdgetpuCompileOptions options;
  if (a.min_runtime_version) {
    options.min_runtime_version =
        static_cast<int>(std::clamp<int64_t>(*a.min_runtime_version, 0, 99));
  }
  return options;
}

// All segments with their files; none where the chip computes nothing of one of them.
Result<Segments> compiled(const std::vector<MadeFile>& parts, const CompileArguments& a,
                          Console& console, report::Json& list) {
  Segments made;
  for (const MadeFile& part : parts) {
    const Output output = named(a.output, part.path);
    EDGETWIN_TRY(output.check());
    EDGETWIN_TRY_ASSIGN(EdgetpuCompiled c,
                        compile_edgetpu(part.bytes, a.max78.network + part.path, options_of(a)));
    list.push(shown(c, output.path, console));
    if (c.groups.empty()) {
      console.print("nothing     of this segment is on the chip; nothing was written\n");
      return Segments{};
    }
    if (!c.proven) {
      return Error(ErrorCode::internal, "the programs that were made fail their proof")
          .in_file(a.max78.network)
          .with_hint("Nothing was written. Please report it with the network.");
    }
    made.emplace_back(output, std::move(c));
  }
  return made;
}

}  // namespace

Result<int> compile_pipeline(const CompileArguments& a, Console& console) {
  EDGETWIN_TRY(only_files(a));
  EDGETWIN_TRY(folder_is_there(a.output));
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(a.max78.network));
  const int segments = static_cast<int>(std::clamp<int64_t>(*a.segments, -1000, 1000));
  EDGETWIN_TRY_ASSIGN(const std::vector<MadeFile> parts,
                      edgetpu_segments(data, a.max78.network, segments));
  report::Json list = report::Json::array();
  EDGETWIN_TRY_ASSIGN(const Segments made, compiled(parts, a, console, list));
  if (made.empty()) return kNo;
  const bool whole = std::ranges::all_of(
      made, [](const auto& one) { return one.second.on_chip() == one.second.operators.size(); });
  console.json().set("network", a.max78.network).set("segments", std::move(list));
  console.json().set("target", targets::row(targets::Id::edgetpu).name);
  if (a.fail_on_fallback && !whole) return kNo;
  for (const auto& [output, c] : made) EDGETWIN_TRY(output.write(ByteSpan(c.file)));
  console.print("wrote       " + plural(made.size(), "file") + "; no device has run them\n");
  return kYes;
}

}  // namespace edgetwin::cli
