// Writes the documents that are made from tables: make_docs FOLDER.
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "ops/registry/registry.h"
#include "signals/max78/max78_fft.h"
#include "signals/measure/tables.h"
#include "targets/document.h"
#include "targets/edgetpu/inspect/document.h"
#include "targets/espdl/check/rules.h"
#include "targets/max78/board/addresses.h"
#include "targets/max78/rules/document.h"

namespace {

bool write(const std::filesystem::path& path, const std::string& text) {
  const auto written = edgetwin::write_file(path, std::string_view(text), edgetwin::Overwrite::yes);
  if (!written.ok()) std::fputs(edgetwin::to_text(written.error()).c_str(), stderr);
  return written.ok();
}

bool write_signals(const std::filesystem::path& folder) {
  using namespace edgetwin;
  const auto old = read_file(folder / "signals.md");
  auto text = old.ok() ? signals::with_fft_tables(std::string(as_text(ByteSpan(*old))))
                       : Result<std::string>(old.error());
  const auto max78 = signals::max78_fft_table();
  if (text.ok() && max78.ok()) text = signals::with_table(std::move(*text), "fft max78", *max78);
  if (!max78.ok()) text = max78.error();
  const auto chart = signals::fft_chart();
  if (!text.ok()) std::fputs(to_text(text.error()).c_str(), stderr);
  if (!chart.ok()) std::fputs(to_text(chart.error()).c_str(), stderr);
  return text.ok() && chart.ok() && write(folder / "signals.md", *text) &&
         write(folder / "signals-fft.png", std::string(as_text(ByteSpan(*chart))));
}

// The verbs that a chip has or lacks.
std::vector<std::string_view> verbs_with_targets() {
  constexpr bool targets = true;
  constexpr bool none = false;
  std::vector<std::string_view> verbs;
#define VERB(folder, name, meets) \
  if (meets) verbs.emplace_back(#name);
#include "cli/verbs.def"
#undef VERB
  return verbs;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: make_docs FOLDER\n");
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  const bool written =
      write(folder / "supported-ops.md", edgetwin::ops::supported_ops_markdown()) &&
      write(folder / "targets.md", edgetwin::targets::targets_markdown(verbs_with_targets())) &&
      write(folder / "espdl-rules.md", edgetwin::targets::espdl::rules_markdown()) &&
      write(folder / "max78-rules.md", edgetwin::max78::rules_markdown()) &&
      write(folder / "max78-addresses.md", edgetwin::max78::addresses_markdown()) &&
      write(folder / "edgetpu-isa.md", edgetwin::edgetpu::isa_markdown()) && write_signals(folder);
  return written ? 0 : 4;
}
