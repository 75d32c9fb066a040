// The descriptions of real networks without maps, offsets and gaps: planned again, they fit, the
// machine agrees with the twin, and no cycles are lost.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <regex>

#include "golden/max78_cases.h"
#include "targets/max78/analysis/statistics.h"
#include "targets/max78/pipeline/run.h"

namespace edgetwin::golden {
namespace {

using namespace max78;  // NOLINT

constexpr const char* kPlaces = "processors|output_processors|out_offset|in_offset|write_gap";
constexpr const char* kEverything =
    "processors|output_processors|out_offset|in_offset|write_gap|in_sequences|streaming|bias_group";

// Without the lines of these keys.
std::string stripped(const std::string& yaml, const std::string& keys) {
  const std::regex kKey("^( *)(- +)?(" + keys + "):[^\n]*$");
  std::stringstream in(yaml);
  std::string text, line;
  bool layers = false, dash = false;
  for (; std::getline(in, line);) {
    layers = layers || line.starts_with("layers:");
    std::smatch m;
    if (layers && std::regex_match(line, m, kKey)) {
      dash = dash || m[2].matched;  // the next key begins the layer
      continue;
    }
    const size_t at = line.find_first_not_of(' ');
    if (dash && at != std::string::npos && line[at] != '#') {
      if (line[at] != '-') line[at - 2] = '-';
      dash = false;
    }
    text += line + "\n";
  }
  return text;
}

NetworkSources sources_of(const nlohmann::json& row, const std::string& yaml, bool plan) {
  NetworkSources s;
  s.device = row["device"] == "MAX78000" ? ai8x::Device::max78000 : ai8x::Device::max78002;
  const auto options = options_from(row["options"].get<std::vector<std::string>>());
  if (options.ok()) s.options = *options;
  s.description = Source::bytes("network.yaml", to_bytes(std::as_bytes(std::span(yaml))));
  const auto file = [&](const char* key) {
    const bool given = row.contains(key) && row[key].is_string();
    return given ? Source::file((max78_root() / row[key].get<std::string>()).string()) : Source();
  };
  s.checkpoint = file("checkpoint");
  if (!s.checkpoint.given()) {
    s.weights = file("weights");
    s.bias = file("bias");
  }
  s.sample = file("sample");
  s.plan = plan;
  return s;
}

class Max78Planner : public testing::Test {
 protected:
  void SetUp() override {
    if (shared_data().empty()) GTEST_SKIP() << "EDGETWIN_SHARED_DATA is not set";
  }
};

TEST_F(Max78Planner, RealNetworksFitAgain) {
  size_t networks = 0, on_small = 0;
  double logs = 0;
  for (const auto& row : max78_cases()) {
    if (row["set"] != "network") continue;
    const std::string name = row["name"];
    SCOPED_TRACE(name);
    const std::string yaml = read_text(max78_root() / row["yaml"].get<std::string>());
    const Loading hand = load_network(sources_of(row, yaml, false));
    ASSERT_TRUE(hand.ok());
    const auto begin = std::chrono::steady_clock::now();
    const Loading ours = load_network(sources_of(row, stripped(yaml, kPlaces), true));
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    ASSERT_NE(ours.network, nullptr);
    ASSERT_TRUE(ours.ok()) << (ours.findings.empty() ? "" : ours.findings.front().message)
                           << (ours.network->planned->violations.empty()
                                   ? ""
                                   : ours.network->planned->violations.front());
    const auto proof = prove(*ours.network, ours.network->sample);
    ASSERT_TRUE(proof.ok()) << to_text(proof.error());
    EXPECT_TRUE(proof->proven()) << proof->first << ": " << proof->different;
    const int64_t theirs = statistics(hand.network->plan()).cycles;
    const int64_t cycles = statistics(ours.network->plan()).cycles;
    RecordProperty(name, std::to_string(seconds));
    EXPECT_LE(cycles, theirs);
    if (theirs > 0) {
      logs += std::log(static_cast<double>(cycles) / static_cast<double>(theirs));
      ++on_small;
    }
    ++networks;
  }
  EXPECT_EQ(networks, 22U);
  EXPECT_LE(std::exp(logs / static_cast<double>(on_small)), 1.0);
}

using Connection = std::vector<int>;

// What each layer reads, in the running order.
std::vector<Connection> connections_of(const LoadedNetwork& network) {
  std::vector<Connection> all;
  int before = ai8x::kInput;
  for (const int i : network.plan().order) {
    const auto& from = network.network.layers[static_cast<size_t>(i)].in_sequences;
    all.push_back(from.value_or(Connection{before}));
    before = i;
  }
  return all;
}

// Maps and offsets are registers: they say what a layer reads.
TEST_F(Max78Planner, PlacesTellWhatLayersRead) {
  size_t branched = 0;
  for (const auto& row : max78_cases()) {
    if (row["set"] != "network") continue;
    SCOPED_TRACE(row["name"].get<std::string>());
    const std::string yaml = read_text(max78_root() / row["yaml"].get<std::string>());
    if (yaml.find("in_sequences") == std::string::npos) continue;
    const Loading hand = load_network(sources_of(row, yaml, false));
    const Loading ours = load_network(sources_of(row, stripped(yaml, "in_sequences"), true));
    ASSERT_TRUE(hand.ok());
    ASSERT_NE(ours.network, nullptr);
    ASSERT_TRUE(ours.ok()) << (ours.findings.empty() ? "" : ours.findings.front().message);
    EXPECT_EQ(connections_of(*ours.network), connections_of(*hand.network));
    const auto proof = prove(*ours.network, ours.network->sample);
    ASSERT_TRUE(proof.ok()) << to_text(proof.error());
    EXPECT_TRUE(proof->proven()) << proof->first << ": " << proof->different;
    ++branched;
  }
  EXPECT_EQ(branched, 7U);
}

// Nothing but channels and sizes: where they allow several connections, a finding says so.
TEST_F(Max78Planner, RealNetworksWithoutConnectionsFit) {
  size_t networks = 0, same = 0;
  for (const auto& row : max78_cases()) {
    if (row["set"] != "network") continue;
    const std::string name = row["name"];
    SCOPED_TRACE(name);
    const std::string yaml = read_text(max78_root() / row["yaml"].get<std::string>());
    const Loading hand = load_network(sources_of(row, yaml, false));
    const auto begin = std::chrono::steady_clock::now();
    const Loading ours = load_network(sources_of(row, stripped(yaml, kEverything), true));
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    ASSERT_TRUE(hand.ok());
    ASSERT_NE(ours.network, nullptr);
    ASSERT_TRUE(ours.ok()) << (ours.findings.empty() ? "" : ours.findings.front().message)
                           << (ours.network->planned->violations.empty()
                                   ? ""
                                   : ours.network->planned->violations.front());
    RecordProperty(name, std::to_string(seconds));
    const auto proof = prove(*ours.network, ours.network->sample);
    ASSERT_TRUE(proof.ok()) << to_text(proof.error());
    EXPECT_TRUE(proof->proven()) << proof->first << ": " << proof->different;
    ++networks;
    const bool as_written = connections_of(*ours.network) == connections_of(*hand.network);
    same += as_written ? 1 : 0;
    const bool told = std::ranges::any_of(ours.findings, [](const Finding& f) {
      return f.id == info(Rule::open_source).id && f.severity == Severity::warning;
    });
    EXPECT_TRUE(as_written || told) << "other connections, and no finding says so";
  }
  EXPECT_EQ(networks, 22U);
  EXPECT_EQ(same, 19U);
}

}  // namespace
}  // namespace edgetwin::golden
