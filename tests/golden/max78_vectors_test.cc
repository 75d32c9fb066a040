// Digests of registers, kernels, biases, inputs and known answers of the recorded networks on both
// chips, and which chip refuses which network (max78_vectors.tsv).
#include <gtest/gtest.h>

#include "base/sha256.h"
#include "golden/max78_cases.h"
#include "source_dir.h"

namespace edgetwin::golden {
namespace {

using namespace max78;  // NOLINT

class Digest {
 public:
  void word(uint32_t value) {
    for (int i = 0; i < 4; ++i) byte(static_cast<uint8_t>(value >> (8 * i)));
  }
  void words(const std::vector<uint32_t>& values) {
    for (const uint32_t v : values) word(v);
  }
  void byte(uint8_t value) { bytes_.push_back(static_cast<std::byte>(value)); }
  std::string text() const { return sha256_hex(bytes_).substr(0, 16); }

 private:
  Bytes bytes_;
};

std::string registers(const Plan& plan) {
  Digest d;
  for (const Function& f : {cnn_init(plan), cnn_configure(plan), cnn_start(plan)}) {
    for (const Access& a : f.accesses) {
      if (a.kind != Access::Kind::write) continue;
      d.word(a.address);
      d.word(a.value);
    }
  }
  return d.text();
}

std::string kernels(const Plan& plan) {
  Digest d;
  const Function f = cnn_load_weights(plan);
  for (const Access& a : f.accesses) {
    if (a.kind != Access::Kind::write) continue;
    d.word(a.address);
    d.word(static_cast<uint32_t>(a.words.size() + 1));
    d.word(a.value);
    d.words(a.words);
  }
  d.word(0);
  return d.text();
}

std::string biases(const Plan& plan) {
  Digest d;
  for (const auto& memory : plan.biases) {
    for (const uint8_t b : memory) d.byte(b);
  }
  return d.text();
}

std::string inputs(const Plan& plan, const Tensor& sample) {
  Digest d;
  const Function f = load_input(plan, sample);
  for (const Access& a : f.accesses) {
    if (a.kind != Access::Kind::write) continue;
    d.word(a.value);
    d.words(a.words);
  }
  return d.text();
}

std::string answers(const Max78Case& c) {
  auto simulation = Simulation::make(c.plan(), {.trace = false});
  if (!simulation.ok()) return to_text(simulation.error());
  const auto result = simulation->run(c.sample);
  if (!result.ok()) return to_text(result.error());
  Digest d;
  for (const max78::Run& r : expected_words(c.plan(), outputs_of(c.plan(), *result))) {
    d.word(r.address);
    d.word(r.mask);
    d.word(static_cast<uint32_t>(r.words.size()));
    d.words(r.words);
  }
  d.word(0);
  return d.text();
}

std::vector<std::string> split(const std::string& line, char at) {
  std::vector<std::string> parts;
  std::stringstream stream(line);
  for (std::string part; std::getline(stream, part, at);) {
    if (at != ' ' || !part.empty()) parts.push_back(part);
  }
  return parts;
}

// The row of cases.json that has this network and checkpoint.
nlohmann::json find_case(const nlohmann::json& cases, const std::string& yaml,
                         const std::string& checkpoint) {
  for (const auto& row : cases) {
    const bool has = row.contains("checkpoint") && row["checkpoint"].is_string();
    const std::string own =
        has ? fs::path(row["checkpoint"].get<std::string>()).filename().string() : "";
    if (fs::path(row["yaml"].get<std::string>()).filename() == yaml &&
        own == (checkpoint.empty() ? "" : checkpoint + ".pth.tar")) {
      return row;
    }
  }
  return {};
}

TEST(Max78Vectors, EveryDigestIsEqual) {
  if (shared_data().empty()) GTEST_SKIP() << "EDGETWIN_SHARED_DATA is not set";
  const nlohmann::json cases = max78_cases();
  std::ifstream file(source_dir() + "/tests/golden/max78_vectors.tsv");
  int equal = 0, refused = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    const auto column = split(line, '\t');
    ASSERT_EQ(column.size(), 15U) << line;
    SCOPED_TRACE(column[0] + " " + column[1] + " " + column[3]);
    const nlohmann::json row = find_case(cases, column[0], column[2]);
    ASSERT_FALSE(row.is_null());
    const auto device = column[1] == "MAX78000" ? ai8x::Device::max78000 : ai8x::Device::max78002;
    const auto c = load_case(row, device, split(column[3], ' '));
    if (column[4] != "ok") {
      EXPECT_NE(c->refused, "") << column[4];
      ++refused;
      continue;
    }
    ASSERT_EQ(c->refused, "");
    EXPECT_EQ(registers(c->plan()), column[6]);
    EXPECT_EQ(kernels(c->plan()), column[8]);
    EXPECT_EQ(biases(c->plan()), column[10]);
    if (!c->options.use_fifo()) {
      EXPECT_EQ(inputs(c->plan(), c->sample), column[12]);
    }
    EXPECT_EQ(answers(*c), column[14]);
    ++equal;
  }
  EXPECT_EQ(equal, 160);
  EXPECT_EQ(refused, 19);
}

}  // namespace
}  // namespace edgetwin::golden
