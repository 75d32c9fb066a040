// Any file with a network in it, opened by its content, with target and numerics chosen and the
// reason why.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "edgetwin/export.h"
#include "edgetwin/runner.h"
#include "edgetwin/target.h"

namespace edgetwin {

enum class FileKind : uint8_t {
  unknown,
  tflite,         // .tflite
  edgetpu,        // .tflite with a part compiled for the Edge TPU
  espdl,          // .espdl, a model or a package of several
  onnx,           // .onnx
  max78,          // network description (.yaml) of the MAX78000 and MAX78002
  max78_program,  // register program of one of them
  checkpoint,     // PyTorch checkpoint
  npy,            // NumPy array
  npz,            // archive of them
  image,          // PNG, JPEG or BMP
};
// By content, never by the file's name.
EDGETWIN_API FileKind file_kind(ByteSpan data);
EDGETWIN_API std::string_view name(FileKind kind);

struct OpenOptions {
  // A name or alias of all_targets(); empty: as far as the file tells. A .tflite network is for
  // each chip that takes such files.
  std::string target;
  std::string numerics;  // a row of the table of numerics; empty: that of format and target
  std::string member;    // of a package: name or number; empty: the only one
  std::string key;       // of an encrypted .espdl file
  std::string runtime = "3.3.9";    // version of ESP-DL
  bool wide = false;                // accumulators as in ESP-DL's portable code
  std::vector<std::string> shapes;  // of an .onnx file: NAME=1,3,224,224
  // Of a network of the MAX78000 or MAX78002.
  std::string checkpoint;            // PyTorch checkpoint, or
  std::string weights, bias;         // .npy files
  std::string sample;                // .npy of (channels, rows, columns); its shape is the input's
  std::string input_shape;           // CxHxW where there is no sample
  std::vector<std::string> options;  // in the spelling of the vendor's loader
  // Of a register program: the description (.yaml) of its network, with the files above.
  std::string network;
};

struct RunnerOptions {
  Where where = Where::automatic;
  std::string device = "usb";    // Where::device: "usb" or "usb:PATH"
  int threads = 1;               // 1 to 256; their number changes no byte
  bool plain = false;            // the plain operators, which are the definition
  std::string isa;               // force an instruction set of the host; empty: the best
  bool keep_layers = false;      // Run::layers
  bool allow_undefined = false;  // run operators whose result the target leaves undefined
  // ESP-DL: Add and Sub whose exponents differ compute in real numbers, as quantizers simulate
  // them; the runtime adds the integers as they are. Not what the chip computes.
  bool real_additions = false;
  // This runner is all that is made of the network, and it runs once or a few times: constants that
  // its kernels have copied are given back. Further runners of the network, and its pages, are
  // refused: constants are missing. Twin only; the others keep no second copy.
  bool once = false;
  // A name of all_decoders(): outputs are what it takes (decode.h), for a network with a pose
  // decoder of its own perhaps the maps before it.
  std::string decoder;
  ProgressSink progress;  // called between the layers of a graph on the twin
  // Virtual device: computes with this network's graph instead of executing what it is sent.
  std::string reference;
};

class EDGETWIN_API Network {
 public:
  // Errors: file_*, file_kind where the content is not a network, usage (of a register program
  // without OpenOptions::network too), espdl_target, and those of the readers. A network that is
  // read but does not fit its chip opens; findings() say why not.
  static Result<Network> open(const std::string& file, const OpenOptions& options = {});
  // `name` is what messages call the bytes.
  static Result<Network> open(ByteSpan bytes, const std::string& name,
                              const OpenOptions& options = {});

  const std::string& file() const;
  const std::string& sha256() const;  // of the file's bytes, hexadecimal
  FileKind kind() const;
  const Target* target() const;           // null: the format belongs to no chip
  const std::string& target_why() const;  // how the target is known, one sentence
  const std::string& numerics() const;
  // What reading had to say.
  std::span<const Finding> findings() const;
  // OpenOptions::sample as the network takes it; null: none was named.
  const Tensor* sample() const;

  // Errors: usage where this file does not compute there, those of planning (op_*, graph_*,
  // max78_rules), device_*. The network need not outlive the runner.
  Result<std::unique_ptr<Runner>> runner(const RunnerOptions& options = {}) const;

  struct Impl;
  explicit Network(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  const Impl& impl() const { return *impl_; }

 private:
  std::shared_ptr<const Impl> impl_;
};

// A folder of .npy files (a trace, or the outputs of `run`) as a runner that gives what is in it.
// Errors: file_open, compare_kind, bad_value, npy_*.
EDGETWIN_API Result<std::unique_ptr<Runner>> recorded_runner(const std::string& folder);

}  // namespace edgetwin
