// Making things with the library: check and quantize a network, take a compiled model apart.
// making ONNX SAMPLES COMPILED
#include <edgetwin/check.h>
#include <edgetwin/edgetpu.h>
#include <edgetwin/quantize.h>

#include <fstream>
#include <iostream>
#include <iterator>

namespace {

int fail(const edgetwin::Error& error) {
  std::cerr << edgetwin::to_text(error) << "\n";
  return 3;
}

edgetwin::Bytes read(const char* file) {
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const auto checks = edgetwin::check(argv[1]);
  if (!checks.ok()) return fail(checks.error());
  for (const edgetwin::TargetCheck& c : *checks) {
    std::cout << c.target->name << ": " << (c.fits ? "fits" : "does not fit") << "\n";
  }

  edgetwin::QuantizeOptions options;
  options.target = "esp32p4";
  options.calibrate = {argv[2]};
  const auto quantized = edgetwin::quantize_network(argv[1], options);
  if (!quantized.ok()) return fail(quantized.error());
  for (const edgetwin::MadeFile& f : quantized->files) {
    std::cout << f.path << ": " << f.bytes.size() << " bytes\n";
  }

  const auto network = edgetwin::decompile(read(argv[3]), argv[3]);
  if (!network.ok()) return fail(network.error());
  std::cout << network->recovered << " of " << network->layers << " layers recovered\n";
  return network->complete ? 0 : 1;
}
