#include "cli/edgetpu/arguments.h"

namespace edgetwin::cli {

namespace {

void declare_model(OptionSet& options, std::string& model) {
  options.positional("MODEL", model, "A compiled model, NAME_edgetpu.tflite").required();
}

void declare_conv_sizes(OptionSet& options, SynthesizeArguments& a) {
  const auto number = [&options](const char* name, std::optional<int>& value, const char* text,
                                 int most) {
    options.number(name, value, "N", text).range(0, most);
  };
  constexpr int kMost = 1 << 20;
  number("--size", a.size, "Of dense: inputs and outputs", kMost);
  number("--height", a.height, "Of conv3x3", kMost);
  number("--width", a.width, "Of conv3x3", kMost);
  number("--channels", a.channels, "Of conv3x3: of input and output", kMost);
  number("--input-zero-point", a.input_zero_point, "0 to 255; of int8 tensors plus 128", 255);
  options.number("--output-scale", a.output_scale, "X", "Of conv3x3 and dense").positive();
  number("--output-zero-point", a.output_zero_point, "0 to 255; of int8 tensors plus 128", 255);
}

}  // namespace

void declare(OptionSet& options, DisasmArguments& a) {
  options
      .positional("FILE", a.file,
                  "A compiled .tflite, a DarwiNN package, executable or bare bitstream")
      .required();
  options.file("-o,--output", a.output, "The text; without it standard output");
  options.force("Overwrite an existing text");
}

void declare(OptionSet& options, AsmArguments& a) {
  options.positional("TEXT", a.text, "What `disasm` wrote, perhaps changed").required();
  options.file(
      "--into", a.into,
      "The file whose bitstreams are replaced; without it the output is\nthe one bitstream "
      "of the text");
  options.file("-o,--output", a.output, "The new file").required();
  options.force("Overwrite an existing file");
}

void declare(OptionSet& options, DecompileArguments& a) {
  declare_model(options, a.model);
  options.file("-o,--output", a.output, "The network, .tflite");
  options.file("--compare", a.source, "The uncompiled model: every layer is held against it");
  options.file("--report", a.report, "An HTML page of the layers and their instructions");
  options
      .number("--threads", a.threads, "N", "Without it: all processors; the results are the same")
      .range(1, 256);
  options.force("Overwrite existing files");
}

void declare(OptionSet& options, SynthesizeArguments& a) {
  options
      .positional("WHAT", a.what,
                  "A .tflite model of one layer; or conv3x3 or dense, with the sizes below;\n"
                  "without it the layer that --check-against holds")
      .source();
  options.file("-o,--output", a.output, "The compiled model");
  options.folder("--dump", a.dump, "Folder for eo.bin, pc.bin and, of a model, params.bin");
  options.file("--check-against", a.against,
               "A compiled .tflite or executable: the same bytes, or where not first");
  declare_conv_sizes(options, a);
  options.force("Overwrite existing files");
}

void declare(OptionSet& options, ParamsListArguments& a) {
  declare_model(options, a.model);
  options.file("--reference", a.reference, "The model that it was compiled from");
}

void declare(OptionSet& options, ParamsBuildArguments& a) {
  options.file("--reference", a.reference, "The uncompiled model").required();
  options.file("--like", a.like, "A compiled model: where each layer goes, and in which form")
      .required();
  options.folder("-o,--output", a.output, "Folder for p0_e1.bin, … (package, executable)")
      .required();
  options.force("Overwrite existing files");
}

void declare(OptionSet& options, ParamsExtractArguments& a) {
  declare_model(options, a.model);
  options.file("--reference", a.reference, "The model that it was compiled from");
  options.folder("-o,--output", a.output, "Folder for NNNN_<layer>_weights.npy, …").required();
  options.force("Overwrite existing files");
}

void declare(OptionSet& options, ExtractArguments& a) {
  options
      .positional("FILE", a.file,
                  "A compiled .tflite, a DarwiNN package, executable or bare bitstream")
      .required();
  options
      .folder("-o,--output", a.output,
              "Folder for program_O.P.E.C.bin (operator, package, executable,\nchunk), "
              "parameters_O.P.E.bin and executable_O.P.E.bin")
      .required();
  options.force("Overwrite existing files");
}

void declare(OptionSet& options, PatchArguments& a) {
  declare_model(options, a.model);
  options.repeated("--weights", a.weights, "LAYER=X",
                   "Weights of a layer, .npy: int8 or uint8 as the model stores them,\nor float32; "
                   "LAYER is its number, or its output tensor");
  options.repeated("--bias", a.bias, "LAYER=X",
                   "Its bias, .npy: int32, or float32 in real numbers");
  options.repeated("--scale", a.scale, "LAYER=X",
                   "Its weight scale: a number, or a .npy of one per channel");
  options.file("--reference", a.reference,
               "The model that it was compiled from; needed for several layers");
  options.flag("--align-adds", a.align_adds,
               "Of an .espdl file: gives the inputs of additions the exponent of their output,\nas "
               "the runtime needs it");
  options.file("-o,--output", a.output, "The new model").required();
  options.force("Overwrite an existing file");
}

Verb verb_disasm() {
  return {.name = "disasm",
          .group = group::kEdgeTpu,
          .summary = "The instructions of a compiled Edge TPU model",
          .example = "edgetwin disasm model_edgetpu.tflite -o model.s",
          .declare = declaration_of<DisasmArguments>()};
}

Verb verb_asm() {
  return {.name = "asm",
          .group = group::kEdgeTpu,
          .summary = "Instructions back into a compiled Edge TPU model",
          .example = "edgetwin asm model.s --into model_edgetpu.tflite -o new_edgetpu.tflite",
          .declare = declaration_of<AsmArguments>()};
}

Verb verb_decompile() {
  return {.name = "decompile",
          .group = group::kEdgeTpu,
          .summary = "A compiled Edge TPU model back into a network",
          .example = "edgetwin decompile net_edgetpu.tflite -o net.tflite",
          .declare = declaration_of<DecompileArguments>()};
}

Verb verb_synthesize() {
  return {.name = "synthesize",
          .group = group::kEdgeTpu,
          .summary = "Edge TPU programs made without the vendor's compiler",
          .example = "edgetwin synthesize layer.tflite -o layer_edgetpu.tflite",
          .declare = declaration_of<SynthesizeArguments>()};
}

Verb verb_extract() {
  return {.name = "extract",
          .group = group::kEdgeTpu,
          .summary = "Programs and parameters of a compiled model as files",
          .example = "edgetwin extract net_edgetpu.tflite -o parts",
          .declare = declaration_of<ExtractArguments>()};
}

Verb verb_patch() {
  return {.name = "patch",
          .group = group::kEdgeTpu,
          .summary = "New weights of a compiled model; .espdl additions mended",
          .example = "edgetwin patch dense_edgetpu.tflite --weights 0=w.npy -o new.tflite",
          .declare = declaration_of<PatchArguments>()};
}

namespace {

Verb params_list() {
  return {.name = "list",
          .group = "",
          .summary = "Which bytes are which layer's parameters",
          .example = "edgetwin params list net_edgetpu.tflite --reference net.tflite",
          .declare = declaration_of<ParamsListArguments>()};
}

Verb params_build() {
  return {
      .name = "build",
      .group = "",
      .summary = "Parameters from the uncompiled model",
      .example = "edgetwin params build --reference net.tflite --like net_edgetpu.tflite -o blobs",
      .declare = declaration_of<ParamsBuildArguments>()};
}

Verb params_extract() {
  return {.name = "extract",
          .group = "",
          .summary = "Weights, biases and scales as arrays",
          .example = "edgetwin params extract net_edgetpu.tflite --reference net.tflite -o w",
          .declare = declaration_of<ParamsExtractArguments>()};
}

}  // namespace

Verb verb_params() {
  return {.name = "params",
          .group = group::kEdgeTpu,
          .summary = "Parameters of compiled Edge TPU models",
          .example = "edgetwin params list net_edgetpu.tflite --reference net.tflite",
          .verbs = {params_list(), params_build(), params_extract()}};
}

}  // namespace edgetwin::cli
