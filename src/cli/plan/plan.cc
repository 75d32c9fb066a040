// `plan`: processors, offsets and gaps, proven by the machine before they are written.
#include <filesystem>

#include "cli/networks/max78.h"
#include "cli/plan/arguments.h"
#include "cli/shared/exit_codes.h"
#include "cli/shared/output_group.h"
#include "report/format.h"
#include "targets/max78/machine/state/finding_list.h"

namespace edgetwin::cli {
namespace {

using report::Json;

std::string map_text(uint64_t map) {
  return max78::hex_text(static_cast<uint32_t>(map >> 32)) +
         max78::hex_text(static_cast<uint32_t>(map)).substr(2);
}

void show_layers(const max78::LoadedNetwork& job, Console& console) {
  report::TextTable table(
      {{"layer"}, {"processors"}, {"output_processors"}, {"in_offset"}, {"out_offset"}, {"gap"}});
  Json list = Json::array();
  for (const int i : job.plan().order) {
    const max78::LayerPlan& l = job.plan().layer(i);
    table.add({ai8x::layer_name(job.network, static_cast<size_t>(i)), map_text(l.processors),
               map_text(l.out_processors), std::to_string(l.in_offset),
               std::to_string(l.out_offset), std::to_string(l.yaml->write_gap)});
    Json j = Json::object();
    j.set("layer", i).set("processors", map_text(l.processors));
    j.set("output_processors", map_text(l.out_processors)).set("in_offset", l.in_offset);
    j.set("out_offset", l.out_offset).set("write_gap", l.yaml->write_gap);
    list.push(std::move(j));
  }
  console.print(table.text(0));
  console.json().set("layers", std::move(list));
}

// What belongs to the description of a float network stands beside it, under its name.
std::string beside(const Output& output, const std::string& prefix, const std::string& ending) {
  const std::filesystem::path path = output.path;
  return (path.parent_path() / (prefix + path.stem().string() + ending)).string();
}

Status write_all(const PlanArguments& a, const Max78Outcome& outcome, Console& console) {
  OutputGroup files;
  files.add(a.output, outcome.job->description);
  std::string names = a.output.path;
  Json list = Json::array();
  for (const MadeFile& f : outcome.made) {
    if (f.path.ends_with(".yaml")) continue;
    const bool sample = f.path.starts_with("sample_");
    const Output file{beside(a.output, sample ? "sample_" : "", sample ? ".npy" : ".pth.tar"),
                      a.output.overwrite};
    EDGETWIN_TRY(file.check());
    files.add(file, f.bytes);
    names += ", " + file.path;
    list.push(file.path);
  }
  EDGETWIN_TRY(files.write());
  console.print("wrote       " + names + "\n");
  console.json().set("output", a.output.path);
  if (!outcome.made.empty()) console.json().set("beside", std::move(list));
  return Ok{};
}

}  // namespace

Result<int> execute(const PlanArguments& a, Console& console) {
  EDGETWIN_TRY(a.output.check());
  EDGETWIN_TRY_ASSIGN(Max78Outcome outcome,
                      load_max78(a.max78, max78::SampleNeed::numbers, console, false, true));
  if (!outcome.ok) return outcome.exit_code;
  const max78::LoadedNetwork& job = *outcome.job;
  EDGETWIN_TRY(prove_plan(a.max78, job, console));
  show_layers(job, console);
  console.json().set("network", a.max78.network).set("target", a.max78.target);
  if (a.output.empty()) return kYes;
  EDGETWIN_TRY(add_moved_parameters(a.max78, outcome));
  EDGETWIN_TRY(write_all(a, outcome, console));
  return kYes;
}

}  // namespace edgetwin::cli
