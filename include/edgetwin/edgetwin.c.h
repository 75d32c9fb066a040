/*
 * edgetwin for other languages: a plain C interface (C99 and C++98).
 *
 * Results. A function that can fail returns 0, or the exit code that the program would give: 2
 * wrong use, 3 unusable input, 4 device or environment, 70 our bug. Its last argument receives an
 * owned error then, and NULL otherwise; it may be NULL. The answer "no" is no error: it is the
 * verdict of a document.
 *
 * Ownership. What comes out of a pointer to a pointer is owned by the caller and goes back through
 * the matching _free, which takes NULL too. Everything else is borrowed, as long as its comment
 * says. Outputs are set to NULL on failure.
 *
 * Threads. Networks, documents and errors never change: any number of threads. A runner and a
 * samples object belong to one thread at a time, but edgetwin_runner_cancel may come from any. A
 * device serves runners of several threads, which take turns. After fork() a child must not use
 * handles of its parent.
 *
 * Options are pairs of texts whose keys are the long options of the command line without dashes:
 * numerics, target, threads, shape, ... Flags are "" or "true". What is not known is refused.
 *
 * Texts are UTF-8 and end with NUL.
 */
#ifndef EDGETWIN_EDGETWIN_C_H
#define EDGETWIN_EDGETWIN_C_H

#include <stddef.h>
#include <stdint.h>

#define EDGETWIN_ABI_MAJOR 0
#define EDGETWIN_ABI_MINOR 1
#define EDGETWIN_ABI_VERSION 1 /* major << 16 | minor */

/* Element types: the numbers of TensorFlow Lite. 0: a type that it does not have. */
#define EDGETWIN_DTYPE_NONE 0
#define EDGETWIN_DTYPE_FLOAT32 1
#define EDGETWIN_DTYPE_INT32 2
#define EDGETWIN_DTYPE_UINT8 3
#define EDGETWIN_DTYPE_INT64 4
#define EDGETWIN_DTYPE_STRING 5
#define EDGETWIN_DTYPE_BOOL 6
#define EDGETWIN_DTYPE_INT16 7
#define EDGETWIN_DTYPE_COMPLEX64 8
#define EDGETWIN_DTYPE_INT8 9
#define EDGETWIN_DTYPE_FLOAT16 10
#define EDGETWIN_DTYPE_FLOAT64 11
#define EDGETWIN_DTYPE_COMPLEX128 12
#define EDGETWIN_DTYPE_UINT64 13
#define EDGETWIN_DTYPE_RESOURCE 14
#define EDGETWIN_DTYPE_VARIANT 15
#define EDGETWIN_DTYPE_UINT32 16
#define EDGETWIN_DTYPE_UINT16 17
#define EDGETWIN_DTYPE_INT4 18

#define EDGETWIN_SCHEME_NONE 0
#define EDGETWIN_SCHEME_AFFINE 1       /* scale * (q - zero_point) */
#define EDGETWIN_SCHEME_POWER_OF_TWO 2 /* q * 2^exponent */

#define EDGETWIN_TENSOR_CONSTANT 1
#define EDGETWIN_TENSOR_INPUT 2
#define EDGETWIN_TENSOR_OUTPUT 4
#define EDGETWIN_TENSOR_VARIABLE 8
#define EDGETWIN_TENSOR_READABLE 16 /* after invoke */
#define EDGETWIN_TENSOR_WRITABLE 32 /* before it */

