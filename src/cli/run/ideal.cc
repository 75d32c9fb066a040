// `run --mode ideal`: look-ups by their functions.
#include "cli/run/ideal.h"
#include "cli/shared/open_arguments.h"
#include "formats/espdl/write/write.h"
#include "lut/ideal.h"
#include "quantize/espdl/plan/settings.h"
#include "twin/espdl_choice.h"

namespace edgetwin::cli {

Result<Network> open_ideal(const RunArguments& a, ByteSpan data, Console& console) {
  EDGETWIN_TRY_ASSIGN(const twin::LoadedModel loaded,
                      twin::load_model(data, a.model, twin::load_options(a.compute)));
  if (loaded.espdl == nullptr) {
    return Error(ErrorCode::usage, "--mode is of quantized .espdl models")
        .in_file(a.model)
        .with_hint("A float network is ideal in itself; leave --mode out.");
  }
  EDGETWIN_TRY_ASSIGN(const espdl::Target target, twin::named_target(loaded.target));
  EDGETWIN_TRY_ASSIGN(lut::IdealModel ideal, lut::with_ideal_tables(loaded.espdl->document,
                                                                    quantize::rounding_of(target)));
  for (const Finding& f : ideal.findings) console.finding(f);
  if (ideal.layers.empty()) {
    return Error(ErrorCode::usage,
                 "--mode ideal changes nothing: the model has no table of 16 bits "
                 "with a step whose function is known")
        .in_file(a.model)
        .with_hint("Tables of 8 bits have an entry for every input: they are ideal already.");
  }
  console.print("ideal: " + std::to_string(ideal.layers.size()) +
                (ideal.layers.size() == 1 ? " look-up" : " look-ups") +
                " by formula instead of table\n");
  console.json().set("mode", "ideal").set("look_ups_by_formula", ideal.layers.size());
  espdl::ModelFile model;
  model.document = std::move(ideal.document);
  EDGETWIN_TRY_ASSIGN(const Bytes bytes, espdl::write(espdl::single(std::move(model))));
  OpenOptions open = open_options(a.compute, a.max78);
  open.target = loaded.target;
  open.member.clear();
  open.key.clear();
  return Network::open(ByteSpan(bytes), a.model, open);
}

}  // namespace edgetwin::cli
