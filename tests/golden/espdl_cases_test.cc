// Every recorded case of the ESP-DL runtime: small networks, networks published by others with the
// CRC of every tensor, both rules of look-up. Equality, not tolerance, but for float outputs.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "formats/espdl/import/import.h"
#include "formats/espdl/read/read.h"
#include "golden/crc32.h"
#include "golden/golden.h"
#include "golden/json_file.h"
#include "tensor/npy.h"
#include "verify/compare.h"

namespace edgetwin::golden {
namespace {

using nlohmann::json;

// The arithmetic that made the recorded values: the portable code with the target's rounding.
std::string portable(const std::string& target) {
  if (target == "esp32p4") return "espdl-p4-wide";
  return target == "esp32s3" ? "espdl-s3-wide" : "espdl-c";
}

Result<exec::Session> open_file(const fs::path& path, const std::string& target, int runtime,
                                bool keep_all, bool fast) {
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(path));
  EDGETWIN_TRY_ASSIGN(const espdl::Container file, espdl::read(data, path.string()));
  EDGETWIN_TRY_ASSIGN(
      Model model, espdl::import_document(file.models[0].document, *espdl::target_by_name(target),
                                          path.string()));
  exec::Options options;
  options.numerics = portable(target);
  options.runtime = runtime;
  options.keep_all = keep_all;
  options.fast = fast;
  return exec::Session::create(std::make_shared<const Graph>(std::move(model.graphs[0])), options);
}

Result<exec::Session> open(const fs::path& folder, const std::string& target, int runtime,
                           bool keep_all, bool fast) {
  return open_file(folder / "model.espdl", target, runtime, keep_all, fast);
}

Result<std::vector<Tensor>> inputs_of(const json& c, const fs::path& folder) {
  std::vector<Tensor> inputs;
  for (const json& i : c["inputs"]) {
    EDGETWIN_TRY_ASSIGN(Tensor t, load_npy(folder / i["file"].get<std::string>()));
    inputs.push_back(std::move(t));
  }
  return inputs;
}

void expect_same(const Tensor& got, const Tensor& wanted, const std::string& what) {
  const double tolerance = wanted.dtype == DType::float32 ? 1e-6 : 0.0;
  const verify::TensorDiff d = verify::compare(got, wanted, tolerance);
  EXPECT_TRUE(d.equal()) << what << ": " << d.problem << " " << d.different << " of " << d.elements
                         << " differ, first at " << d.first_position << ": " << d.first_a << " / "
                         << d.first_b;
}

class EspdlCases : public ::testing::TestWithParam<bool> {};

TEST_P(EspdlCases, SmallNetworks) {
  if (shared_data().empty()) GTEST_SKIP() << "EDGETWIN_SHARED_DATA is not set";
  const fs::path root = shared_data() / "espdl";
  int compared = 0;
  for (const json& c : load_json(root / "cases.json")) {
    const fs::path folder = root / c["dir"].get<std::string>();
    const std::string id = c["id"];
    for (const bool interpolated : {false, true}) {
      const char* key = interpolated ? "runtime_interp" : "runtime";
      bool recorded = false;
      for (const json& o : c["outputs"]) recorded = recorded || o.contains(key);
      if (!recorded) continue;
      auto session = open(folder, c["target"], interpolated ? 30307 : 0, false, GetParam());
      ASSERT_TRUE(session.ok()) << id << "\n" << to_text(session.error());
      const auto inputs = inputs_of(c, folder);
      ASSERT_TRUE(inputs.ok()) << to_text(inputs.error());
      ASSERT_TRUE(run(*session, *inputs).ok());
      for (size_t i = 0; i < c["outputs"].size(); ++i) {
        if (!c["outputs"][i].contains(key)) continue;
        const auto wanted = load_npy(folder / c["outputs"][i][key].get<std::string>());
        ASSERT_TRUE(wanted.ok()) << to_text(wanted.error());
        expect_same(session->output(i), *wanted, id + " " + key + " " + std::to_string(i));
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 200);
}

std::vector<std::string> differing_nodes(const exec::Session& session, const json& trace) {
  std::vector<std::string> wrong;
  for (const json& entry : trace) {
    const std::string name = entry["name"];
    bool found = false;
    for (size_t v = 0; v < session.graph().values.size(); ++v) {
      if (session.graph().values[v].name != name) continue;
      const Tensor t = session.tensor(static_cast<ValueId>(v));
      found = true;
      // Float results may differ in their last bit.
      if (t.dtype == DType::float32) break;
      if (crc32_hex(t.data) != entry["crc32"]) wrong.push_back(name);
      break;
    }
    if (!found) wrong.push_back(name + " (absent)");
  }
  return wrong;
}

TEST_P(EspdlCases, PublishedNetworks) {
  if (shared_data().empty()) GTEST_SKIP() << "EDGETWIN_SHARED_DATA is not set";
  const fs::path root = shared_data() / "espdl";
  int compared = 0;
  for (const json& c : load_json(root / "upstream_cases.json")) {
    const fs::path folder = root / c["dir"].get<std::string>();
    const std::string id = c["id"];
    if (!fs::exists(folder / "trace.json")) continue;
    for (const bool interpolated : {false, true}) {
      const fs::path file = folder / (interpolated ? "runtime_interp.npz" : "runtime.npz");
      if (!fs::exists(file)) continue;
      auto session = open(folder, c["target"], interpolated ? 30307 : 0, true, GetParam());
      ASSERT_TRUE(session.ok()) << id << "\n" << to_text(session.error());
      const auto inputs = inputs_of(c, folder);
      ASSERT_TRUE(inputs.ok()) << to_text(inputs.error());
      ASSERT_TRUE(run(*session, *inputs).ok());
      const auto bytes = read_file(file);
      const auto wanted = read_npz(*bytes, file.string());
      ASSERT_TRUE(wanted.ok()) << to_text(wanted.error());
      for (const Tensor& w : *wanted) {
        const size_t index = std::stoul(w.name.substr(1));
        expect_same(session->output(index), w, id + " " + w.name);
      }
      if (!interpolated) {
        const auto wrong = differing_nodes(*session, load_json(folder / "trace.json"));
        EXPECT_TRUE(wrong.empty()) << id << ": " << wrong.size() << " nodes differ, first "
                                   << wrong.front() << " " << json(wrong).dump();
      }
      ++compared;
    }
  }
  EXPECT_GE(compared, 8);
}

// One table over all 65,536 inputs, in runs of 1,024, as its author generated them.
TEST_P(EspdlCases, PrototypeTables) {
  if (shared_data().empty()) GTEST_SKIP() << "EDGETWIN_SHARED_DATA is not set";
  const fs::path folder = shared_data() / "espdl" / "upstream" / "swish_lut_prototype";
  for (const char* which : {"a", "b"}) {
    const std::string stem = std::string("swish_lut_test_") + which;
    for (const int runtime : {30307, 30309}) {
      auto session = open_file(folder / (stem + ".espdl"), "esp32p4", runtime, false, GetParam());
      ASSERT_TRUE(session.ok()) << to_text(session.error());
      const auto input = load_npy(folder / (stem + ".input_q.npy"));
      const auto wanted = load_npy(folder / (stem + ".expected_q.npy"));
      ASSERT_TRUE(input.ok() && wanted.ok());
      constexpr size_t kRun = 1024;
      size_t differing = 0;
      for (size_t at = 0; at + kRun <= input->as<int16_t>().size(); at += kRun) {
        ASSERT_TRUE(session->set_input(0, ByteSpan(input->data).subspan(at * 2, kRun * 2)).ok());
        ASSERT_TRUE(session->run().ok());
        const Tensor out = session->output(0);
        for (size_t i = 0; i < kRun; ++i) {
          differing += out.as<int16_t>()[i] != wanted->as<int16_t>()[at + i] ? 1U : 0U;
        }
      }
      if (runtime == 30307) {
        EXPECT_EQ(differing, 0U) << which;
      } else {
        EXPECT_GE(differing, 51837U) << which;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, EspdlCases, ::testing::Values(true, false),
                         [](const auto& p) { return p.param ? "fast" : "plain"; });

}  // namespace
}  // namespace edgetwin::golden
