#include <filesystem>
#include <optional>

#include "base/file.h"
#include "base/sha256.h"
#include "cli/networks/device_findings.h"
#include "cli/networks/max78.h"
#include "cli/networks/page.h"
#include "cli/run/arguments.h"
#include "cli/run/decoded.h"
#include "cli/run/kinds.h"
#include "cli/run/labels.h"
#include "cli/run/run_output.h"
#include "cli/shared/exit_codes.h"
#include "report/format.h"
#include "report/tensor_stats.h"
#include "report/trace_io.h"
#include "tensor/npy.h"
#include "twin/compute.h"
#include "twin/espdl_choice.h"
#include "twin/machine.h"
#include "verify/compare.h"

namespace edgetwin::cli {
namespace {

using report::Json;

std::vector<Tensor> outputs_of(const exec::Session& session) {
  std::vector<Tensor> outputs;
  for (size_t i = 0; i < session.graph().outputs.size(); ++i) outputs.push_back(session.output(i));
  return outputs;
}

std::vector<Tensor> traced_tensors(const exec::Session& session) {
  std::vector<Tensor> tensors;
  for (const auto& item : report::trace_items(session))
    tensors.push_back(session.tensor(item.value));
  return tensors;
}

Status compute(exec::Session& session, Console& console) {
  session.reset_variables();
  const size_t steps = session.steps().size();
  return session.run([&](size_t step, std::chrono::nanoseconds) {
    console.progress(static_cast<double>(step + 1) / static_cast<double>(steps),
                     session.steps()[step].label);
  });
}

// The second run of --repeat: all tensors that were kept must come out the same.
Result<bool> repeats(exec::Session& session, const std::vector<Tensor>& inputs, Console& console) {
  const auto tensors = session.options().keep_all ? traced_tensors : outputs_of;
  const std::vector<Tensor> before = tensors(session);
  EDGETWIN_TRY(twin::set_inputs(session, inputs));
  EDGETWIN_TRY(compute(session, console));
  const verify::SetDiff diff = verify::compare_sets(before, tensors(session), 0.0);
  console.json().set("repeatable", diff.equal());
  console.print(diff.equal() ? "equal: the second run gave the same bits\n"
                             : "different: the second run gave other bits, first in '" +
                                   diff.tensors[diff.first.value_or(0)].name + "'\n");
  return diff.equal();
}

// Where results go; made before the computation, so that a place that cannot be written is known
// early. The folders appear only once everything that can fail has been written.
struct OutputFolders {
  std::optional<AtomicFolder> output, trace;
};

// True where one folder is the other, or lies in it.
bool nested(const std::string& a, const std::string& b) {
  std::error_code ignored;
  const auto place = [&ignored](const std::string& path) {
    namespace fs = std::filesystem;
    std::string text = fs::weakly_canonical(fs::absolute(path, ignored), ignored).string();
    if (!text.ends_with('/')) text += '/';
    return text;
  };
  const std::string x = place(a);
  const std::string y = place(b);
  return x.starts_with(y) || y.starts_with(x);
}

Result<OutputFolders> open_folders(const RunArguments& a) {
  OutputFolders folders;
  if (!a.output.empty() && !a.trace.empty() && nested(a.output.path, a.trace.path)) {
    return Error(ErrorCode::usage, "--output and --trace name the same folder, or one in the other")
        .with_hint("Name two folders side by side.");
  }
  if (!a.image.empty()) {
    EDGETWIN_TRY(a.image.check());
  }
  if (!a.report.empty()) EDGETWIN_TRY(check_page(a.report, {a.output.path, a.trace.path}));
  if (!a.output.empty()) {
    EDGETWIN_TRY_ASSIGN(AtomicFolder folder, a.output.folder());
    folders.output.emplace(std::move(folder));
  }
  if (!a.trace.empty()) {
    EDGETWIN_TRY_ASSIGN(AtomicFolder folder, a.trace.folder());
    folders.trace.emplace(std::move(folder));
  }
  return folders;
}

Status write_results(OutputFolders& folders, const exec::Session& session, const Json& origin,
                     const std::optional<Decoded>& decoded) {
  if (folders.output) {
    EDGETWIN_TRY(write_outputs(outputs_of(session), origin, decoded, *folders.output));
  }
  if (folders.trace) EDGETWIN_TRY(report::write_trace(session, *folders.trace));
  if (folders.output) EDGETWIN_TRY(folders.output->commit());
  if (folders.trace) EDGETWIN_TRY(folders.trace->commit());
  return Ok{};
}

void show_findings(const twin::LoadedModel& loaded, const exec::Session& session,
                   Console& console) {
  Json list = Json::array();
  for (const auto* findings : {&loaded.model->findings, &session.findings()}) {
    for (const Finding& f : *findings) {
      console.finding(f);
      list.push(report::to_json(f));
    }
  }
  console.json().set("findings", std::move(list));
}

// What the data showed: sums that left the lanes of a chip.
void show_run_findings(const exec::Session& session, Console& console) {
  Json list = Json::array();
  for (const Finding& f : session.run_findings()) {
    console.finding(f);
    list.push(report::to_json(f));
  }
  if (list.size() > 0) console.json().set("run_findings", std::move(list));
}

// The compiled model as the chip would run it.
Result<int> run_machine(const RunArguments& a, ByteSpan data, const twin::LoadedModel& loaded,
                        Console& console) {
  if (!a.trace.empty() || !a.decode.empty() || !a.report.empty() || a.repeat) {
    return Error(ErrorCode::usage, "--machine has no --trace, --decode, --report or --repeat");
  }
  EDGETWIN_TRY_ASSIGN(OutputFolders folders, open_folders(a));
  EDGETWIN_TRY_ASSIGN(const twin::MachineRun run,
                      twin::run_on_machine(data, loaded, a.inputs, a.compute));
  exec::Options options = run.host;
  if (run.host_operators == 0) options.numerics = "edgetpu";
  Json origin = origin_json(loaded, run.inputs, options);
  origin.set("machine", a.machine).set("instructions", run.report.instructions);
  if (folders.output) {
    EDGETWIN_TRY(write_outputs(run.outputs, origin, std::nullopt, *folders.output));
    EDGETWIN_TRY(folders.output->commit());
  }
  console.json().merge(origin).set("outputs", outputs_json(run.outputs));
  if (const auto open = twin::open_point(run.report)) {
    console.finding(*open);
    console.json().set("open", open->message);
  }
  if (a.output.empty()) print_summary(run.outputs, console);
  if (a.labels.empty()) return kYes;
  EDGETWIN_TRY_ASSIGN(const Labels labels, read_labels(a.labels));
  check_labels(run.outputs, labels, console);
  console.json().set("best", print_best(run.outputs, labels, console));
  return kYes;
}

}  // namespace

Result<int> execute(const RunArguments& a, Console& console) {
  const Result<Bytes> data = read_file(a.model);
  EDGETWIN_TRY_ASSIGN(const bool network,
                      is_max78_network(data.ok() ? ByteSpan(*data) : ByteSpan(), a.max78, "run"));
  if (network) return run_max78(a, console);
  if (!data.ok()) return data.error();
  if (!a.device.device.empty()) return run_on_device(a, *data, console);
  Labels labels;
  if (!a.labels.empty()) {
    EDGETWIN_TRY_ASSIGN(labels, read_labels(a.labels));
  }
  EDGETWIN_TRY_ASSIGN(twin::LoadedModel loaded,
                      twin::load_model(*data, a.model, twin::load_options(a.compute)));
  if (!a.machine.empty()) return run_machine(a, *data, loaded, console);
  std::optional<PosenetAttrs> pose_options;
  if (!a.decode.empty()) loaded = with_maps(loaded, a.decode, pose_options);
  EDGETWIN_TRY_ASSIGN(exec::Session session, twin::plan(loaded, a.compute, !a.trace.empty()));
  EDGETWIN_TRY_ASSIGN(
      const twin::LoadedInputs inputs,
      twin::load_inputs(a.inputs, loaded, session, a.compute, resize_for(a.decode)));
  show_findings(loaded, session, console);
  EDGETWIN_TRY_ASSIGN(OutputFolders folders, open_folders(a));
  EDGETWIN_TRY(twin::set_inputs(session, inputs.tensors));
  EDGETWIN_TRY(compute(session, console));

  const Json origin = origin_json(loaded, inputs, session.options());
  std::optional<Decoded> decoded;
  if (!a.decode.empty()) {
    EDGETWIN_TRY_ASSIGN(decoded, decode_outputs(a, session, inputs, labels, pose_options));
  }
  EDGETWIN_TRY(write_results(folders, session, origin, decoded));
  if (decoded && !decoded->png.empty()) {
    EDGETWIN_TRY(a.image.write(ByteSpan(decoded->picture)));
  }
  show_run_findings(session, console);
  const std::vector<Tensor> outputs = outputs_of(session);
  console.json().merge(origin).set("outputs", outputs_json(outputs));
  if (a.output.empty()) print_summary(outputs, console);
  if (decoded) {
    console.print(to_text(*decoded));
    console.json().set(member_of(*decoded), to_json(*decoded));
  }
  if (!a.labels.empty() && !decoded) {
    check_labels(outputs, labels, console);
    console.json().set("best", print_best(outputs, labels, console));
  }
  bool equal = true;
  if (a.repeat) {
    EDGETWIN_TRY_ASSIGN(equal, repeats(session, inputs.tensors, console));
  }
  if (!a.report.empty()) {
    EDGETWIN_TRY(write_page({a.report, "", 0.0}, loaded, a.compute, inputs, console));
  }
  return equal ? kYes : kNo;
}

}  // namespace edgetwin::cli
