#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "cli/compile/arguments.h"
#include "cli/shared/exit_codes.h"
#include "cli/shared/text.h"
#include "edgetwin/compile.h"
#include "report/format.h"
#include "targets/target.h"

namespace edgetwin::cli {
namespace {

using report::Json;

// What belongs to other chips changes nothing here.
Status only_ours(const CompileArguments& a) {
  const auto refuse = [](const std::string& what) {
    return Error(ErrorCode::usage, what + " changes nothing for the Edge TPU")
        .with_hint("Leave it out.");
  };
  if (a.plan) return refuse("--plan");
  if (!a.labels.empty()) return refuse("--labels");
  if (!a.prefix.empty()) return refuse("--prefix");
  if (!a.program.empty()) return refuse("--program");
  if (!a.expected.empty()) return refuse("--expected");
  if (!a.unload_reads.empty()) return refuse("--unload-reads");
  const Max78Arguments& m = a.max78;
  if (!m.checkpoint.empty()) return refuse("--checkpoint");
  if (!m.weights.empty()) return refuse("--weights");
  if (!m.bias.empty()) return refuse("--bias");
  if (!m.sample.empty()) return refuse("--sample");
  if (!m.shape.empty()) return refuse("--input-shape");
  if (!m.report.empty()) return refuse("--report");
  if (!m.image.empty()) return refuse("--image");
  if (!m.options.empty()) return refuse(m.options.front());
  return Ok{};
}

void show_groups(const EdgetpuCompiled& c, Console& console) {
  Json groups = Json::array();
  for (size_t k = 0; k < c.groups.size(); ++k) {
    const ProgramGroup& g = c.groups[k];
    console.print("group " + std::to_string(k) + "     " + plural(g.operators, "operator") + ", " +
                  plural(g.instructions, "instruction") + " in " +
                  report::bytes_text(static_cast<int64_t>(g.program_bytes)) + "\n");
    console.print("            narrow memory " + std::to_string(g.narrow_bytes) +
                  " of 196608 bytes, parameters " + std::to_string(g.resident_lines) + " of " +
                  std::to_string(g.resident_room) + " lines\n");
    if (g.streamed_bytes != 0) {
      console.print("            parameters of " + report::bytes_text(g.streamed_bytes) +
                    " come from the host at every inference\n");
    }
    std::string proof =
        std::to_string(g.equal) + " of " + plural(g.inputs, "run") + " equal to the twin";
    if (g.steps != 0) proof += ", " + std::to_string(g.steps) + " steps of the timed machine";
    console.print("            " + (g.wrong.empty() ? proof : "WRONG: " + g.wrong) + "\n");
    if (g.short_lines != 0) {
      console.print("            by the counters alone " + plural(g.short_lines, "pair") +
                    " of instructions would race over short lines, as in the vendor's program;\n"
                    "            shown with the true words of these lines\n");
    }
    Json j = Json::object();
    j.set("operators", g.operators).set("instructions", g.instructions);
    j.set("program_bytes", g.program_bytes).set("caching_bytes", g.caching_bytes);
    j.set("parameter_bytes", g.parameter_bytes).set("narrow_bytes", g.narrow_bytes);
    j.set("streamed_bytes", g.streamed_bytes);
    j.set("resident_lines", g.resident_lines).set("resident_room", g.resident_room);
    j.set("inputs", g.inputs).set("equal", g.equal).set("steps", g.steps).set("wrong", g.wrong);
    j.set("short_lines", g.short_lines);
    groups.push(std::move(j));
  }
  console.json().set("groups", std::move(groups));
}

void show_host(const EdgetpuCompiled& c, Console& console) {
  Json operators = Json::array();
  for (const PlacedOperator& p : c.operators) {
    Json j = Json::object();
    j.set("operator", p.label).set("group", p.group).set("rule", p.rule).set("why", p.why);
    operators.push(std::move(j));
    if (p.group < 0) console.print("host        " + p.label + " [" + p.rule + "]: " + p.why + "\n");
  }
  console.json().set("operators", std::move(operators));
}

// NAME_edgetpu.log beside NAME_edgetpu.tflite.
Output log_of(const Output& file) {
  Output log = file;
  const std::string ending = ".tflite";
  if (log.path.ends_with(ending)) log.path.resize(log.path.size() - ending.size());
  log.path += ".log";
  return log;
}

// Asked before the work: what is written is three files.
Status apart(const CompileArguments& a, const Output& log) {
  EDGETWIN_TRY(folder_is_there(a.output));
  EDGETWIN_TRY(folder_is_there(a.proof));
  if (a.output.empty() || a.proof.empty()) return Ok{};
  std::error_code failed;
  const auto place = [&](const Output& o) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(o.path, failed), failed);
  };
  const auto proof = place(a.proof);
  if (proof != place(a.output) && proof != place(log)) return Ok{};
  return Error(ErrorCode::usage, "--proof names a file that -o writes")
      .in_file(a.proof.path)
      .with_hint("Name another file; the log lies beside the compiled file.");
}

