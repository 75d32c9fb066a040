#include "targets/max78/rtl/rtl.h"

#include "targets/max78/analysis/statistics.h"
#include "targets/max78/rtl/camera.h"
#include "targets/max78/rtl/rtl_parts.h"

namespace edgetwin::max78 {
namespace {

// Total, the start, then each layer; the loader writes 1 for the start.
std::string latency_text(const Plan& plan) {
  const Statistics s = statistics(plan);
  std::string text = std::to_string(s.cycles) + "\n" + std::to_string(s.start_cycles) + "\n";
  for (const LayerStatistics& l : s.layers) text += std::to_string(l.cycles) + "\n";
  return text;
}

// A line of --autogen; empty: it was not asked for.
std::string list_line(const Plan& plan, const RtlFolder& folder) {
  const RtlOptions& rtl = plan.options.rtl;
  if (rtl.autogen.empty()) return {};
  const std::string level = rtl.block() ? "" : rtl.top_level + "/";
  const std::string queue = !rtl.queue.empty() ? rtl.queue : folder.timeout > 50 ? "long" : "short";
  return "tests/" + level + folder.name + "/run_test:" + queue;
}

Status refuse_together(const Plan& plan) {
  const Options& o = plan.options;
  const LayerPlan& first = plan.layer(plan.start);
  const auto refuse = [](const std::string& what, const std::string& hint) {
    return Error(ErrorCode::max78_option, what).with_hint(hint);
  };
  if (o.rtl.input_split > 1) {
    if (first.yaml->big_data && o.rtl.compact_data) {
      return refuse("--input-split goes with --no-compact-data", "Add --no-compact-data.");
    }
    if (!first.yaml->big_data) {
      return refuse("--input-split changes nothing: the input is not in CHW format",
                    "Leave --input-split out.");
    }
    if (o.rtl.input_split > plan.sample.h || first.operands > 1) {
      return refuse("--input-split deals the rows of one operand, of which there are " +
                        std::to_string(plan.sample.h),
                    "Give a smaller number.");
    }
  }
  if (first.yaml->big_data && first.in_expand > 1 && o.rtl.compact_data) {
    return refuse("CHW input of several passes exists only inline", "Add --no-compact-data.");
  }
  const int layers = (plan.hw_layer(plan.last) + 1) * o.rtl.repeat_layers;
  if (layers > plan.chip->max_layers) {
    return refuse("--repeat-layers " + std::to_string(o.rtl.repeat_layers) + " needs " +
                      std::to_string(layers) + " layers, the chip has " +
                      std::to_string(plan.chip->max_layers),
                  "Give a smaller number.");
  }
  if (o.deep_sleep && !o.riscv) return refuse("--deepsleep needs --riscv", "Add --riscv.");
  return camera_fits(plan);
}

}  // namespace

Result<RtlFolder> make_rtl(const Plan& plan, const Tensor& sample,
                           const std::vector<Tensor>& outputs, const std::string& prefix,
                           size_t directory) {
  EDGETWIN_TRY(refuse_together(plan));
  EDGETWIN_TRY(make_program(plan, sample));
  const Options& o = plan.options;
  RtlFolder folder;
  folder.name = rtl_short_name(rtl_folder_name(plan, prefix), directory);
  folder.program = rtl_program(plan, sample);
  folder.answer = rtl_answer(plan, outputs);
  folder.timeout = rtl_timeout(plan, folder.program, folder.answer);
  folder.list_line = list_line(plan, folder);
  if (o.rtl.block()) {
    EDGETWIN_TRY_ASSIGN(folder.files,
                        rtl_block_files(plan, folder.program, outputs, folder.timeout));
    return folder;
  }
  folder.files = rtl_sources(plan, folder.program, folder.answer);
  if (!o.rtl.camera.csv.empty()) {
    folder.files.push_back({o.rtl.camera.csv, camera_csv(plan, sample)});
  }
  folder.files.push_back({o.rtl.run_file, rtl_run_file(plan, folder.timeout)});
  if (plan.small() && !plan.streams()) folder.files.push_back({"latency.txt", latency_text(plan)});
  for (ProjectFile& f : rtl_memories(plan, sample, folder.answer)) {
    folder.files.push_back(std::move(f));
  }
  for (ProjectFile& f : rtl_build_files(plan)) folder.files.push_back(std::move(f));
  folder.files.push_back({"program.txt", to_text(folder.program)});
  std::string expected;
  for (const RtlAnswer::Step& s : folder.answer.steps) {
    if (s.compare) expected += expected_text({s.run});
  }
  if (!expected.empty()) folder.files.push_back({"expected.txt", expected});
  return folder;
}

}  // namespace edgetwin::max78
