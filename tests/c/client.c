/* A client in C99: client MODEL INPUT.npy-less; computes a picture of one value and prints the class.
   The second part gives every function handles that are NULL. */
#include <edgetwin/edgetwin.c.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

static void expect(int good, const char* what) {
  if (good) return;
  ++failures;
  fprintf(stderr, "not so: %s\n", what);
}

static int fail(edgetwin_error* error) {
  const char* text = edgetwin_error_text(error);
  fprintf(stderr, "%s", text == NULL ? "no text\n" : text);
  edgetwin_error_free(error);
  return 3;
}

static int run(const char* path) {
  edgetwin_network* network = NULL;
  edgetwin_runner* runner = NULL;
  edgetwin_error* error = NULL;
  const edgetwin_option option = {"threads", "2"};
  edgetwin_tensor_info info;
  const int32_t *inputs = NULL, *outputs = NULL;
  size_t n = 0, size = 0;
  void* memory = NULL;
  int32_t writable = 0;
  unsigned char* picture;
  if (edgetwin_network_open_file(path, NULL, 0, &network, &error) != 0) return fail(error);
  if (edgetwin_runner_create(network, &option, 1, NULL, &runner, &error) != 0) return fail(error);
  edgetwin_network_free(network);
  expect(edgetwin_runner_inputs(runner, &inputs, &n) == 0 && n == 1, "one input");
  expect(edgetwin_runner_outputs(runner, &outputs, &n) == 0 && n == 1, "one output");
  memset(&info, 0, sizeof(info));
  info.size = sizeof(info);
  if (edgetwin_runner_tensor_info(runner, inputs[0], &info, &error) != 0) return fail(error);
  expect(info.rank == 4, "pictures have four dimensions");
  picture = (unsigned char*)calloc(1, (size_t)info.bytes);
  if (picture == NULL) return 4;
  expect(edgetwin_runner_set(runner, inputs[0], picture, (size_t)info.bytes, NULL) == 2,
         "set before allocate is refused");
  expect(edgetwin_runner_invoke(runner, NULL) == 2, "invoke before allocate is refused");
  if (edgetwin_runner_allocate(runner, &error) != 0) return fail(error);
  if (edgetwin_runner_set(runner, inputs[0], picture, (size_t)info.bytes, &error) != 0) {
    return fail(error);
  }
  free(picture);
  if (edgetwin_runner_invoke(runner, &error) != 0) return fail(error);
  expect(error == NULL, "no error object after success");
  if (edgetwin_runner_data(runner, outputs[0], &memory, &size, &writable, &error) != 0) {
    return fail(error);
  }
  expect(size == 10, "ten classes");
  expect(edgetwin_runner_set(runner, 1000000, "", 1, &error) == 2, "no such tensor");
  expect(strcmp(edgetwin_error_id(error), "EXEC-TENSOR-01") == 0, "its id");
  expect(edgetwin_error_exit_code(error) == 2, "its exit code");
  edgetwin_error_free(error);
  edgetwin_error_free(error); /* a handle that is gone is no crash */
  edgetwin_runner_free(runner);
  edgetwin_runner_free(runner);
  expect(edgetwin_runner_invoke(runner, NULL) == 2, "a runner that was freed is refused");
  printf("%s %u\n", edgetwin_version(), (unsigned)edgetwin_abi_version());
  return 0;
}

