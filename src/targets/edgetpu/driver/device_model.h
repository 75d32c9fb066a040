// A compiled model made ready for a device: every transfer checked once and put in order, addresses
// filled in, the layouts of its outputs known.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "formats/darwinn/darwinn.h"
#include "formats/darwinn/relayout.h"
#include "targets/edgetpu/device/registers.h"

namespace edgetwin::edgetpu {

// One step of an executable, in order.
struct TransferStep {
  enum class Kind : uint8_t { send, receive, event, fence };
  enum class Buffer : uint8_t { instructions, parameters, layer, scratch };
  Kind kind = Kind::fence;
  FrameTag tag = FrameTag::instructions;  // of what is sent, or of the event
  Buffer buffer = Buffer::instructions;
  uint32_t index = 0;  // of the bitstream, input or output
  uint32_t offset = 0;
  uint32_t size = 0;
};

struct DeviceProgram {
  std::vector<TransferStep> steps;
  std::vector<Bytes> bitstreams;  // with addresses
  Bytes parameters;
  size_t scratch_bytes = 0;
};

// An input or output as the host sees it.
struct LayerPort {
  std::string name;
  darwinn::DataType type = darwinn::DataType::unsigned8;
  int y = 0, x = 0, z = 0;
  float scale = 0.0F;
  int zero_point = 0;       // of the host's type: int8 zero points are already shifted
  size_t bytes = 0;         // dense
  size_t padded_bytes = 0;  // as the file says it
  size_t buffer_bytes = 0;  // what transfers touch
};

class DeviceModel {
 public:
  // Errors: device_request, darwinn_layout, darwinn_field.
  static Result<std::shared_ptr<const DeviceModel>> make(const darwinn::Package& package);
  // Of a file: the package of its only custom operator. Errors: device_request too.
  static Result<std::shared_ptr<const DeviceModel>> make(const darwinn::File& file);

  // The same model with other weights on the chip (or, without those, with other streamed ones).
  // Error: device_request if the size differs.
  Result<std::shared_ptr<const DeviceModel>> with_parameters(Bytes parameters) const;
  ByteSpan parameters() const;  // what with_parameters replaces

  const std::vector<LayerPort>& inputs() const { return layers_->inputs; }
  const std::vector<LayerPort>& outputs() const { return layers_->outputs; }

  // For the device.
  const DeviceProgram* caching() const { return caching_.get(); }
  const DeviceProgram& inference() const { return *inference_; }
  uint64_t token() const { return token_; }
  // Models with equal place put their weights into the same memory of the chip; then `content`
  // tells whether these are the same weights.
  const std::string& place() const { return place_; }
  uint64_t content() const { return content_; }

  // The bytes that the device gets for an input of the host: padded, with flipped signs. The size
  // must be dense or padded. Error: device_request.
  Result<Bytes> to_device(size_t input, ByteSpan host) const;
  // The dense output of the host from the tiles of the device.
  Bytes to_host(size_t output, ByteSpan tiles) const;

 private:
  struct Layers {
    std::vector<LayerPort> inputs, outputs;
    std::vector<darwinn::Relayout> relayouts;  // of the outputs
  };
  std::shared_ptr<const DeviceProgram> caching_, inference_;
  std::shared_ptr<const Layers> layers_;
  uint64_t token_ = 0;
  std::string place_;
  uint64_t content_ = 0;
};

}  // namespace edgetwin::edgetpu
