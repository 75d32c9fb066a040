#include "lut/of_model.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>

#include "base/file.h"
#include "formats/espdl/read/read.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lut/error_report.h"

namespace edgetwin::lut {
namespace {

namespace fs = std::filesystem;
using numerics::Rounding;
using ::testing::HasSubstr;

espdl::Attribute text_attribute(const std::string& name, const std::string& value) {
  espdl::Attribute a;
  a.name = name;
  a.type = espdl::AttributeType::string;
  a.s = value;
  return a;
}

espdl::ValueInfo value_info(const std::string& name, int64_t exponent) {
  espdl::ValueInfo v;
  v.name = name;
  v.exponents = {exponent};
  return v;
}

// One node x -> y with a table of `spec`.
espdl::Document one_node(const TableSpec& spec, const std::string& op_type) {
  espdl::Document d;
  const Tensor table = *build(spec);
  espdl::TensorData data;
  data.name = "T";
  data.type = spec.bits == 8 ? espdl::DataType::int8 : espdl::DataType::int16;
  data.dims = {table.shape.elements()};
  data.exponents = {spec.out_exponent};
  data.data = table.data;
  d.initializers = {data};
  espdl::Node node;
  node.name = "act";
  node.op_type = op_type;
  node.inputs = {"x"};
  node.outputs = {"y"};
  node.attributes = {text_attribute("lut", "T")};
  d.nodes = {node};
  d.values = {value_info("x", spec.in_exponent), value_info("y", spec.out_exponent)};
  return d;
}

TableSpec swish(int bits, int step) {
  TableSpec spec;
  spec.function = Function::swish;
  spec.bits = bits;
  spec.step = step;
  spec.in_exponent = spec.out_exponent = bits == 8 ? -4 : -12;
  return spec;
}

TEST(OfModel, SaysWhatTheRuntimeUses) {
  const auto table = [](int bits, const std::string& op) {
    espdl::Document d = one_node(swish(bits, bits == 8 ? 1 : 64), op);
    d.nodes[0].attributes.push_back(text_attribute("original_op_type", "Swish"));
    auto tables = tables_of(d, Rounding::half_up);
    EXPECT_TRUE(tables.ok());
    EXPECT_EQ(tables->tables.size(), 1U);
    return std::move(tables->tables[0]);
  };
  EXPECT_TRUE(table(8, "Swish").used);
  EXPECT_TRUE(table(16, "LUT").used);
  EXPECT_TRUE(table(8, "Gelu").used);
  EXPECT_FALSE(table(16, "Swish").used);
  EXPECT_THAT(table(16, "Swish").why, HasSubstr("in float"));
  EXPECT_FALSE(table(8, "Neg").used);
  EXPECT_FALSE(table(8, "Sin").used);
  EXPECT_THAT(table(8, "Sin").why, HasSubstr("does not load"));
  const ModelTable t = table(16, "LUT");
  EXPECT_TRUE(t.known_function);
  EXPECT_EQ(t.spec.function, Function::swish);
  EXPECT_EQ(t.spec.step, 64);
  EXPECT_EQ(t.spec.in_exponent, -12);
  EXPECT_EQ(t.original_type, "Swish");
  EXPECT_EQ(t.op_type, "LUT");
}

TEST(OfModel, MissingAndMalformedTablesAreFindings) {
  espdl::Document d = one_node(swish(16, 64), "LUT");
  d.initializers[0].dims = {64};
  auto tables = tables_of(d, Rounding::half_up);
  ASSERT_TRUE(tables.ok());
  EXPECT_TRUE(tables->tables.empty());
  ASSERT_EQ(tables->findings.size(), 1U);
  EXPECT_EQ(tables->findings[0].severity, Severity::error);
  d.initializers.clear();
  EXPECT_THAT(tables_of(d, Rounding::half_up)->findings.at(0).message, HasSubstr("has none"));
  d.nodes[0].op_type = "Swish";
  EXPECT_EQ(tables_of(d, Rounding::half_up)->findings.at(0).severity, Severity::warning);
  d.nodes[0].attributes.clear();
  EXPECT_TRUE(tables_of(d, Rounding::half_up)->findings.empty());

  d = one_node(swish(16, 64), "LUT");
  d.initializers[0].exponents = {-3};
  EXPECT_THAT(tables_of(d, Rounding::half_up)->findings.at(0).message, HasSubstr("exponent"));
}

TEST(OfModel, DamagedDocumentsAreNotCompared) {
  const auto known = [](const espdl::Document& d) {
    const auto tables = tables_of(d, Rounding::half_up);
    return tables.ok() && tables->tables.size() == 1 && tables->tables[0].known_function;
  };
  const espdl::Document good = one_node(swish(16, 64), "Swish");
  EXPECT_TRUE(known(good));
  espdl::Document d = good;
  d.values.clear();
  EXPECT_FALSE(known(d));
  d = good;
  d.values[0].exponents = {int64_t{1} << 40};
  EXPECT_FALSE(known(d));
  d = good;
  d.nodes[0].inputs.clear();
  EXPECT_FALSE(known(d));
  d = good;
  d.nodes[0].op_type = "Something";
  EXPECT_FALSE(known(d));
}

TEST(OfModel, LimitsOfClipAreInputs) {
  TableSpec spec = swish(8, 1);
  spec.function = Function::clip;
  spec.alpha = 0.0F;
  spec.beta = 6.0F;
  espdl::Document d = one_node(spec, "Clip");
  const auto constant = [&](const std::string& name, float v) {
    espdl::TensorData data;
    data.name = name;
    data.type = espdl::DataType::float32;
    data.data.resize(4);
    std::memcpy(data.data.data(), &v, 4);
    d.initializers.push_back(data);
    d.nodes[0].inputs.push_back(name);
  };
  constant("low", 0.0F);
  constant("high", 6.0F);
  const auto tables = tables_of(d, Rounding::half_even);
  ASSERT_TRUE(tables.ok());
  const ModelTable& t = tables->tables.at(0);
  EXPECT_EQ(t.spec.alpha, 0.0F);
  EXPECT_EQ(t.spec.beta, 6.0F);
  EXPECT_TRUE(examine(t.spec, t.table)->good());
}

fs::path espdl_folder() {
  const char* folder = std::getenv("EDGETWIN_SHARED_DATA");
  if (folder == nullptr) return {};
  for (const char* below : {"espdl", ""}) {
    if (fs::exists(fs::path(folder) / below / "corpus")) return fs::path(folder) / below;
  }
  return {};
}

// Every table of every exported network of the reference data, against a table built here.
TEST(OfModel, TablesOfExportedNetworksAreReproduced) {
  const fs::path folder = espdl_folder();
  if (folder.empty()) GTEST_SKIP() << "EDGETWIN_SHARED_DATA does not name the reference data";
  std::vector<fs::path> files;
  for (const char* part : {"corpus", "upstream"}) {
    for (const auto& entry : fs::recursive_directory_iterator(folder / part)) {
      if (entry.path().extension() == ".espdl") files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  std::map<std::string, int> count;
  for (const fs::path& file : files) {
    const auto bytes = read_file(file);
    ASSERT_TRUE(bytes.ok());
    const auto container = espdl::read(*bytes, file.string());
    ASSERT_TRUE(container.ok()) << to_text(container.error());
    const bool p4 = file.string().find("p4") != std::string::npos;
    const Rounding rounding = p4 ? Rounding::half_even : Rounding::half_up;
    const auto tables = tables_of(container->models.at(0).document, rounding);
    ASSERT_TRUE(tables.ok());
    for (const ModelTable& t : tables->tables) {
      const std::string what = t.original_type + (t.spec.bits == 8 ? " s8" : " s16");
      ASSERT_TRUE(t.known_function) << file << " " << t.node << " " << t.why;
      const auto report = examine(t.spec, t.table, t.declared_step);
      ASSERT_TRUE(report.ok()) << to_text(report.error());
      EXPECT_TRUE(report->good()) << file << " " << t.node << " " << to_string(report->spec) << " "
                                  << report->parity.differing << " differ, first "
                                  << report->parity.first << " by " << report->parity.largest;
      ++count[what];
    }
  }
  for (const auto& [what, n] : count) RecordProperty(what, n);
  EXPECT_GE(count.size(), 15U);
}

}  // namespace
}  // namespace edgetwin::lut
