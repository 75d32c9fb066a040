#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "cli/networks/device_findings.h"
#include "cli/networks/max78.h"
#include "cli/verify/arguments.h"
#include "cli/verify/kinds.h"
#include "cli/verify/verify_report.h"
#include "formats/darwinn/darwinn.h"
#include "formats/espdl/read/read.h"
#include "formats/espdl/write/write.h"
#include "report/format.h"
#include "targets/espdl/export/test_values.h"
#include "targets/espdl/log/log.h"
#include "twin/compute.h"
#include "twin/espdl_choice.h"

namespace edgetwin::cli {
namespace {

using report::Json;
using targets::espdl::DeviceLog;

std::string_view verdict_word(DeviceLog::Verdict verdict) {
  switch (verdict) {
    case DeviceLog::Verdict::pass:
      return "pass";
    case DeviceLog::Verdict::fail:
      return "fail";
    case DeviceLog::Verdict::incomplete:
      break;
  }
  return "incomplete";
}

std::string check_detail(const targets::espdl::LogCheck& c, DeviceLog::Form form) {
  const bool counted = form == DeviceLog::Form::edgetwin;  // older logs do not say
  if (c.passed) return counted ? std::to_string(c.compared) + " elements" : "elements not counted";
  std::string text;
  const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : "  ") + part; };
  if (!c.node.empty()) add("first in '" + c.node + "'");
  if (c.has_first) {
    add("at " + std::to_string(c.first) + ": chip " + std::to_string(c.hw) + ", twin " +
        std::to_string(c.sim));
  }
  if (c.count > 0) add(std::to_string(c.count) + " differ");
  if (!c.reason.empty()) add(c.reason);
  return text;
}

Json check_json(const targets::espdl::LogCheck& c) {
  Json j = Json::object();
  j.set("suite", c.suite).set("name", c.name).set("passed", c.passed).set("line", c.line);
  if (c.passed) return std::move(j.set("compared", c.compared));
  if (c.has_first) j.set("first", c.first).set("hw", c.hw).set("sim", c.sim);
  j.set("count", c.count);
  if (!c.node.empty()) j.set("node", c.node);
  if (!c.reason.empty()) j.set("reason", c.reason);
  return j;
}

// What a chip printed: yes only if all was run and equal.
Result<bool> verify_log(const std::string& file, VerifyReport& out, std::string& verdict_line,
                        Json& list) {
  EDGETWIN_TRY_ASSIGN(const Bytes bytes, read_file(file));
  EDGETWIN_TRY_ASSIGN(const DeviceLog log, targets::espdl::read_device_log(as_text(bytes), file));
  Json checks = Json::array();
  for (const auto& c : log.checks) {
    out.compared(c.passed, c.suite + " " + c.name, check_detail(c, log.form));
    checks.push(check_json(c));
  }
  for (const Finding& f : log.findings) out.finding(f);
  const std::string verdict(verdict_word(log.verdict));
  std::string line = verdict + ": " + file + ", " + std::to_string(log.checks.size()) + " checks";
  const std::string stage = log.first_stage();
  if (!stage.empty()) {
    line += ", the first stage that parts is " + stage;
  } else if (const auto* first = log.first_failure(); first != nullptr && !first->node.empty()) {
    line += ", the first operator that differs is '" + first->node + "'";
  }
  out.console().print(line + "\n");
  out.asked("log", file);
  if (verdict_line.empty()) verdict_line = line;
  Json j = Json::object();
  j.set("file", file).set("verdict", verdict).set("checks", std::move(checks));
  if (!stage.empty()) j.set("first_stage", stage);
  list.push(std::move(j));
  return log.verdict == DeviceLog::Verdict::pass;
}

// The file against what was read from it: written again and read again, nothing may change.
Result<bool> verify_file(const twin::LoadedModel& loaded, VerifyReport& out) {
  espdl::ModelFile plain = *loaded.espdl;
  plain.encrypted = false;
  EDGETWIN_TRY_ASSIGN(const Bytes again, espdl::write(espdl::single(std::move(plain))));
  EDGETWIN_TRY_ASSIGN(const espdl::Container copy, espdl::read(again, loaded.file));
  const bool equal = copy.models[0].document == loaded.espdl->document;
  out.console().json().set("file_equal", equal);
  out.compared(equal, std::string("the file, written again and read again, says ") +
                          (equal ? "the same" : "something else"));
  return equal;
}

std::string output_detail(const targets::espdl::EmbeddedOutput& o) {
  std::string elements = std::to_string(o.elements) + " elements";
  if (!o.problem.empty()) return elements + "  " + o.problem;
  if (o.exact()) return elements;
  const auto number = [](double v) { return report::real_text(static_cast<float>(v)); };
  return elements + ", " + std::to_string(o.different) + " differ by up to " + number(o.largest) +
         ", first at " + o.first_position + ": file " + number(o.first_file) + ", twin " +
         number(o.first_run);
}

