// Estimates against what is known: totals that boards printed, the vendor's asserted and recorded
// cycles, and the residual table of docs/estimate.md.
#include <gtest/gtest.h>

#include "base/file.h"
#include "edgetwin/estimate.h"
#include "golden/max78_cases.h"
#include "source_dir.h"
#include "targets/max78/analysis/cycles.h"
#include "twin/estimate/residuals.h"

namespace edgetwin::golden {
namespace {

class Estimates : public testing::Test {
 protected:
  void SetUp() override {
    if (shared_data().empty()) GTEST_SKIP() << "EDGETWIN_SHARED_DATA is not set";
  }
};

TEST_F(Estimates, ActivationsOfEspdlModelsAreExact) {
  const std::pair<const char*, int64_t> kTotals[] = {
      {"face_mnp_s3", 49'232},         {"face_msr_s3", 202'400},
      {"person_reid_p4", 184'320},     {"mobilenetv2_05_gesture_p4", 278'528},
      {"espdet_cat_224_p4", 351'232},  {"espdet_face_224_p4", 351'232},
      {"pedestrian_pico_s3", 551'936}, {"pp_ocr_rec_s16_p4", 571'680},
      {"face_mfn_s3", 840'448},        {"mobilenetv2_s3", 1'705'984},
      {"yolo26n_512_p4", 2'621'440},   {"yolo11n_pose_v2_p4", 4'096'000},
      {"pp_ocr_det_s8_p4", 12'965'408}};
  for (const auto& [model, bytes] : kTotals) {
    SCOPED_TRACE(model);
    EstimateOptions o;
    o.open.target = "esp32p4";
    const auto e = estimate((shared_data() / "espdl/upstream" / model / "model.espdl").string(), o);
    ASSERT_TRUE(e.ok()) << to_text(e.error());
    EXPECT_EQ(e->memory.regions.front().parts.front().bytes, bytes);
  }
}

TEST_F(Estimates, InternalMemoryChangesTheTotal) {
  EstimateOptions o;
  o.open.target = "esp32p4";
  o.internal = 131'072;
  const auto e = estimate(
      (shared_data() / "espdl/upstream/mobilenetv2_05_gesture_p4/model.espdl").string(), o);
  ASSERT_TRUE(e.ok());
  EXPECT_EQ(e->memory.regions.front().parts.front().bytes, 196'608);
}

TEST_F(Estimates, TheResidualTableIsTheOneInTheDocument) {
  const auto tables = twin::residual_tables(shared_data().string());
  ASSERT_TRUE(tables.ok()) << to_text(tables.error());
  const auto page = read_file(source_dir() + "/docs/estimate.md");
  ASSERT_TRUE(page.ok());
  const std::string text(reinterpret_cast<const char*>(page->data()), page->size());
  EXPECT_NE(text.find(*tables), std::string::npos)
      << "docs/estimate.md needs what tools/fit_latency prints:\n"
      << *tables;
}

}  // namespace
}  // namespace edgetwin::golden
