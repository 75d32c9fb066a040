// Arguments that are wrong while the handles are good: NULL where something is needed, numbers out
// of range, types, shapes and sizes that do not fit, options that nobody knows. Every function
// gives an error object with the code and the words of its row, makes nothing, and the handles stay
// usable.
#include <climits>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <edgetwin/edgetwin.c.h>

#include "source_dir.h"

namespace edgetwin {
namespace {

struct WrongCall {
  const char* name;
  int32_t code;
  const char* says;  // part of the message
  std::function<int32_t(edgetwin_error**)> call;
};

edgetwin_network* open_case(const std::string& path) {
  edgetwin_network* network = nullptr;
  EXPECT_EQ(edgetwin_network_open_file(path.c_str(), nullptr, 0, &network, nullptr), 0) << path;
  return network;
}

// Good handles, and places that no wrong call may fill.
class CArguments : public testing::Test {
 protected:
  void SetUp() override {
    network = open_case(source_dir() + "/models/digits/digits_int8.tflite");
    source = open_case(case_file("net.onnx"));
    ASSERT_EQ(edgetwin_runner_create(network, nullptr, 0, nullptr, &runner, nullptr), 0);
    ASSERT_EQ(edgetwin_runner_create(network, nullptr, 0, nullptr, &fresh, nullptr), 0);
    ASSERT_EQ(edgetwin_runner_allocate(runner, nullptr), 0);
    const int32_t* numbers = nullptr;
    size_t n = 0;
    ASSERT_EQ(edgetwin_runner_inputs(runner, &numbers, &n), 0);
    input = numbers[0];
    ASSERT_EQ(edgetwin_runner_outputs(runner, &numbers, &n), 0);
    output = numbers[0];
    ASSERT_EQ(edgetwin_runner_data(runner, input, &memory, &input_bytes, nullptr, nullptr), 0);
    count = static_cast<int32_t>(edgetwin_runner_tensor_count(runner));
    while (between == input || between == output || readable(between)) ++between;
    ASSERT_LT(between, count);
    ASSERT_EQ(edgetwin_samples_create(&samples, nullptr), 0);
    bytes.resize(input_bytes + 1);
    info.size = sizeof(info);
    memory = nullptr;
  }
  void TearDown() override {
    // What was refused changed nothing.
    EXPECT_EQ(edgetwin_runner_set(runner, input, bytes.data(), input_bytes, nullptr), 0);
    EXPECT_EQ(edgetwin_runner_invoke(runner, nullptr), 0);
    edgetwin_samples_free(samples);
    edgetwin_runner_free(fresh);
    edgetwin_runner_free(runner);
    edgetwin_network_free(source);
    edgetwin_network_free(network);
  }

  bool has(int32_t tensor, uint32_t flags) const {
    edgetwin_tensor_info about = {};
    about.size = sizeof(about);
    EXPECT_EQ(edgetwin_runner_tensor_info(runner, tensor, &about, nullptr), 0);
    return (about.flags & flags) != 0;
  }
  bool readable(int32_t tensor) const {
    return has(tensor, EDGETWIN_TENSOR_READABLE | EDGETWIN_TENSOR_CONSTANT);
  }
  int32_t constant() const {
    int32_t tensor = 0;
    while (!has(tensor, EDGETWIN_TENSOR_CONSTANT)) ++tensor;
    return tensor;
  }

  void expect_refused(const std::vector<WrongCall>& calls) {
    for (const WrongCall& c : calls) {
      SCOPED_TRACE(c.name);
      edgetwin_error* error = nullptr;
      EXPECT_EQ(c.call(&error), c.code);
      ASSERT_NE(error, nullptr);
      EXPECT_EQ(edgetwin_error_exit_code(error), c.code);
      EXPECT_THAT(edgetwin_error_message(error), testing::HasSubstr(c.says));
      EXPECT_STRNE(edgetwin_error_text(error), "");
      edgetwin_error_free(error);
      EXPECT_EQ(c.call(nullptr), c.code) << "no place for the error is allowed";
      EXPECT_EQ(made, nullptr);
      EXPECT_EQ(new_runner, nullptr);
      EXPECT_EQ(document, nullptr);
      EXPECT_EQ(device, nullptr);
      EXPECT_EQ(memory, nullptr);
      EXPECT_EQ(borrowed, nullptr);
      EXPECT_EQ(info.name, nullptr);
    }
  }

