#include "estimate/numbers.h"
#include "estimate/output.h"

namespace edgetwin::estimates {
namespace {

Json optional_text(const std::optional<std::string>& text) { return text ? Json(*text) : Json(); }

Json optional_range(const std::optional<EstimateRange>& range, int digits) {
  return range ? range_json(*range, digits) : Json();
}

// A number where the text is one.
Json value_json(const std::string& text) {
  const Result<Json> parsed = Json::parse(text, "value");
  if (parsed.ok() && parsed->as_number()) return *parsed;
  return {text};
}

Json assumptions_json(const Estimate& e) {
  Json list = Json::array();
  for (const EstimateAssumption& a : e.assumptions) {
    Json j = Json::object();
    j.set("name", a.name).set("value", value_json(a.value)).set("from", a.from);
    list.push(std::move(j));
  }
  return list;
}

Json basis_json(const EstimateBasis& b) {
  Json j = Json::object();
  j.set("kind", b.kind).set("model", b.model).set("fitted_on_rows", b.fitted_on_rows);
  j.set("median_error_percent", b.median_error_percent);
  j.set("largest_error_percent", b.largest_error_percent).set("data", b.data);
  return j;
}

Json phases_json(const Estimate& e, int digits) {
  Json list = Json::array();
  for (const EstimatePhase& p : e.phases) {
    Json j = Json::object();
    j.set("name", p.name).set("once", p.once).set("ms", optional_range(p.ms, digits));
    j.set("energy_uj", optional_range(p.energy_uj, 3));
    if (!p.reason.empty()) j.set("reason", p.reason);
    list.push(std::move(j));
  }
  return list;
}

Json layer_json(const EstimateLayer& l) {
  Json j = Json::object();
  j.set("index", l.index).set("name", l.name).set("operator", l.op).set("output", l.output);
  j.set("macs", l.macs).set("cycles", l.cycles ? Json(*l.cycles) : Json());
  j.set("ms", rounded(l.ms)).set("share", rounded(l.share, 2)).set("bound", l.bound);
  Json features = Json::object();
  for (const EstimateFeature& f : l.features) {
    const auto whole = static_cast<int64_t>(f.value);
    features.set(f.name, static_cast<double>(whole) == f.value ? Json(whole) : Json(f.value));
  }
  return std::move(j.set("features", std::move(features)));
}

Json placement_json(const EstimatePlacement& p) {
  Json j = Json::object();
  j.set("tensor", p.tensor).set("region", p.region).set("offset", p.offset);
  j.set("bytes", p.bytes).set("first", p.first);
  j.set("last", p.last < 0 ? Json() : Json(p.last)).set("shares", optional_text(p.shares));
  return j;
}

}  // namespace

Json range_json(const EstimateRange& r, int digits) {
  Json j = Json::object();
  j.set("low", rounded(r.low, digits)).set("mid", rounded(r.mid, digits));
  return std::move(j.set("high", rounded(r.high, digits)));
}

Json memory_json(const EstimateMemory& memory) {
  Json regions = Json::array();
  for (const EstimateRegion& r : memory.regions) {
    Json parts = Json::array();
    for (const EstimatePart& p : r.parts) {
      Json j = Json::object();
      parts.push(std::move(j.set("what", p.what).set("bytes", p.bytes)));
    }
    Json j = Json::object();
    j.set("name", r.name).set("need", r.need).set("have", r.have).set("parts", std::move(parts));
    regions.push(std::move(j));
  }
  Json placement = Json::array();
  for (const EstimatePlacement& p : memory.placement) placement.push(placement_json(p));
  Json j = Json::object();
  j.set("verdict", memory.verdict).set("reason", memory.reason);
  return std::move(j.set("regions", std::move(regions)).set("placement", std::move(placement)));
}

Json to_json(const Estimate& e) {
  const int digits = e.basis.kind == "formula" ? 4 : 3;
  Json j = Json::object();
  j.set("estimate", true).set("target", e.target).set("board", optional_text(e.board));
  j.set("assumptions", assumptions_json(e));
  j.set("latency_ms", optional_range(e.latency_ms, digits));
  j.set("latency_reason", e.latency_reason).set("basis", basis_json(e.basis));
  j.set("phases", phases_json(e, digits));
  j.set("energy_uj", optional_range(e.energy_uj, 3)).set("energy_reason", e.energy_reason);
  Json layers = Json::array();
  for (const EstimateLayer& l : e.layers) layers.push(layer_json(l));
  j.set("layers", std::move(layers)).set("start_cycles", e.start_cycles);
  j.set("memory", memory_json(e.memory)).set("not_modelled", Json::list(e.not_modelled));
  Json hints = Json::array();
  for (const EstimateHint& h : e.hints) {
    Json one = Json::object();
    hints.push(std::move(one.set("id", h.id).set("text", h.text)));
  }
  return std::move(j.set("hints", std::move(hints)));
}

}  // namespace edgetwin::estimates
