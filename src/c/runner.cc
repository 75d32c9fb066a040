#include "c/network.h"
#include "c/options.h"
#include "c/tensor_info.h"

namespace edgetwin::c {
namespace {

// The network as it is, or opened again where the runner wants it otherwise.
Result<std::shared_ptr<const NetworkState>> network_for(const edgetwin_network& network,
                                                        const Options& wish) {
  if (wish.empty()) return network.state;
  Options all;
  for (const auto& option : network.state->options) {
    bool replaced = false;
    for (const auto& w : wish) replaced |= w.first == option.first && w.first != "option";
    if (!replaced) all.push_back(option);
  }
  all.insert(all.end(), wish.begin(), wish.end());
  const NetworkState& from = *network.state;
  EDGETWIN_TRY_ASSIGN(const auto made, open_bytes(from.bytes, from.name, from.is_file, all));
  return made->state;
}

}  // namespace
}  // namespace edgetwin::c

using namespace edgetwin;     // NOLINT: the entry points of this file
using namespace edgetwin::c;  // NOLINT

extern "C" {

EDGETWIN_EXPORT int32_t edgetwin_runner_create(const edgetwin_network* network,
                                               const edgetwin_option* options, size_t n,
                                               edgetwin_device* device, edgetwin_runner** out,
                                               edgetwin_error** error) {
  return guard_out(out, error, [&]() -> Result<std::unique_ptr<edgetwin_runner>> {
    EDGETWIN_TRY(require_handle(network, "the network is NULL or was freed"));
    if (device != nullptr) EDGETWIN_TRY(require_handle(device, "the device was freed"));
    EDGETWIN_TRY_ASSIGN(const Options given, options_of(options, n));
    EDGETWIN_TRY_ASSIGN(RunnerWish wish, runner_wish(given));
    EDGETWIN_TRY_ASSIGN(auto state, network_for(*network, wish.open));
    if (device != nullptr) wish.tensors.device = device->device;
    EDGETWIN_TRY_ASSIGN(Tensors tensors, Tensors::make(state->network, wish.tensors));
    return std::make_unique<edgetwin_runner>(
        edgetwin_runner{std::move(state), std::move(tensors), given});
  });
}

EDGETWIN_EXPORT int32_t edgetwin_runner_inputs(const edgetwin_runner* runner,
                                               const int32_t** tensors, size_t* n) {
  const bool good = is_alive(runner) && tensors != nullptr && n != nullptr;
  if (tensors != nullptr) *tensors = good ? runner->tensors.inputs().data() : nullptr;
  if (n != nullptr) *n = good ? runner->tensors.inputs().size() : 0;
  return good ? 0 : 2;
}

EDGETWIN_EXPORT int32_t edgetwin_runner_outputs(const edgetwin_runner* runner,
                                                const int32_t** tensors, size_t* n) {
  const bool good = is_alive(runner) && tensors != nullptr && n != nullptr;
  if (tensors != nullptr) *tensors = good ? runner->tensors.outputs().data() : nullptr;
  if (n != nullptr) *n = good ? runner->tensors.outputs().size() : 0;
  return good ? 0 : 2;
}

EDGETWIN_EXPORT size_t edgetwin_runner_tensor_count(const edgetwin_runner* runner) {
  return is_alive(runner) ? runner->tensors.count() : 0;
}

EDGETWIN_EXPORT int32_t edgetwin_runner_tensor_info(const edgetwin_runner* runner, int32_t tensor,
                                                    edgetwin_tensor_info* info,
                                                    edgetwin_error** error) {
  return guard(error, [&]() -> Status {
    EDGETWIN_TRY(require_handle(runner, "the runner is NULL or was freed"));
    EDGETWIN_TRY(require(info != nullptr && info->size >= sizeof(uint32_t),
                         "the tensor information is NULL or its size is not set"));
    EDGETWIN_TRY_ASSIGN(const TensorRow* row, runner->tensors.row(tensor));
    describe(*row, runner->texts[tensor], *info);
    return Ok{};
  });
}

EDGETWIN_EXPORT int32_t edgetwin_runner_resize(edgetwin_runner* runner, int32_t tensor,
                                               const int32_t* shape, int32_t rank, int32_t strict,
                                               edgetwin_error** error) {
  return guard(error, [&]() -> Status {
    EDGETWIN_TRY(require_handle(runner, "the runner is NULL or was freed"));
    EDGETWIN_TRY(require(rank >= 0 && rank <= Shape::kMaxRank && (shape != nullptr || rank == 0),
                         "the shape is NULL or has more than 8 sizes"));
    Shape wanted;
    for (int32_t d = 0; d < rank; ++d) wanted.push_back(shape[d]);
    return runner->tensors.resize(tensor, wanted, strict != 0);
  });
}

EDGETWIN_EXPORT int32_t edgetwin_runner_allocate(edgetwin_runner* runner, edgetwin_error** error) {
  return guard(error, [&]() -> Status {
    EDGETWIN_TRY(require_handle(runner, "the runner is NULL or was freed"));
    return runner->tensors.allocate();
  });
}

EDGETWIN_EXPORT void edgetwin_runner_free(edgetwin_runner* runner) { take_back(runner); }

}  // extern "C"
