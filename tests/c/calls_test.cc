// The C interface from C++: orders of calls, threads, loading and unloading.
#include <dlfcn.h>

#include <cstring>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "c/random_calls.h"
#include "source_dir.h"

namespace edgetwin {
namespace {

std::array<std::string, 2> two_files() {
  return {case_file("dense.tflite"), case_file("quantize.tflite")};
}

std::string digits() { return source_dir() + "/models/digits/digits_int8.tflite"; }

edgetwin_network* open_digits() {
  edgetwin_network* network = nullptr;
  EXPECT_EQ(edgetwin_network_open_file(digits().c_str(), nullptr, 0, &network, nullptr), 0);
  return network;
}

edgetwin_runner* ready_runner(const edgetwin_network* network,
                              std::vector<edgetwin_option> options = {}) {
  edgetwin_runner* runner = nullptr;
  EXPECT_EQ(
      edgetwin_runner_create(network, options.data(), options.size(), nullptr, &runner, nullptr),
      0);
  EXPECT_EQ(edgetwin_runner_allocate(runner, nullptr), 0);
  return runner;
}

std::vector<int8_t> run_once(edgetwin_runner* runner, uint8_t fill) {
  const int32_t *inputs = nullptr, *outputs = nullptr;
  size_t n = 0;
  edgetwin_runner_inputs(runner, &inputs, &n);
  edgetwin_runner_outputs(runner, &outputs, &n);
  void* memory = nullptr;
  size_t size = 0;
  EXPECT_EQ(edgetwin_runner_data(runner, inputs[0], &memory, &size, nullptr, nullptr), 0);
  std::memset(memory, fill, size);
  EXPECT_EQ(edgetwin_runner_invoke(runner, nullptr), 0);
  EXPECT_EQ(edgetwin_runner_data(runner, outputs[0], &memory, &size, nullptr, nullptr), 0);
  const auto* from = static_cast<const int8_t*>(memory);
  return {from, from + size};
}

TEST(CInterface, AnyOrderOfCallsGivesResultsOrErrors) {
  uint32_t state = 1;
  for (int sequence = 0; sequence < 60; ++sequence) {
    std::vector<uint8_t> choices(400);
    for (uint8_t& c : choices) {
      state ^= state << 13;
      state ^= state >> 17;
      state ^= state << 5;
      c = static_cast<uint8_t>(state);
    }
    test::RandomCalls(choices, two_files()).run();
  }
}

TEST(CInterface, MemoryDoesNotMoveWhenARunIsRepeated) {
  edgetwin_network* network = open_digits();
  edgetwin_runner* runner = ready_runner(network);
  const int32_t* outputs = nullptr;
  size_t n = 0, size = 0;
  edgetwin_runner_outputs(runner, &outputs, &n);
  void *before = nullptr, *after = nullptr;
  EXPECT_EQ(edgetwin_runner_data(runner, outputs[0], &before, &size, nullptr, nullptr), 0);
  const auto first = run_once(runner, 1);
  const auto second = run_once(runner, 200);
  EXPECT_EQ(edgetwin_runner_data(runner, outputs[0], &after, &size, nullptr, nullptr), 0);
  EXPECT_EQ(before, after);
  EXPECT_NE(first, second);
  edgetwin_runner_free(runner);
  edgetwin_network_free(network);
}

TEST(CInterface, TwoThreadsShareANetwork) {
  edgetwin_network* network = open_digits();
  std::vector<std::vector<int8_t>> results(2);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < 2; ++t) {
    threads.emplace_back([&, t] {
      edgetwin_runner* runner = ready_runner(network);
      for (int i = 0; i < 3; ++i) results[t] = run_once(runner, 40);
      edgetwin_runner_free(runner);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(results[0], results[1]);
  edgetwin_network_free(network);
}

TEST(CInterface, LayersAreKeptWhereTheyAreWanted) {
  edgetwin_network* network = open_digits();
  edgetwin_runner* with = ready_runner(network, {{"keep", "all"}});
  edgetwin_runner* without = ready_runner(network);
  EXPECT_EQ(run_once(with, 9), run_once(without, 9));
  size_t more = 0;
  for (size_t t = 0; t < edgetwin_runner_tensor_count(with); ++t) {
    void* memory = nullptr;
    size_t size = 0;
    const auto i = static_cast<int32_t>(t);
    const bool a = edgetwin_runner_data(with, i, &memory, &size, nullptr, nullptr) == 0;
    const bool b = edgetwin_runner_data(without, i, &memory, &size, nullptr, nullptr) == 0;
    more += a && !b ? 1 : 0;
  }
  EXPECT_GT(more, 0U);
  edgetwin_document* document = nullptr;
  EXPECT_EQ(edgetwin_verify(with, without, nullptr, 0, &document, nullptr), 0);
  EXPECT_EQ(edgetwin_document_verdict(document), 0);
  edgetwin_document_free(document);
  edgetwin_runner_free(with);
  edgetwin_runner_free(without);
  edgetwin_network_free(network);
}

TEST(CInterface, DocumentsAreWhatTheProgramPrints) {
  edgetwin_network* network = open_digits();
  edgetwin_document* document = nullptr;
  ASSERT_EQ(edgetwin_network_describe(network, &document, nullptr), 0);
  const std::string json = edgetwin_document_part(document, "json");
  EXPECT_THAT(json, testing::HasSubstr("\"command\": \"info\""));
  EXPECT_THAT(edgetwin_document_part(document, "text"), testing::HasSubstr("TensorFlow Lite"));
  edgetwin_document_free(document);
  edgetwin_network_free(network);
  const std::string net = case_file("net.onnx");
  ASSERT_EQ(edgetwin_network_open_file(net.c_str(), nullptr, 0, &network, nullptr), 0);
  const edgetwin_option option = {"target", "esp32p4"};
  ASSERT_EQ(edgetwin_check(network, &option, 1, &document, nullptr), 0);
  EXPECT_THAT(edgetwin_document_part(document, "json"), testing::HasSubstr("\"check\""));
  edgetwin_document_free(document);
  edgetwin_network_free(network);
}

TEST(CInterface, AnOlderCallerGetsOnlyTheFieldsItKnows) {
  edgetwin_network* network = open_digits();
  edgetwin_runner* runner = ready_runner(network);
  edgetwin_tensor_info info;
  std::memset(&info, 0x5a, sizeof(info));
  info.size = 8;
  ASSERT_EQ(edgetwin_runner_tensor_info(runner, 0, &info, nullptr), 0);
  EXPECT_EQ(info.size, 8U);
  EXPECT_EQ(info.flags, 0x5a5a5a5aU);
  edgetwin_runner_free(runner);
  edgetwin_network_free(network);
}

#ifdef EDGETWIN_SHARED_LIBRARY
TEST(CInterface, CanBeLoadedUnloadedAndLoadedAgain) {
  for (int i = 0; i < 2; ++i) {
    void* library = dlopen(EDGETWIN_SHARED_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
    const auto version = reinterpret_cast<const char* (*)()>(dlsym(library, "edgetwin_version"));
    ASSERT_NE(version, nullptr);
    EXPECT_STREQ(version(), edgetwin_version());
    EXPECT_EQ(dlclose(library), 0);
  }
}
#endif

}  // namespace
}  // namespace edgetwin
