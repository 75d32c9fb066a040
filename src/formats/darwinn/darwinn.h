// What a compiled Edge TPU model says, table by table: the custom operator's options, DarwiNN
// packages, their executables, and what is in those. docs/formats/darwinn.md has the bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/finding.h"
#include "base/result.h"

namespace edgetwin::darwinn {

// Where something stands in the file that was read; not a part of its meaning (== ignores it), and
// zero in what was not read from a file.
struct Extent {
  uint64_t offset = 0;
  uint64_t size = 0;
  bool operator==(const Extent&) const { return true; }
};

enum class BaseAddress : uint8_t { output = 0, input = 1, parameter = 2, scratch = 3 };
enum class Position : uint8_t { low = 0, high = 1 };
enum class Direction : uint8_t { to_device = 0, from_device = 1 };
enum class ExecutableType : uint8_t { stand_alone = 0, parameter_caching = 1, execution_only = 2 };
enum class DataType : uint8_t {
  unsigned8 = 0,
  unsigned16 = 1,
  signed32 = 2,
  bfloat16 = 3,
  half = 4,
  float32 = 5,
  signed8 = 8,
  signed16 = 9
};

std::string_view name(BaseAddress base);     // "output", "input", "parameter", "scratch"
std::string_view name(ExecutableType type);  // "STAND_ALONE", "PARAMETER_CACHING", ...
std::string_view name(DataType type);        // "uint8", "uint16", "int32", ...
int bytes_of(DataType type);                 // of one element
// Whether the host flips the top bit of every element: the chip itself computes unsigned.
bool host_flips_sign(DataType type);

// Which buffer a transfer or an address field is about. Parameter and scratch have no name.
struct Meta {
  BaseAddress base = BaseAddress::output;
  int32_t batch = 0;
  std::string name;
  Position position = Position::low;  // of address fields only
  bool operator==(const Meta&) const = default;
};

// 32 bits of a bitstream that the driver overwrites with one half of an address.
struct FieldOffset {
  Meta meta;
  int32_t offset_bit = 0;
  bool operator==(const FieldOffset&) const = default;
};

// One chunk of a program.
struct Bitstream {
  Bytes data;
  std::vector<FieldOffset> field_offsets;
  Extent place;
  bool operator==(const Bitstream&) const = default;
};

enum class HintKind : uint8_t {
  none = 0,
  descriptor = 1,
  instruction = 2,
  interrupt = 3,
  fence = 4
};

// A transfer that the host has to expect, in order.
struct DmaHint {
  HintKind kind = HintKind::none;
  Direction direction = Direction::to_device;
  Meta meta;           // descriptor
  int32_t offset = 0;  // descriptor: in bytes, from the base address
  int32_t size = 0;    // descriptor: in bytes
  int32_t chunk = 0;   // instruction: index of the bitstream
  int32_t interrupt = 0;
  bool operator==(const DmaHint&) const = default;
};

struct DmaHints {
  std::vector<DmaHint> hints;
  bool fully_deterministic = false;
  bool operator==(const DmaHints&) const = default;
};

struct Numerics {
  int32_t zero_point = 0;  // unsigned domain: int8 zero points plus 128
  float factor = 0.0F;     // real = factor * (q - zero_point)
  // Where the numbers stand in the file; size 0: not stored, they have the default.
  Extent zero_point_place, factor_place;
  bool operator==(const Numerics&) const = default;
};

struct Range {  // both inclusive
  int32_t start = 0;
  int32_t end = 0;
  bool operator==(const Range&) const = default;
};

struct TensorLayout {
  std::vector<Range> shape;
  std::vector<int32_t> stride;
  bool operator==(const TensorLayout&) const = default;
};

struct OutputShapeInfo {
  std::vector<TensorLayout> slices;
  std::vector<int32_t> slice_offset;
  bool operator==(const OutputShapeInfo&) const = default;
};

// Where the chip puts element (y, x, z) of an output; relayout.h computes with it.
struct OutputLayout {
  std::vector<int32_t> y_tile;       // y_coordinate_to_linear_tile_id_map
  std::vector<int32_t> x_tile;       // x_coordinate_to_linear_tile_id_map
  std::vector<int32_t> tile_offset;  // linearized_tile_byte_offset
  std::vector<int32_t> x_local;      // x_coordinate_to_local_byte_offset
  std::vector<int32_t> y_local;      // y_coordinate_to_local_y_offset
  std::vector<int32_t> x_row_size;   // x_coordinate_to_local_y_row_size
  bool operator==(const OutputLayout&) const = default;
};

enum class LayerKind : uint8_t { none = 0, output = 1, input = 2 };

struct Layer {
  std::string name;
  int32_t size_bytes = 0;  // as transferred, with padding
  int32_t y_dim = 0, x_dim = 0, z_dim = 0;
  std::optional<Numerics> numerics;
  DataType data_type = DataType::unsigned8;
  LayerKind kind = LayerKind::none;
  std::optional<OutputLayout> layout;
  DataType output_data_type = DataType::unsigned8;  // deprecated, of outputs
  std::optional<OutputShapeInfo> shape_info;
  int32_t execution_count = 1;
  bool cache_on_dram = false;
  std::optional<std::vector<Range>> shape;
  bool operator==(const Layer&) const = default;

