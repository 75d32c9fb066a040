// The verbs and options that ESP-DL brought: declared in a file of their own.
#pragma once

#include "cli/arguments.h"

namespace CLI {
class App;
}

namespace edgetwin::cli {

void add_pack(CLI::App& app, PackArguments& a);
void add_unpack(CLI::App& app, UnpackArguments& a);
void add_check(CLI::App& app, CheckArguments& a);
// --target, --model, --key, --runtime, --accumulators, --allow-undefined, --mean, --std
void add_espdl_compute(CLI::App* verb, ComputeArguments& compute);

// --shape of .onnx files
void add_shapes(CLI::App* verb, std::vector<std::string>& shapes);

}  // namespace edgetwin::cli
