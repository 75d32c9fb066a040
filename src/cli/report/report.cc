#include "cli/networks/page.h"
#include "cli/report/arguments.h"
#include "cli/shared/exit_codes.h"
#include "twin/compute.h"
#include "twin/espdl_choice.h"

namespace edgetwin::cli {

Result<int> execute(const ReportArguments& a, Console& console) {
  EDGETWIN_TRY(check_page(a.output, {}));
  EDGETWIN_TRY_ASSIGN(const twin::LoadedModel loaded,
                      twin::load_model(a.model, twin::load_options(a.compute)));
  EDGETWIN_TRY_ASSIGN(const exec::Session session, twin::plan(loaded, a.compute, false));
  EDGETWIN_TRY_ASSIGN(const twin::LoadedInputs inputs,
                      twin::load_inputs(a.inputs, loaded, session, a.compute));
  for (const Finding& f : loaded.model->findings) console.finding(f);
  for (const Finding& f : session.findings()) console.finding(f);
  EDGETWIN_TRY_ASSIGN(const bool yes, write_page({a.output, a.reference, a.tolerance}, loaded,
                                                 a.compute, inputs, console));
  return yes ? kYes : kNo;
}

}  // namespace edgetwin::cli
