#include "c/network.h"
#include "base/file.h"
#include "c/options.h"

namespace edgetwin::c {

Result<std::unique_ptr<edgetwin_network>> open_bytes(Bytes bytes, std::string name, bool is_file,
                                                     const Options& options) {
  EDGETWIN_TRY_ASSIGN(const OpenOptions open, open_options(options));
  EDGETWIN_TRY_ASSIGN(Network network, Network::open(ByteSpan(bytes), name, open));
  auto state = std::make_shared<NetworkState>(
      NetworkState{std::move(network), std::move(bytes), std::move(name), is_file, options});
  return std::make_unique<edgetwin_network>(edgetwin_network{std::move(state)});
}

}  // namespace edgetwin::c

using namespace edgetwin;     // NOLINT: the entry points of this file
using namespace edgetwin::c;  // NOLINT

extern "C" {

EDGETWIN_EXPORT int32_t edgetwin_network_open_file(const char* path, const edgetwin_option* options,
                                                   size_t n, edgetwin_network** out,
                                                   edgetwin_error** error) {
  return guard_out(out, error, [&]() -> Result<std::unique_ptr<edgetwin_network>> {
    EDGETWIN_TRY(require(path != nullptr, "the path is NULL"));
    EDGETWIN_TRY_ASSIGN(const Options given, options_of(options, n));
    EDGETWIN_TRY_ASSIGN(Bytes bytes, read_file(path));
    return open_bytes(std::move(bytes), path, true, given);
  });
}

EDGETWIN_EXPORT int32_t edgetwin_network_open_bytes(const void* data, size_t size, const char* name,
                                                    const edgetwin_option* options, size_t n,
                                                    edgetwin_network** out,
                                                    edgetwin_error** error) {
  return guard_out(out, error, [&]() -> Result<std::unique_ptr<edgetwin_network>> {
    EDGETWIN_TRY(require(data != nullptr || size == 0, "the bytes are NULL"));
    EDGETWIN_TRY_ASSIGN(const Options given, options_of(options, n));
    const auto* from = static_cast<const std::byte*>(data);
    return open_bytes(Bytes(from, from + size), name == nullptr ? "bytes" : name, false, given);
  });
}

EDGETWIN_EXPORT int32_t edgetwin_network_bytes(const edgetwin_network* network, const void** data,
                                               size_t* size, edgetwin_error** error) {
  if (data != nullptr) *data = nullptr;
  if (size != nullptr) *size = 0;
  return guard(error, [&]() -> Status {
    EDGETWIN_TRY(require_handle(network, "the network is NULL or was freed"));
    EDGETWIN_TRY(require(data != nullptr && size != nullptr, "the place for the result is NULL"));
    *data = network->state->bytes.data();
    *size = network->state->bytes.size();
    return Ok{};
  });
}

EDGETWIN_EXPORT void edgetwin_network_free(edgetwin_network* network) { take_back(network); }

}  // extern "C"
