// Classifiers trained behind networks: experimental, for pycoral's `learn`.
#include "edgetwin/learn.h"
#include "c/network.h"

namespace edgetwin::c {
namespace {

Result<std::unique_ptr<edgetwin_network>> opened(const NetworkState& from, Result<Bytes> made) {
  if (!made.ok()) return std::move(made).error();
  return open_bytes(std::move(*made), from.name, false, from.options);
}

size_t product(int32_t a, int32_t b) {
  return a < 0 || b < 0 ? 0 : static_cast<size_t>(a) * static_cast<size_t>(b);
}

}  // namespace
}  // namespace edgetwin::c

using namespace edgetwin;     // NOLINT: the entry points of this file
using namespace edgetwin::c;  // NOLINT

extern "C" {

EDGETWIN_EXPORT int32_t edgetwin_append_softmax_x(const edgetwin_network* network,
                                                  const float* weights, const float* bias,
                                                  int32_t classes, int32_t features, float low,
                                                  float high, edgetwin_network** made,
                                                  edgetwin_error** error) {
  return guard_out(made, error, [&]() -> Result<std::unique_ptr<edgetwin_network>> {
    EDGETWIN_TRY(require_handle(network, "the network is NULL or was freed"));
    EDGETWIN_TRY(require(weights != nullptr && bias != nullptr && classes > 0 && features > 0,
                         "the weights are NULL or have no size"));
    const SoftmaxLayer layer{
        classes, {weights, product(classes, features)}, {bias, product(classes, 1)}, low, high};
    const NetworkState& from = *network->state;
    return opened(from, append_softmax(from.bytes, from.name, layer));
  });
}

EDGETWIN_EXPORT int32_t edgetwin_extractor_x(const edgetwin_network* network,
                                             edgetwin_network** made, edgetwin_error** error) {
  return guard_out(made, error, [&]() -> Result<std::unique_ptr<edgetwin_network>> {
    EDGETWIN_TRY(require_handle(network, "the network is NULL or was freed"));
    const NetworkState& from = *network->state;
    return opened(from, embedding_extractor(from.bytes, from.name));
  });
}

EDGETWIN_EXPORT int32_t edgetwin_imprinting_layout_x(const edgetwin_network* network,
                                                     int32_t* kernel, int32_t* classes,
                                                     int32_t* features, edgetwin_error** error) {
  return guard(error, [&]() -> Status {
    EDGETWIN_TRY(require_handle(network, "the network is NULL or was freed"));
    EDGETWIN_TRY(require(kernel != nullptr && classes != nullptr && features != nullptr,
                         "the place for the result is NULL"));
    const NetworkState& from = *network->state;
    EDGETWIN_TRY_ASSIGN(const ImprintingLayout layout, imprinting_layout(from.bytes, from.name));
    *kernel = layout.kernel;
    *classes = layout.classes;
    *features = layout.features;
    return Ok{};
  });
}

EDGETWIN_EXPORT int32_t edgetwin_imprint_x(const edgetwin_network* network, const float* weights,
                                           int32_t classes, int32_t features, int32_t kept,
                                           const char* description, edgetwin_network** made,
                                           edgetwin_error** error) {
  return guard_out(made, error, [&]() -> Result<std::unique_ptr<edgetwin_network>> {
    EDGETWIN_TRY(require_handle(network, "the network is NULL or was freed"));
    EDGETWIN_TRY(require(weights != nullptr && description != nullptr, "the weights are NULL"));
    const ImprintedClasses all{classes, {weights, product(classes, features)}, kept, description};
    const NetworkState& from = *network->state;
    return opened(from, imprint(from.bytes, from.name, all));
  });
}

}  // extern "C"
