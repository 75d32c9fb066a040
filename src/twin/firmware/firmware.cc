#include "edgetwin/firmware.h"

#include <filesystem>

#include "base/file.h"
#include "formats/espdl/import/import.h"
#include "formats/espdl/write/write.h"
#include "lut/of_model.h"
#include "lut/sweep.h"
#include "ops/registry/numerics.h"
#include "targets/espdl/firmware/firmware.h"
#include "targets/espdl/firmware/lut_model.h"
#include "twin/espdl_choice.h"
#include "twin/firmware/espdl_firmware.h"

namespace edgetwin {

namespace twin {
namespace {

using targets::espdl::FirmwareCase;

constexpr size_t kMostName = 40;

// What is given, else the embedded test inputs, else the generator.
Result<LoadedInputs> inputs_for(const FirmwareParts& a, const LoadedModel& loaded,
                                const exec::Session& session) {
  const auto& tests = loaded.espdl->document.test_inputs;
  if (!a.inputs.empty()) return load_inputs(a.inputs, loaded, session, a.compute);
  if (tests.size() != session.graph().inputs.size()) {
    return load_inputs({"xs32:1"}, loaded, session, a.compute);
  }
  LoadedInputs inputs;
  for (const ValueId id : session.graph().inputs) {
    for (const espdl::TensorData& t : tests) {
      if (t.name != session.graph().value(id).name) continue;
      EDGETWIN_TRY_ASSIGN(Tensor tensor, espdl::to_tensor(t));
      inputs.tensors.push_back(std::move(tensor));
    }
  }
  return inputs;
}

Result<FirmwareCase> model_case(const FirmwareParts& a, const LoadedModel& loaded,
                                const std::string& name, std::vector<Finding>& findings) {
  EDGETWIN_TRY_ASSIGN(exec::Session session, plan(loaded, a.compute, true));
  for (const Finding& f : session.findings()) findings.push_back(f);
  EDGETWIN_TRY_ASSIGN(const LoadedInputs inputs, inputs_for(a, loaded, session));
  EDGETWIN_TRY_ASSIGN(FirmwareCase c, firmware_case(loaded, inputs.tensors, session, findings));
  c.name = name;
  return c;
}

// Every table that the runtime takes, alone in a model, over all inputs.
Status add_sweeps(const FirmwareParts& a, const LoadedModel& loaded, const std::string& name,
                  std::vector<FirmwareCase>& cases) {
  EDGETWIN_TRY_ASSIGN(const std::string numerics, choose_numerics(loaded, a.compute));
  const auto rounding = ops::find_numerics(numerics)->rounding;
  EDGETWIN_TRY_ASSIGN(const int runtime, runtime_version(a.compute.runtime));
  const auto rule = numerics::lut_rule_of_runtime(runtime);
  EDGETWIN_TRY_ASSIGN(const lut::ModelTables tables,
                      lut::tables_of(loaded.espdl->document, rounding));
  size_t k = 0;
  for (const lut::ModelTable& t : tables.tables) {
    ++k;
    if (!t.used) continue;
    EDGETWIN_TRY_ASSIGN(const Tensor results, lut::sweep(t.table, rule, rounding));
    targets::espdl::LutModel model;
    model.table = t.table;
    model.input_exponent = t.spec.in_exponent;
    model.output_exponent = t.spec.out_exponent;
    model.target = loaded.target;
    model.original_type = t.original_type;
    EDGETWIN_TRY_ASSIGN(FirmwareCase c, targets::espdl::make_sweep_case(
                                            name + "-lut" + std::to_string(k), model, results));
    cases.push_back(std::move(c));
  }
  return Ok{};
}

}  // namespace

std::string firmware_case_name(const std::string& file) {
  std::string name;
  for (const char c : std::filesystem::path(file).stem().string()) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
    name += plain ? c : '_';
  }
  return name.substr(0, kMostName);
}

Result<FirmwareCase> firmware_case(const LoadedModel& loaded, const std::vector<Tensor>& inputs,
                                   exec::Session& session, std::vector<Finding>& findings) {
  EDGETWIN_TRY(set_inputs(session, inputs));
  session.reset_variables();
  EDGETWIN_TRY(session.run());
  for (const Finding& f : session.run_findings()) findings.push_back(f);
  FirmwareCase c;
  espdl::ModelFile plain = *loaded.espdl;
  plain.name.clear();
  plain.encrypted = false;
  EDGETWIN_TRY_ASSIGN(c.model_file, espdl::write(espdl::single(std::move(plain))));
  const Graph& graph = session.graph();
  for (const ValueId id : graph.inputs) c.inputs.push_back(session.tensor(id));
  for (const ValueId id : graph.outputs) c.outputs.push_back(session.tensor(id));
  for (const exec::Step& step : session.steps()) {
    for (const ValueId id : graph.ops[step.op_index].outputs) {
      c.nodes.push_back(session.tensor(id));
    }
  }
  return c;
}

Result<Firmware> make_firmware(const FirmwareParts& a, std::vector<Finding>& findings) {
  targets::espdl::FirmwareOptions options;
  options.esp_dl_version = a.compute.runtime;
  options.place =
      a.partition ? targets::espdl::ModelPlace::partition : targets::espdl::ModelPlace::rodata;
  std::vector<FirmwareCase> cases;
  std::vector<LoadedModel> models;
  for (const std::string& file : a.models) {
    EDGETWIN_TRY_ASSIGN(LoadedModel loaded, load_model(file, load_options(a.compute)));
    if (loaded.espdl == nullptr) {
      return Error(ErrorCode::file_kind, "firmware is written for .espdl models").in_file(file);
    }
    const auto& noticed = loaded.model->findings;
    findings.insert(findings.end(), noticed.begin(), noticed.end());
    if (!options.target.empty() && options.target != loaded.target) {
      return Error(ErrorCode::usage, "the models are for different chips: " + options.target +
                                         " and " + loaded.target)
          .in_file(file);
    }
    options.target = loaded.target;
    models.push_back(std::move(loaded));
  }
  if (!a.picture.empty()) {
    EDGETWIN_TRY_ASSIGN(PictureCases seen, picture_cases(a, models, findings));
    options.picture = std::move(seen.picture);
    cases = std::move(seen.cases);
  }
  for (const LoadedModel& loaded : models) {
    const std::string name = firmware_case_name(loaded.file);
    if (!a.picture.empty()) break;
    EDGETWIN_TRY_ASSIGN(FirmwareCase c, model_case(a, loaded, name, findings));
    cases.push_back(std::move(c));
    if (a.lut_sweeps) EDGETWIN_TRY(add_sweeps(a, loaded, name, cases));
  }
  EDGETWIN_TRY_ASSIGN(auto files, targets::espdl::make_firmware(options, cases));
  Firmware made;
  made.target = find_target(options.target);
  made.checks = cases.size();
  for (auto& [path, bytes] : files) made.files.push_back({path, std::move(bytes)});
  return made;
}

}  // namespace twin

Result<Firmware> make_firmware(const std::vector<std::string>& models,
                               const FirmwareOptions& options) {
  twin::FirmwareParts parts;
  parts.models = models;
  parts.inputs = options.inputs;
  parts.compute = twin::compute_options(options.open, options.runner);
  parts.partition = options.partition;
  parts.lut_sweeps = options.lut_sweeps;
  parts.picture = options.picture;
  parts.decoders = options.decoders;
  parts.params = options.params;
  parts.labels = options.labels;
  std::vector<Finding> findings;
  EDGETWIN_TRY_ASSIGN(Firmware made, twin::make_firmware(parts, findings));
  made.findings = std::move(findings);
  return made;
}

}  // namespace edgetwin