static void nulls(void) {
  edgetwin_error* error = NULL;
  edgetwin_document* document = NULL;
  edgetwin_network* network = NULL;
  edgetwin_runner* runner = NULL;
  edgetwin_samples* samples = NULL;
  edgetwin_device* device = NULL;
  const void* data = NULL;
  const int32_t* numbers = NULL;
  size_t size = 0;
  expect(edgetwin_build_json() != NULL, "build");
  expect(edgetwin_error_id(NULL) == NULL, "error_id");
  expect(edgetwin_error_exit_code(NULL) == 0, "error_exit_code");
  expect(edgetwin_error_message(NULL) == NULL, "error_message");
  expect(edgetwin_error_text(NULL) == NULL, "error_text");
  expect(edgetwin_error_json(NULL) == NULL, "error_json");
  edgetwin_error_free(NULL);
  expect(edgetwin_document_verdict(NULL) == 2, "document_verdict");
  expect(edgetwin_document_part(NULL, "json") == NULL, "document_part");
  expect(edgetwin_document_file_count(NULL) == 0, "document_file_count");
  expect(edgetwin_document_file(NULL, 0, NULL, NULL, NULL) == 2, "document_file");
  edgetwin_document_free(NULL);
  expect(edgetwin_network_open_file(NULL, NULL, 0, &network, &error) == 2, "open_file");
  edgetwin_error_free(error);
  expect(edgetwin_network_open_file("x", NULL, 0, NULL, NULL) == 2, "open_file without a place");
  expect(edgetwin_network_open_file("/nothing/here", NULL, 0, &network, NULL) == 3, "no file");
  expect(edgetwin_network_open_bytes(NULL, 5, NULL, NULL, 0, &network, NULL) == 2, "open_bytes");
  expect(edgetwin_network_open_bytes("abc", 3, NULL, NULL, 2, &network, NULL) == 2, "options");
  expect(edgetwin_network_describe(NULL, &document, NULL) == 2, "describe");
  expect(edgetwin_network_bytes(NULL, &data, &size, NULL) == 2, "bytes");
  edgetwin_network_free(NULL);
  expect(edgetwin_runner_create(NULL, NULL, 0, NULL, &runner, NULL) == 2, "runner_create");
  expect(edgetwin_runner_inputs(NULL, &numbers, &size) == 2, "runner_inputs");
  expect(edgetwin_runner_outputs(NULL, NULL, NULL) == 2, "runner_outputs");
  expect(edgetwin_runner_tensor_count(NULL) == 0, "tensor_count");
  expect(edgetwin_runner_tensor_info(NULL, 0, NULL, NULL) == 2, "tensor_info");
  expect(edgetwin_runner_resize(NULL, 0, NULL, 0, 0, NULL) == 2, "resize");
  expect(edgetwin_runner_allocate(NULL, NULL) == 2, "allocate");
  expect(edgetwin_runner_set(NULL, 0, NULL, 0, NULL) == 2, "set");
  expect(edgetwin_runner_get(NULL, 0, NULL, 0, NULL) == 2, "get");
  expect(edgetwin_runner_data(NULL, 0, NULL, NULL, NULL, NULL) == 2, "data");
  expect(edgetwin_runner_invoke(NULL, NULL) == 2, "invoke");
  edgetwin_runner_cancel(NULL);
  expect(edgetwin_runner_reset_variables(NULL, NULL) == 2, "reset_variables");
  expect(edgetwin_runner_statistics(NULL, &document, NULL) == 2, "statistics");
  edgetwin_runner_free(NULL);
  expect(edgetwin_samples_create(NULL, NULL) == 2, "samples_create");
  expect(edgetwin_samples_create(&samples, NULL) == 0, "samples");
  expect(edgetwin_samples_add(samples, NULL, 99, NULL, 0, NULL, 0, NULL) == 2, "no such type");
  expect(edgetwin_samples_add(NULL, NULL, 1, NULL, 0, NULL, 0, NULL) == 2, "samples_add");
  edgetwin_samples_free(samples);
  edgetwin_samples_free(NULL);
  expect(edgetwin_check(NULL, NULL, 0, &document, NULL) == 2, "check");
  expect(edgetwin_verify(NULL, NULL, NULL, 0, &document, NULL) == 2, "verify");
  expect(edgetwin_diff(NULL, NULL, NULL, 0, &document, NULL) == 2, "diff");
  expect(edgetwin_quantize(NULL, NULL, NULL, 0, NULL, &document, NULL) == 2, "quantize");
  expect(edgetwin_compile(NULL, NULL, 0, NULL, &document, NULL) == 2, "compile");
  expect(edgetwin_decompile(NULL, NULL, 0, NULL, &document, NULL) == 2, "decompile");
  expect(edgetwin_report(NULL, NULL, 0, &document, NULL) == 2, "report");
  expect(edgetwin_explain(NULL, &document, NULL) == 2, "explain");
  expect(edgetwin_explain("EXEC-STOP-01", &document, NULL) == 0, "explain an id");
  expect(strstr(edgetwin_document_part(document, "json"), "EXEC-STOP-01") != NULL, "its document");
  expect(edgetwin_document_part(document, "html") == NULL, "it has no page");
  edgetwin_document_free(document);
  expect(edgetwin_device_open(NULL, NULL, 0, &device, NULL) == 2, "device_open");
  expect(edgetwin_device_open("nowhere", NULL, 0, &device, NULL) == 2, "no such place");
  expect(edgetwin_device_list(NULL, 1, &document, NULL) == 2, "device_list");
  edgetwin_device_free(NULL);
}

int main(int argc, char** argv) {
  int code;
  if (argc != 2) return 2;
  nulls();
  code = run(argv[1]);
  return code != 0 ? code : failures != 0;
}
