#include "targets/edgetpu/compile/proof/read_again.h"

#include "formats/tflite/tflite.h"
#include "targets/edgetpu/decompile/compare/compare.h"
#include "targets/edgetpu/decompile/compare/same_runs.h"
#include "targets/edgetpu/decompile/decompile.h"
#include "targets/edgetpu/forms/forms.h"
#include "targets/edgetpu/inspect/check.h"

namespace edgetwin::edgetpu::compiler {
namespace {

// Of the search for scales: what is not found soon is open, which is no violation. Chosen: networks
// that come back whole need less, and with the search's own patience some take a minute.
constexpr uint32_t kPatience = 4;

std::string reasons(const LayerMatch& m) {
  if (m.decompiled.empty()) return "was not found";
  std::string text;
  for (const std::string& d : m.differences) text += (text.empty() ? "" : "; ") + d;
  return text;
}

Finding differing(const LayerMatch& m) {
  Finding f;
  f.severity = Severity::error;
  f.id = "TPU-DEC-03";
  f.place = "layer " + m.source;
  f.message = reasons(m);
  return f;
}

// Layers that are equal may still be joined in another way, or have scales that only come close.
void run_again(const Graph& decompiled, const Graph& source, Proof& proof) {
  const auto runs = same_runs(decompiled, source, 1);
  if (!runs.ok() || runs->equal == runs->runs) return;
  if (runs->bytes == 0) {
    proof.open.push_back("the network that was read back does not run on the source's inputs");
    return;
  }
  proof.open.push_back("the network that was read back gives " + std::to_string(runs->different) +
                       " of " + std::to_string(runs->bytes) +
                       " other bytes for a pseudo-random input");
}

}  // namespace

void read_again(const Graph& source, ByteSpan bytes, Proof& proof) {
  auto file = darwinn::read(bytes, "the compiled model");
  auto model = tflite::read(bytes, "the compiled model");
  if (!file.ok() || !model.ok()) {
    proof.decompile_error = to_text(file.ok() ? model.error() : file.error());
    return;
  }
  proof.read_back = true;
  for (Finding& f : check(*file).findings) proof.findings.push_back(std::move(f));
  for (Finding& f : forms::check_forms(*file)) proof.findings.push_back(std::move(f));
  ScaleOptions scales;
  scales.patience = kPatience;
  auto network = decompile(*model, *file, scales);
  if (!network.ok()) {
    proof.decompile_error = to_text(network.error());
    return;
  }
  const bool complete = network->complete() && !network->partial && network->findings.empty();
  const NetworkComparison compared =
      compare_networks(network->compared().main(), source, program_numbers(network->ops));
  proof.layers = compared.layers.size();
  proof.decompiled = compared.exact();
  for (const LayerMatch& m : compared.layers) {
    if (m.exact()) continue;
    if (!complete || !compared.all_found() || !m.only_numbers) {
      proof.open.push_back(m.source + ": " + reasons(m));
    } else {
      proof.findings.push_back(differing(m));
    }
  }
  if (complete) run_again(network->model.main(), source, proof);
}

}  // namespace edgetwin::edgetpu::compiler
