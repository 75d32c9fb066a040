#include "cli/networks/page.h"

#include <filesystem>

#include "base/file.h"
#include "edgetwin/version.h"
#include "report/format.h"
#include "report/model/diff_report.h"
#include "report/page/page.h"

namespace edgetwin::cli {
namespace {

using report::PageData;

constexpr int kRuns = 20;

void describe_request(PageData& page, const PageArguments& a, const twin::LoadedModel& loaded,
                      const ComputeArguments& compute, const twin::LoadedInputs& inputs) {
  page.asked.emplace_back("model", loaded.file);
  page.asked.emplace_back("model SHA-256", loaded.sha256);
  for (size_t i = 0; i < inputs.given.size(); ++i) {
    const GivenInput& g = inputs.given[i];
    const std::string what = inputs.given.size() == 1 ? "input" : "input " + std::to_string(i);
    page.asked.emplace_back(what, g.text);
    if (!g.sha256.empty()) page.asked.emplace_back(what + " SHA-256", g.sha256);
  }
  if (!a.reference.empty()) page.asked.emplace_back("reference", a.reference);
  if (a.tolerance > 0.0) page.asked.emplace_back("tolerance", report::real_text(a.tolerance));
  if (!loaded.target.empty()) {
    page.asked.emplace_back("target", loaded.target + " (" + loaded.target_why + ")");
    page.asked.emplace_back("ESP-DL version", compute.runtime);
  }
  page.asked.emplace_back("numerics", page.session->options().numerics);
  page.asked.emplace_back("threads", std::to_string(compute.threads));
  page.asked.emplace_back("operators",
                          compute.plain ? "plain only" : "fast, proven equal to plain");
}

// Runs with every tensor kept, for the values and the comparison.
Status add_values(PageData& page, const PageArguments& a, const twin::LoadedModel& loaded,
                  const ComputeArguments& compute, const twin::LoadedInputs& inputs) {
  EDGETWIN_TRY_ASSIGN(exec::Session traced, twin::plan(loaded, compute, true));
  EDGETWIN_TRY(twin::set_inputs(traced, inputs.tensors));
  traced.reset_variables();
  EDGETWIN_TRY(traced.run());
  for (const report::TraceItem& item : report::trace_items(traced)) {
    page.tensors.push_back({item, report::tensor_stats(traced.tensor(item.value))});
  }
  if (a.reference.empty()) return Ok{};
  EDGETWIN_TRY_ASSIGN(const std::vector<report::TraceTensor> reference,
                      report::read_tensor_folder(a.reference));
  EDGETWIN_TRY_ASSIGN(page.comparison,
                      report::compare_with_reference(traced, reference, a.tolerance));
  return Ok{};
}

void set_verdict(PageData& page) {
  if (page.comparison) {
    page.verdict = page.comparison->equal() ? PageData::Verdict::yes : PageData::Verdict::no;
    page.verdict_text = report::verdict(*page.comparison, "tensor");
  } else {
    const size_t steps = page.session->steps().size();
    page.verdict_text = "computed: " + std::to_string(steps) +
                        (steps == 1 ? " operator" : " operators") + "; no reference was given";
  }
}

}  // namespace

Status check_page(const Output& page, const std::vector<std::string>& coming_folders) {
  namespace fs = std::filesystem;
  EDGETWIN_TRY(page.check());
  std::error_code ignored;
  const auto place = [&ignored](const fs::path& path) {
    return fs::weakly_canonical(fs::absolute(path, ignored) / "", ignored);
  };
  const fs::path folder = fs::absolute(page.path, ignored).parent_path();
  if (fs::is_directory(folder, ignored)) return Ok{};
  for (const std::string& coming : coming_folders) {
    if (!coming.empty() && place(coming) == place(folder)) return Ok{};
  }
  return Error(ErrorCode::file_write, "the folder of the page does not exist")
      .in_file(page.path)
      .with_hint("Make the folder, or name another file.");
}

Result<bool> write_page(const PageArguments& a, const twin::LoadedModel& loaded,
                        const ComputeArguments& compute, const twin::LoadedInputs& inputs,
                        Console& console) {
  EDGETWIN_TRY_ASSIGN(exec::Session session, twin::plan(loaded, compute, false));
  EDGETWIN_TRY(twin::set_inputs(session, inputs.tensors));
  EDGETWIN_TRY_ASSIGN(const report::Timing timing,
                      report::measure(session, kRuns, console.progress_sink()));
  const report::ModelSummary summary = report::summarize(*loaded.model, &session);
  PageData page;
  page.title = std::filesystem::path(loaded.file).filename().string();
  page.version = std::string(version());
  page.model = loaded.model.get();
  page.summary = &summary;
  page.session = &session;
  page.timing = &timing;
  page.machine = report::this_machine();
  page.isa = twin::used_isa(compute);
  page.command = console.command_line();
  describe_request(page, a, loaded, compute, inputs);
  EDGETWIN_TRY(add_values(page, a, loaded, compute, inputs));
  set_verdict(page);
  EDGETWIN_TRY(a.output.write(std::string_view(report::html_page(page))));
  console.print("report  " + a.output.path + "\n" + page.verdict_text + "\n");
  console.json().set("verdict", page.verdict_text).set("page", a.output.path);
  console.json().set("report", report::page_json(page));
  return page.verdict != PageData::Verdict::no;
}

}  // namespace edgetwin::cli