  int32_t add(const char* name, int32_t dtype, std::vector<int32_t> shape) {
    size_t elements = 1;
    for (const int32_t d : shape) elements *= static_cast<size_t>(d);
    const std::vector<float> zeros(elements);
    return edgetwin_samples_add(samples, name, dtype, shape.data(),
                                static_cast<int32_t>(shape.size()), zeros.data(), elements * 4,
                                nullptr);
  }
  int32_t quantize(edgetwin_error** e) {
    const edgetwin_option target = {"target", "esp32p4"};
    return edgetwin_quantize(source, samples, &target, 1, &made, &document, e);
  }
  int32_t create(edgetwin_option option, edgetwin_error** e) {
    return edgetwin_runner_create(network, &option, 1, nullptr, &new_runner, e);
  }
  int32_t open(edgetwin_option option, edgetwin_error** e) {
    const std::string path = source_dir() + "/models/digits/digits_int8.tflite";
    return edgetwin_network_open_file(path.c_str(), &option, 1, &made, e);
  }
  int32_t resize(int32_t tensor, std::vector<int32_t> shape, int32_t strict, edgetwin_error** e) {
    return edgetwin_runner_resize(runner, tensor, shape.data(), static_cast<int32_t>(shape.size()),
                                  strict, e);
  }

