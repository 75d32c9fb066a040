// Making things with the library: check and quantize a network, compile a description, write an
// application, take a compiled model apart. making FOLDER, with the files of tests/cases/files.
#include <edgetwin/check.h>
#include <edgetwin/compile.h>
#include <edgetwin/edgetpu.h>
#include <edgetwin/firmware.h>
#include <edgetwin/quantize.h>

#include <fstream>
#include <iostream>
#include <iterator>

namespace {

edgetwin::Bytes bytes_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

edgetwin::Status check_and_quantize(const std::string& folder) {
  EDGETWIN_TRY_ASSIGN(const auto checks, edgetwin::check(folder + "/net.onnx"));
  for (const edgetwin::TargetCheck& c : checks) {
    std::cout << c.target->name << ": " << (c.fits ? "fits" : "does not fit") << "\n";
  }
  edgetwin::QuantizeOptions options;
  options.target = "esp32p4";
  options.calibrate = {folder + "/net_samples.npy"};
  EDGETWIN_TRY_ASSIGN(const auto made, edgetwin::quantize_network(folder + "/net.onnx", options));
  for (const edgetwin::MadeFile& f : made.files) std::cout << "made " << f.path << "\n";
  return edgetwin::Ok{};
}

edgetwin::Status compile_and_prove(const std::string& folder) {
  edgetwin::CompileOptions options;
  options.open.target = "max78000";
  options.open.weights = folder + "/small_weights.npy";
  options.open.bias = folder + "/small_bias.npy";
  options.open.sample = folder + "/small_sample.npy";
  EDGETWIN_TRY_ASSIGN(const auto compiled, edgetwin::compile(folder + "/small.yaml", options));
  std::cout << "project of " << compiled.project.size() << " files\n";
  edgetwin::FirmwareOptions firmware;
  firmware.open.target = "esp32p4";
  EDGETWIN_TRY_ASSIGN(const auto application,
                      edgetwin::make_firmware({folder + "/lane.espdl"}, firmware));
  std::cout << "application with " << application.checks << " check\n";
  return edgetwin::Ok{};
}

edgetwin::Status take_apart(const std::string& folder) {
  const std::string source = folder + "/dense256.tflite";
  const std::string file = "dense256_edgetpu.tflite";
  EDGETWIN_TRY_ASSIGN(const edgetwin::Bytes compiled,
                      edgetwin::synthesize(bytes_of(source), source));
  EDGETWIN_TRY_ASSIGN(const auto network, edgetwin::decompile(compiled, file));
  std::cout << network.recovered << " of " << network.layers << " layers recovered\n";
  EDGETWIN_TRY_ASSIGN(const std::string text, edgetwin::disassemble(compiled, file));
  EDGETWIN_TRY_ASSIGN(const edgetwin::Bytes again,
                      edgetwin::assemble(text, "listing", compiled, file));
  std::cout << (again == compiled ? "the text holds every bit\n" : "the text lost something\n");
  return edgetwin::Ok{};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  for (const auto step : {check_and_quantize, compile_and_prove, take_apart}) {
    const edgetwin::Status done = step(argv[1]);
    if (done.ok()) continue;
    std::cerr << edgetwin::to_text(done.error()) << "\n";
    return 3;
  }
  return 0;
}
