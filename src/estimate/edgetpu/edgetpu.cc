#include "estimate/edgetpu/edgetpu.h"

#include <algorithm>

#include "estimate/edgetpu/parts.h"
#include "estimate/hints.h"
#include "estimate/numbers.h"
#include "report/format.h"
#include "targets/target.h"

namespace edgetwin::estimates {
namespace {

constexpr double kSlowest = 50.0;  // MHz
constexpr int64_t kNarrowBytes = 196608;

constexpr TpuHost kHosts[] = {
    {"usb3", "USB 3 on a desktop", Constant::edgetpu_usb3_start, Constant::edgetpu_usb3_speed,
     Constant::edgetpu_usb3_streamed},
    {"usb2", "USB 2", Constant::edgetpu_usb2_start, Constant::edgetpu_usb2_speed,
     Constant::edgetpu_usb2_speed},
    {"pcie", "PCIe, Dev Board", Constant::edgetpu_pcie_start, Constant::edgetpu_pcie_speed,
     Constant::edgetpu_pcie_speed},
    {"rpi4", "USB 3 on a Raspberry Pi 4", Constant::edgetpu_rpi4_start,
     Constant::edgetpu_rpi4_speed, Constant::edgetpu_rpi4_speed},
};

}  // namespace

Result<const TpuHost*> find_host(const std::string& name) {
  std::string list;
  for (const TpuHost& h : kHosts) {
    if (h.name == (name.empty() ? "usb3" : std::string_view(name))) return &h;
    list += (list.empty() ? "" : ", ") + std::string(h.name);
  }
  return Error(ErrorCode::usage, "--host '" + name + "' is not known").with_hint("Hosts: " + list);
}

TpuTime tpu_time(const TpuCounts& c, const TpuHost& host, double mhz) {
  TpuTime t;
  t.start = constant(host.start);
  // MB/s are kB/ms. Scratch memory that is read comes at the speed of small transfers.
  t.to_device =
      static_cast<double>(c.code + c.input + c.scratch_in) / 1000.0 / constant(host.speed) +
      static_cast<double>(c.parameters) / 1000.0 / constant(host.streamed);
  t.compute =
      constant(Constant::edgetpu_iteration) * static_cast<double>(c.iterations) / mhz / 1000.0;
  t.back = static_cast<double>(c.output) * 1e-6 * constant(Constant::edgetpu_output);
  return t;
}

namespace tpuparts {
namespace {

void add_memory(const Work& w, Estimate& e) {
  const TpuCounts& c = w.counts;
  const auto cache = static_cast<int64_t>(constant(Constant::edgetpu_cache_bytes));
  EstimateMemory& m = e.memory;
  m.verdict = "fits";
  m.reason = c.parameters > 0 ? report::count_text(c.parameters) +
                                    " bytes of parameters are sent for each inference"
                              : "all parameters stay on the chip";
  m.regions.push_back({"parameter cache", c.cached, cache, {{"cached parameters", c.cached}}});
  if (c.narrow > 0) {
    m.regions.push_back(
        {"narrow memory of a tile", c.narrow, kNarrowBytes, {{"activations", c.narrow}}});
  }
}

constexpr int64_t kVendorSoftmaxCode = 125'000;

void add_hints(const Work& w, const TpuTime& t, Estimate& e) {
  const TpuCounts& c = w.counts;
  if (c.parameters > 0) {
    e.hints.push_back(
        hint(Hint::streamed,
             report::count_text(c.parameters) + " bytes of parameters are streamed: " +
                 ms_text(static_cast<double>(c.parameters) / 1000.0 / constant(w.host->streamed)) +
                 " of each inference; a smaller network, or two chips in a row"));
  }
  // Ours is some 4 kB, so that a small program is not meant.
  if (c.softmax && c.code >= kVendorSoftmaxCode) {
    e.hints.push_back(hint(Hint::softmax,
                           "a softmax of the vendor's compiler is some 125 kB of code, 0.3 to 0.4 "
                           "ms of each inference; leave it to the host"));
  }
  if (c.code > c.input + c.parameters && t.to_device > 0.2 * t.all()) {
    e.hints.push_back(hint(Hint::code, report::count_text(c.code) +
                                           " bytes of instructions are most of what is sent"));
  }
  if (t.back > 0.2 * t.all()) {
    e.hints.push_back(hint(Hint::output, report::count_text(c.output) +
                                             " bytes come back as laid out: " + ms_text(t.back)));
  }
}

void describe(const Work& w, const TpuWishes& wishes, Estimate& e) {
  e.target = std::string(targets::name(targets::Id::edgetpu));
  e.board = std::string(w.host->name);
  e.assumptions.push_back({"clock_mhz", number_text(w.mhz), wishes.clock_mhz ? "user" : "default"});
  e.assumptions.push_back(
      {"host", std::string(w.host->name), wishes.host.empty() ? "default" : "user"});
  e.assumptions.push_back({"iterations", std::to_string(w.counts.iterations), "model"});
  e.assumptions.push_back({"bytes_to_device", std::to_string(w.counts.to_device()), "model"});
  e.assumptions.push_back({"bytes_back", std::to_string(w.counts.output), "model"});
  e.headline = "Edge TPU at " + number_text(w.mhz) + " MHz, " + std::string(w.host->text);
  e.energy_reason = "no usable public figures (2 W at 4 TOPS is a slogan)";
  if (w.compiled) {
    e.basis = {"fitted", "tpu-compiled-3",
               7,        15.0,
               33.0,     "coral.ai/models, compiled files, USB 3 desktop"};
  } else {
    e.basis = {"fitted", "tpu-uncompiled",
               7,        15.0,
               33.0,     "iterations by layer, 2 to 8 % below compiled programs; not compiled yet"};
  }
  for (const std::string& op : w.host_operators) {
    e.not_modelled.push_back("host operators: " + op);
  }
  e.not_modelled.push_back("first inference, start of the USB stick, USB hubs");
}

}  // namespace

Result<Work> begin(const TpuWishes& wishes) {
  Work w;
  EDGETWIN_TRY_ASSIGN(w.host, find_host(wishes.host));
  const double most = constant(Constant::edgetpu_mhz);
  w.mhz = wishes.clock_mhz.value_or(most);
  if (w.mhz >= kSlowest && w.mhz <= most) return w;
  return Error(ErrorCode::usage, "--clock " + number_text(w.mhz) + " is out of range")
      .with_hint("The Edge TPU runs at 500 MHz (libedgetpu max) or 250 MHz (std).");
}

void finish(const Work& w, const TpuWishes& wishes, Estimate& e) {
  describe(w, wishes, e);
  const TpuTime t = tpu_time(w.counts, *w.host, w.mhz);
  EstimateRange ms = range_of(t.all(), w.compiled ? 0.85 : 0.8, w.compiled ? 1.25 : 2.0);
  e.latency_ms = ms;
  const auto phase = [&](const char* name, double mid) {
    e.phases.push_back({name, false, range_of(mid, ms.low / ms.mid, ms.high / ms.mid), {}, ""});
  };
  const double load = w.counts.cached > 0 ? static_cast<double>(w.counts.cached) / 1000.0 /
                                                constant(w.host->streamed)
                                          : 0.0;
  e.phases.push_back({"load_weights", true, range_of(load, 0.85, 1.25), {}, ""});
  phase("load_input", t.start + t.to_device);
  phase("inference", t.compute);
  phase("unload", t.back);
  int64_t all = 0;
  for (const EstimateLayer& l : e.layers) all += l.cycles.value_or(0);
  for (EstimateLayer& l : e.layers) {
    const double part =
        all > 0 ? static_cast<double>(l.cycles.value_or(0)) / static_cast<double>(all) : 0.0;
    l.ms = t.compute * part;
    l.share = l.ms / t.all();
  }
  e.outside = "start, code, input, streamed parameters, output";
  e.outside_ms = t.all() - t.compute;
  if (!w.host_operators.empty()) {
    e.latency_reason =
        "the device's part; operators of the host are not in it, so that the whole "
        "has no upper end";
  }
  add_memory(w, e);
  add_hints(w, t, e);
}

}  // namespace tpuparts

}  // namespace edgetwin::estimates
