#include <filesystem>

#include "base/file.h"
#include "cli/firmware/arguments.h"
#include "cli/shared/exit_codes.h"
#include "formats/espdl/import/import.h"
#include "formats/espdl/write/write.h"
#include "lut/of_model.h"
#include "lut/sweep.h"
#include "ops/registry/numerics.h"
#include "report/trace_io.h"
#include "targets/espdl/firmware/firmware.h"
#include "targets/espdl/firmware/lut_model.h"
#include "twin/compute.h"
#include "twin/espdl_choice.h"

namespace edgetwin::cli {
namespace {

using targets::espdl::FirmwareCase;

constexpr size_t kMostName = 40;

// A name that the application can carry.
std::string case_name(const std::string& file) {
  std::string name;
  for (const char c : std::filesystem::path(file).stem().string()) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
    name += plain ? c : '_';
  }
  return name.substr(0, kMostName);
}

// What is given, else the embedded test inputs, else the generator.
Result<twin::LoadedInputs> inputs_for(const FirmwareArguments& a, const twin::LoadedModel& loaded,
                                      const exec::Session& session) {
  const auto& tests = loaded.espdl->document.test_inputs;
  if (!a.inputs.empty()) return twin::load_inputs(a.inputs, loaded, session, a.compute);
  if (tests.size() != session.graph().inputs.size()) {
    return twin::load_inputs({"xs32:1"}, loaded, session, a.compute);
  }
  twin::LoadedInputs inputs;
  for (const ValueId id : session.graph().inputs) {
    for (const espdl::TensorData& t : tests) {
      if (t.name != session.graph().value(id).name) continue;
      EDGETWIN_TRY_ASSIGN(Tensor tensor, espdl::to_tensor(t));
      inputs.tensors.push_back(std::move(tensor));
    }
  }
  return inputs;
}

Result<FirmwareCase> model_case(const FirmwareArguments& a, const twin::LoadedModel& loaded,
                                const std::string& name, Console& console) {
  EDGETWIN_TRY_ASSIGN(exec::Session session, twin::plan(loaded, a.compute, true));
  for (const Finding& f : session.findings()) console.finding(f);
  EDGETWIN_TRY_ASSIGN(const twin::LoadedInputs inputs, inputs_for(a, loaded, session));
  EDGETWIN_TRY(twin::set_inputs(session, inputs.tensors));
  session.reset_variables();
  EDGETWIN_TRY(session.run());
  for (const Finding& f : session.run_findings()) console.finding(f);
  FirmwareCase c;
  c.name = name;
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

// Every table that the runtime takes, alone in a model, over all inputs.
Status add_sweeps(const FirmwareArguments& a, const twin::LoadedModel& loaded,
                  const std::string& name, std::vector<FirmwareCase>& cases) {
  EDGETWIN_TRY_ASSIGN(const std::string numerics, twin::choose_numerics(loaded, a.compute));
  const auto rounding = ops::find_numerics(numerics)->rounding;
  EDGETWIN_TRY_ASSIGN(const int runtime, twin::runtime_version(a.compute.runtime));
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

Result<int> execute(const FirmwareArguments& a, Console& console) {
  targets::espdl::FirmwareOptions options;
  options.esp_dl_version = a.compute.runtime;
  options.place = a.place == "partition" ? targets::espdl::ModelPlace::partition
                                         : targets::espdl::ModelPlace::rodata;
  std::vector<FirmwareCase> cases;
  for (const std::string& file : a.models) {
    EDGETWIN_TRY_ASSIGN(const twin::LoadedModel loaded,
                        twin::load_model(file, twin::load_options(a.compute)));
    if (loaded.espdl == nullptr) {
      return Error(ErrorCode::file_kind, "firmware is written for .espdl models").in_file(file);
    }
    for (const Finding& f : loaded.model->findings) console.finding(f);
    if (!options.target.empty() && options.target != loaded.target) {
      return Error(ErrorCode::usage, "the models are for different chips: " + options.target +
                                         " and " + loaded.target)
          .in_file(file);
    }
    options.target = loaded.target;
    const std::string name = case_name(file);
    EDGETWIN_TRY_ASSIGN(FirmwareCase c, model_case(a, loaded, name, console));
    cases.push_back(std::move(c));
    if (a.lut) EDGETWIN_TRY(add_sweeps(a, loaded, name, cases));
  }
  EDGETWIN_TRY_ASSIGN(const auto files, targets::espdl::make_firmware(options, cases));
  EDGETWIN_TRY_ASSIGN(AtomicFolder folder, a.output.folder());
  report::Json names = report::Json::array();
  for (const auto& [path, bytes] : files) {
    EDGETWIN_TRY(folder.write(path, bytes));
    names.push(path);
  }
  EDGETWIN_TRY(folder.commit());
  console.print("wrote " + a.output.path + ": " + std::to_string(files.size()) + " files, " +
                std::to_string(cases.size()) + (cases.size() == 1 ? " check" : " checks") +
                " for " + options.target + " with esp-dl " + options.esp_dl_version + "\n" +
                "build and flash:  cd " + a.output.path + " && idf.py set-target " +
                options.target + " && idf.py build flash monitor | tee device.log\n" +
                "read it back:     edgetwin verify --log device.log\n");
  console.json().set("output", a.output.path).set("target", options.target);
  console.json().set("checks", cases.size()).set("files", std::move(names));
  return kYes;
}

}  // namespace edgetwin::cli
