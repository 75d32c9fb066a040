// Every recorded .espdl file becomes a graph and a file again: operators, exponents, weights,
// biases, tables and orders must be those of the original, and the run must be the same.
#include <gtest/gtest.h>

#include <algorithm>

#include "formats/espdl/compare/compare.h"
#include "formats/espdl/export/export.h"
#include "formats/espdl/import/import.h"
#include "formats/espdl/read/read.h"
#include "golden/golden.h"
#include "targets/espdl/export/export.h"

namespace edgetwin::golden {
namespace {

struct Recorded {
  fs::path path;
  espdl::Document document;
  espdl::Target target = espdl::Target::c;
};

// The folder's name tells the target; that of a published network its last part.
espdl::Target target_of(const fs::path& path, const espdl::Document& document) {
  const auto evidence = espdl::target_evidence(document);
  if (evidence.target) return *evidence.target;
  const std::string folder = path.parent_path().filename().string();
  const bool p4 = folder.find("p4") != std::string::npos;
  return evidence.blocks.value_or(p4) && p4       ? espdl::Target::esp32p4
         : folder.find("s3") != std::string::npos ? espdl::Target::esp32s3
                                                  : espdl::Target::esp32p4;
}

std::vector<Recorded> recorded() {
  std::vector<Recorded> found;
  for (const char* folder : {"corpus", "upstream"}) {
    for (const auto& entry : fs::recursive_directory_iterator(shared_data() / "espdl" / folder)) {
      if (entry.path().extension() != ".espdl") continue;
      const auto data = read_file(entry.path());
      EXPECT_TRUE(data.ok());
      auto container = espdl::read(*data, entry.path().string());
      EXPECT_TRUE(container.ok()) << to_text(container.error());
      espdl::Document document = std::move(container->models[0].document);
      const espdl::Target target = target_of(entry.path(), document);
      found.push_back({entry.path(), std::move(document), target});
    }
  }
  std::sort(found.begin(), found.end(),
            [](const Recorded& a, const Recorded& b) { return a.path < b.path; });
  return found;
}

// The recorded inputs; none where the file has none.
std::vector<Tensor> test_inputs(const espdl::Document& document) {
  std::vector<Tensor> inputs;
  for (const espdl::TensorData& t : document.test_inputs) inputs.push_back(*espdl::to_tensor(t));
  return inputs;
}

void expect_the_same_again(const Recorded& r, size_t& operators) {
  const auto model = espdl::import_document(r.document, r.target, r.path.string());
  ASSERT_TRUE(model.ok()) << to_text(model.error());
  // Networks that others published are large, and some have operators that the runtime leaves open:
  // they are compared, but not run.
  espdl::Document exported;
  if (r.path.string().find("/corpus/") != std::string::npos) {
    const auto files =
        targets::espdl::export_model(model->main(), test_inputs(r.document), {.target = r.target});
    if (!files.ok() && files.error().code == ErrorCode::op_undefined) {
      exported = *espdl::export_graph(model->main(), r.target, espdl::export_options(r.document));
    } else {
      ASSERT_TRUE(files.ok()) << to_text(files.error());
      EXPECT_NE(files->info.find("test outputs value:"), std::string::npos);
      EXPECT_EQ(files->document.test_inputs, r.document.test_inputs);
      exported = files->document;
    }
  } else {
    const auto document =
        espdl::export_graph(model->main(), r.target, espdl::export_options(r.document));
    ASSERT_TRUE(document.ok()) << to_text(document.error());
    exported = *document;
  }
  const auto diff = espdl::compare_documents(r.document, exported);
  EXPECT_TRUE(diff.equal) << diff.first << "\n" << diff.lines.size() << " lines";
  EXPECT_EQ(diff.operators, r.document.nodes.size());
  EXPECT_TRUE(espdl::compare_documents(exported, r.document).equal);
  operators += diff.operators;
}

TEST(EspdlExport, GivesEveryRecordedFileAgain) {
  if (shared_data().empty()) GTEST_SKIP() << "EDGETWIN_SHARED_DATA is not set";
  size_t operators = 0;
  for (const Recorded& r : recorded()) {
    SCOPED_TRACE(r.path.string());
    expect_the_same_again(r, operators);
  }
  EXPECT_GT(operators, 1900U);
}

// One number changed anywhere is seen, and named.
TEST(EspdlExport, ComparingSeesEveryChangedConstant) {
  if (shared_data().empty()) GTEST_SKIP() << "EDGETWIN_SHARED_DATA is not set";
  size_t seen = 0;
  for (const Recorded& r : recorded()) {
    if (r.path.string().find("_block_a_") == std::string::npos) continue;
    for (size_t i = 0; i < r.document.initializers.size(); ++i) {
      const espdl::TensorData& t = r.document.initializers[i];
      const bool counts = t.type == espdl::DataType::int8 || t.type == espdl::DataType::int16 ||
                          t.type == espdl::DataType::int32;
      if (!counts || t.dims.empty()) continue;
      espdl::Document changed = r.document;
      changed.initializers[i].data.back() ^= std::byte{1};
      auto diff = espdl::compare_documents(r.document, changed);
      EXPECT_FALSE(diff.equal) << t.name;
      EXPECT_NE(diff.first.find(t.name), std::string::npos) << diff.first;
      changed = r.document;
      changed.initializers[i].exponents.back() += 1;
      diff = espdl::compare_documents(r.document, changed);
      EXPECT_NE(diff.first.find("exponent"), std::string::npos) << diff.first;
      ++seen;
    }
  }
  EXPECT_GT(seen, 20U);
}

}  // namespace
}  // namespace edgetwin::golden