Json output_json(const targets::espdl::EmbeddedOutput& o) {
  Json j = Json::object();
  j.set("name", o.name).set("layer", o.layer).set("equal", o.exact()).set("passes", o.passes());
  j.set("elements", o.elements).set("different", o.different).set("largest", o.largest);
  if (!o.problem.empty()) j.set("problem", o.problem);
  if (o.first_index >= 0) j.set("first", o.first_position);
  return j;
}

// The embedded test values, judged as the runtime's own test judges: int8 equal, int16 within one.
Result<bool> verify_test_values(const twin::LoadedModel& loaded, const ComputeArguments& compute,
                                bool has_log, VerifyReport& out) {
  Console& console = out.console();
  EDGETWIN_TRY_ASSIGN(const exec::Session session, twin::plan(loaded, compute, true));
  EDGETWIN_TRY_ASSIGN(const int runtime, twin::runtime_version(compute.runtime));
  console.json().set("numerics", session.options().numerics).set("runtime", runtime);
  if (loaded.espdl->document.test_outputs.empty()) {
    out.row(has_log, "no test", "the file carries no test values");
    console.json().set("test_values", Json());
    return has_log;  // which compares, where nothing else does
  }
  EDGETWIN_TRY_ASSIGN(
      const auto test,
      targets::espdl::run_embedded_test(loaded.espdl->document, *loaded.model, session.options()));
  for (const Finding& f : test.findings) out.finding(f);
  Json outputs = Json::array();
  for (const auto& o : test.outputs) {
    const char* word = o.exact() ? "equal" : o.passes() ? "close" : "different";
    out.row(o.passes(), word, o.layer + " '" + o.name + "'", output_detail(o));
    outputs.push(output_json(o));
  }
  if (test.first) {
    out.row(true, "first",
            test.outputs[*test.first].layer +
                " is the first with test values that differs; it, or a layer before "
                "it that has none");
  }
  console.json().set("test_values", std::move(outputs)).set("exact", test.exact());
  return test.passes();
}

// What verify_numerics would compute twice alike says nothing, however equal.
Status two_numerics(const twin::LoadedModel& loaded, const VerifyArguments& a) {
  std::string why;
  if (loaded.model->main().layout == Layout::nchw) {
    why = "an .onnx network computes in float32, in one arithmetic only";
  } else if (a.compute.numerics == "tflite") {
    why = "both sides would compute in TensorFlow Lite's arithmetic";
  } else if (std::ranges::none_of(loaded.model->main().values,
                                  [](const Value& v) { return v.quant.present(); })) {
    why = "no tensor is quantized, and all arithmetics compute float32 alike";
  }
  if (why.empty()) return Ok{};
  return Error(ErrorCode::usage, "there is nothing to compare: " + why)
      .in_file(a.model)
      .with_hint("Give what it is to be compared with: edgetwin verify MODEL B.");
}

Result<bool> verify_model(const VerifyArguments& a, VerifyReport& out) {
  if (!a.device.device.empty()) return verify_on_device(a, out);
  EDGETWIN_TRY_ASSIGN(const twin::LoadedModel loaded,
                      twin::load_model(a.model, twin::load_options(a.compute)));
  if (loaded.espdl == nullptr) {
    EDGETWIN_TRY(two_numerics(loaded, a));
    return verify_numerics(a, out);
  }
  for (const Finding& f : loaded.model->findings) out.finding(f);
  out.console().json().set("model", a.model).set("target", loaded.target);
  out.console().print("target     " + loaded.target + ": " + loaded.target_why + "\n");
  out.asked("model", loaded.file);
  out.asked("model SHA-256", loaded.sha256);
  out.asked("target", loaded.target + " (" + loaded.target_why + ")");
  out.asked("ESP-DL version", a.compute.runtime);
  EDGETWIN_TRY_ASSIGN(const bool same, verify_file(loaded, out));
  EDGETWIN_TRY_ASSIGN(const bool tested,
                      verify_test_values(loaded, a.compute, !a.logs.empty(), out));
  return same && tested;
}

enum class Subject : uint8_t { logs_only, espdl, network, compiled, folder };

Subject subject_of(const std::string& model) {
  std::error_code ignored;
  if (model.empty()) return Subject::logs_only;
  if (std::filesystem::is_directory(model, ignored)) return Subject::folder;
  const Result<Bytes> data = read_file(model);
  if (!data.ok()) return Subject::network;  // whoever reads it again has the error
  if (darwinn::container_of(*data) == darwinn::Container::tflite) return Subject::compiled;
  return twin::sniff(*data) == FileKind::espdl ? Subject::espdl : Subject::network;
}

Error misfit(const std::string& option, const std::string& goes_with) {
  return Error(ErrorCode::usage, option + " goes with " + goes_with)
      .with_hint("edgetwin verify --help ends with an example.");
}

