#include "targets/max78/recordings/recordings.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "base/file.h"
#include "base/gzip/gzip.h"
#include "base/json/json.h"
#include "targets/max78/analysis/statistics.h"
#include "targets/max78/machine/player/play.h"
#include "targets/max78/pipeline/run.h"

namespace edgetwin::max78 {
namespace {

namespace fs = std::filesystem;

constexpr double kClock = 50.0;  // MHz of the accelerator in these firmwares
constexpr size_t kMostCases = 4096;

Error wrong(const std::string& file, const std::string& what) {
  return Error(ErrorCode::bad_value, what).in_file(file);
}

Result<Json> cases_of(const std::string& folder) {
  const std::string file = (fs::path(folder) / "cases.json").string();
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(file));
  return Json::parse(as_text(data), file);
}

class CaseChecker {
 public:
  CaseChecker(std::string folder, const Json& row) : folder_(std::move(folder)), row_(row) {}

  Result<SiliconCase> run() {
    c_.name = row_.get_string("name").value_or("");
    EDGETWIN_TRY(printed());
    c_.sums = sums_.size();
    c_.printed_us = row_.get_integer("time_us").value_or(0);
    if (const auto loading = row_.get("time_includes_loading")) {
      c_.with_loading = loading->as_bool().value_or(false);
    }
    if (row_.get_string("program")) EDGETWIN_TRY(machine());
    if (row_.get_string("yaml")) EDGETWIN_TRY(network());
    percents();
    return std::move(c_);
  }

 private:
  std::string path(const std::string& name) const { return (fs::path(folder_) / name).string(); }
  Source source(const char* key) const {
    const auto name = row_.get_string(key);
    return name ? Source::file(path(*name)) : Source();
  }

  Status printed() {
    const auto list = row_.get("printed");
    for (size_t i = 0; list && i < list->size(); ++i) {
      const auto value = list->at(i).as_integer();
      if (!value || *value < INT32_MIN || *value > INT32_MAX) break;
      sums_.push_back(static_cast<int32_t>(*value));
    }
    if (c_.name.empty() || sums_.empty() || sums_.size() != list->size()) {
      return wrong(path("cases.json"), "a case has no name or no printed sums");
    }
    return Ok{};
  }

  // How many of the sums are equal; notes the first that is not.
  size_t count(const std::vector<int32_t>& found, const char* who) {
    size_t equal = 0;
    for (size_t i = 0; i < sums_.size(); ++i) {
      if (i < found.size() && found[i] == sums_[i]) {
        ++equal;
      } else if (c_.first.empty()) {
        c_.first = std::string(who) + ", class " + std::to_string(i) + ": board " +
                   std::to_string(sums_[i]) +
                   (i < found.size() ? ", computed " + std::to_string(found[i]) : ", not computed");
      }
    }
    return equal;
  }

  Status machine() {
    const std::string file = path(*row_.get_string("program"));
    EDGETWIN_TRY_ASSIGN(Bytes data, read_file(file));
    if (is_gzip(data)) {
      EDGETWIN_TRY_ASSIGN(data, gunzip(data, file));
    }
    EDGETWIN_TRY_ASSIGN(const ProgramText program, read_program(as_text(data), file));
    Machine machine(program.device, {});
    EDGETWIN_TRY(play(program, machine));
    std::vector<int32_t> found;
    const auto unload = row_.get("unload");
    for (size_t i = 0; unload && i < unload->size(); ++i) {
      const std::string text = unload->at(i).as_string().value_or("");
      uint32_t address = 0;
      const auto [end, error] =
          std::from_chars(text.data(), text.data() + text.size(), address, 16);
      if (error != std::errc() || end != text.data() + text.size()) {
        return wrong(path("cases.json"), "an address of '" + c_.name + "' is not hexadecimal");
      }
      found.push_back(static_cast<int32_t>(machine.peek32(address)));
    }
    c_.machine = count(found, "machine");
    return Ok{};
  }

