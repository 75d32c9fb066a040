#include "edgetwin/compile.h"

#include "base/file.h"
#include "targets/max78/pipeline/run.h"
#include "targets/max78/project/project.h"
#include "targets/target.h"
#include "twin/make/max78_files.h"
#include "twin/max78_network.h"

namespace edgetwin {

namespace twin {

Status add_compiled_files(const max78::LoadedNetwork& network, const CompileOptions& options,
                          Compiled& compiled) {
  EDGETWIN_TRY_ASSIGN(const max78::CompiledNetwork made, max78::compile(network));
  compiled.program = max78::to_text(made.program);
  compiled.expected = max78::expected_text(made.expected);
  compiled.unload_reads = max78::unload_text(made.unload);
  if (!options.project) return Ok{};
  max78::ProjectOptions how;
  how.name = options.name;
  EDGETWIN_TRY_ASSIGN(const auto files, max78::make_project(network.plan(), made, how));
  for (const max78::ProjectFile& f : files) {
    compiled.project.push_back({f.name, to_bytes(std::as_bytes(std::span(f.text)))});
  }
  return Ok{};
}

}  // namespace twin

Result<Compiled> compile(const std::string& description, const CompileOptions& options) {
  EDGETWIN_TRY_ASSIGN(const Target* target,
                      targets::require_target_for(options.open.target, "compile"));
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(description));
  if (file_kind(data) != FileKind::max78) {
    return Error(ErrorCode::file_kind, "the file is not a network description")
        .in_file(description)
        .with_hint("Give a network .yaml; `quantize` makes one of an .onnx file.");
  }
  EDGETWIN_TRY_ASSIGN(
      const twin::Max78Network network,
      twin::open_max78(data, description, options.open, max78::SampleNeed::numbers));
  if (network.failure) return *network.failure;
  Compiled compiled;
  compiled.target = target;
  compiled.fits = network.fits;
  compiled.findings = network.findings;
  if (!network.fits) return compiled;
  EDGETWIN_TRY(twin::add_compiled_files(*network.network, options, compiled));
  return compiled;
}

}  // namespace edgetwin
