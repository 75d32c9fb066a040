// A program on a device that is stepped by the run-control registers of its scalar core, one
// instruction at a time, beside the scalar core of this program. That the silicon obeys these
// registers follows from their names; only the virtual device was seen to do so.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "targets/edgetpu/driver/session.h"
#include "targets/edgetpu/program/interpret.h"

namespace edgetwin::edgetpu {

class HeldRun {
 public:
  // Brings the device up, runs the program that loads parameters, if the model has one, and halts
  // the core before the first instruction of the other. `caching`: that program is stepped itself.
  // `inputs` are dense, as the host has them. `transport` must outlive the run. Errors: device_*.
  struct Wanted {
    std::string path;  // of the stick; empty: any
    DeviceOptions options;
    std::shared_ptr<const DeviceModel> model;
    std::vector<Bytes> inputs;
    bool caching = false;
  };
  static Result<std::unique_ptr<HeldRun>> start(Transport& transport, const Wanted& wanted);
  ~HeldRun();
  HeldRun(const HeldRun&) = delete;
  HeldRun& operator=(const HeldRun&) = delete;

  // One instruction, and the transfers that it asks for. Gives what of the device's program
  // counter, registers and predicates is not that of the scalar core here; empty: nothing. Errors:
  // device_*, those of the scalar core.
  Result<std::string> step();
  // The last instruction is executed, and every transfer done.
  bool finished() const;

  size_t chunk() const { return chunk_; }
  size_t pc() const { return place_.pc; }
  uint64_t steps() const { return steps_; }
  const Bytes& received() const { return received_; }  // in its order, scratch too

 private:
  HeldRun() = default;
  Status bring_up_device(Transport& transport, const Wanted& wanted);
  Status run_freely(const DeviceProgram& program);
  Status hold(const DeviceProgram& program);
  Status move(const TransferStep& s, const DeviceProgram& program);
  Status move_all();  // as far as the program asks for it
  bool may_move(const TransferStep& s) const;
  bool output_is_due(const TransferStep& s) const;
  Result<std::string> compare();

  Clock* clock_ = nullptr;
  std::unique_ptr<UsbConnection> connection_;
  std::unique_ptr<RegisterPort> port_;
  std::unique_ptr<DeviceStreams> streams_;
  std::shared_ptr<const DeviceModel> model_;
  std::vector<Bytes> inputs_;  // as the device gets them
  Bytes scratch_, received_;

  const DeviceProgram* program_ = nullptr;
  size_t next_ = 0;   // of its steps
  size_t chunk_ = 0;  // bitstream that the core is in
  ScalarCore core_;
  ScalarCore::Place place_;
  std::array<uint64_t, 16> asked_{};  // by tag: bytes, of interrupts their number
  size_t descriptors_ = 0;            // of the core's that are counted
  uint64_t steps_ = 0;
};

}  // namespace edgetwin::edgetpu
