// What stays on the chip between programs, and which program a chunk belongs to.
#include "targets/edgetpu/virtual_device/reference/reference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "unit/targets/edgetpu/params/dense_model.h"
#include "unit/targets/edgetpu/virtual_device/host.h"
#include "unit/targets/edgetpu/virtual_device/pair.h"

namespace edgetwin::edgetpu {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::shared_ptr<const Graph> graph(int seed = 0) {
  return std::make_shared<const Graph>(pair_graph(seed));
}

// The same program with one more word, so that it is another one.
darwinn::File longer(darwinn::File file) {
  for (darwinn::Executable& e : file.ops[0].packages[0].executables) {
    insert_behind_start(e.bitstreams[0], Assembly(Opcode::scalar));
  }
  return file;
}

struct ReferenceTest : ::testing::Test {
  std::shared_ptr<Library> library = std::make_shared<Library>();
  std::unique_ptr<Stick> made;
  Bytes input = Bytes(32, std::byte{140});

  Host host() {
    if (made == nullptr) {
      made = std::make_unique<Stick>(StickOptions{}, std::make_shared<ReferenceCompute>(library));
      Host{*made}.bring_up();
    }
    return Host{*made};
  }
  void load(const darwinn::File& file) {
    const darwinn::Executable& e = file.ops[0].packages[0].executables[1];
    host().instructions(e.bitstreams[0].data);
    host().send(Tag::parameters, e.parameters);
    host().in(endpoint::kEvent, kEventBytes);
  }
  Bytes infer(const darwinn::File& file) {
    host().instructions(file.ops[0].packages[0].executables[0].bitstreams[0].data);
    host().send(Tag::input, input);
    const Bytes output = host().in(endpoint::kOutput, 16);
    host().in(endpoint::kEvent, kEventBytes);
    return output;
  }
};

TEST_F(ReferenceTest, ParametersMustBeThere) {
  ASSERT_TRUE(library->learn(pair_file(), graph(), "pair").ok());
  EXPECT_TRUE(infer(pair_file()).empty());
  EXPECT_THAT(host().rules(), ElementsAre("parameters"));
}

TEST_F(ReferenceTest, ParametersStayUntilAReset) {
  ASSERT_TRUE(library->learn(pair_file(), graph(), "pair").ok());
  load(pair_file());
  const Bytes first = infer(pair_file());
  EXPECT_EQ(first.size(), 16U);
  EXPECT_EQ(infer(pair_file()), first);
  EXPECT_THAT(host().rules(), IsEmpty());
  made->port_reset();
  host().bring_up();
  EXPECT_TRUE(infer(pair_file()).empty());
  EXPECT_THAT(host().rules(), ElementsAre("parameters"));
}

// Models that were compiled together have one token and share the memory.
TEST_F(ReferenceTest, OneTokenKeepsWhatAnotherTakes) {
  for (const bool together : {true, false}) {
    SCOPED_TRACE(together);
    library = std::make_shared<Library>();
    made.reset();
    const darwinn::File a = pair_file(1);
    const darwinn::File b = longer(pair_file(2, together ? kPairToken : kPairToken + 1));
    ASSERT_TRUE(library->learn(a, graph(1), "a").ok());
    ASSERT_TRUE(library->learn(b, graph(2), "b").ok());
    load(a);
    const Bytes of_a = infer(a);
    load(b);
    const Bytes of_b = infer(b);
    EXPECT_EQ(of_b.size(), 16U);
    EXPECT_NE(of_a, of_b);
    const Bytes again = infer(a);
    if (together) {
      EXPECT_EQ(again, of_a);
      EXPECT_THAT(host().rules(), IsEmpty());
    } else {
      EXPECT_TRUE(again.empty());
      EXPECT_THAT(host().rules(), ElementsAre("parameters"));
    }
  }
}

// Equal programs of two models: what was uploaded decides, not the order of learning.
TEST_F(ReferenceTest, ModelsWithOneProgram) {
  ASSERT_TRUE(library->learn(pair_file(1), graph(1), "a").ok());
  ASSERT_TRUE(library->learn(pair_file(2), graph(2), "b").ok());
  std::vector<Bytes> outputs;
  for (const int seed : {1, 2, 3}) {
    load(pair_file(seed));
    outputs.push_back(infer(pair_file(seed)));
  }
  EXPECT_THAT(host().rules(), IsEmpty());
  EXPECT_NE(outputs[0], outputs[1]);
  EXPECT_NE(outputs[1], outputs[2]);
}

TEST_F(ReferenceTest, ChunksComeInTheOrderOfTheHints) {
  darwinn::File file = pair_file();
  darwinn::Executable& run = file.ops[0].packages[0].executables[0];
  ProgramBuilder second;
  second.op(ScalarOp::mov, 9, 0, 1);
  run.bitstreams.push_back({second.finish(), {}, {}});
  darwinn::DmaHint h;
  h.kind = darwinn::HintKind::instruction;
  h.chunk = 1;
  run.dma_hints->hints.insert(run.dma_hints->hints.begin() + 1, h);
  ASSERT_TRUE(library->learn(file, graph(), "two chunks").ok());
  load(file);
  host().instructions(run.bitstreams[0].data);
  host().instructions(run.bitstreams[1].data);
  host().send(Tag::input, input);
  EXPECT_EQ(host().in(endpoint::kOutput, 16).size(), 16U);
  host().in(endpoint::kEvent, kEventBytes);
  EXPECT_THAT(host().rules(), IsEmpty());
  host().instructions(run.bitstreams[1].data);
  EXPECT_THAT(host().rules(), ElementsAre("chunk"));
}

TEST_F(ReferenceTest, UnknownInstructionsAreExecutedButNotComputed) {
  ASSERT_TRUE(library->learn(pair_file(), graph(), "pair").ok());
  EXPECT_TRUE(infer(longer(pair_file())).empty());
  EXPECT_THAT(host().rules(), ElementsAre("compute"));
}

// An address that a driver wrote does not make another program of it.
TEST_F(ReferenceTest, AddressesDoNotMatter) {
  ASSERT_TRUE(library->learn(pair_file(), graph(), "pair").ok());
  load(pair_file());
  const Bytes plain = infer(pair_file());
  darwinn::File file = pair_file();
  darwinn::Bitstream& b = file.ops[0].packages[0].executables[0].bitstreams[0];
  for (const darwinn::FieldOffset& f : b.field_offsets) {
    set_bits(b.data, static_cast<size_t>(f.offset_bit), 32, 0xdeadb000U);
  }
  EXPECT_EQ(infer(file), plain);
  EXPECT_EQ(plain.size(), 16U);
}

TEST_F(ReferenceTest, SizesThatDoNotFitAreRefused) {
  darwinn::File file = pair_file();
  file.ops[0].packages[0].executables[0].dma_hints->hints[2].size = -16;
  const Status transfer = library->learn(file, graph(), "pair");
  ASSERT_FALSE(transfer.ok());
  EXPECT_EQ(transfer.error().code, ErrorCode::stick_layer);
  file = pair_file();
  file.ops[0].packages[0].executables[0].inputs[0].size_bytes = 8;
  EXPECT_FALSE(library->learn(file, graph(), "pair").ok());
}

TEST(FindReference, ByTheNamesOfTheVendorsCompiler) {
  const auto folder = std::filesystem::temp_directory_path() / "edgetwin_find_reference";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "net.tflite") << "x";
  EXPECT_EQ(find_reference((folder / "net_edgetpu.tflite").string()),
            (folder / "net.tflite").string());
  EXPECT_FALSE(find_reference((folder / "other_edgetpu.tflite").string()).has_value());
  EXPECT_FALSE(find_reference((folder / "net.tflite").string()).has_value());
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace edgetwin::edgetpu
