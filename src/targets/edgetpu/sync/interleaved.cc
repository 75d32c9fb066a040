#include "targets/edgetpu/sync/interleaved.h"

#include "targets/edgetpu/sync/rules.h"

namespace edgetwin::edgetpu::sync {
namespace {

Result<Interleaved> run_once(const darwinn::Package& package, const std::vector<ByteSpan>& inputs,
                             const SyncOptions& options, const std::string& place) {
  EDGETWIN_TRY_ASSIGN(SyncMachine machine, SyncMachine::make(package, options));
  Interleaved run;
  run.findings = findings_of(machine.caching(), place + ", parameter caching");
  if (machine.caching().standstill) return run;
  EDGETWIN_TRY_ASSIGN(run.outputs, machine.run(inputs));
  const std::vector<Finding> more = findings_of(machine.report(), place);
  run.findings.insert(run.findings.end(), more.begin(), more.end());
  return run;
}

}  // namespace

Finding short_lines_note(const std::string& place, size_t races, size_t different) {
  Finding f;
  f.severity = Severity::note;
  f.id = std::string(info(Rule::write_after_read).id);
  f.place = place;
  f.message =
      "receivers of lines of fewer than 64 words wait too little: " + std::to_string(races) +
      " pairs of instructions race, " + std::to_string(different) +
      " orders give other bytes; with the true number of words none does. Public programs "
      "show this, and no chip was seen to fail";
  return f;
}

Result<Interleaved> run_interleaved(const darwinn::Package& package,
                                    const std::vector<ByteSpan>& inputs, uint64_t seed,
                                    const std::vector<Bytes>& expected, const std::string& place) {
  SyncOptions options;
  options.seed = seed;
  options.races = true;
  EDGETWIN_TRY_ASSIGN(Interleaved run, run_once(package, inputs, options, place));
  if (run.outputs.empty() && !expected.empty()) return run;  // it stands still
  const bool same = run.outputs == expected;
  if (same && errors_in(run.findings) == 0) return run;
  options.exact_lines = true;
  EDGETWIN_TRY_ASSIGN(Interleaved exact, run_once(package, inputs, options, place));
  if (exact.outputs == expected && errors_in(exact.findings) == 0) {
    exact.findings.push_back(short_lines_note(place, errors_in(run.findings), same ? 0U : 1U));
    return exact;
  }
  if (!same) {
    Finding f = finding_of(info(Rule::order), place,
                           "order " + std::to_string(seed) + " gives other bytes");
    run.findings.push_back(std::move(f));
  }
  return run;
}

}  // namespace edgetwin::edgetpu::sync
