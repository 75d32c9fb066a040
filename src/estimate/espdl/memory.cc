// Source: specification of estimates 2.4.
#include <algorithm>

#include "estimate/espdl/parts.h"
#include "report/format.h"

namespace edgetwin::estimates::espdlparts {
namespace {

constexpr int64_t kProgram = 1024 * 1024;  // in flash, assumed
constexpr int64_t kNodeBytes = 400;        // internal RAM of a module, assumed
constexpr int64_t kTableBytes = 256;       // of an int8 look-up node
constexpr int64_t kTightBytes = 256 * 1024;

constexpr std::string_view kTables[] = {"Elu",       "Exp",       "Gelu", "HardSigmoid",
                                        "HardSwish", "LeakyRelu", "Log",  "Sigmoid",
                                        "Sqrt",      "Swish",     "Tanh"};

int64_t table_bytes(const Work& w) {
  int64_t bytes = 0;
  for (size_t i = 0; i < w.document->nodes.size(); ++i) {
    const NodeUse& use = w.variables.nodes[i];
    if (use.outputs.empty() ||
        std::ranges::find(kTables, w.document->nodes[i].op_type) == std::end(kTables)) {
      continue;
    }
    const Variable& out = w.variables.all[static_cast<size_t>(use.outputs.front())];
    bytes += out.element_bytes == 1 ? kTableBytes : 0;
  }
  return bytes;
}

void add_part(EstimateRegion& r, const std::string& what, int64_t bytes) {
  if (bytes <= 0) return;
  r.parts.push_back({what, bytes});
  r.need += bytes;
}

EstimateRegion psram(const Work& w) {
  EstimateRegion r = {"psram", 0, w.board->psram, {}};
  add_part(r, "activations", w.plan.psram);
  const bool whole_file = w.model_in != "flash" || w.encrypted;
  if (whole_file) add_part(r, "the model's file", w.file_bytes);
  if (w.copied > 0) add_part(r, "copied parameters", w.copied);
  add_part(r, "tables made at run time", table_bytes(w));
  add_part(r, "code and constants of the program", w.reserve);
  return r;
}

EstimateRegion flash(const Work& w) {
  EstimateRegion r = {"flash", 0, w.board->flash, {}};
  if (w.model_in != "sdcard") add_part(r, "the model's file", w.file_bytes);
  add_part(r, "program (assumed)", kProgram);
  return r;
}

EstimateRegion internal(const Work& w) {
  EstimateRegion r = {"internal", 0, w.board->internal, {}};
  add_part(r, "activations (max_internal_size, taken whole)", w.plan.internal);
  add_part(r, "objects of the nodes (assumed)",
           kNodeBytes * static_cast<int64_t>(w.document->nodes.size()));
  return r;
}

std::string calculation(const EstimateRegion& r) {
  std::string text = r.name + ": ";
  for (size_t i = 0; i < r.parts.size(); ++i) {
    text +=
        (i == 0 ? "" : " + ") + report::count_text(r.parts[i].bytes) + " (" + r.parts[i].what + ")";
  }
  return text + " = " + report::count_text(r.need) + " of " + report::count_text(r.have) + " bytes";
}

// What would make it fit.
std::string remedy(const Work& w, const EstimateRegion& r) {
  if (r.name == "flash") return "; --model-in sdcard takes the file out of flash";
  if (r.name == "internal") return "; give a smaller --internal";
  if (w.plan.psram > r.have) return "; the activations alone do not fit: a smaller input";
  if (w.copied > 0 && r.need - w.copied <= r.have) {
    return "; with parameters left in flash (--no-param-copy) it fits";
  }
  if (w.model_in == "xip" && r.need - w.file_bytes - w.reserve <= r.have) {
    return "; with --model-in flash --no-param-copy it fits";
  }
  return "; a board with more PSRAM, or a smaller input";
}

void judge(const Work& w, EstimateMemory& m) {
  m.verdict = "fits";
  for (const EstimateRegion& r : m.regions) {
    if (r.need > r.have) {
      m.verdict = "no";
      m.reason =
          calculation(r) + ": " + report::count_text(r.need - r.have) + " too many" + remedy(w, r);
      return;
    }
  }
  for (const EstimateRegion& r : m.regions) {
    // Internal RAM is too small for a margin in bytes.
    const bool few = r.name != "internal" && r.left() < kTightBytes;
    if (m.verdict == "fits" && (10 * r.left() < r.have || few)) {
      m.verdict = "tight";
      m.reason = calculation(r) + ": " + report::count_text(r.left()) + " left";
    }
  }
}

}  // namespace

void add_memory(const Work& w, Estimate& e) {
  e.memory.regions = {psram(w), flash(w), internal(w)};
  judge(w, e.memory);
  for (size_t i = 0; i < w.variables.all.size(); ++i) {
    const Variable& v = w.variables.all[i];
    const PlacedVariable& p = w.plan.variables[i];
    EstimatePlacement row = {
        v.name, p.internal ? "internal" : "psram", p.offset, v.bytes, v.begin, p.end, {}};
    if (p.leader >= 0) row.shares = w.variables.all[static_cast<size_t>(p.leader)].name;
    e.memory.placement.push_back(std::move(row));
  }
}

}  // namespace edgetwin::estimates::espdlparts
