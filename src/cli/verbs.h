// The verbs. Each prints its result through the console and gives the exit code; an error that
// ends the work is returned instead of printed.
#pragma once

#include "base/result.h"
#include "cli/arguments.h"
#include "cli/console.h"

namespace edgetwin::cli {

Result<int> info_verb(const InfoArguments& arguments, Console& console);
Result<int> run_verb(const RunArguments& arguments, const std::vector<std::string>& words,
                     Console& console);
Result<int> diff_verb(const DiffArguments& arguments, Console& console);
Result<int> bench_verb(const BenchArguments& arguments, Console& console);
Result<int> report_verb(const ReportArguments& arguments, const std::vector<std::string>& words,
                        Console& console);
Result<int> pack_verb(const PackArguments& arguments, Console& console);
Result<int> unpack_verb(const UnpackArguments& arguments, Console& console);
Result<int> check_verb(const CheckArguments& arguments, const std::vector<std::string>& words,
                       Console& console);
Result<int> verify_verb(const VerifyArguments& arguments, const std::vector<std::string>& words,
                        Console& console);
Result<int> firmware_verb(const FirmwareArguments& arguments, Console& console);
Result<int> compile_verb(const CompileArguments& arguments, const std::vector<std::string>& words,
                         Console& console);
Result<int> quantize_verb(const QuantizeArguments& arguments, const std::vector<std::string>& words,
                          Console& console);
Result<int> disasm_verb(const DisasmArguments& arguments, Console& console);
Result<int> asm_verb(const AsmArguments& arguments, Console& console);
Result<int> decompile_verb(const DecompileArguments& arguments,
                           const std::vector<std::string>& words, Console& console);
Result<int> synthesize_verb(const SynthesizeArguments& arguments, Console& console);
Result<int> devices_verb(const DevicesArguments& arguments, Console& console);
Result<int> explain_verb(const ExplainArguments& arguments, Console& console);

}  // namespace edgetwin::cli
