// Two networks in one program, proven in the machine before it is given away.
#include <algorithm>

#include "targets/max78/machine/player/play.h"
#include "targets/max78/pipeline/run.h"
#include "targets/max78/project/pair.h"
#include "twin/make/max78_files.h"

namespace edgetwin::twin {
namespace {

// Known words of the second network, checks of the first and findings: all must agree.
Status prove_pair(const max78::Pair& pair, max78::Device device) {
  max78::Machine machine(device, {});
  EDGETWIN_TRY(max78::play(max78::as_text(pair.program, device), machine));
  const max78::Comparison second = max78::compare(machine, pair.expected);
  const auto wrong = std::ranges::find(machine.findings(), Severity::error, &Finding::severity);
  if (second.equal() && wrong == machine.findings().end()) return Ok{};
  Error e(ErrorCode::internal, "the program of both networks fails its proof in the machine");
  if (!second.equal()) e.details.push_back(max78::describe(second.first.front()));
  if (wrong != machine.findings().end()) e.details.push_back(wrong->message);
  e.hint = "Nothing was written. Please report it with the networks.";
  return e;
}

}  // namespace

Status add_pair_files(const PairRequest& request, Compiled& compiled) {
  EDGETWIN_TRY_ASSIGN(const max78::CompiledNetwork first, max78::compile(*request.first));
  EDGETWIN_TRY_ASSIGN(const max78::CompiledNetwork second, max78::compile(*request.second));
  const auto part = [](const std::string& name, const max78::LoadedNetwork& network,
                       const max78::CompiledNetwork& made) {
    return max78::PairPart{name, &network.plan(), &made, network.frame ? &*network.frame : nullptr};
  };
  max78::ProjectOptions how;
  how.name = request.options.name;
  EDGETWIN_TRY_ASSIGN(
      const max78::Pair pair,
      max78::make_pair(part(request.first_name, *request.first, first),
                       part(request.second_name, *request.second, second), request.memory, how));
  EDGETWIN_TRY(prove_pair(pair, request.first->plan().chip->device));
  compiled.program = max78::to_text(pair.program);
  compiled.expected = max78::expected_text(pair.expected);
  if (!request.options.project) return Ok{};
  for (const max78::ProjectFile& f : pair.files) {
    compiled.project.push_back({f.name, to_bytes(std::as_bytes(std::span(f.text)))});
  }
  return Ok{};
}

}  // namespace edgetwin::twin
