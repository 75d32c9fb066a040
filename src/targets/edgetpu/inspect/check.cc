#include "targets/edgetpu/inspect/check.h"

#include <algorithm>

#include "formats/darwinn/relayout.h"
#include "targets/edgetpu/inspect/finding.h"

namespace edgetwin::edgetpu {
namespace {

int64_t round_up(int64_t n, int64_t to) { return (n + to - 1) / to * to; }

void check_layer(const darwinn::Layer& layer, const std::string& place,
                 std::vector<Finding>& findings) {
  const bool output = layer.kind == darwinn::LayerKind::output;
  const int64_t depth = output ? round_up(layer.z_dim, 4) : layer.z_dim;
  const int64_t pixels = int64_t{layer.y_dim} * layer.x_dim;
  const int64_t wanted = round_up(pixels * depth * darwinn::bytes_of(layer.data_type), 8);
  const std::string at = place + " layer '" + layer.name.substr(0, 80) + "'";
  if (wanted != layer.size_bytes && layer.execution_count == 1) {
    findings.push_back(finding(
        Rule::layer_size, at,
        std::to_string(static_cast<uint64_t>(pixels)) + " positions of " + std::to_string(depth) +
            " x " + std::to_string(darwinn::bytes_of(layer.data_type)) + " bytes = " +
            std::to_string(wanted) + ", the size is " + std::to_string(layer.size_bytes)));
  }
  if (!output) return;
  const auto relayout = darwinn::Relayout::make(layer);
  if (!relayout.ok()) {
    findings.push_back(finding(Rule::layer_layout, at, relayout.error().message));
  }
}

const darwinn::Layer* layer_of(const darwinn::Executable& e, const darwinn::Meta& meta) {
  const auto& layers = meta.base == darwinn::BaseAddress::input ? e.inputs : e.outputs;
  const auto found = std::find_if(layers.begin(), layers.end(),
                                  [&](const auto& l) { return l.name == meta.name; });
  return found == layers.end() ? nullptr : &*found;
}

// Bytes of the buffer that a transfer is about; -1: there is no such buffer.
int64_t room(const darwinn::Executable& e, const darwinn::Meta& meta) {
  switch (meta.base) {
    case darwinn::BaseAddress::parameter:
      return static_cast<int64_t>(e.parameters.size());
    case darwinn::BaseAddress::scratch:
      return e.scratch_size;
    default: {
      const darwinn::Layer* layer = layer_of(e, meta);
      return layer == nullptr ? -1 : layer->size_bytes;
    }
  }
}

void check_hints(const darwinn::Executable& e, const std::string& place,
                 std::vector<Finding>& findings) {
  if (!e.dma_hints) return;
  size_t count = 0;
  for (const darwinn::DmaHint& h : e.dma_hints->hints) {
    if (h.kind != darwinn::HintKind::descriptor) continue;
    const int64_t end = int64_t{h.offset} + h.size;
    const int64_t bytes = room(e, h.meta);
    if (end <= bytes || ++count > kMaxPerRule) continue;
    std::string what(darwinn::name(h.meta.base));
    if (!h.meta.name.empty()) what += " '" + h.meta.name.substr(0, 80) + "'";
    findings.push_back(finding(
        Rule::hint_range, place,
        what + ": " + std::to_string(h.offset) + " + " + std::to_string(h.size) + " = " +
            std::to_string(end) +
            (bytes < 0 ? ", there is no such buffer" : ", it has " + std::to_string(bytes))));
  }
}

void run_program(const darwinn::Executable& e, ExecutableCheck& to,
                 std::vector<Finding>& findings) {
  auto checked = check_transfers(e);
  if (!checked.ok()) {
    const Error& error = checked.error();
    findings.push_back(
        finding(Rule::scalar_run, to.place, error.place.field + ": " + error.message));
    return;
  }
  to.ran = true;
  to.transfers = std::move(*checked);
  const bool complete = e.dma_hints && e.dma_hints->fully_deterministic;
  if (!complete) {
    findings.push_back(finding(Rule::undetermined, to.place,
                               std::to_string(to.transfers.expected.size()) +
                                   " are announced, with other " +
                                   "data the program issues others"));
  } else if (to.transfers.agreement == Agreement::different) {
    findings.push_back(finding(Rule::transfers, to.place, to.transfers.first_difference));
  }
}

ExecutableCheck check_executable(const darwinn::Executable& e, const std::string& id, bool bare,
                                 std::vector<Finding>& findings) {
  ExecutableCheck result;
  result.place = bare ? "bitstream" : id + " " + std::string(darwinn::name(e.type));
  result.bitstreams = e.bitstreams.size();
  const size_t before = findings.size();
  for (size_t i = 0; i < e.bitstreams.size(); ++i) {
    result.instructions += parse(e.bitstreams[i].data).instructions.size();
    const auto found = check_bitstream(
        e.bitstreams[i],
        e.bitstreams.size() == 1 ? result.place : result.place + " chunk " + std::to_string(i));
    findings.insert(findings.end(), found.begin(), found.end());
  }
  for (const darwinn::Layer& l : e.inputs) check_layer(l, result.place, findings);
  for (const darwinn::Layer& l : e.outputs) check_layer(l, result.place, findings);
  check_hints(e, result.place, findings);
  const bool sound =
      std::none_of(findings.begin() + static_cast<std::ptrdiff_t>(before), findings.end(),
                   [](const Finding& f) { return f.id == info(Rule::words).id; });
  if (sound && !bare) run_program(e, result, findings);
  return result;
}

void check_package(const darwinn::Package& p, const std::string& id,
                   std::vector<Finding>& findings) {
  if (p.min_runtime_version > darwinn::kCurrentRuntimeVersion) {
    findings.push_back(
        finding(Rule::runtime, id, "it needs version " + std::to_string(p.min_runtime_version)));
  }
  for (const darwinn::Executable& e : p.executables) {
    if (e.batch_size != 1) {
      findings.push_back(finding(Rule::batch, id, "it is " + std::to_string(e.batch_size)));
    }
    if (e.parameter_caching_token == p.executables[0].parameter_caching_token) continue;
    findings.push_back(finding(Rule::token, id,
                               std::to_string(e.parameter_caching_token) + " and " +
                                   std::to_string(p.executables[0].parameter_caching_token)));
  }
}

bool has(const std::vector<Finding>& findings, Severity severity) {
  return std::any_of(findings.begin(), findings.end(),
                     [&](const Finding& f) { return f.severity == severity; });
}

}  // namespace

bool ModelCheck::has_errors() const { return has(findings, Severity::error); }
bool ModelCheck::has_warnings() const { return has(findings, Severity::warning); }

ModelCheck check(const darwinn::File& file) {
  ModelCheck result;
  const bool bare = file.container == darwinn::Container::bitstream;
  for (size_t o = 0; o < file.ops.size(); ++o) {
    for (size_t p = 0; p < file.ops[o].packages.size(); ++p) {
      const darwinn::Package& package = file.ops[o].packages[p];
      const std::string id = std::to_string(o) + "." + std::to_string(p);
      check_package(package, id, result.findings);
      for (size_t e = 0; e < package.executables.size(); ++e) {
        result.executables.push_back(check_executable(
            package.executables[e], id + "." + std::to_string(e), bare, result.findings));
      }
    }
  }
  return result;
}

}  // namespace edgetwin::edgetpu
