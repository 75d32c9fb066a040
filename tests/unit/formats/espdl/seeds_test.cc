// The seeds of tests/fuzz/corpus/fuzz_espdl are made here. With EDGETWIN_UPDATE_SEEDS set they are
// written; otherwise they must be what is made.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>

#include "base/file.h"
#include "source_dir.h"
#include "unit/formats/espdl/espdl_models.h"

namespace edgetwin::espdl {
namespace {

using testing::floats;
using testing::full_document;
using testing::kKey;
using testing::model_file;
using testing::small_document;

Bytes seed(ModelFile model) { return *write(single(std::move(model)), kKey); }

Document depthwise_document() {
  Document d = small_document();
  d.nodes[0].attributes[1].i = 18;
  d.initializers[0] = testing::tensor("weight", DataType::int16, {3, 1, 18, 1}, 108);
  d.initializers[0].doc_string = "layout ==> (N/8)HWC8_UNALIGNED";
  d.nodes[0].attributes.push_back(floats("scales", {0.5F, 0.25F, 1.5F}));
  return d;
}

std::map<std::string, Bytes> seeds() {
  ModelFile old = model_file("", small_document());
  old.edl_version = 1;
  ModelFile encrypted = model_file("", small_document());
  encrypted.encrypted = true;
  Container mixed = testing::small_package(2);
  mixed.models[1].encrypted = true;
  return {{"edl2.espdl", seed(model_file("", small_document()))},
          {"edl1.espdl", seed(old)},
          {"everything.espdl", seed(model_file("", full_document()))},
          {"depthwise.espdl", seed(model_file("", depthwise_document()))},
          {"encrypted.espdl", seed(encrypted)},
          {"pdl1.espdl", *write(testing::small_package(1))},
          {"pdl2_mixed.espdl", *write(mixed, kKey)},
          {"pdl3.espdl", *write(testing::small_package(3))}};
}

TEST(EspdlSeeds, AreWhatIsMadeHere) {
  const std::filesystem::path folder =
      std::filesystem::path(source_dir()) / "tests" / "fuzz" / "corpus" / "fuzz_espdl";
  for (const auto& [name, bytes] : seeds()) {
    if (std::getenv("EDGETWIN_UPDATE_SEEDS") != nullptr) {
      ASSERT_TRUE(write_file(folder / name, bytes, Overwrite::yes).ok());
    }
    const auto stored = read_file(folder / name);
    ASSERT_TRUE(stored.ok()) << to_text(stored.error());
    EXPECT_EQ(*stored, bytes) << name << ": EDGETWIN_UPDATE_SEEDS=1 writes it again";
    EXPECT_LT(bytes.size(), 16384U);
  }
}

}  // namespace
}  // namespace edgetwin::espdl
