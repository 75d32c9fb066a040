// Two networks of the MAX78000 or MAX78002 in one program.
#include <algorithm>
#include <filesystem>

#include "cli/compile/arguments.h"
#include "cli/networks/max78.h"
#include "cli/shared/exit_codes.h"
#include "targets/max78/page/texts.h"
#include "targets/max78/project/pair.h"
#include "twin/make/max78_files.h"

namespace edgetwin::cli {
namespace {

constexpr size_t kMostPartName = 24;

// A name in front of functions: letters, digits and _, a letter first.
std::string part_name(const std::string& file) {
  std::string name;
  for (const char c : std::filesystem::path(file).stem().string()) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool digit = c >= '0' && c <= '9';
    if (name.empty() && !letter) name = "net_";
    name += letter || digit ? c : '_';
  }
  return name.substr(0, kMostPartName);
}

Error belongs_to_one(const std::string& option) {
  return Error(ErrorCode::usage, option + " is of one network; here are two")
      .with_hint("Leave it out, or compile each network alone.");
}

Status refuse_for_pair(const CompileArguments& a) {
  if (a.plan) return belongs_to_one("--plan");
  if (!a.labels.empty()) return belongs_to_one("--labels");
  if (!a.unload_reads.empty()) return belongs_to_one("--unload-reads");
  if (!a.max78.report.empty()) return belongs_to_one("--report");
  if (!a.max78.image.empty()) return belongs_to_one("--image");
  if (!a.max78.shape.empty()) return belongs_to_one("--input-shape");
  for (const std::string& word : a.max78.options) {
    if (word.starts_with("--weight-start")) return belongs_to_one("--weight-start");
    if (word.starts_with("--log-")) return belongs_to_one("--log-intermediate and --log-pooling");
  }
  return Ok{};
}

Max78Arguments second_of(const CompileArguments& a) {
  Max78Arguments second = a.max78;
  second.network = a.second;
  second.checkpoint = a.second_checkpoint;
  second.weights = a.second_weights;
  second.bias = a.second_bias;
  second.sample = a.second_sample;
  return second;
}

void say(const std::string& name, const max78::LoadedNetwork& job, Console& console) {
  console.print(name + "\n" + max78::statistics_text(job.plan()));
  report::Json one = report::Json::object();
  one.set("statistics", max78::statistics_json(job.plan()));
  console.json().set(name, std::move(one));
}

}  // namespace

Result<int> compile_pair(const CompileArguments& a, Console& console) {
  EDGETWIN_TRY(refuse_for_pair(a));
  const bool divided = a.memory != "shared";
  Max78Arguments first = a.max78, second = second_of(a);
  first.options.emplace_back("--write-zero-registers");
  second.options.emplace_back("--write-zero-registers");
  EDGETWIN_TRY_ASSIGN(const Max78Outcome one,
                      load_max78(first, max78::SampleNeed::numbers, console));
  if (!one.ok) return one.exit_code;
  if (divided) {
    const int columns = max78::kernel_columns_of(one.job->plan());
    second.options.push_back("--weight-start=" + std::to_string(columns));
  }
  EDGETWIN_TRY_ASSIGN(const Max78Outcome two,
                      load_max78(second, max78::SampleNeed::numbers, console));
  if (!two.ok) {
    if (divided && two.exit_code == kNo) {
      console.print(
          "the second network does not fit beside the first one: --memory shared loads its "
          "kernels in their place\n");
    }
    return two.exit_code;
  }
  twin::PairRequest request{one.job.get(),
                            two.job.get(),
                            part_name(a.max78.network),
                            part_name(a.second),
                            divided ? max78::PairMemory::divided : max78::PairMemory::shared,
                            {}};
  if (request.first_name == request.second_name) request.second_name += "_2";
  if (!a.prefix.empty()) request.options.name = a.prefix;
  request.options.project = !a.output.empty();
  Compiled compiled;
  EDGETWIN_TRY(twin::add_pair_files(request, compiled));
  EDGETWIN_TRY(write_compiled(a, compiled, console));
  say(request.first_name, *one.job, console);
  say(request.second_name, *two.job, console);
  console.print(
      "proof       the machine executed both, one after the other: every known word is equal\n");
  console.json().set("target", a.max78.target).set("memory", divided ? "divided" : "shared");
  report::Json files = report::Json::array();
  for (const MadeFile& f : compiled.project) files.push(f.path);
  if (!a.output.empty()) console.json().set("output", a.output.path).set("files", std::move(files));
  return kYes;
}

}  // namespace edgetwin::cli
