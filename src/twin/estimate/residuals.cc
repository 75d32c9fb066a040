#include "twin/estimate/residuals.h"

#include <cmath>
#include <map>
#include <vector>

#include "base/file.h"
#include "base/json/json.h"
#include "edgetwin/estimate.h"
#include "estimate/constants.h"
#include "estimate/espdl/espdl.h"
#include "estimate/fit/fit.h"
#include "estimate/numbers.h"
#include "report/format.h"

namespace edgetwin::twin {
namespace {

struct ResidualRow {
  std::string model, family, chip, published, clock, file, options;
};

const std::vector<ResidualRow>& residual_rows() {
  static const std::vector<ResidualRow> rows = {
#define RESIDUAL(model, family, chip, published, clock, file, options) \
  {model, family, chip, published, clock, file, options},
#include "twin/estimate/residual_rows.def"
#undef RESIDUAL
  };
  return rows;
}

std::string text_of(const Bytes& data) {
  return {reinterpret_cast<const char*>(data.data()), data.size()};
}

std::vector<std::string> split(const std::string& text, char by) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == by) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

// Milliseconds by chip, name and clock; the first row counts.
using Published = std::map<std::string, double>;

Result<Published> read_published(const std::string& folder) {
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(folder + "/latency/published.tsv"));
  Published all;
  for (const std::string& line : split(text_of(data), '\n')) {
    const auto cells = split(line, '\t');
    if (cells.size() < 6) continue;
    all.emplace(cells[0] + "|" + cells[1] + "|" + cells[4], std::strtod(cells[5].c_str(), nullptr));
  }
  return all;
}

// Description, parameters, sample and options of a recorded case.
Result<Estimate> estimate_case(const std::string& folder, const ResidualRow& row,
                               const Json& cases) {
  const std::string root = folder + "/max7800x/";
  for (size_t i = 0; i < cases.size(); ++i) {
    const Json c = cases.at(i);
    if (c.get_string("name") != row.file) continue;
    EstimateOptions o;
    o.open.target = row.chip;
    const auto path = [&](const char* key) {
      const auto name = c.get_string(key);
      return name ? root + *name : std::string();
    };
    o.open.checkpoint = path("checkpoint");
    o.open.weights = path("weights");
    o.open.bias = path("bias");
    o.open.sample = path("sample");
    const auto words = c.get("options");
    for (size_t k = 0; words && k < words->size(); ++k) {
      o.open.options.push_back(words->at(k).as_string().value_or(""));
    }
    return estimate(path("yaml"), o);
  }
  return Error(ErrorCode::bad_value, "cases.json has no case '" + row.file + "'");
}

Result<Estimate> estimate_row(const std::string& folder, const ResidualRow& row,
                              const Json& cases) {
  if (row.chip.starts_with("max")) return estimate_case(folder, row, cases);
  EstimateOptions o;
  o.open.target = row.chip;
  if (row.chip == "edgetpu") {
    return estimate(folder + "/edgetpu/models/coral_test_data/" + row.file, o);
  }
  o.runtime = row.options;
  return estimate(folder + "/espdl/upstream/" + row.file + "/model.espdl", o);
}

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

struct Measured {
  ResidualRow row;
  Estimate estimate;
  double published = 0;
};

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

}  // namespace

Result<std::string> residual_tables(const std::string& folder) {
  EDGETWIN_TRY_ASSIGN(const Published published, read_published(folder));
  const std::string list = folder + "/max7800x/cases.json";
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(list));
  EDGETWIN_TRY_ASSIGN(const Json cases, Json::parse(text_of(data), list));
  std::string text;
  std::vector<Measured> rows;
  const auto flush = [&] {
    if (!rows.empty()) text += model_table(rows.front().row.model, rows);
    rows.clear();
  };
  for (const ResidualRow& row : residual_rows()) {
    if (!rows.empty() && rows.front().row.model != row.model) flush();
    const auto found = published.find(row.chip + "|" + row.published + "|" + row.clock);
    if (found == published.end()) {
      return Error(ErrorCode::bad_value, "published.tsv has no row '" + row.published + "'");
    }
    EDGETWIN_TRY_ASSIGN(Estimate e, estimate_row(folder, row, cases));
    rows.push_back({row, std::move(e), found->second});
  }
  flush();
  return text;
}

}  // namespace edgetwin::twin