// The other compiler's file, refused before anything is compiled; empty where none was named.
Result<Bytes> file_beside(const CompileArguments& a) {
  if (a.compare.empty()) return Bytes{};
  EDGETWIN_TRY_ASSIGN(Bytes theirs, read_file(a.compare));
  EDGETWIN_TRY(edgetpu_comparable(theirs, a.compare));
  return theirs;
}

}  // namespace

Status folder_is_there(const Output& file) {
  const auto folder = std::filesystem::path(file.path).parent_path();
  std::error_code failed;
  if (folder.empty() || std::filesystem::is_directory(folder, failed)) return Ok{};
  return Error(ErrorCode::file_write, "there is no folder '" + folder.string() + "'")
      .in_file(file.path)
      .with_hint("Make the folder first, or name another one.");
}

Result<int> compile_for_edgetpu(const CompileArguments& a, Console& console) {
  EDGETWIN_TRY(only_ours(a));
  if (a.segments) return compile_pipeline(a, console);
  if (a.output.empty() && a.proof.empty() && a.compare.empty()) {
    return Error(ErrorCode::usage, "nothing to write was named")
        .with_hint("Add -o NAME_edgetpu.tflite.");
  }
  EDGETWIN_TRY(a.output.check());
  EDGETWIN_TRY(a.proof.check());
  const Output log = a.output.empty() ? Output{} : log_of(a.output);
  EDGETWIN_TRY(log.check());
  EDGETWIN_TRY(apart(a, log));
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(a.max78.network));
  EDGETWIN_TRY_ASSIGN(const Bytes theirs, file_beside(a));
  EdgetpuCompileOptions options;
  if (a.min_runtime_version) {
    if (a.output.empty()) {
      return Error(ErrorCode::usage, "--min-runtime-version changes nothing without a file")
          .with_hint("Add -o NAME_edgetpu.tflite, or leave it out.");
    }
    options.min_runtime_version =
        static_cast<int>(std::clamp<int64_t>(*a.min_runtime_version, 0, 99));
  }
  options.like_vendor = !a.like.empty();
  options.like_vendor_17 = a.like == "vendor-17";
  EDGETWIN_TRY_ASSIGN(const EdgetpuCompiled c, compile_edgetpu(data, a.max78.network, options));
  show_groups(c, console);
  show_host(c, console);
  const std::string verdict = std::to_string(c.on_chip()) + " of " +
                              plural(c.operators.size(), "operator") + " on the chip in " +
                              plural(c.groups.size(), "group");
  console.print("compiled    " + verdict + "\n");
  console.json().set("network", a.max78.network).set("verdict", verdict);
  console.json().set("target", targets::row(targets::Id::edgetpu).name);
  if (!a.proof.empty()) EDGETWIN_TRY(a.proof.write(std::string_view(c.proof)));
  if (c.vendor_equal) {
    console.print("vendor      the program is byte for byte that of the vendor's compiler\n");
  }
  if (c.groups.empty()) return kNo;
  if (!c.proven) {
    for (const Finding& f : c.findings) {
      if (f.severity == Severity::error) console.print(to_text(f));
    }
    return Error(ErrorCode::internal, "the programs that were made fail their proof")
        .in_file(a.max78.network)
        .with_hint("Nothing was written. Please report it with the network.");
  }
  if (!a.compare.empty()) EDGETWIN_TRY(show_likeness(a, c.file, theirs, console));
  if (a.fail_on_fallback && c.on_chip() != c.operators.size()) return kNo;
  if (a.output.empty()) return kYes;
  EDGETWIN_TRY(a.output.write(ByteSpan(c.file)));
  EDGETWIN_TRY(log.write(std::string_view(c.log)));
  console.print("wrote       " + a.output.path + ": " +
                report::bytes_text(static_cast<int64_t>(c.file.size())) +
                "; no device has run it\n");
  console.json().set("output", a.output.path);
  return kYes;
}

}  // namespace edgetwin::cli