  Status network() {
    NetworkSources s;
    s.description = source("yaml");
    s.weights = source("weights");
    s.bias = source("bias");
    s.sample = source("sample");
    // Its input goes through the FIFO where it streams.
    EDGETWIN_TRY_ASSIGN(const Bytes yaml, s.description.read());
    s.options.fifo = as_text(yaml).find("streaming: true") != std::string_view::npos;
    const Loading loading = load_network(s);
    if (loading.failure) return *loading.failure;
    if (!loading.ok()) {
      return first_error(loading.findings)
                 ? Status(error_of(*first_error(loading.findings), ErrorCode::max78_rules))
                 : Status(
                       wrong(path("cases.json"), "the network of '" + c_.name + "' does not fit"));
    }
    EDGETWIN_TRY_ASSIGN(const NetworkRun run,
                        simulate(*loading.network, loading.network->sample, {.trace = false}));
    std::vector<int32_t> found;
    for (const Tensor& t : run.outputs) {
      for (int64_t i = 0; i < t.shape.elements(); ++i) {
        found.push_back(static_cast<int32_t>(element_as_double(t.dtype, t.data, i)));
      }
    }
    c_.network = count(found, "network");
    c_.estimated_us = static_cast<double>(statistics(loading.network->plan()).cycles) / kClock;
    return Ok{};
  }

  void percents() {
    const auto list = row_.get("printed_percent");
    if (!list || list->size() == 0) return;
    const std::vector<int> ours = percent_tenths(sums_);
    size_t equal = 0;
    for (size_t i = 0; i < ours.size() && i < list->size(); ++i) {
      const std::string text = std::to_string(ours[i] / 10) + "." + std::to_string(ours[i] % 10);
      const std::string theirs = list->at(i).as_string().value_or("");
      if (text == theirs) ++equal;
      if (text != theirs && c_.first.empty()) {
        c_.first =
            "percent of class " + std::to_string(i) + ": board " + theirs + ", computed " + text;
      }
    }
    c_.percent = equal;
  }

  std::string folder_;
  const Json& row_;
  SiliconCase c_;
  std::vector<int32_t> sums_;
};

}  // namespace

bool SiliconCase::equal() const {
  const auto all = [this](const std::optional<size_t>& n) { return !n || *n == sums; };
  return all(machine) && all(network) && all(percent) && (machine || network);
}

size_t SiliconReport::sums() const {
  size_t n = 0;
  for (const SiliconCase& c : cases) n += c.sums;
  return n;
}

bool SiliconReport::equal() const {
  return !cases.empty() && std::ranges::all_of(cases, [](const auto& c) { return c.equal(); });
}

bool is_max78_recordings(const std::string& folder) {
  const auto json = cases_of(folder);
  if (!json.ok()) return false;
  const auto cases = json->get("cases");
  return cases && cases->size() > 0 &&
         cases->at(0).get_string("device").value_or("").starts_with("MAX78");
}

Result<SiliconReport> verify_silicon(const std::string& folder, const ProgressSink& progress) {
  EDGETWIN_TRY_ASSIGN(const Json json, cases_of(folder));
  const auto cases = json.get("cases");
  if (!cases || cases->size() == 0 || cases->size() > kMostCases) {
    return wrong((fs::path(folder) / "cases.json").string(), "there is no list of cases");
  }
  SiliconReport report;
  for (size_t i = 0; i < cases->size(); ++i) {
    const Json row = cases->at(i);
    if (progress) {
      progress(static_cast<double>(i) / static_cast<double>(cases->size()),
               row.get_string("name").value_or(""));
    }
    EDGETWIN_TRY_ASSIGN(SiliconCase c, CaseChecker(folder, row).run());
    report.cases.push_back(std::move(c));
  }
  return report;
}

// Powers of two by shifts of whole bits, and two roundings; docs/numerics.md.
std::vector<int> percent_tenths(const std::vector<int32_t>& sums) {
  if (sums.empty()) return {};
  const int64_t base = int64_t{*std::ranges::max_element(sums)} - (int64_t{1} << 18);
  int64_t total = 0;
  for (const int64_t x : sums) {
    if (x > base) total += int64_t{1} << ((8192 + x - base) >> 14);
  }
  const int64_t share = (int64_t{1} << 32) / total;
  std::vector<int> tenths;
  for (const int64_t x : sums) {
    int64_t q = 0;
    if (x > base) {
      const int64_t shift = 17 + ((8191 + base - x) >> 14);
      q = std::min<int64_t>(32767,
                            shift >= 0 ? share >> std::min<int64_t>(shift, 62) : share << -shift);
    }
    tenths.push_back(static_cast<int>((1000 * q + 16384) >> 15));
  }
  return tenths;
}

}  // namespace edgetwin::max78