// What would be left aside is refused instead.
Status options_fit(const VerifyArguments& a, Subject subject) {
  const bool executed = subject == Subject::compiled || subject == Subject::folder;
  const bool computed = executed || subject == Subject::network;
  if (!a.inputs.empty() && !computed) {
    return misfit("--input", "a .tflite or compiled model; an .espdl file brings its own values");
  }
  if (!a.logs.empty() && executed) return misfit("--log", "an .espdl file, or alone");
  if (a.interleave && (!executed || !a.device.device.empty())) {
    return misfit("--interleave", "compiled Edge TPU models on the machine");
  }
  if (!a.device.reference.empty() && subject != Subject::compiled) {
    return misfit("--reference", "one compiled Edge TPU model");
  }
  return Ok{};
}

// Only models of a folder are shared out and listed.
Status sharing_fits(const VerifyArguments& a) {
  if (a.shard.empty() && a.output.empty()) return Ok{};
  const bool folder = subject_of(a.model) == Subject::folder && !is_rtl_folder(a.model);
  const bool other = !a.other.empty() || !a.silicon.empty() || a.transform || !a.expected.empty() ||
                     !a.device.device.empty();
  if (folder && !other) return Ok{};
  return misfit(a.shard.empty() ? "--output" : "--shard", "a folder of compiled models");
}

Status transform_fits(const VerifyArguments& a) {
  if (a.model.empty() || !a.other.empty()) return misfit("--transform", "one model");
  const bool other = !a.inputs.empty() || !a.logs.empty() || !a.silicon.empty() ||
                     !a.expected.empty() || !a.device.device.empty() || a.tolerance.has_value();
  if (!other) return Ok{};
  return Error(ErrorCode::usage, "--transform brings its own inputs and its own comparison")
      .with_hint("Leave --input, --log, --silicon, --expected, --device and --tolerance out.");
}

// A model, logs of chips, or both.
Result<int> verify_model_and_logs(const VerifyArguments& a, VerifyReport& results) {
  bool yes = true;
  if (!a.model.empty()) {
    EDGETWIN_TRY_ASSIGN(yes, verify_model(a, results));
  }
  Json logs = Json::array();
  std::string verdict;
  for (const std::string& file : a.logs) {
    EDGETWIN_TRY_ASSIGN(const bool passed, verify_log(file, results, verdict, logs));
    yes = passed && yes;
  }
  if (logs.size() > 0) results.console().json().set("logs", std::move(logs));
  results.console().print(yes ? "verified\n" : "not verified\n");
  if (verdict.empty()) verdict = yes ? "verified" : "not verified";
  return results.finish(yes, verdict);
}

}  // namespace

Result<int> execute(const VerifyArguments& asked, Console& console) {
  EDGETWIN_TRY(sharing_fits(asked));
  const bool other = !asked.other.empty() || !asked.silicon.empty() || asked.transform ||
                     !asked.logs.empty() || !asked.expected.empty();
  if (asked.interleave && other) {
    return misfit("--interleave", "compiled Edge TPU models, and their source by --reference");
  }
  if (asked.transform) {
    EDGETWIN_TRY(transform_fits(asked));
    VerifyReport results(asked, console);
    EDGETWIN_TRY(results.can_be_written());
    return verify_transform(asked, results);
  }
  if (!asked.silicon.empty()) return verify_silicon(asked, console);
  if (!asked.other.empty()) {
    VerifyReport results(asked, console);
    return verify_two(asked, results);
  }
  if (asked.tolerance) return misfit("--tolerance", "two things to compare, MODEL and B");
  if (asked.max78.network.empty()) EDGETWIN_TRY(is_max78_network({}, asked.max78, "verify"));
  if (is_board_log(asked)) return verify_board_log(asked, console);
  if (is_max78_verify(asked)) return verify_max78(asked, console);
  if (asked.model.empty() && asked.logs.empty()) {
    return Error(ErrorCode::usage, "neither a model nor a log was given")
        .with_hint("edgetwin verify --help ends with an example.");
  }
  const Subject subject = subject_of(asked.model);
  EDGETWIN_TRY(options_fit(asked, subject));
  if (asked.inputs.empty() && (!asked.compute.mean.empty() || !asked.compute.std.empty())) {
    return Error(ErrorCode::usage, "--mean and --std change nothing: no picture is given")
        .in_file(asked.model)
        .with_hint("Give one with --input.");
  }
  const VerifyArguments a = with_inputs(asked);
  VerifyReport results(a, console);
  if (a.model.empty()) results.title(std::filesystem::path(a.logs[0]).filename().string());
  EDGETWIN_TRY(results.can_be_written());
  if (subject == Subject::folder && is_rtl_folder(a.model)) return verify_rtl_folder(a, results);
  const bool on_device = !a.device.device.empty();
  if (subject == Subject::compiled && !on_device) return verify_edgetpu(a, results);
  if (subject == Subject::folder && !on_device) return verify_compiled_folder(a, results);
  return verify_model_and_logs(a, results);
}

}  // namespace edgetwin::cli
