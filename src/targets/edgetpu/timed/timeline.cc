#include "targets/edgetpu/timed/timeline.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>

#include "targets/edgetpu/sync/clock.h"

namespace edgetwin::edgetpu::timed {
namespace {

using sync::Busy;
using sync::SyncReport;

EngineKind kind_of(uint32_t lane) {
  if (lane >= sync::kScalarLane) return EngineKind::host;
  const size_t engine = lane % sync::kTileLanes / 2;
  if (engine == 0) return EngineKind::tensor;
  if (engine < tile_engine(Opcode::narrow_to_wide)) return EngineKind::ring;
  if (engine == tile_engine(Opcode::narrow_to_wide)) return EngineKind::to_wide;
  return engine == tile_engine(Opcode::wide_to_narrow) ? EngineKind::to_narrow : EngineKind::mesh;
}

// Two sides of an engine work at once: they are one where time is added up.
using LaneSums = std::map<uint32_t, EngineTime>;

void most(const LaneSums& sums, EngineTime (&into)[kEngineKinds]) {
  for (const auto& [lane, time] : sums) {
    EngineTime& e = into[static_cast<size_t>(kind_of(lane))];
    e.busy = std::max(e.busy, time.busy);
    e.waiting = std::max(e.waiting, time.waiting);
  }
}

void add(LaneSums& sums, const Busy& b) {
  EngineTime& e = sums[b.lane];
  e.busy += b.end - b.begin;
  e.waiting += b.begin - b.ready;
}

std::string milliseconds(int64_t steps) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3f",
                static_cast<double>(steps) / sync::kStepsPerMillisecond);
  return text.data();
}

std::string column(const std::string& text, size_t width) {
  return text.size() >= width ? text : std::string(width - text.size(), ' ') + text;
}

Json engines_json(const EngineTime (&engine)[kEngineKinds]) {
  Json all = Json::object();
  for (size_t k = 0; k < kEngineKinds; ++k) {
    Json one = Json::object();
    one.set("busy", engine[k].busy).set("waiting", engine[k].waiting);
    all.set(name(static_cast<EngineKind>(k)), std::move(one));
  }
  return all;
}

}  // namespace

std::string_view name(EngineKind kind) {
  switch (kind) {
    case EngineKind::tensor:
      return "tensor";
    case EngineKind::ring:
      return "ring";
    case EngineKind::to_wide:
      return "n2w";
    case EngineKind::to_narrow:
      return "w2n";
    case EngineKind::mesh:
      return "mesh";
    case EngineKind::host:
      return "host";
  }
  return "";
}

Timeline timeline_of(const SyncReport& report) {
  Timeline t;
  t.steps = report.time;
  std::vector<LaneSums> by_layer;
  LaneSums all;
  for (const auto& item : report.items) {
    if (item.layer >= t.layers.size()) t.layers.resize(item.layer + size_t{1});
    ++t.layers[item.layer].instructions;
  }
  by_layer.resize(t.layers.size());
  for (const Busy& b : report.busy) {
    add(all, b);
    const size_t n = report.items[b.item].layer;
    add(by_layer[n], b);
    LayerTime& layer = t.layers[n];
    if (layer.end == 0 || b.begin < layer.begin) layer.begin = b.begin;
    layer.end = std::max(layer.end, b.end);
  }
  most(all, t.engine);
  for (size_t n = 0; n < t.layers.size(); ++n) most(by_layer[n], t.layers[n].engine);
  return t;
}

