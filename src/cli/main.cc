#include <cstdio>
#include <exception>
#include <new>

#include "cli/arguments.h"
#include "cli/exit_codes.h"
#include "cli/interrupt.h"
#include "cli/lut_verbs.h"
#include "cli/params_verbs.h"
#include "cli/template_verbs.h"
#include "cli/verbs.h"

namespace edgetwin::cli {
namespace {

// Overloads of a visitor in one object.
template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

Result<int> dispatch(const Arguments& arguments, Console& console) {
  return std::visit(
      Overloaded{
          [&](const InfoArguments& a) { return info_verb(a, console); },
          [&](const RunArguments& a) { return run_verb(a, arguments.words, console); },
          [&](const DiffArguments& a) { return diff_verb(a, console); },
          [&](const BenchArguments& a) { return bench_verb(a, console); },
          [&](const ReportArguments& a) { return report_verb(a, arguments.words, console); },
          [&](const ExplainArguments& a) { return explain_verb(a, console); },
          [&](const PackArguments& a) { return pack_verb(a, console); },
          [&](const UnpackArguments& a) { return unpack_verb(a, console); },
          [&](const CheckArguments& a) { return check_verb(a, arguments.words, console); },
          [&](const VerifyArguments& a) { return verify_verb(a, arguments.words, console); },
          [&](const FirmwareArguments& a) { return firmware_verb(a, console); },
          [&](const CompileArguments& a) { return compile_verb(a, arguments.words, console); },
          [&](const QuantizeArguments& a) { return quantize_verb(a, arguments.words, console); },
          [&](const DisasmArguments& a) { return disasm_verb(a, console); },
          [&](const AsmArguments& a) { return asm_verb(a, console); },
          [&](const DecompileArguments& a) { return decompile_verb(a, arguments.words, console); },
          [&](const SynthesizeArguments& a) { return synthesize_verb(a, console); },
          [&](const LutBuildArguments& a) { return lut_build_verb(a, console); },
          [&](const LutSweepArguments& a) { return lut_sweep_verb(a, console); },
          [&](const LutAdviseArguments& a) { return lut_advise_verb(a, console); },
          [&](const ParamsListArguments& a) { return params_list_verb(a, console); },
          [&](const ParamsBuildArguments& a) { return params_build_verb(a, console); },
          [&](const ParamsExtractArguments& a) { return params_extract_verb(a, console); },
          [&](const PatchArguments& a) { return patch_verb(a, console); },
          [&](const DevicesArguments& a) { return devices_verb(a, console); },
          [&](const TemplateArguments& a) { return template_verb(a, console); },
          [&](const DemoArguments& a) { return demo_verb(a, console); },
      },
      arguments.verb);
}

int run_guarded(const Arguments& arguments, Console& console) {
  try {
    const Result<int> result = dispatch(arguments, console);
    return result.ok() ? *result : console.error(result.error());
  } catch (const std::bad_alloc&) {
    return console.error(Error(ErrorCode::out_of_memory, "there is not enough memory for this"));
  } catch (const std::exception& e) {
    return console.error(
        Error(ErrorCode::internal, "something happened that must not: " + std::string(e.what()))
            .with_hint("Please send the command line, the file and the output of "
                       "`edgetwin --version`."));
  }
}

int program(int argc, const char* const* argv) {
  const Parsed parsed = parse_arguments(argc, argv);
  if (!parsed.arguments) {
    Console console(parsed.console);
    if (parsed.error) return console.finish(console.error(*parsed.error));
    console.print(parsed.text);
    return console.finish(kYes);
  }
  tidy_up_on_signals();
  Console console(parsed.arguments->console);
  const int exit_code = run_guarded(*parsed.arguments, console);
  return console.finish(exit_code);
}

}  // namespace
}  // namespace edgetwin::cli

int main(int argc, char** argv) {
  try {
    return edgetwin::cli::program(argc, argv);
  } catch (...) {
    std::fputs("error[BASE-BUG-01]: something happened that must not\n", stderr);
    return edgetwin::cli::kBug;
  }
}
