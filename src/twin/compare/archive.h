// A finished chip as JSON and back, field by field: one list of fields for both ways.
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/json/json.h"
#include "edgetwin/compare_chips.h"

namespace edgetwin::twin::archive {

template <class A>
void fields(A& a, EstimateRange& v) {
  a("low", v.low), a("mid", v.mid), a("high", v.high);
}
template <class A>
void fields(A& a, EstimateAssumption& v) {
  a("name", v.name), a("value", v.value), a("from", v.from);
}
template <class A>
void fields(A& a, EstimateBasis& v) {
  a("kind", v.kind), a("model", v.model), a("rows", v.fitted_on_rows);
  a("median", v.median_error_percent), a("largest", v.largest_error_percent), a("data", v.data);
}
template <class A>
void fields(A& a, EstimatePhase& v) {
  a("name", v.name), a("once", v.once), a("ms", v.ms), a("uj", v.energy_uj);
  a("reason", v.reason);
}
template <class A>
void fields(A& a, EstimateFeature& v) {
  a("name", v.name), a("value", v.value);
}
template <class A>
void fields(A& a, EstimateLayer& v) {
  a("index", v.index), a("name", v.name), a("op", v.op), a("output", v.output);
  a("macs", v.macs), a("cycles", v.cycles), a("ms", v.ms), a("share", v.share);
  a("bound", v.bound), a("features", v.features);
}
template <class A>
void fields(A& a, EstimatePart& v) {
  a("what", v.what), a("bytes", v.bytes);
}
template <class A>
void fields(A& a, EstimateRegion& v) {
  a("name", v.name), a("need", v.need), a("have", v.have), a("parts", v.parts);
}
template <class A>
void fields(A& a, EstimatePlacement& v) {
  a("tensor", v.tensor), a("region", v.region), a("offset", v.offset), a("bytes", v.bytes);
  a("first", v.first), a("last", v.last), a("shares", v.shares);
}
template <class A>
void fields(A& a, EstimateMemory& v) {
  a("verdict", v.verdict), a("reason", v.reason), a("regions", v.regions);
  a("placement", v.placement);
}
template <class A>
void fields(A& a, EstimateHint& v) {
  a("id", v.id), a("text", v.text);
}
template <class A>
void fields(A& a, Estimate& v) {
  a("target", v.target), a("board", v.board), a("assumptions", v.assumptions);
  a("latency", v.latency_ms), a("latency_reason", v.latency_reason), a("basis", v.basis);
  a("phases", v.phases), a("energy", v.energy_uj), a("energy_reason", v.energy_reason);
  a("layers", v.layers), a("outside", v.outside), a("outside_ms", v.outside_ms);
  a("start_cycles", v.start_cycles), a("memory", v.memory);
  a("not_modelled", v.not_modelled), a("hints", v.hints), a("headline", v.headline);
}
template <class A>
void fields(A& a, QuantizedLayerNoise& v) {
  a("layer", v.layer), a("bits", v.bits), a("alone", v.alone);
  a("accumulated", v.accumulated), a("cosine", v.cosine);
}
template <class A>
void fields(A& a, ChipAccuracy& v) {
  a("right", v.right), a("count", v.count), a("value", v.value);
  a("low", v.low), a("high", v.high);
}
template <class A>
void fields(A& a, ChipAnswer& v) {
  a("index", v.index), a("best", v.best);
}
template <class A>
void fields(A& a, ComparedChip& v) {
  a("target", v.target), a("fits", v.fits), a("reason", v.reason), a("nearest", v.nearest);
  a("estimate", v.estimate), a("proven", v.proven), a("proof", v.proof);
  a("output_noise", v.output_noise), a("accuracy", v.accuracy);
  a("accuracy_reason", v.accuracy_reason), a("answers", v.answers), a("layers", v.layers);
  a("bytes", v.bytes);
}

class Writer {
 public:
  template <class T>
  void operator()(const char* key, T& value) {
    json_.set(key, of(value));
  }
  static Json of(const std::string& v) { return v; }
  static Json of(bool v) { return v; }
  static Json of(double v) { return v; }
  template <std::integral T>
  static Json of(T v) {
    return v;
  }
  template <class T>
  static Json of(std::optional<T>& v) {
    Json list = Json::array();
    if (v) list.push(of(*v));
    return list;
  }
  template <class T>
  static Json of(std::vector<T>& v) {
    Json list = Json::array();
    for (T& one : v) list.push(of(one));
    return list;
  }
  template <class T>
  static Json of(T& v) requires(std::is_class_v<T> && !std::same_as<T, std::string>) {
    Writer w;
    fields(w, v);
    return std::move(w.json_);
  }

 private:
  Json json_ = Json::object();
};

// After reading, ok() says whether every field was there and of its kind.
class Reader {
 public:
  explicit Reader(const Json& json) : json_(json) {}
  template <class T>
  void operator()(const char* key, T& value) {
    const std::optional<Json> member = ok_ ? json_.get(key) : std::nullopt;
    ok_ = member && take(*member, value);
  }
  bool ok() const { return ok_; }
  static bool take(const Json& j, std::string& v) { return put(j.as_string(), v); }
  static bool take(const Json& j, bool& v) { return put(j.as_bool(), v); }
  static bool take(const Json& j, double& v) { return put(j.as_number(), v); }
  template <std::integral T>
  static bool take(const Json& j, T& v) {
    const auto number = j.as_integer();
    if (!number || !std::in_range<T>(*number)) return false;
    v = static_cast<T>(*number);
    return true;
  }
  template <class T>
  static bool take(const Json& j, std::optional<T>& v) {
    if (!j.is_array() || j.size() > 1) return false;
    v.reset();
    return j.size() == 0 || take(j.at(0), v.emplace());
  }
  template <class T>
  static bool take(const Json& j, std::vector<T>& v) {
    if (!j.is_array()) return false;
    v.clear();
    for (size_t i = 0; i < j.size(); ++i) {
      if (!take(j.at(i), v.emplace_back())) return false;
    }
    return true;
  }
  template <class T>
  static bool take(const Json& j, T& v) requires std::is_class_v<T> {
    if (!j.is_object()) return false;
    Reader r(j);
    fields(r, v);
    return r.ok();
  }

 private:
  template <class T>
  static bool put(const std::optional<T>& from, T& v) {
    if (from) v = *from;
    return from.has_value();
  }
  const Json& json_;
  bool ok_ = true;
};

}  // namespace edgetwin::twin::archive
