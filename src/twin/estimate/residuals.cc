#include "twin/estimate/residuals.h"

#include <cmath>
#include <vector>

#include "estimate/constants.h"
#include "estimate/espdl/espdl.h"
#include "estimate/fit/fit.h"
#include "estimate/numbers.h"
#include "report/format.h"
#include "twin/estimate/measured.h"

namespace edgetwin::twin {
namespace {

double feature_sum(const Estimate& e, const std::string& name) {
  double sum = 0.0;
  for (const EstimateLayer& l : e.layers) {
    for (const EstimateFeature& f : l.features) sum += f.name == name ? f.value : 0.0;
  }
  return sum;
}

bool in_flash(const Estimate& e) {
  for (const EstimateAssumption& a : e.assumptions) {
    if (a.name == "param_copy") return a.value == "no";
  }
  return false;
}

// Unknowns of a model, and plausible values.
struct Unknowns {
  std::vector<std::string> names;
  std::vector<double> plausible;
  double ridge = 0;
  double mhz = 0;
};

Unknowns unknowns_of(const std::string& model) {
  using namespace estimates;  // NOLINT: names of constants
  const double s3 = constant(Constant::s3_mhz), p4 = constant(Constant::p4_mhz);
  if (model == "max78002") {
    return {{"output_pixels"},
            {constant(Constant::max78002_pixel)},
            0.0,
            constant(Constant::max78002_mhz)};
  }
  if (model == "S3 current") return {{"V+V16", "A"}, {1.5, 4.4}, 0.001, s3};
  if (model == "P4 current") return {{"V+V16", "A"}, {0.85, 3.2}, 0.001, p4};
  if (model == "S3 tree") {
    return {{"V", "G", "D", "S", "S flash", "A", "T", "N"},
            {2.8, 100, 6, 2700, 6800, 0.3, 18, 19000},
            0.03,
            s3};
  }
  if (model == "P4 tree") {
    return {{"V", "G", "D", "S_middle", "S_large", "A", "T", "T16", "N"},
            {1.5, 100, 4.4, 150, 270, 0.3, 24, 69, 11000},
            0.03,
            p4};
  }
  return {};
}

double feature_of(const Estimate& e, const std::string& name) {
  if (name == "V+V16") return feature_sum(e, "V") + feature_sum(e, "V16");
  if (name == "S") return in_flash(e) ? 0.0 : feature_sum(e, "S_large");
  if (name == "S flash") return in_flash(e) ? feature_sum(e, "S_large") : 0.0;
  return feature_sum(e, name);
}

// What of a row is not fitted: of the MAX78002 the formula; of ESP-DL terms that are assumed.
double fixed_ms(const Measured& m, const Unknowns& u) {
  double fitted = 0.0;
  for (size_t i = 0; i < u.names.size(); ++i) {
    fitted += m.row.model == "max78002" ? u.plausible[i] * feature_of(m.estimate, u.names[i]) : 0.0;
  }
  if (m.row.model != "max78002") return 0.0;
  return m.estimate.latency_ms->mid - fitted / u.mhz / 1000.0;
}

std::vector<estimates::FitRow> fit_rows(const std::vector<Measured>& rows, const Unknowns& u) {
  std::vector<estimates::FitRow> all;
  for (const Measured& m : rows) {
    estimates::FitRow r;
    r.name = m.row.published;
    r.family = m.row.family;
    r.published = m.published;
    r.fixed = fixed_ms(m, u);
    for (const std::string& name : u.names) {
      r.features.push_back(feature_of(m.estimate, name) / u.mhz / 1000.0);
    }
    all.push_back(std::move(r));
  }
  return all;
}

std::string percent(double residual) {
  return (residual < 0 ? "" : "+") + report::fixed_text(100.0 * residual, 1);
}

std::string fit_text(const estimates::FitResult& fit, const Unknowns& u) {
  std::string text = "Fitted again on these rows: ";
  for (size_t i = 0; i < u.names.size(); ++i) {
    text += (i == 0 ? "" : ", ") + u.names[i] + " " + estimates::number_text(fit.numbers[i]);
  }
  return text + " cycles; median " +
         estimates::number_text(100.0 * estimates::median_of_absolutes(fit.residual)) +
         " %, with its family left out " +
         estimates::number_text(100.0 * estimates::median_of_absolutes(fit.left_out)) + " %.\n";
}

std::string model_table(const std::string& model, const std::vector<Measured>& rows) {
  const Unknowns u = unknowns_of(model);
  std::optional<estimates::FitResult> fit;
  if (!u.names.empty()) fit = estimates::fit(fit_rows(rows, u), u.plausible, u.ridge);
  std::string text =
      "### " + model + "\n\n| published row | ms | estimate | range | % | left out, % |\n";
  text += "|---|---|---|---|---|---|\n";
  std::vector<double> residuals;
  size_t inside = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    const EstimateRange& r = *rows[i].estimate.latency_ms;
    const double p = rows[i].published;
    residuals.push_back(r.mid / p - 1.0);
    inside += p >= r.low && p <= r.high ? 1 : 0;
    using estimates::number_text;
    text += "| " + rows[i].row.published + " | " + number_text(p) + " | " + number_text(r.mid) +
            " | " + number_text(r.low) + " to " + number_text(r.high) + " | " +
            percent(residuals.back()) + " | " + (fit ? percent(fit->left_out[i]) : "") + " |\n";
  }
  text += "\nMedian " + estimates::number_text(100.0 * estimates::median_of_absolutes(residuals)) +
          " %, largest " + estimates::number_text(100.0 * estimates::largest_absolute(residuals)) +
          " %; " + std::to_string(inside) + " of " + std::to_string(rows.size()) +
          " inside the range.\n";
  return text + (fit ? fit_text(*fit, u) : "") + "\n";
}

// The published numbers that are no latency: loading and energy.
std::string phases_table(const std::vector<Residual>& rows) {
  std::string text =
      "### max78002, loading and energy\n\n| published row | what | published | estimate | range | "
      "% "
      "|\n|---|---|---|---|---|---|\n";
  using estimates::number_text;
  for (const Residual& r : rows) {
    text += "| " + r.name + " | " + r.what + ", " + r.unit + " | " + number_text(r.published) +
            " | " + number_text(r.range.mid) + " | " + number_text(r.range.low) + " to " +
            number_text(r.range.high) + " | " + percent(r.off()) + " |\n";
  }
  return text + "\n";
}

std::vector<Residual> latencies_of(const std::vector<Measured>& rows) {
  std::vector<Residual> all;
  for (const Measured& m : rows) {
    all.push_back(
        {m.row.model, m.row.published, "inference", "ms", m.published, *m.estimate.latency_ms});
  }
  return all;
}

}  // namespace

Result<std::vector<Residual>> residuals(const std::string& folder) {
  EDGETWIN_TRY_ASSIGN(const std::vector<Measured> rows, measured_rows(folder));
  std::vector<Residual> all = latencies_of(rows);
  EDGETWIN_TRY_ASSIGN(const std::vector<Residual> phases, phase_residuals(folder, rows));
  all.insert(all.end(), phases.begin(), phases.end());
  return all;
}

Result<std::string> residual_tables(const std::string& folder) {
  EDGETWIN_TRY_ASSIGN(std::vector<Measured> rows, measured_rows(folder));
  EDGETWIN_TRY_ASSIGN(const std::vector<Residual> phases, phase_residuals(folder, rows));
  std::string text;
  for (size_t begin = 0; begin < rows.size();) {
    size_t end = begin;
    while (end < rows.size() && rows[end].row.model == rows[begin].row.model) ++end;
    const std::vector<Measured> table(rows.begin() + static_cast<std::ptrdiff_t>(begin),
                                      rows.begin() + static_cast<std::ptrdiff_t>(end));
    text += model_table(table.front().row.model, table);
    if (table.front().row.model == "max78002") text += phases_table(phases);
    begin = end;
  }
  return text;
}

}  // namespace edgetwin::twin
