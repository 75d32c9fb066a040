// The verbs and options of the MAX78000 and MAX78002.
#pragma once

#include "cli/arguments.h"

namespace CLI {
class App;
}

namespace edgetwin::cli {

void add_compile(CLI::App& app, CompileArguments& a);
void add_quantize(CLI::App& app, QuantizeArguments& a);
// --checkpoint, --weights, --bias, --sample; what else stands on the line is kept as the loader's
// options.
void add_max78_inputs(CLI::App* verb, Max78Arguments& a);
// --report and --picture.
void add_max78_page(CLI::App* verb, Max78Arguments& a);
void add_input_shape(CLI::App* verb, Max78Arguments& a);
// Call after parsing: the words that the verb does not know.
void take_loader_options(const CLI::App* verb, Max78Arguments& a);

}  // namespace edgetwin::cli
