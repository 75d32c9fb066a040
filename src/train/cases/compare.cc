#include "train/cases/compare.h"

#include <cmath>

#include "train/cases/kinds.h"

namespace edgetwin::train {
namespace {

struct Tolerance {
  enum Kind { equal, absolute, relative, none } kind = equal;
  double value = 0;
};

constexpr double kFactorOfFloat32 = 10;

// In phase float the recorded bitwise operations are not those of the chip; in phase integer its
// xor lies up to a half below the true value.
Tolerance module_tolerance(const CaseEntry& entry) {
  const std::string operation =
      entry.json.get("module").value_or(Json::object()).get_string("operation").value_or("");
  const bool integer = entry.text("phase", "") == "integer";
  if (operation == "xor" && integer) return {Tolerance::absolute, 0.5};
  if ((operation == "xor" || operation == "or") && !integer) return {Tolerance::none};
  if (integer || entry.boolean("exact", true)) return {};
  return {Tolerance::absolute, kFactorOfFloat32 * entry.number("max_abs_error_of_float32", 0)};
}

Tolerance threshold_tolerance(const CaseEntry& entry, const std::string& name) {
  if (entry.boolean("exact", false) || name == "threshold" || name == "t0") return {};
  if (name == "kept_edges") return {Tolerance::none};
  if (name == "edges") return {Tolerance::relative, 1e-6};
  return {Tolerance::relative, 2e-3};  // counts (of the total) and errors
}

Tolerance espdl_tolerance(const CaseEntry& entry, const std::string& name) {
  if (file_has(entry, "lut-")) {
    return name == "gx" ? Tolerance{Tolerance::relative, 1e-5} : Tolerance{};
  }
  if (file_has(entry, "adaround")) return {Tolerance::relative, 2e-4};
  if (name == "g_scale") return {Tolerance::relative, 2e-3};
  return {Tolerance::relative, name == "y" || name == "gx" ? 1e-6 : 2e-4};
}

Tolerance network_tolerance(const std::string& name) {
  const bool exact = name == "y_qat" || name == "y_int" || name.starts_with("w_int") ||
                     name.starts_with("b_stored") || name.starts_with("shift");
  return exact ? Tolerance{} : Tolerance{Tolerance::relative, 1e-5};
}

Tolerance tolerance_of(const CaseEntry& entry, const std::string& name) {
  if (entry.list == "modules") return module_tolerance(entry);
  if (entry.list == "espdl") return espdl_tolerance(entry, name);
  if (entry.list == "network") return network_tolerance(name);
  if (file_has(entry, "qatv2")) return threshold_tolerance(entry, name);
  if (file_has(entry, "trace")) {
    return name == "lr" ? Tolerance{Tolerance::absolute, 1e-12}
                        : Tolerance{Tolerance::relative, 1e-5};
  }
  if (file_has(entry, "multibox")) return {Tolerance::relative, 1e-5};
  if (file_has(entry, "loss/") || file_has(entry, "bnfold")) return {Tolerance::relative, 1e-6};
  return {};
}

double value(const Tensor& t, int64_t i) { return element_as_double(t.dtype, t.data, i); }

// The largest magnitude; of histograms the total.
double unit_of(const Tensor& recorded) {
  double unit = 0;
  for (int64_t i = 0; i < recorded.shape.elements(); ++i) {
    const double v = std::abs(value(recorded, i));
    unit = recorded.name == "merged_counts" ? unit + v : std::max(unit, v);
  }
  return unit;
}

// A bias before a batch norm has a gradient of 0 in real numbers: what is recorded is the rounding
// of a sum whose terms are as large as those of the weights' gradient, in the order of the
// reference. Its unit is therefore that of the weights. Else 0.
double unit_of_weights(const CaseArrays& recorded, const std::string& name) {
  constexpr std::string_view kBias = ".op.bias";
  if (!name.starts_with("grad") || !name.ends_with(kBias)) return 0;
  const std::string weights = name.substr(0, name.size() - kBias.size()) + ".op.weight";
  for (const Tensor& t : recorded.tensors()) {
    if (t.name == weights) return unit_of(t);
  }
  return 0;
}

ArrayComparison compare_array(const Tensor& recorded, const Tensor& computed,
                              const Tolerance& tolerance, double least_unit) {
  ArrayComparison row;
  row.name = recorded.name;
  row.tolerance = tolerance.value;
  row.compared = tolerance.kind != Tolerance::none;
  if (!(recorded.shape == computed.shape) && row.compared) {
    row.remark = "another shape";
    return row;
  }
  row.equal = true;
  if (!row.compared) return row;
  const double unit =
      tolerance.kind == Tolerance::relative ? std::max(unit_of(recorded), least_unit) : 1;
  for (int64_t i = 0; i < recorded.shape.elements(); ++i) {
    const double r = value(recorded, i);
    const double c = value(computed, i);
    if (r == c) continue;
    const double distance = std::abs(r - c) / (unit == 0 ? 1 : unit);
    row.distance = std::max(row.distance, distance);
    if (!(distance <= tolerance.value)) row.equal = false;
  }
  return row;
}

// Columns: vector, q, older and ordinary quantile, shift. Where q * n - 1/2 is whole, the older
// quantile hangs on the last bit of the reference's own table.
ArrayComparison compare_quantiles(const CaseArrays& arrays, const Tensor& recorded,
                                  const Tensor& computed) {
  constexpr double kTolerance = 1e-6;
  ArrayComparison row;
  row.name = recorded.name;
  row.equal = true;
  row.tolerance = kTolerance;
  for (int64_t i = 0; i < recorded.shape[0]; ++i) {
    const std::string name = "v" + std::to_string(static_cast<int>(value(recorded, i * 5)));
    const auto n = static_cast<double>(arrays.find(name)->shape.elements());
    const double place = value(recorded, i * 5 + 1) * n - 0.5;
    const bool tie = std::abs(place - std::nearbyint(place)) < 1e-6 * n;
    for (int64_t column = 2; column < 5; ++column) {
      if (tie && column != 3) continue;
      const double r = value(recorded, i * 5 + column);
      const double distance =
          std::abs(r - value(computed, i * 5 + column)) / (r == 0 ? 1 : std::abs(r));
      row.distance = std::max(row.distance, distance);
      if (!(distance <= (column == 4 ? 0 : kTolerance))) row.equal = false;
    }
  }
  return row;
}

bool is_input(const CaseEntry& entry, const CaseArrays& arrays, const std::string& name) {
  if (arrays.used().contains(name)) return true;
  // Held for looking at the effect of folding.
  return file_has(entry, "bnfold") && (name == "x" || name.starts_with("y_"));
}

}  // namespace

std::vector<ArrayComparison> compare_case(const CaseEntry& entry, const CaseArrays& recorded,
                                          const CaseResults& results) {
  std::vector<ArrayComparison> rows;
  std::set<std::string> computed;
  for (const Tensor& t : results.tensors()) {
    computed.insert(t.name);
    const Tensor* other = nullptr;
    for (const Tensor& r : recorded.tensors()) {
      if (r.name == t.name) other = &r;
    }
    if (other == nullptr) continue;  // the record does not have it: nothing to compare
    rows.push_back(file_has(entry, "quantile.npz")
                       ? compare_quantiles(recorded, *other, t)
                       : compare_array(*other, t, tolerance_of(entry, t.name),
                                       unit_of_weights(recorded, t.name)));
  }
  for (const Tensor& r : recorded.tensors()) {
    if (computed.contains(r.name) || is_input(entry, recorded, r.name)) continue;
    if (entry.list == "modules" && module_tolerance(entry).kind == Tolerance::none) continue;
    ArrayComparison& row = rows.emplace_back();
    row.name = r.name;
    row.remark = "not computed";
  }
  return rows;
}

}  // namespace edgetwin::train
