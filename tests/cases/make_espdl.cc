#include "make_espdl.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/file.h"
#include "formats/espdl/write/write.h"
#include "tensor/npy.h"

namespace edgetwin {
namespace {

namespace fs = std::filesystem;
using espdl::Attribute;
using espdl::AttributeType;
using espdl::DataType;
using espdl::Document;
using espdl::Node;
using espdl::TensorData;
using espdl::ValueInfo;

template <class T>
TensorData data(const std::string& name, DataType type, std::vector<int64_t> dims, int64_t exponent,
                const std::vector<T>& values) {
  TensorData t;
  t.name = name;
  t.type = type;
  t.dims = std::move(dims);
  t.exponents = {exponent};
  t.data.resize(values.size() * sizeof(T));
  std::memcpy(t.data.data(), values.data(), t.data.size());
  return t;
}

ValueInfo info(const std::string& name, DataType type, std::vector<int64_t> shape,
               int64_t exponent) {
  ValueInfo v;
  v.name = name;
  v.type = type;
  v.has_shape = true;
  v.shape = std::move(shape);
  v.exponents = {exponent};
  return v;
}

Attribute text(const std::string& name, const std::string& value) {
  Attribute a;
  a.name = name;
  a.type = AttributeType::string;
  a.s = value;
  return a;
}

Attribute numbers(const std::string& name, std::vector<int64_t> values) {
  Attribute a;
  a.name = name;
  a.type = AttributeType::ints;
  a.ints = std::move(values);
  return a;
}

Attribute number(const std::string& name, int64_t value) {
  Attribute a;
  a.name = name;
  a.type = AttributeType::int_value;
  a.i = value;
  return a;
}

Node node(const std::string& type, const std::string& name, std::vector<std::string> inputs,
          const std::string& output, std::vector<Attribute> attributes) {
  Node n;
  n.op_type = type;
  n.name = name;
  n.inputs = std::move(inputs);
  n.outputs = {output};
  n.attributes = std::move(attributes);
  return n;
}

Document document(const std::string& name, std::vector<ValueInfo> inputs, ValueInfo output,
                  Node the_node) {
  Document d;
  d.ir_version = 8;
  d.graph_name = name;
  d.values = inputs;
  d.values.push_back(output);
  d.inputs = std::move(inputs);
  d.outputs = {std::move(output)};
  d.nodes = {std::move(the_node)};
  return d;
}

// docs/numerics.md, 3.3: wide sums give 127, the lanes of an ESP32-S3 126.
Document lane() {
  const ValueInfo x = info("x", DataType::int8, {1, 1, 1, 2}, -4);
  const ValueInfo y = info("y", DataType::int8, {1, 1, 1, 16}, 4);
  Document d =
      document("lane", {x}, y,
               node("Conv", "conv", {"x", "w", "b"}, "y",
                    {text("activation", "Linear"), numbers("dilations", {1, 1}), number("group", 1),
                     numbers("kernel_shape", {1, 1}), numbers("pads", {0, 0, 0, 0}),
                     text("quant_type", "S8"), numbers("strides", {1, 1})}));
  d.initializers = {data("w", DataType::int8, {1, 1, 2, 16}, -4, std::vector<int8_t>(32, 100)),
                    data("b", DataType::int32, {16}, -8, std::vector<int32_t>(16, 524000))};
  d.initializers[0].doc_string = "layout ==> (N/16)HWC16";
  d.test_inputs = {data("x", DataType::int8, {1, 1, 1, 2}, -4, std::vector<int8_t>{100, -100})};
  d.test_outputs = {data("y", DataType::int8, {1, 1, 1, 16}, 4, std::vector<int8_t>(16, 127))};
  return d;
}

// The identity in steps of 32.
Document table() {
  const ValueInfo x = info("x", DataType::int16, {1, 4}, -12);
  const ValueInfo y = info("y", DataType::int16, {1, 4}, -12);
  Document d = document("table", {x}, y,
                        node("LUT", "lut", {"x"}, "y",
                             {text("lut", "LUT_lut_0"), text("original_op_type", "Identity"),
                              text("quant_type", "S16")}));
  std::vector<int16_t> entries;
  for (int i = 0; i <= 2048; ++i) {
    entries.push_back(static_cast<int16_t>(std::min(-32768 + 32 * i, 32767)));
  }
  d.initializers = {data("LUT_lut_0", DataType::int16, {2049}, -12, entries)};
  return d;
}

// A sum whose exponents do not fit together: the runtime adds raw integers.
Document incoherent() {
  return document("incoherent",
                  {info("a", DataType::int8, {1, 4}, -5), info("b", DataType::int8, {1, 4}, -4)},
                  info("sum", DataType::int8, {1, 4}, -4),
                  node("Add", "add", {"a", "b"}, "sum", {text("quant_type", "S8")}));
}

Document strange() {
  return document("strange", {info("a", DataType::int8, {1, 4}, -5)},
                  info("y", DataType::int8, {1, 4}, -4),
                  node("Erf", "erf", {"a"}, "y", {text("quant_type", "S8")}));
}

espdl::ModelFile file_of(Document d, const std::string& name = {}) {
  espdl::ModelFile m;
  m.name = name;
  m.document = std::move(d);
  return m;
}

bool save(const fs::path& path, const espdl::Container& c, std::optional<espdl::Key> key = {}) {
  const auto bytes = espdl::write(c, key);
  return bytes.ok() && write_file(path, *bytes, Overwrite::yes).ok();
}

bool save_array(const fs::path& path, const Tensor& t) {
  const auto bytes = write_npy(t);
  return bytes.ok() && write_file(path, *bytes, Overwrite::yes).ok();
}

}  // namespace

bool write_espdl_files(const fs::path& folder) {
  espdl::ModelFile secret = file_of(lane());
  secret.encrypted = true;
  espdl::Key key{};
  for (size_t i = 0; i < key.size(); ++i) key[i] = static_cast<std::byte>(i);
  const auto package = espdl::pack({file_of(lane(), "lane.espdl"), file_of(table(), "lut.espdl")});
  Tensor lane_in = Tensor::zeros(DType::int8, {1, 1, 1, 2}).value();
  lane_in.as<int8_t>()[0] = 100;
  lane_in.as<int8_t>()[1] = -100;
  Tensor lut_in = Tensor::zeros(DType::int16, {1, 4}).value();
  // A table of step 32 as old exporters wrote it, without the entry beyond the range.
  Tensor short_table = Tensor::zeros(DType::int16, {2048}).value();
  for (int i = 0; i < 2048; ++i) {
    const double x = (-32768 + 32 * i) / 4096.0;
    short_table.as<int16_t>()[static_cast<size_t>(i)] =
        static_cast<int16_t>(std::lround(x / (1.0 + std::exp(-x)) * 4096.0));
  }
  const int16_t values[] = {5, 16, -17, 32767};
  std::copy_n(values, 4, lut_in.as<int16_t>().begin());
  return package.ok() && save(folder / "lane.espdl", espdl::single(file_of(lane()))) &&
         save(folder / "table.espdl", espdl::single(file_of(table()))) &&
         save(folder / "incoherent.espdl", espdl::single(file_of(incoherent()))) &&
         save(folder / "strange.espdl", espdl::single(file_of(strange()))) &&
         save(folder / "secret.espdl", espdl::single(secret), key) &&
         save(folder / "package.espdl", *package) && save_array(folder / "lane.npy", lane_in) &&
         save_array(folder / "table.npy", lut_in) && save_array(folder / "short.npy", short_table);
}

}  // namespace edgetwin
