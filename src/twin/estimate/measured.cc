#include "twin/estimate/measured.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "base/file.h"
#include "base/json/json.h"

namespace edgetwin::twin {
namespace {

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

struct PublishedRow {
  std::string chip, name, clock, notes;
  double ms = 0;
};

Result<std::vector<PublishedRow>> read_published(const std::string& folder) {
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(folder + "/latency/published.tsv"));
  std::vector<PublishedRow> all;
  for (const std::string& line : split(text_of(data), '\n')) {
    const auto cells = split(line, '\t');
    if (cells.size() < 6) continue;
    all.push_back({cells[0], cells[1], cells[4], cells.size() > 7 ? cells[7] : "",
                   std::strtod(cells[5].c_str(), nullptr)});
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
    o.core = row.options;
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

// The phase that a note names, and its energy.
std::string phase_of(const PublishedRow& row) {
  if (row.notes.find("inference only") != std::string::npos) return "inference";
  const std::string key = "phase: ";
  const size_t at = row.notes.find(key);
  if (at == std::string::npos) return "";
  const size_t begin = at + key.size();
  return row.notes.substr(begin, row.notes.find(';', begin) - begin);
}

std::optional<double> energy_of(const PublishedRow& row) {
  const std::string key = "energy ";
  const size_t at = row.notes.find(key);
  if (at == std::string::npos) return std::nullopt;
  return std::strtod(row.notes.c_str() + at + key.size(), nullptr);
}

// Of one or two phases together.
EstimateRange sum_of(const Estimate& e, const std::string& phase, bool energy) {
  EstimateRange sum;
  for (const EstimatePhase& p : e.phases) {
    const bool wanted = (p.name == "load_weights" && phase == "weights loading") ||
                        (p.name == "load_input" && phase.starts_with("input loading")) ||
                        (p.name == "inference" && phase.ends_with("inference"));
    const auto& range = energy ? p.energy_uj : p.ms;
    if (!wanted || !range) continue;
    sum = {sum.low + range->low, sum.mid + range->mid, sum.high + range->high};
  }
  return sum;
}

}  // namespace

Result<std::vector<Measured>> measured_rows(const std::string& folder) {
  EDGETWIN_TRY_ASSIGN(const std::vector<PublishedRow> published, read_published(folder));
  const std::string list = folder + "/max7800x/cases.json";
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(list));
  EDGETWIN_TRY_ASSIGN(const Json cases, Json::parse(text_of(data), list));
  std::vector<Measured> rows;
  for (const ResidualRow& row : residual_rows()) {
    const auto found = std::ranges::find_if(published, [&](const PublishedRow& p) {
      return p.chip == row.chip && p.name == row.published && p.clock == row.clock;
    });
    if (found == published.end()) {
      return Error(ErrorCode::bad_value, "published.tsv has no row '" + row.published + "'");
    }
    EDGETWIN_TRY_ASSIGN(Estimate e, estimate_row(folder, row, cases));
    rows.push_back({row, std::move(e), found->ms});
  }
  return rows;
}

Result<std::vector<Residual>> phase_residuals(const std::string& folder,
                                              const std::vector<Measured>& rows) {
  EDGETWIN_TRY_ASSIGN(const std::vector<PublishedRow> published, read_published(folder));
  std::vector<Residual> all;
  for (const Measured& m : rows) {
    if (m.row.model != "max78002") continue;
    for (const PublishedRow& p : published) {
      const std::string phase = phase_of(p);
      if (p.chip != m.row.chip || p.name != m.row.published || phase.empty()) continue;
      if (phase != "inference") {
        all.push_back({m.row.model, p.name, phase, "ms", p.ms, sum_of(m.estimate, phase, false)});
      }
      const std::optional<double> uj = energy_of(p);
      if (uj) {
        all.push_back({m.row.model, p.name, phase, "uJ", *uj, sum_of(m.estimate, phase, true)});
      }
    }
  }
  return all;
}

}  // namespace edgetwin::twin
