// What another project writes: it sees the installed headers and libedgetwin_cxx.so, nothing else.
// client MODEL PICTURE RECORDED: computes the picture and compares the outputs with recorded ones.
#include <edgetwin/inputs.h>
#include <edgetwin/network.h>
#include <edgetwin/verify.h>
#include <edgetwin/version.h>

#include <iostream>

namespace {

int fail(const edgetwin::Error& error) {
  std::cerr << edgetwin::to_text(error) << "\n";
  return 3;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const auto network = edgetwin::Network::open(argv[1]);
  if (!network.ok()) return fail(network.error());
  const auto twin = network->runner();
  if (!twin.ok()) return fail(twin.error());
  const auto inputs = edgetwin::read_inputs({argv[2]}, **twin);
  if (!inputs.ok()) return fail(inputs.error());
  const auto recorded = edgetwin::recorded_runner(argv[3]);
  if (!recorded.ok()) return fail(recorded.error());

  const auto agreement = edgetwin::compare(**twin, inputs->tensors, **recorded, {});
  if (!agreement.ok()) return fail(agreement.error());
  std::cout << "edgetwin " << edgetwin::version() << "\n" << (*twin)->description() << "\n";
  for (const edgetwin::TensorAgreement& t : agreement->tensors) {
    std::cout << t.name << ": " << t.different << " of " << t.elements << " differ\n";
  }
  return agreement->outputs_equal ? 0 : 1;
}
