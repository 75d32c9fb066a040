// `run --device`.
#include "base/file.h"
#include "cli/networks/device_findings.h"
#include "cli/run/decoded.h"
#include "cli/run/kinds.h"
#include "cli/run/run_output.h"
#include "cli/shared/exit_codes.h"
#include "tensor/npy.h"

namespace edgetwin::cli {
namespace {

using report::Json;

Status refuse_together(const RunArguments& a) {
  const char* option = !a.trace.empty() ? "--trace" : !a.report.empty() ? "--report" : nullptr;
  EDGETWIN_TRY(refuse_reference(a.device));
  if (option == nullptr) return Ok{};
  return Error(ErrorCode::usage, std::string(option) +
                                     " needs the twin and cannot be combined "
                                     "with --device");
}

Status write_record(const twin::DeviceRun& run, const std::vector<edgetpu::DeviceOutput>& recorded,
                    const DeviceArguments& a, const Json& origin) {
  EDGETWIN_TRY_ASSIGN(AtomicFolder folder, a.record.folder());
  Json inputs = Json::array(), outputs = Json::array();
  for (size_t i = 0; i < run.inputs.tensors.size(); ++i) {
    const std::string file = "input_" + std::to_string(i) + ".npy";
    EDGETWIN_TRY_ASSIGN(const Bytes bytes, write_npy(run.inputs.tensors[i]));
    EDGETWIN_TRY(folder.write(file, bytes));
    Json j = Json::object();
    inputs.push(j.set("file", file).set("name", run.inputs.tensors[i].name));
  }
  for (size_t i = 0; i < recorded.size(); ++i) {
    const std::string file = "device_" + std::to_string(i) + ".npy";
    EDGETWIN_TRY_ASSIGN(const Bytes bytes, write_npy(recorded[i].tensor));
    EDGETWIN_TRY(folder.write(file, bytes));
    Json j = Json::object();
    outputs.push(j.set("file", file).set("name", recorded[i].tensor.name));
  }
  Json document = Json::object();
  document.set("schema", 1).merge(origin);
  document.set("given", std::move(inputs)).set("device_outputs", std::move(outputs));
  if (run.bus.capture != nullptr) {
    const Bytes usb = edgetpu::write_capture(run.bus.capture->log().packets());
    EDGETWIN_TRY(folder.write("usb.pcap", usb));
  }
  EDGETWIN_TRY(folder.write("record.json", std::string_view(document.text())));
  return folder.commit();
}

// A fault that never happened was asked for in vain.
Status check_fault(const twin::DeviceRun& run, const std::string& fault) {
  if (run.bus.fault == nullptr || run.bus.fault->happened) return Ok{};
  return Error(ErrorCode::usage, "--fault " + fault + " never happened")
      .detail("the run had " + std::to_string(run.bus.fault->transfers) + " transfers")
      .with_hint("Name one of them; `run --record DIR` and `capture DIR/usb.pcap` list them.");
}

}  // namespace

Result<int> run_on_device(const RunArguments& a, ByteSpan data, Console& console) {
  EDGETWIN_TRY(refuse_together(a));
  Labels labels;
  if (!a.labels.empty()) {
    EDGETWIN_TRY_ASSIGN(labels, read_labels(a.labels));
  }
  EDGETWIN_TRY(a.image.check());
  std::optional<AtomicFolder> folder;
  if (!a.output.empty()) {
    EDGETWIN_TRY_ASSIGN(AtomicFolder made, a.output.folder());
    folder.emplace(std::move(made));
  }
  twin::DeviceChoice choice = a.device;
  choice.captures = !a.device.record.empty();
  EDGETWIN_TRY_ASSIGN(twin::DeviceRun run, twin::open_device_run(data, a.model, a.inputs, a.compute,
                                                                 choice, resize_for(a), a.decode));
  std::vector<edgetpu::DeviceOutput> recorded;
  EDGETWIN_TRY_ASSIGN(const std::vector<Tensor> outputs, run.run(&recorded));
  EDGETWIN_TRY(check_fault(run, a.device.fault));
  show_device_findings(run, console);
  Json origin = origin_json(run.loaded, run.inputs, run.host);
  origin.set("device", run.bus.transport->name());
  EDGETWIN_TRY_ASSIGN(const std::optional<Decoded> decoded,
                      decode_computed(a, {&run.loaded.model->main(), run.pose_options}, run.inputs,
                                      outputs, labels));
  if (folder) {
    EDGETWIN_TRY(write_outputs(outputs, origin, decoded, *folder));
  }
  if (!a.device.record.empty()) {
    EDGETWIN_TRY(write_record(run, recorded, a.device, origin));
  }
  if (folder) EDGETWIN_TRY(folder->commit());
  console.json().merge(origin).set("outputs", outputs_json(outputs));
  EDGETWIN_TRY(show_computed(a, outputs, labels, decoded, console));
  if (!a.repeat) return kYes;
  run.network->reset_states();
  EDGETWIN_TRY_ASSIGN(const std::vector<Tensor> again, run.run());
  bool equal = true;
  for (size_t i = 0; i < outputs.size(); ++i) equal = equal && outputs[i].data == again[i].data;
  console.json().set("repeatable", equal);
  console.print(equal ? "equal: the second run gave the same bits\n"
                      : "different: the second run gave other bits\n");
  return equal ? kYes : kNo;
}

}  // namespace edgetwin::cli