std::string text(const Timeline& t) {
  std::string out = "time by the cost model: " + milliseconds(t.steps) + " ms (" +
                    std::to_string(t.steps) + " steps of 2 ns); a model, not a measurement\n";
  out += "layer  instr     begin       end";
  for (size_t k = 0; k < kEngineKinds; ++k) {
    out += column(std::string(name(static_cast<EngineKind>(k))), 9) + column("waits", 9);
  }
  out += "   (steps, of the tile with most)\n";
  const auto engines = [&](const EngineTime(&engine)[kEngineKinds]) {
    for (const EngineTime& e : engine) {
      out += column(std::to_string(e.busy), 9) + column(std::to_string(e.waiting), 9);
    }
    out += '\n';
  };
  for (size_t n = 0; n < t.layers.size(); ++n) {
    const LayerTime& layer = t.layers[n];
    out += column(std::to_string(n), 5) + column(std::to_string(layer.instructions), 7) +
           column(std::to_string(layer.begin), 10) + column(std::to_string(layer.end), 10);
    engines(layer.engine);
  }
  out += column("all", 5) + column("", 7) + column("0", 10) + column(std::to_string(t.steps), 10);
  engines(t.engine);
  return out;
}

Json to_json(const Timeline& t) {
  Json j = Json::object();
  j.set("steps", t.steps);
  j.set("milliseconds", static_cast<double>(t.steps) / sync::kStepsPerMillisecond);
  Json layers = Json::array();
  for (const LayerTime& layer : t.layers) {
    Json one = Json::object();
    one.set("instructions", layer.instructions).set("begin", layer.begin).set("end", layer.end);
    layers.push(std::move(one.set("engines", engines_json(layer.engine))));
  }
  Json costs = Json::object();
  for (const sync::CostRow& row : sync::all_costs()) {
    Json cost = Json::object();
    cost.set("steps", row.value).set("of", row.unit).set("evidence", row.evidence);
    costs.set(row.name, std::move(cost));
  }
  return j.set("layers", std::move(layers))
      .set("engines", engines_json(t.engine))
      .set("costs", std::move(costs));
}

Json chrome_trace(const SyncReport& report) {
  constexpr double kMicroseconds = 1000.0 / sync::kStepsPerMillisecond;
  Json events = Json::array();
  const auto lane_name = [](uint32_t lane) {
    if (lane >= sync::kScalarLane) return std::string("scalar core");
    return std::string(tile_engine_name(lane % sync::kTileLanes / 2)) +
           (lane % 2 == 0 ? " a" : " b");
  };
  for (const Busy& b : report.busy) {
    const bool core = b.lane >= sync::kScalarLane;
    const auto tile = static_cast<int64_t>(b.lane / sync::kTileLanes);
    Json event = Json::object();
    event.set("name", report.items[b.item].engine).set("cat", lane_name(b.lane)).set("ph", "X");
    event.set("ts", static_cast<double>(b.begin) * kMicroseconds);
    event.set("dur", static_cast<double>(b.end - b.begin) * kMicroseconds);
    event.set("pid", core ? int64_t{kTiles} : tile);
    event.set("tid", static_cast<int64_t>(b.lane % sync::kTileLanes));
    Json arguments = Json::object();
    arguments.set("layer", report.items[b.item].layer)
        .set("operation", report.items[b.item].operation)
        .set("waited", static_cast<double>(b.begin - b.ready) * kMicroseconds);
    events.push(std::move(event.set("args", std::move(arguments))));
  }
  std::vector<uint32_t> lanes;
  for (const Busy& b : report.busy) lanes.push_back(b.lane);
  std::ranges::sort(lanes);
  lanes.erase(std::unique(lanes.begin(), lanes.end()), lanes.end());
  for (const uint32_t lane : lanes) {
    Json event = Json::object();
    const bool core = lane >= sync::kScalarLane;
    event.set("name", "thread_name").set("ph", "M");
    event.set("pid", core ? int64_t{kTiles} : static_cast<int64_t>(lane / sync::kTileLanes));
    event.set("tid", static_cast<int64_t>(lane % sync::kTileLanes));
    Json arguments = Json::object();
    arguments.set("name", lane_name(lane));
    events.push(std::move(event.set("args", std::move(arguments))));
  }
  Json j = Json::object();
  return j.set("displayTimeUnit", "ns").set("traceEvents", std::move(events));
}

}  // namespace edgetwin::edgetpu::timed