#ifdef __cplusplus
extern "C" {
#endif

typedef struct edgetwin_error edgetwin_error;
typedef struct edgetwin_document edgetwin_document;
typedef struct edgetwin_network edgetwin_network;
typedef struct edgetwin_runner edgetwin_runner;
typedef struct edgetwin_samples edgetwin_samples;
typedef struct edgetwin_device edgetwin_device;

/* Borrowed during the call. */
typedef struct edgetwin_option {
  const char* key;
  const char* value;
} edgetwin_option;

/* Pointers are borrowed until the runner is resized, allocated, invoked or freed. */
typedef struct edgetwin_tensor_info {
  uint32_t size; /* in: sizeof(edgetwin_tensor_info) as the caller knows it */
  int32_t dtype; /* EDGETWIN_DTYPE_* */
  const char* name;
  int32_t rank;                   /* -1: not known before allocation */
  const int32_t* shape;           /* rank numbers, outermost first */
  const int32_t* shape_signature; /* as in the file, -1 where open */
  uint64_t bytes;                 /* of unpacked elements: int4 counts one byte each */
  int32_t scheme;                 /* EDGETWIN_SCHEME_* */
  int32_t channels;               /* 0 none, 1 per tensor, n per channel of axis */
  int32_t axis;
  const float* scales; /* `channels` numbers; of powers of two the powers */
  const int64_t* zero_points;
  const int32_t* exponents; /* of powers of two, else NULL */
  uint32_t flags;           /* EDGETWIN_TENSOR_* */
} edgetwin_tensor_info;

/* Library. Texts are static. */
const char* edgetwin_version(void);
uint32_t edgetwin_abi_version(void);
const char* edgetwin_build_json(void);

/* Errors. Texts are borrowed from the error. */
const char* edgetwin_error_id(const edgetwin_error* error);
int32_t edgetwin_error_exit_code(const edgetwin_error* error);
const char* edgetwin_error_message(const edgetwin_error* error); /* one sentence */
const char* edgetwin_error_text(const edgetwin_error* error);    /* with place and remedy */
const char* edgetwin_error_json(const edgetwin_error* error);
void edgetwin_error_free(edgetwin_error* error);

/* Documents: results to be read. Parts: "json" always, "text", "html"; NULL where there is none.
   Files have relative names. All are borrowed from the document. */
int32_t edgetwin_document_verdict(const edgetwin_document* document); /* 0 yes, 1 no */
const char* edgetwin_document_part(const edgetwin_document* document, const char* name);
size_t edgetwin_document_file_count(const edgetwin_document* document);
int32_t edgetwin_document_file(const edgetwin_document* document, size_t i, const char** name,
                               const void** data, size_t* size);
void edgetwin_document_free(edgetwin_document* document);

/* Networks: any file, told by its content. Options: target, numerics, model, key, runtime,
   accumulators, shape, checkpoint, weights, bias, sample, input-shape, network, option. Runners
   made of a network stay valid when it is freed. */
int32_t edgetwin_network_open_file(const char* path, const edgetwin_option* options, size_t n,
                                   edgetwin_network** out, edgetwin_error** error);
/* Copies the bytes. `name` is for messages; may be NULL. */
int32_t edgetwin_network_open_bytes(const void* data, size_t size, const char* name,
                                    const edgetwin_option* options, size_t n,
                                    edgetwin_network** out, edgetwin_error** error);
int32_t edgetwin_network_describe(const edgetwin_network* network, edgetwin_document** out,
                                  edgetwin_error** error);
/* The file; borrowed from the network. */
int32_t edgetwin_network_bytes(const edgetwin_network* network, const void** data, size_t* size,
                               edgetwin_error** error);
void edgetwin_network_free(edgetwin_network* network);

/* Runners: a network that computes somewhere. Options: on (twin, machine, plain), keep (all),
   graph, threads, isa, plain, allow-undefined. Without `on` compiled models and register programs
   compute in the machine, all others on the twin. `device` may be NULL. */
int32_t edgetwin_runner_create(const edgetwin_network* network, const edgetwin_option* options,
                               size_t n, edgetwin_device* device, edgetwin_runner** out,
                               edgetwin_error** error);
/* Numbers of tensors; borrowed as long as the runner lives. */
int32_t edgetwin_runner_inputs(const edgetwin_runner* runner, const int32_t** tensors, size_t* n);
int32_t edgetwin_runner_outputs(const edgetwin_runner* runner, const int32_t** tensors, size_t* n);
size_t edgetwin_runner_tensor_count(const edgetwin_runner* runner);
int32_t edgetwin_runner_tensor_info(const edgetwin_runner* runner, int32_t tensor,
                                    edgetwin_tensor_info* info, edgetwin_error** error);
/* strict != 0: only sizes that the file leaves open. */
int32_t edgetwin_runner_resize(edgetwin_runner* runner, int32_t tensor, const int32_t* shape,
                               int32_t rank, int32_t strict, edgetwin_error** error);
/* Plans: needed once, and after resize. */
int32_t edgetwin_runner_allocate(edgetwin_runner* runner, edgetwin_error** error);
int32_t edgetwin_runner_set(edgetwin_runner* runner, int32_t tensor, const void* data, size_t bytes,
                            edgetwin_error** error);
int32_t edgetwin_runner_get(const edgetwin_runner* runner, int32_t tensor, void* data, size_t bytes,
                            edgetwin_error** error);
/* Borrowed until resize, allocate or free; 64-byte aligned; stable over invoke, but for outputs
   whose size the file leaves open: these have it after the first. */
int32_t edgetwin_runner_data(edgetwin_runner* runner, int32_t tensor, void** data, size_t* bytes,
                             int32_t* writable, edgetwin_error** error);
int32_t edgetwin_runner_invoke(edgetwin_runner* runner, edgetwin_error** error);
/* From any thread, a signal handler too: the invoke that is under way returns 4 before the next
 * layer. */
void edgetwin_runner_cancel(edgetwin_runner* runner);
int32_t edgetwin_runner_reset_variables(edgetwin_runner* runner, edgetwin_error** error);
/* Findings and times of the last run; structure of the network; instruction set. */
int32_t edgetwin_runner_statistics(const edgetwin_runner* runner, edgetwin_document** out,
                                   edgetwin_error** error);
void edgetwin_runner_free(edgetwin_runner* runner);

/* Samples: calibration data. The n-th array of an input belongs to sample n. */
int32_t edgetwin_samples_create(edgetwin_samples** out, edgetwin_error** error);
/* Copies. `input` NULL: the only one. */
int32_t edgetwin_samples_add(edgetwin_samples* samples, const char* input, int32_t dtype,
                             const int32_t* shape, int32_t rank, const void* data, size_t bytes,
                             edgetwin_error** error);
void edgetwin_samples_free(edgetwin_samples* samples);

/* Verbs. `made` may be NULL where the network is not wanted. */
int32_t edgetwin_check(const edgetwin_network* network, const edgetwin_option* options, size_t n,
                       edgetwin_document** out, edgetwin_error** error);
/* Inputs of a are set, and are copied to b; both compute; verdict 0: equal bytes. */
int32_t edgetwin_verify(edgetwin_runner* a, edgetwin_runner* b, const edgetwin_option* options,
                        size_t n, edgetwin_document** out, edgetwin_error** error);
int32_t edgetwin_diff(const char* path_a, const char* path_b, const edgetwin_option* options,
                      size_t n, edgetwin_document** out, edgetwin_error** error);
int32_t edgetwin_quantize(const edgetwin_network* network, const edgetwin_samples* samples,
                          const edgetwin_option* options, size_t n, edgetwin_network** made,
                          edgetwin_document** out, edgetwin_error** error);
int32_t edgetwin_compile(const edgetwin_network* network, const edgetwin_option* options, size_t n,
                         edgetwin_network** made, edgetwin_document** out, edgetwin_error** error);
int32_t edgetwin_decompile(const edgetwin_network* network, const edgetwin_option* options,
                           size_t n, edgetwin_network** made, edgetwin_document** out,
                           edgetwin_error** error);
/* A page about the inputs that are set. */
int32_t edgetwin_report(edgetwin_runner* runner, const edgetwin_option* options, size_t n,
                        edgetwin_document** out, edgetwin_error** error);
int32_t edgetwin_explain(const char* id, edgetwin_document** out, edgetwin_error** error);

/* Devices. `where`: "", ":1", "usb", "usb:0", "usb:BUS-PORT", "virtual", "virtual:0". Options:
   performance, firmware, threads. */
int32_t edgetwin_device_list(const edgetwin_option* options, size_t n, edgetwin_document** out,
                             edgetwin_error** error);
int32_t edgetwin_device_open(const char* where, const edgetwin_option* options, size_t n,
                             edgetwin_device** out, edgetwin_error** error);
void edgetwin_device_free(edgetwin_device* device);

#ifdef EDGETWIN_EXPERIMENTAL
/* May change or go at any time. Classifiers behind networks that stay as they are: a dense layer
   with softmax after the first output (weights: classes x features); weights imprinted into a
   network that ends with L2_NORMALIZATION, CONV_2D, MUL, RESHAPE, SOFTMAX. */
int32_t edgetwin_append_softmax_x(const edgetwin_network* network, const float* weights,
                                  const float* bias, int32_t classes, int32_t features, float low,
                                  float high, edgetwin_network** made, edgetwin_error** error);
int32_t edgetwin_extractor_x(const edgetwin_network* network, edgetwin_network** made,
                             edgetwin_error** error);
int32_t edgetwin_imprinting_layout_x(const edgetwin_network* network, int32_t* kernel,
                                     int32_t* classes, int32_t* features, edgetwin_error** error);
int32_t edgetwin_imprint_x(const edgetwin_network* network, const float* weights, int32_t classes,
                           int32_t features, int32_t kept, const char* description,
                           edgetwin_network** made, edgetwin_error** error);
#endif

#ifdef __cplusplus
}
#endif

#endif