  edgetwin_network *network = nullptr, *source = nullptr, *made = nullptr;
  edgetwin_runner *runner = nullptr, *fresh = nullptr, *new_runner = nullptr;
  edgetwin_samples* samples = nullptr;
  edgetwin_document* document = nullptr;
  edgetwin_device* device = nullptr;
  edgetwin_tensor_info info = {};
  int32_t input = 0, output = 0, between = 0, count = 0;
  std::vector<uint8_t> bytes;
  void* memory = nullptr;
  const void* borrowed = nullptr;
  size_t input_bytes = 0, size = 0;
  int32_t numbers[3] = {};
  float floats[8] = {};
};

TEST_F(CArguments, OfNetworks) {
  expect_refused({
      {"path", 2, "path is NULL",
       [&](auto** e) { return edgetwin_network_open_file(nullptr, nullptr, 0, &made, e); }},
      {"place", 2, "result is NULL",
       [](auto** e) { return edgetwin_network_open_file("x", nullptr, 0, nullptr, e); }},
      {"empty path", 3, "",
       [&](auto** e) { return edgetwin_network_open_file("", nullptr, 0, &made, e); }},
      {"folder", 3, "",
       [&](auto** e) {
         return edgetwin_network_open_file(source_dir().c_str(), nullptr, 0, &made, e);
       }},
      {"options", 2, "options are NULL",
       [&](auto** e) { return edgetwin_network_open_file("x", nullptr, 1, &made, e); }},
      {"key", 2, "option is NULL",
       [&](auto** e) {
         return open({nullptr, "x"}, e);
       }},
      {"value", 2, "option is NULL",
       [&](auto** e) {
         return open({"target", nullptr}, e);
       }},
      {"unknown key", 2, "no option 'colour'",
       [&](auto** e) {
         return open({"colour", ""}, e);
       }},
      {"empty key", 2, "no option ''",
       [&](auto** e) {
         return open({"", ""}, e);
       }},
      {"numerics", 2, "moon",
       [&](auto** e) {
         return open({"numerics", "moon"}, e);
       }},
      {"target", 2, "moon",
       [&](auto** e) {
         return open({"target", "moon"}, e);
       }},
      {"runtime", 2, "",
       [&](auto** e) {
         return open({"runtime", "moon"}, e);
       }},
      {"shape", 2, "",
       [&](auto** e) {
         return open({"shape", "moon"}, e);
       }},
      {"accumulators", 2, "cannot be 'x'",
       [&](auto** e) {
         return open({"accumulators", "x"}, e);
       }},
      {"bytes", 2, "bytes are NULL",
       [&](auto** e) {
         return edgetwin_network_open_bytes(nullptr, 5, nullptr, nullptr, 0, &made, e);
       }},
      {"no bytes", 3, "",
       [&](auto** e) {
         return edgetwin_network_open_bytes(nullptr, 0, nullptr, nullptr, 0, &made, e);
       }},
      {"other bytes", 3, "",
       [&](auto** e) {
         return edgetwin_network_open_bytes("abcdefgh", 8, nullptr, nullptr, 0, &made, e);
       }},
      {"place for bytes", 2, "result is NULL",
       [&](auto** e) { return edgetwin_network_bytes(network, nullptr, &size, e); }},
      {"place for their number", 2, "result is NULL",
       [&](auto** e) { return edgetwin_network_bytes(network, &borrowed, nullptr, e); }},
      {"describe", 2, "result is NULL",
       [&](auto** e) { return edgetwin_network_describe(network, nullptr, e); }},
  });
}

TEST_F(CArguments, OfNewRunners) {
  expect_refused({
      {"place", 2, "result is NULL",
       [&](auto** e) { return edgetwin_runner_create(network, nullptr, 0, nullptr, nullptr, e); }},
      {"options", 2, "options are NULL",
       [&](auto** e) {
         return edgetwin_runner_create(network, nullptr, 1, nullptr, &new_runner, e);
       }},
      {"key", 2, "option is NULL",
       [&](auto** e) {
         return create({nullptr, ""}, e);
       }},
      {"value", 2, "option is NULL",
       [&](auto** e) {
         return create({"keep", nullptr}, e);
       }},
      {"unknown key", 2, "no option 'colour'",
       [&](auto** e) {
         return create({"colour", ""}, e);
       }},
      {"on", 2, "cannot be 'moon'",
       [&](auto** e) {
         return create({"on", "moon"}, e);
       }},
      {"keep", 2, "cannot be 'some'",
       [&](auto** e) {
         return create({"keep", "some"}, e);
       }},
      {"no threads", 2, "cannot be '0'",
       [&](auto** e) {
         return create({"threads", "0"}, e);
       }},
      {"many threads", 2, "cannot be",
       [&](auto** e) {
         return create({"threads", "9999"}, e);
       }},
      {"threads", 2, "cannot be 'x'",
       [&](auto** e) {
         return create({"threads", "x"}, e);
       }},
      {"graph", 2, "",
       [&](auto** e) {
         return create({"graph", "7"}, e);
       }},
      {"isa", 2, "cannot be 'abacus'",
       [&](auto** e) {
         return create({"isa", "abacus"}, e);
       }},
      {"plain", 2, "cannot be '2'",
       [&](auto** e) {
         return create({"plain", "2"}, e);
       }},
  });
}

TEST_F(CArguments, OfTensors) {
  std::vector<WrongCall> calls = {
      {"info", 2, "is NULL",
       [&](auto** e) { return edgetwin_runner_tensor_info(runner, input, nullptr, e); }},
      {"size of info", 2, "size is not set",
       [&](auto** e) {
         edgetwin_tensor_info none = {};
         return edgetwin_runner_tensor_info(runner, input, &none, e);
       }},
      {"set NULL", 2, "NULL",
       [&](auto** e) { return edgetwin_runner_set(runner, input, nullptr, input_bytes, e); }},
      {"set nothing", 3, "were given",
       [&](auto** e) { return edgetwin_runner_set(runner, input, nullptr, 0, e); }},
      {"set too many", 3, "were given",
       [&](auto** e) {
         return edgetwin_runner_set(runner, input, bytes.data(), input_bytes + 1, e);
       }},
      {"set too few", 3, "were given",
       [&](auto** e) {
         return edgetwin_runner_set(runner, input, bytes.data(), input_bytes - 1, e);
       }},
      {"set a constant", 2, "no input",
       [&](auto** e) { return edgetwin_runner_set(runner, constant(), bytes.data(), 1, e); }},
      {"set early", 2, "",
       [&](auto** e) { return edgetwin_runner_set(fresh, input, bytes.data(), input_bytes, e); }},
      {"get NULL", 2, "NULL",
       [&](auto** e) { return edgetwin_runner_get(runner, output, nullptr, 10, e); }},
      {"get too few", 3, "were given",
       [&](auto** e) { return edgetwin_runner_get(runner, output, bytes.data(), 9, e); }},
      {"get what was not kept", 2, "",
       [&](auto** e) { return edgetwin_runner_get(runner, between, bytes.data(), 1, e); }},
      {"get early", 2, "",
       [&](auto** e) { return edgetwin_runner_get(fresh, output, bytes.data(), 10, e); }},
      {"data NULL", 2, "result is NULL",
       [&](auto** e) { return edgetwin_runner_data(runner, input, nullptr, &size, nullptr, e); }},
      {"data without a size", 2, "result is NULL",
       [&](auto** e) { return edgetwin_runner_data(runner, input, &memory, nullptr, nullptr, e); }},
      {"data of what was not kept", 2, "",
       [&](auto** e) { return edgetwin_runner_data(runner, between, &memory, &size, nullptr, e); }},
      {"invoke early", 2, "", [&](auto** e) { return edgetwin_runner_invoke(fresh, e); }},
      {"statistics", 2, "result is NULL",
       [&](auto** e) { return edgetwin_runner_statistics(runner, nullptr, e); }},
  };
  for (const int32_t t : {-1, count, INT_MAX, INT_MIN}) {
    const std::vector<WrongCall> of_number = {
        {"info", 2, "tensor",
         [this, t](auto** e) { return edgetwin_runner_tensor_info(runner, t, &info, e); }},
        {"set", 2, "tensor",
         [this, t](auto** e) { return edgetwin_runner_set(runner, t, bytes.data(), 1, e); }},
        {"get", 2, "tensor",
         [this, t](auto** e) { return edgetwin_runner_get(runner, t, bytes.data(), 1, e); }},
        {"data", 2, "tensor",
         [this, t](auto** e) {
           return edgetwin_runner_data(runner, t, &memory, &size, nullptr, e);
         }},
        {"resize", 2, "tensor", [this, t](auto** e) { return resize(t, {1}, 0, e); }},
    };
    calls.insert(calls.end(), of_number.begin(), of_number.end());
  }
  expect_refused(calls);
  EXPECT_EQ(edgetwin_runner_inputs(runner, nullptr, &size), 2);
  EXPECT_EQ(size, 0U);
  const int32_t* list = nullptr;
  EXPECT_EQ(edgetwin_runner_outputs(runner, &list, nullptr), 2);
  EXPECT_EQ(list, nullptr);
}

TEST_F(CArguments, OfShapes) {
  expect_refused({
      {"NULL", 2, "shape is NULL",
       [&](auto** e) { return edgetwin_runner_resize(runner, input, nullptr, 4, 0, e); }},
      {"negative rank", 2, "8 sizes",
       [&](auto** e) { return edgetwin_runner_resize(runner, input, numbers, -1, 0, e); }},
      {"rank", 2, "8 sizes",
       [&](auto** e) {
         return resize(input, {1, 1, 1, 1, 1, 1, 1, 1, 1}, 0, e);
       }},
      {"negative size", 3, "",
       [&](auto** e) {
         return resize(input, {-1, 28, 28, 1}, 0, e);
       }},
      {"huge", 3, "",
       [&](auto** e) {
         return resize(input, {INT_MAX, INT_MAX, INT_MAX, INT_MAX}, 0, e);
       }},
      {"strict", 3, "",
       [&](auto** e) {
         return resize(input, {2, 28, 28, 1}, 1, e);
       }},
      {"an output", 2, "",
       [&](auto** e) {
         return resize(output, {1, 5}, 0, e);
       }},
  });
}

TEST_F(CArguments, OfSamples) {
  expect_refused({
      {"place", 2, "result is NULL", [](auto** e) { return edgetwin_samples_create(nullptr, e); }},
      {"data", 2, "data are NULL",
       [&](auto** e) {
         const int32_t one = 1;
         return edgetwin_samples_add(samples, "x", EDGETWIN_DTYPE_FLOAT32, &one, 1, nullptr, 4, e);
       }},
      {"negative rank", 2, "sizes",
       [&](auto** e) {
         return edgetwin_samples_add(samples, "x", EDGETWIN_DTYPE_FLOAT32, numbers, -1, floats, 4,
                                     e);
       }},
      {"freed", 2, "samples were freed",
       [&](auto** e) {
         auto* other = reinterpret_cast<edgetwin_samples*>(runner);
         return edgetwin_quantize(source, other, nullptr, 0, &made, &document, e);
       }},
  });
}

// Samples that are good by themselves, but not for the network.
TEST_F(CArguments, OfQuantization) {
  struct Row {
    const char* name;
    const char* input;
    int32_t dtype;
    std::vector<int32_t> shape;
  };
  const Row rows[] = {
      {"dtype", nullptr, EDGETWIN_DTYPE_INT32, {1, 3, 8, 8}},
      {"shape", nullptr, EDGETWIN_DTYPE_FLOAT32, {1, 3, 5, 5}},
      {"rank", nullptr, EDGETWIN_DTYPE_FLOAT32, {7}},
      {"input", "nobody", EDGETWIN_DTYPE_FLOAT32, {1, 3, 8, 8}},
  };
  for (const Row& row : rows) {
    edgetwin_samples_free(samples);
    ASSERT_EQ(edgetwin_samples_create(&samples, nullptr), 0);
    ASSERT_EQ(add(row.input, row.dtype, row.shape), 0);
    expect_refused({{row.name, 3, "", [&](auto** e) { return quantize(e); }}});
  }
}

TEST_F(CArguments, OfVerbs) {
  const std::string path = case_file("dense.tflite");
  const edgetwin_option unknown = {"colour", "red"}, empty = {nullptr, nullptr};
  expect_refused({
      {"check", 2, "result is NULL",
       [&](auto** e) { return edgetwin_check(network, nullptr, 0, nullptr, e); }},
      {"check's options", 2, "options are NULL",
       [&](auto** e) { return edgetwin_check(network, nullptr, 3, &document, e); }},
      {"check's option", 2, "option is NULL",
       [&](auto** e) { return edgetwin_check(network, &empty, 1, &document, e); }},
      {"check's key", 2, "colour",
       [&](auto** e) { return edgetwin_check(network, &unknown, 1, &document, e); }},
      {"verify", 2, "result is NULL",
       [&](auto** e) { return edgetwin_verify(runner, runner, nullptr, 0, nullptr, e); }},
      {"verify's second", 2, "second runner",
       [&](auto** e) { return edgetwin_verify(runner, nullptr, nullptr, 0, &document, e); }},
      {"verify's key", 2, "colour",
       [&](auto** e) { return edgetwin_verify(runner, runner, &unknown, 1, &document, e); }},
      {"diff", 2, "result is NULL",
       [&](auto** e) { return edgetwin_diff(path.c_str(), path.c_str(), nullptr, 0, nullptr, e); }},
      {"diff's first", 2, "path is NULL",
       [&](auto** e) { return edgetwin_diff(nullptr, path.c_str(), nullptr, 0, &document, e); }},
      {"diff's second", 2, "path is NULL",
       [&](auto** e) { return edgetwin_diff(path.c_str(), nullptr, nullptr, 0, &document, e); }},
      {"no file", 3, "",
       [&](auto** e) { return edgetwin_diff(path.c_str(), "/nowhere", nullptr, 0, &document, e); }},
      {"a path like an option", 2, "",
       [&](auto** e) { return edgetwin_diff(path.c_str(), "--help", nullptr, 0, &document, e); }},
      {"quantize", 2, "result is NULL",
       [&](auto** e) { return edgetwin_quantize(source, nullptr, nullptr, 0, &made, nullptr, e); }},
      {"quantize without a target", 2, "",
       [&](auto** e) {
         return edgetwin_quantize(source, nullptr, nullptr, 0, &made, &document, e);
       }},
      {"compile", 2, "result is NULL",
       [&](auto** e) { return edgetwin_compile(network, nullptr, 0, &made, nullptr, e); }},
      {"compile without a target", 2, "",
       [&](auto** e) { return edgetwin_compile(network, nullptr, 0, &made, &document, e); }},
      {"decompile", 2, "result is NULL",
       [&](auto** e) { return edgetwin_decompile(network, nullptr, 0, &made, nullptr, e); }},
      {"decompile what is not compiled", 3, "",
       [&](auto** e) { return edgetwin_decompile(network, nullptr, 0, &made, &document, e); }},
      {"report", 2, "result is NULL",
       [&](auto** e) { return edgetwin_report(runner, nullptr, 0, nullptr, e); }},
      {"report's key", 2, "colour",
       [&](auto** e) { return edgetwin_report(runner, &unknown, 1, &document, e); }},
      {"explain", 2, "result is NULL",
       [](auto** e) { return edgetwin_explain("EXEC-STOP-01", nullptr, e); }},
      {"explain nothing", 2, "NULL or empty",
       [&](auto** e) { return edgetwin_explain("", &document, e); }},
      {"explain what is unknown", 2, "",
       [&](auto** e) { return edgetwin_explain("NO-SUCH-99", &document, e); }},
  });
}

TEST_F(CArguments, OfDevices) {
  const edgetwin_option unknown = {"colour", "red"}, threads = {"threads", "0"};
  expect_refused({
      {"list", 2, "result is NULL",
       [](auto** e) { return edgetwin_device_list(nullptr, 0, nullptr, e); }},
      {"list's key", 2, "colour",
       [&](auto** e) { return edgetwin_device_list(&unknown, 1, &document, e); }},
      {"where", 2, "NULL",
       [&](auto** e) { return edgetwin_device_open(nullptr, nullptr, 0, &device, e); }},
      {"place", 2, "result is NULL",
       [](auto** e) { return edgetwin_device_open("virtual", nullptr, 0, nullptr, e); }},
      {"nowhere", 2, "nowhere",
       [&](auto** e) { return edgetwin_device_open("nowhere", nullptr, 0, &device, e); }},
      {"key", 2, "colour",
       [&](auto** e) { return edgetwin_device_open("virtual", &unknown, 1, &device, e); }},
      {"threads", 2, "cannot be '0'",
       [&](auto** e) { return edgetwin_device_open("virtual", &threads, 1, &device, e); }},
  });
}

TEST_F(CArguments, OfLearning) {
  const auto softmax = [&](const float* weights, const float* bias, int32_t classes,
                           int32_t features, edgetwin_error** e) {
    return edgetwin_append_softmax_x(network, weights, bias, classes, features, -1.0F, 1.0F, &made,
                                     e);
  };
  const auto imprint = [&](const float* weights, const char* text, int32_t classes,
                           edgetwin_error** e) {
    return edgetwin_imprint_x(network, weights, classes, 2, 0, text, &made, e);
  };
  expect_refused({
      {"weights", 2, "NULL", [&](auto** e) { return softmax(nullptr, floats, 2, 2, e); }},
      {"bias", 2, "NULL", [&](auto** e) { return softmax(floats, nullptr, 2, 2, e); }},
      {"classes", 2, "no size", [&](auto** e) { return softmax(floats, floats, 0, 2, e); }},
      {"features", 2, "no size", [&](auto** e) { return softmax(floats, floats, 2, -1, e); }},
      {"other features", 2, "", [&](auto** e) { return softmax(floats, floats, 2, 3, e); }},
      {"place", 2, "result is NULL",
       [&](auto** e) {
         return edgetwin_append_softmax_x(network, floats, floats, 2, 2, 0, 1, nullptr, e);
       }},
      {"extractor", 2, "result is NULL",
       [&](auto** e) { return edgetwin_extractor_x(network, nullptr, e); }},
      {"no embeddings", 2, "", [&](auto** e) { return edgetwin_extractor_x(network, &made, e); }},
      {"layout", 2, "result is NULL",
       [&](auto** e) {
         return edgetwin_imprinting_layout_x(network, nullptr, numbers, numbers, e);
       }},
      {"layout's classes", 2, "result is NULL",
       [&](auto** e) {
         return edgetwin_imprinting_layout_x(network, numbers, nullptr, numbers, e);
       }},
      {"layout's features", 2, "result is NULL",
       [&](auto** e) {
         return edgetwin_imprinting_layout_x(network, numbers, numbers, nullptr, e);
       }},
      {"imprinted weights", 2, "NULL", [&](auto** e) { return imprint(nullptr, "", 2, e); }},
      {"description", 2, "NULL", [&](auto** e) { return imprint(floats, nullptr, 2, e); }},
      {"negative classes", 2, "", [&](auto** e) { return imprint(floats, "", -1, e); }},
      {"place of the imprinted", 2, "result is NULL",
       [&](auto** e) { return edgetwin_imprint_x(network, floats, 2, 2, 0, "", nullptr, e); }},
  });
}

}  // namespace
}  // namespace edgetwin
