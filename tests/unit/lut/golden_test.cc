// The recorded tables and sweeps of the reference data, bit for bit.
#include <cstdlib>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "gtest/gtest.h"
#include "lut/error_report.h"
#include "lut/sweep.h"
#include "lut/table.h"
#include "tensor/npy.h"

namespace edgetwin::lut {
namespace {

namespace fs = std::filesystem;

fs::path luts_folder() {
  const char* folder = std::getenv("EDGETWIN_SHARED_DATA");
  if (folder == nullptr) return {};
  for (const char* below : {"espdl/luts", "luts"}) {
    if (fs::exists(fs::path(folder) / below / "luts.json")) return fs::path(folder) / below;
  }
  return {};
}

Tensor load(const fs::path& path) {
  const auto bytes = read_file(path);
  EXPECT_TRUE(bytes.ok()) << path;
  auto tensor = read_npy(*bytes, path.string());
  EXPECT_TRUE(tensor.ok()) << path;
  return std::move(*tensor);
}

int64_t differences(const Tensor& a, const Tensor& b) {
  if (a.dtype != b.dtype || a.shape.elements() != b.shape.elements()) return -1;
  int64_t count = 0;
  for (int64_t i = 0; i < a.shape.elements(); ++i) {
    const bool same =
        element_as_double(a.dtype, a.data, i) == element_as_double(b.dtype, b.data, i);
    count += same ? 0 : 1;
  }
  return count;
}

void check_errors(const nlohmann::json& row, const char* key, const TableSpec& spec,
                  const Tensor& outputs) {
  if (!row.contains(key)) return;
  const auto d = deviation(spec, outputs.as<int16_t>());
  ASSERT_TRUE(d.ok());
  EXPECT_EQ(d->largest, row[key]["max"].get<int>()) << row["name"] << key;
  // The ideal itself is not recorded. Four of 65,536 inputs of gelu and one of swish lie so near a
  // tie that the recording library's own erf and exp decide; five are allowed.
  EXPECT_NEAR(static_cast<double>(d->differing), row[key]["share"].get<double>() * 65536, 5.0)
      << row["name"] << key;
}

TEST(Golden, EveryRecordedTableAndSweep) {
  const fs::path folder = luts_folder();
  if (folder.empty()) GTEST_SKIP() << "EDGETWIN_SHARED_DATA does not name the reference data";
  const auto text = read_file(folder / "luts.json");
  ASSERT_TRUE(text.ok());
  const auto rows = nlohmann::json::parse(as_text(*text));
  int tables = 0;
  int sweeps = 0;
  for (const auto& row : rows) {
    SCOPED_TRACE(row["name"].get<std::string>());
    TableSpec spec;
    spec.function = *function_from_name(row["function"].get<std::string>());
    spec.bits = row["bits"];
    spec.in_exponent = row["in_exponent"];
    spec.out_exponent = row["out_exponent"];
    spec.step = row["step"];
    const Tensor recorded = load(folder / row["table_half_even"].get<std::string>());
    EXPECT_EQ(differences(*build(spec), recorded), 0);
    ++tables;
    TableSpec up = spec;
    up.rounding = Rounding::half_up;
    const bool has_up = row.contains("table_half_up");
    const Tensor recorded_up =
        has_up ? load(folder / row["table_half_up"].get<std::string>()) : recorded;
    EXPECT_EQ(differences(*build(up), recorded_up), 0);
    tables += has_up ? 1 : 0;
    const std::tuple<const char*, const char*, LutRule, Rounding> kinds[] = {
        {"interp", "interp_vs_ideal", LutRule::interpolate, Rounding::half_even},
        {"nearest_half_even", "nearest_half_even_vs_ideal", LutRule::nearest, Rounding::half_even},
        {"nearest_half_up", "nearest_half_up_vs_ideal", LutRule::nearest, Rounding::half_up}};
    for (const auto& [key, errors, rule, ties] : kinds) {
      if (!row.contains(key)) continue;
      const Tensor wanted = load(folder / row[key].get<std::string>());
      EXPECT_EQ(differences(*sweep(recorded, rule, ties), wanted), 0) << key;
      check_errors(row, errors, spec, wanted);
      ++sweeps;
    }
  }
  EXPECT_EQ(tables, 24);
  EXPECT_EQ(sweeps, 30);
}

}  // namespace
}  // namespace edgetwin::lut