  int64_t elements() const { return int64_t{y_dim} * x_dim * z_dim; }
};

struct Executable {
  int32_t version = 0;
  std::string name;
  Bytes serialized_model;
  int32_t batch_size = 1;
  int32_t scratch_size = 0;
  std::vector<Bitstream> bitstreams;
  Bytes parameters;
  std::optional<DmaHints> dma_hints;
  std::vector<Layer> inputs;
  std::vector<Layer> outputs;
  std::string chip;
  int32_t estimated_cycles = 0;  // deprecated
  int32_t narrow_memory_per_tile = 0;
  ExecutableType type = ExecutableType::stand_alone;
  uint64_t parameter_caching_token = 0;
  bool use_tpu_dram_for_parameters = false;
  int64_t estimated_cycles_64bit = 0;
  Extent place;            // of the executable
  Extent parameter_place;  // of the parameter bytes
  bool operator==(const Executable&) const = default;
};

struct Package {
  int32_t min_runtime_version = 0;
  std::vector<Executable> executables;
  Bytes signature;
  int32_t keypair_version = 0;
  std::string compiler_version;
  int32_t virtual_chip_id = 0;
  std::string model_identifier;
  Extent place;
  bool operator==(const Package&) const = default;

  const Executable* find(ExecutableType type) const;
  // What runs at every inference: STAND_ALONE if there is one, else EXECUTION_ONLY.
  const Executable* inference() const;
};

inline constexpr int32_t kCurrentRuntimeVersion = 14;
inline constexpr int32_t kOldestRuntimeVersion = 10;

// One operator edgetpu-custom-op of a .tflite file.
struct CompiledOp {
  int graph = 0;
  int op = 0;
  int64_t payload_version = 0;
  int64_t execution_preference = -1;
  bool has_chips = false;      // older payloads do not name the chip
  std::vector<int64_t> chips;  // one per package
  std::vector<Package> packages;
  Extent options;
  bool operator==(const CompiledOp&) const = default;
};

// What kind of file the packages came in. Smaller things are wrapped so that all look alike.
enum class Container : uint8_t { tflite, package, executable, bitstream };
std::string_view name(Container container);

struct File {
  Container container = Container::tflite;
  std::vector<CompiledOp> ops;
  std::vector<Finding> findings;  // strange but harmless
  bool operator==(const File& other) const {
    return container == other.container && ops == other.ops;
  }
};

inline constexpr std::string_view kCustomCode = "edgetpu-custom-op";

// A bitstream of a file by its numbers; also the order in which they are listed.
struct BitstreamId {
  size_t op = 0;  // index into File::ops
  size_t package = 0;
  size_t executable = 0;
  size_t chunk = 0;
  bool operator==(const BitstreamId&) const = default;
};

std::vector<BitstreamId> all_bitstreams(const File& file);
// Null if there is no such bitstream.
const Bitstream* find(const File& file, const BitstreamId& id);
const Executable* executable_of(const File& file, const BitstreamId& id);

// Whether the bytes are a TensorFlow Lite model with an edgetpu-custom-op, a DarwiNN package, a
// serialized executable or a bare bitstream; nothing otherwise. Says nothing about the rest.
std::optional<Container> container_of(ByteSpan data);

// `file` is used in errors only. Errors: darwinn_*, truncated, bad_value, out_of_memory, those of
// the TensorFlow Lite reader.
Result<File> read(ByteSpan data, const std::string& file);
Result<Package> read_package(ByteSpan data, const std::string& file);
Result<Executable> read_executable(ByteSpan data, const std::string& file);

// The same bytes for the same content, with the alignment that the chip's driver relies on; what is
// read again is equal to what was written. Error: darwinn_write.
Result<Bytes> write_executable(const Executable& executable);
Result<Bytes> write_package(const Package& package);
// The options of an edgetpu-custom-op.
Result<Bytes> write_options(const CompiledOp& op);

// Replaces bytes of a file without moving any other: `data` must have the size of the place.
// Error: darwinn_place.
Status overwrite(Bytes& file, const Extent& place, ByteSpan data);

}  // namespace edgetwin::darwinn
