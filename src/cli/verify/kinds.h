// `verify` by kind of model.
#pragma once

#include "cli/verify/arguments.h"
#include "cli/verify/verify_report.h"
#include "edgetwin/verify.h"
#include "twin/verify/compiled_check.h"

namespace edgetwin::cli {

// Any two, A and B.
Result<int> verify_two(const VerifyArguments& a, VerifyReport& results);
// Every layer that differs and the counts, as text, rows and JSON; gives how many layers differ.
size_t show_agreement(const Agreement& agreement, VerifyReport& results);

// What the options say about compiled models.
twin::CompiledCheck compiled_check(const VerifyArguments& a);
// Which operators of the host were not compared, and why.
std::string left_out_text(const Error& error);
// A compiled .tflite: executed by the machine, compared with the model that was compiled.
Result<int> verify_edgetpu(const VerifyArguments& a, VerifyReport& results);
// All compiled models in a folder and below it: a line for each.
Result<int> verify_compiled_folder(const VerifyArguments& a, VerifyReport& results);
// A .tflite model in TensorFlow Lite's arithmetic and that of --numerics (the Edge TPU's without
// it), layer by layer. False where outputs of the model differ.
Result<bool> verify_numerics(const VerifyArguments& a, VerifyReport& results);
// A compiled model on a device beside the twin, --device.
Result<bool> verify_on_device(const VerifyArguments& a, VerifyReport& results);
// A register program, or a network's own one.
bool is_max78_verify(const VerifyArguments& a);
Result<int> verify_max78(const VerifyArguments& a, Console& console);
// What a board of the MAX7800x printed, --log, beside its network or alone.
bool is_board_log(const VerifyArguments& a);
Result<int> verify_board_log(const VerifyArguments& a, Console& console);
// A Fourier transform against the plain sum, --transform.
Result<int> verify_transform(const VerifyArguments& a, VerifyReport& results);
// A folder of `compile --rtl`.
bool is_rtl_folder(const std::string& folder);
Result<int> verify_rtl_folder(const VerifyArguments& a, VerifyReport& results);
// What boards of the MAX78000 printed, --silicon.
Result<int> verify_max78_silicon(const VerifyArguments& a, Console& console);
Result<int> verify_espdl_silicon(const VerifyArguments& a, Console& console);
// The twin against results that were recorded on devices, --silicon.
Result<int> verify_silicon(const VerifyArguments& a, Console& console);

}  // namespace edgetwin::cli
