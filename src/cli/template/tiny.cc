#include "cli/template/tiny.h"

#include "base/json/json.h"
#include "cli/shared/exit_codes.h"
#include "estimate/tiny/tiny.h"
#include "report/format.h"

namespace edgetwin::cli {
namespace {

struct TinyArguments {
  Output output;
  int seed = 1;
};

void declare(OptionSet& options, TinyArguments& a) {
  options.folder("-o,--output", a.output, "Folder for networks and samples").required();
  options.number("--seed", a.seed, "N", "Of weights and samples; 1 without it")
      .range(1, 1'000'000'000);
  options.force("Overwrite existing files");
}

Result<int> execute(const TinyArguments& a, Console& console) {
  EDGETWIN_TRY(a.output.check());
  EDGETWIN_TRY_ASSIGN(const auto networks, estimates::tiny_networks(static_cast<uint32_t>(a.seed)));
  EDGETWIN_TRY_ASSIGN(AtomicFolder folder, a.output.folder());
  Json list = Json::array();
  for (const estimates::TinyNetwork& n : networks) {
    EDGETWIN_TRY(folder.write(n.name + ".onnx", ByteSpan(n.onnx)));
    EDGETWIN_TRY(folder.write(n.name + "_samples.npy", ByteSpan(n.samples)));
    console.print(n.name + ".onnx: " + n.text + ", " + report::count_text(n.macs) + " products, " +
                  report::count_text(n.parameters) + " parameters\n");
    Json j = Json::object();
    j.set("file", n.name + ".onnx").set("samples", n.name + "_samples.npy");
    list.push(std::move(j.set("text", n.text).set("macs", n.macs).set("parameters", n.parameters)));
  }
  EDGETWIN_TRY(folder.commit());
  console.print("pseudo-random weights of seed " + std::to_string(a.seed) +
                ": right for time and room, not for accuracy\n");
  console.json().set("networks", std::move(list)).set("seed", a.seed);
  return kYes;
}

}  // namespace

Verb verb_template_tiny() {
  return {.name = "mlperf-tiny",
          .group = "",
          .summary = "Networks of MLPerf Tiny with pseudo-random weights",
          .example = "edgetwin template mlperf-tiny -o tiny",
          .declare = declaration_of<TinyArguments>()};
}

}  // namespace edgetwin::cli
