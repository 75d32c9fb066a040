#include "edgetwin/lut.h"

#include <algorithm>

#include "base/file.h"
#include "edgetwin/target.h"
#include "formats/espdl/read/read.h"
#include "lut/header.h"
#include "lut/of_model.h"
#include "lut/pictures.h"
#include "ops/registry/numerics.h"
#include "targets/target.h"
#include "tensor/npy.h"
#include "twin/load.h"

namespace edgetwin {
namespace {

// The rounding of a chip: named by the caller, or by the model itself.
Result<numerics::Rounding> rounding_of(const espdl::Document& document, const std::string& named,
                                       const std::string& file) {
  const std::string target = named.empty() ? document.property("target").value_or("") : named;
  const Target* t = find_target(target);
  if (t != nullptr && t->family == Family::espdl) return ops::find_numerics(t->numerics)->rounding;
  return Error(ErrorCode::usage, "the model does not say for which target it is")
      .in_file(file)
      .with_hint("Add --target " + targets::targets_with("lut") +
                 ": they round table entries differently.");
}

Result<ExaminedTable> examine_one(lut::ModelTable t, const std::string& prefix) {
  ExaminedTable e;
  e.layer = prefix + t.node;
  e.op_type = t.op_type;
  e.original_type = t.original_type;
  e.used = t.used;
  e.why = t.why;
  e.known_function = t.known_function;
  if (t.known_function) {
    EDGETWIN_TRY_ASSIGN(e.report, lut::examine(t.spec, t.table, t.declared_step));
  }
  e.table = std::move(t.table);
  return e;
}

}  // namespace

Result<ExaminedModel> examine_tables(const std::string& model, const std::string& target,
                                     const std::string& key, const ProgressSink& progress) {
  EDGETWIN_TRY_ASSIGN(const Bytes bytes, read_file(model));
  if (!espdl::looks_like_espdl(bytes)) {
    return Error(ErrorCode::file_kind, "'" + model + "' is neither a function nor an .espdl model")
        .with_hint("edgetwin lut build --help lists the functions.");
  }
  EDGETWIN_TRY_ASSIGN(const espdl::Container container, twin::load_espdl(bytes, model, key));
  EDGETWIN_TRY(twin::refuse_unused_key(container.models, key, model));
  ExaminedModel examined;
  for (const espdl::ModelFile& m : container.models) {
    EDGETWIN_TRY_ASSIGN(const auto rounding, rounding_of(m.document, target, model));
    EDGETWIN_TRY_ASSIGN(lut::ModelTables tables, lut::tables_of(m.document, rounding));
    examined.findings.insert(examined.findings.end(), tables.findings.begin(),
                             tables.findings.end());
    const std::string prefix = m.name.empty() ? "" : m.name + ": ";
    size_t done = 0;
    for (lut::ModelTable& t : tables.tables) {
      ++done;
      if (progress) {
        progress(static_cast<double>(done) / static_cast<double>(tables.tables.size()), t.node);
      }
      EDGETWIN_TRY_ASSIGN(ExaminedTable e, examine_one(std::move(t), prefix));
      examined.tables.push_back(std::move(e));
    }
  }
  return examined;
}

Result<Bytes> outputs_file(const lut::Report& r, const lut::RuleReport& rule) {
  const bool narrow = r.spec.bits == 8;
  const auto count = static_cast<int64_t>(rule.outputs.size());
  EDGETWIN_TRY_ASSIGN(Tensor t, Tensor::zeros(narrow ? DType::int8 : DType::int16, Shape{count}));
  if (narrow) {
    std::transform(rule.outputs.begin(), rule.outputs.end(), t.as<int8_t>().begin(),
                   [](int16_t v) { return static_cast<int8_t>(v); });
  } else {
    std::copy(rule.outputs.begin(), rule.outputs.end(), t.as<int16_t>().begin());
  }
  return write_npy(t);
}

Result<std::vector<MadeFile>> table_files(const ExaminedTable& table, size_t k, lut::LutRule header,
                                          bool floats) {
  const lut::Report& r = table.report;
  const std::string stem = "lut_" + std::to_string(k);
  std::vector<MadeFile> files;
  const auto add = [&](const char* end, Bytes bytes) {
    files.push_back({stem + end, std::move(bytes)});
  };
  EDGETWIN_TRY_ASSIGN(Bytes parity, lut::parity_picture(table.layer, r, table.table));
  add("_parity.png", std::move(parity));
  EDGETWIN_TRY_ASSIGN(Bytes sweep, lut::sweep_picture(table.layer, r));
  add("_sweep.png", std::move(sweep));
  EDGETWIN_TRY_ASSIGN(Bytes entries, write_npy(table.table));
  add("_table.npy", std::move(entries));
  for (const lut::RuleReport* rule : {&r.interpolate, &r.nearest}) {
    if (!rule->runs) continue;
    EDGETWIN_TRY_ASSIGN(Bytes outputs, outputs_file(r, *rule));
    add(rule->rule == lut::LutRule::interpolate ? "_interp.npy" : "_nearest.npy",
        std::move(outputs));
    if (rule->rule != header) continue;
    const int number = static_cast<int>(k);
    const std::string text = floats
                                 ? lut::float_header(number, table.layer, r, *rule)
                                 : lut::integer_header(number, table.layer, r, *rule, table.table);
    const auto bytes = std::as_bytes(std::span(text));
    add("_test.h", Bytes(bytes.begin(), bytes.end()));
  }
  return files;
}

}  // namespace edgetwin
