// Handles that are NULL, freed, of another kind, or of a parent process: every function refuses
// them with exit code 2 and an error object.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <edgetwin/edgetwin.c.h>

#include "source_dir.h"

namespace edgetwin {
namespace {

// One call of a function with the handle that is tested; its other arguments are good.
struct Call {
  const char* name;
  std::function<int32_t(void*, edgetwin_error**)> call;
};

edgetwin_network* as_network(void* h) { return static_cast<edgetwin_network*>(h); }
edgetwin_runner* as_runner(void* h) { return static_cast<edgetwin_runner*>(h); }

edgetwin_network* open_network() {
  edgetwin_network* network = nullptr;
  const std::string path = source_dir() + "/models/digits/digits_int8.tflite";
  EXPECT_EQ(edgetwin_network_open_file(path.c_str(), nullptr, 0, &network, nullptr), 0);
  return network;
}

edgetwin_runner* make_runner() {
  edgetwin_network* network = open_network();
  edgetwin_runner* runner = nullptr;
  EXPECT_EQ(edgetwin_runner_create(network, nullptr, 0, nullptr, &runner, nullptr), 0);
  EXPECT_EQ(edgetwin_runner_allocate(runner, nullptr), 0);
  edgetwin_network_free(network);
  return runner;
}

// Places for results that are thrown away; none is given where a handle is refused.
struct Places {
  edgetwin_document* document = nullptr;
  edgetwin_network* made = nullptr;
  edgetwin_runner* runner = nullptr;
  edgetwin_tensor_info info = {};
  const void* bytes = nullptr;
  void* memory = nullptr;
  size_t size = 0;
  int32_t numbers[4] = {1, 1, 1, 1};
  float floats[4] = {};
};

std::vector<Call> network_calls(Places& p) {
  return {
      {"describe",
       [&](void* h, auto** e) { return edgetwin_network_describe(as_network(h), &p.document, e); }},
      {"bytes",
       [&](void* h, auto** e) {
         return edgetwin_network_bytes(as_network(h), &p.bytes, &p.size, e);
       }},
      {"runner_create",
       [&](void* h, auto** e) {
         return edgetwin_runner_create(as_network(h), nullptr, 0, nullptr, &p.runner, e);
       }},
      {"check",
       [&](void* h, auto** e) {
         return edgetwin_check(as_network(h), nullptr, 0, &p.document, e);
       }},
      {"quantize",
       [&](void* h, auto** e) {
         return edgetwin_quantize(as_network(h), nullptr, nullptr, 0, &p.made, &p.document, e);
       }},
      {"compile",
       [&](void* h, auto** e) {
         return edgetwin_compile(as_network(h), nullptr, 0, &p.made, &p.document, e);
       }},
      {"decompile",
       [&](void* h, auto** e) {
         return edgetwin_decompile(as_network(h), nullptr, 0, &p.made, &p.document, e);
       }},
      {"append_softmax_x",
       [&](void* h, auto** e) {
         return edgetwin_append_softmax_x(as_network(h), p.floats, p.floats, 2, 2, 0.0F, 1.0F,
                                          &p.made, e);
       }},
      {"extractor_x",
       [&](void* h, auto** e) { return edgetwin_extractor_x(as_network(h), &p.made, e); }},
      {"imprinting_layout_x",
       [&](void* h, auto** e) {
         return edgetwin_imprinting_layout_x(as_network(h), p.numbers, p.numbers, p.numbers, e);
       }},
      {"imprint_x",
       [&](void* h, auto** e) {
         return edgetwin_imprint_x(as_network(h), p.floats, 2, 2, 0, "", &p.made, e);
       }},
  };
}

std::vector<Call> runner_calls(Places& p) {
  return {
      {"tensor_info",
       [&](void* h, auto** e) {
         p.info.size = sizeof(p.info);
         return edgetwin_runner_tensor_info(as_runner(h), 0, &p.info, e);
       }},
      {"resize",
       [&](void* h, auto** e) {
         return edgetwin_runner_resize(as_runner(h), 0, p.numbers, 4, 0, e);
       }},
      {"allocate", [](void* h, auto** e) { return edgetwin_runner_allocate(as_runner(h), e); }},
      {"set",
       [&](void* h, auto** e) { return edgetwin_runner_set(as_runner(h), 0, p.floats, 4, e); }},
      {"get",
       [&](void* h, auto** e) { return edgetwin_runner_get(as_runner(h), 0, p.floats, 4, e); }},
      {"data",
       [&](void* h, auto** e) {
         return edgetwin_runner_data(as_runner(h), 0, &p.memory, &p.size, nullptr, e);
       }},
      {"invoke", [](void* h, auto** e) { return edgetwin_runner_invoke(as_runner(h), e); }},
      {"reset_variables",
       [](void* h, auto** e) { return edgetwin_runner_reset_variables(as_runner(h), e); }},
      {"statistics",
       [&](void* h, auto** e) { return edgetwin_runner_statistics(as_runner(h), &p.document, e); }},
      {"verify",
       [&](void* h, auto** e) {
         return edgetwin_verify(as_runner(h), as_runner(h), nullptr, 0, &p.document, e);
       }},
      {"report",
       [&](void* h, auto** e) {
         return edgetwin_report(as_runner(h), nullptr, 0, &p.document, e);
       }},
  };
}

void expect_refused(const std::vector<Call>& calls, void* handle) {
  for (const Call& c : calls) {
    SCOPED_TRACE(c.name);
    edgetwin_error* error = nullptr;
    EXPECT_EQ(c.call(handle, &error), 2);
    ASSERT_NE(error, nullptr);
    EXPECT_STREQ(edgetwin_error_id(error), "CLI-USE-01");
    EXPECT_EQ(edgetwin_error_exit_code(error), 2);
    EXPECT_THAT(edgetwin_error_message(error), testing::HasSubstr("NULL or was freed"));
    edgetwin_error_free(error);
    EXPECT_EQ(edgetwin_error_id(error), nullptr) << "an error that was freed has no id";
    EXPECT_EQ(c.call(handle, nullptr), 2) << "no place for the error is allowed";
  }
}

TEST(CHandles, NullIsRefusedByEveryFunction) {
  Places p;
  expect_refused(network_calls(p), nullptr);
  expect_refused(runner_calls(p), nullptr);
}

TEST(CHandles, FreedOnesAreRefusedByEveryFunction) {
  Places p;
  edgetwin_network* network = open_network();
  edgetwin_runner* runner = make_runner();
  edgetwin_network_free(network);
  edgetwin_runner_free(runner);
  expect_refused(network_calls(p), network);
  expect_refused(runner_calls(p), runner);
  const int32_t* numbers = nullptr;
  EXPECT_EQ(edgetwin_runner_inputs(runner, &numbers, &p.size), 2);
  EXPECT_EQ(edgetwin_runner_outputs(runner, &numbers, &p.size), 2);
  EXPECT_EQ(edgetwin_runner_tensor_count(runner), 0U);
  edgetwin_runner_cancel(runner);  // used to read memory that was freed
  edgetwin_network_free(network);
  edgetwin_runner_free(runner);
}

TEST(CHandles, ThoseOfAnotherKindAreRefusedByEveryFunction) {
  Places p;
  edgetwin_network* network = open_network();
  edgetwin_runner* runner = make_runner();
  expect_refused(network_calls(p), runner);
  expect_refused(runner_calls(p), network);
  edgetwin_runner_cancel(reinterpret_cast<edgetwin_runner*>(network));
  edgetwin_document_free(reinterpret_cast<edgetwin_document*>(network));
  EXPECT_EQ(edgetwin_network_describe(network, &p.document, nullptr), 0) << "it still lives";
  edgetwin_document_free(p.document);
  EXPECT_EQ(edgetwin_document_verdict(p.document), 2);
  EXPECT_EQ(edgetwin_document_part(p.document, "json"), nullptr);
  EXPECT_EQ(edgetwin_document_file_count(p.document), 0U);
  edgetwin_runner_free(runner);
  edgetwin_network_free(network);
}

TEST(CHandles, SamplesThatWereFreedAndDevicesToo) {
  edgetwin_samples* samples = nullptr;
  ASSERT_EQ(edgetwin_samples_create(&samples, nullptr), 0);
  edgetwin_samples_free(samples);
  const int32_t shape[] = {1};
  const float value = 0.0F;
  edgetwin_error* error = nullptr;
  EXPECT_EQ(
      edgetwin_samples_add(samples, nullptr, EDGETWIN_DTYPE_FLOAT32, shape, 1, &value, 4, &error),
      2);
  edgetwin_error_free(error);
  edgetwin_network* network = open_network();
  edgetwin_document* document = nullptr;
  EXPECT_EQ(edgetwin_quantize(network, samples, nullptr, 0, nullptr, &document, nullptr), 2);
  edgetwin_device* device = nullptr;
  ASSERT_EQ(edgetwin_device_open("virtual", nullptr, 0, &device, nullptr), 0);
  edgetwin_device_free(device);
  edgetwin_runner* runner = nullptr;
  EXPECT_EQ(edgetwin_runner_create(network, nullptr, 0, device, &runner, nullptr), 2);
  EXPECT_EQ(runner, nullptr);
  edgetwin_network_free(network);
}

TEST(CHandles, SamplesSayWhatDoesNotFit) {
  edgetwin_samples* samples = nullptr;
  ASSERT_EQ(edgetwin_samples_create(&samples, nullptr), 0);
  const float values[6] = {};
  const int32_t shape[] = {2, 3}, other[] = {3, 2}, negative[] = {-2, 3},
                huge[] = {1 << 30, 1 << 30};
  const auto add = [&](int32_t dtype, const int32_t* s, int32_t rank, size_t bytes) {
    edgetwin_error* error = nullptr;
    const int32_t code = edgetwin_samples_add(samples, "x", dtype, s, rank, values, bytes, &error);
    EXPECT_EQ(code != 0, error != nullptr);
    edgetwin_error_free(error);
    return code;
  };
  EXPECT_EQ(add(EDGETWIN_DTYPE_FLOAT32, shape, 2, 24), 0);
  EXPECT_NE(add(EDGETWIN_DTYPE_FLOAT32, shape, 2, 23), 0) << "bytes";
  EXPECT_NE(add(EDGETWIN_DTYPE_FLOAT32, other, 2, 24), 0) << "another shape";
  EXPECT_NE(add(EDGETWIN_DTYPE_INT32, shape, 2, 24), 0) << "another type";
  EXPECT_NE(add(EDGETWIN_DTYPE_FLOAT32, negative, 2, 24), 0);
  EXPECT_NE(add(EDGETWIN_DTYPE_FLOAT32, huge, 2, 24), 0);
  EXPECT_NE(add(EDGETWIN_DTYPE_FLOAT32, nullptr, 2, 24), 0);
  EXPECT_NE(add(EDGETWIN_DTYPE_FLOAT32, shape, 9, 24), 0);
  EXPECT_NE(add(EDGETWIN_DTYPE_STRING, shape, 2, 24), 0);
  EXPECT_NE(add(0, shape, 2, 24), 0);
  edgetwin_samples_free(samples);
}

// From another thread while runners come and go: each call finds a runner that lives, or none.
TEST(CHandles, CancelMayComeFromAnotherThreadAtAnyTime) {
  std::atomic<edgetwin_runner*> current{nullptr};
  std::atomic<bool> stop{false};
  std::thread other([&] {
    while (!stop) edgetwin_runner_cancel(current);
  });
  for (int i = 0; i < 20; ++i) {
    edgetwin_runner* runner = make_runner();
    current = runner;
    const int32_t code = edgetwin_runner_invoke(runner, nullptr);
    EXPECT_TRUE(code == 0 || code == 4) << code;
    edgetwin_runner_free(runner);
  }
  stop = true;
  other.join();
}

TEST(CHandles, AChildDoesNotGetThoseOfItsParent) {
#ifndef EDGETWIN_CHECK_FORK
  GTEST_SKIP() << "the process is looked at in debug builds only";
#else
  edgetwin_runner* runner = make_runner();
  const pid_t child = fork();
  if (child == 0) _exit(edgetwin_runner_invoke(runner, nullptr));
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 2);
  EXPECT_EQ(edgetwin_runner_invoke(runner, nullptr), 0);
  edgetwin_runner_free(runner);
#endif
}

}  // namespace
}  // namespace edgetwin
