// A Coral USB stick made of software, at the level of USB transfers: what the host's controller
// would see of it. It executes what it is sent and complains of what a real one would not survive.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "targets/edgetpu/virtual_device/stick/chip.h"
#include "targets/edgetpu/virtual_device/stick/compute.h"
#include "targets/edgetpu/virtual_device/stick/descriptors.h"
#include "targets/edgetpu/virtual_device/stick/dfu.h"
#include "targets/edgetpu/virtual_device/stick/program.h"
#include "targets/edgetpu/virtual_device/stick/timing.h"

namespace edgetwin::edgetpu {

struct StickOptions {
  StickMode mode = StickMode::runtime;  // as it is plugged in
  StickSpeed speed = StickSpeed::super;
  Dfu::Accept accept_firmware = {};  // default: any
  bool checks_dead_locks = true;     // complain of data after an unread output
  ScalarLimits limits = {};
};

// A control transfer as its first packet has it.
struct Setup {
  uint8_t request_type = 0, request = 0;
  uint16_t value = 0, index = 0;
};

enum class Reply : uint8_t {
  done,      // the transfer is at its end
  nak,       // the device cannot go on now; `size` bytes moved
  stall,     // refused
  overflow,  // a packet did not fit
};
struct Replied {
  Reply reply = Reply::done;
  size_t size = 0;
};

class Stick {
 public:
  // `compute` may be null: then only programs without outputs run.
  Stick(StickOptions options, std::shared_ptr<Compute> compute);

  StickMode mode() const { return mode_; }
  StickSpeed speed() const { return mode_ == StickMode::boot ? StickSpeed::high : options_.speed; }
  Bytes device_descriptor() const { return stick_device_descriptor(mode_, speed()); }
  Bytes configuration_descriptor() const { return stick_configuration_descriptor(mode_, speed()); }

  // `data` is what goes with it, in or out by bit 7 of the request type.
  Replied control(const Setup& setup, std::span<std::byte> data);
  Replied out(uint8_t endpoint, ByteSpan data);
  // The next packets into `data`. With `nak` the transfer goes on after what was moved.
  Replied in(uint8_t endpoint, std::span<std::byte> data);
  // The host gave up a read: a chance to say what the chip was waiting for.
  void gave_up(uint8_t endpoint);

  // True: the device leaves the bus and comes back with its other face.
  bool port_reset();
  void power_cycle();

  // As if a fault or a temperature had come up.
  void raise_fatal(uint64_t error_bits);
  void raise_top_level(unsigned n);

  const std::vector<Finding>& findings() const { return findings_.all(); }
  void clear_findings() { findings_.clear(); }
  // stick_refused with the first error and those that follow from it, or OK.
  Status verdict() const;
  // Whether it takes nothing any more until it is reset.
  bool stuck() const { return stuck_; }

  // What a real stick would likely have needed so far: an estimate.
  const StickTime& time() const { return time_; }
  void reset_time() { time_ = {}; }
  uint64_t inferences() const { return inferences_; }
  Chip& chip() { return chip_; }

 private:
  struct Frame {  // that is coming in
    std::array<std::byte, kFrameHeaderBytes> header{};
    size_t header_bytes = 0;
    uint32_t tag = 0;
    size_t length = 0, left = 0;
    Bytes instructions;
  };

  Replied standard_request(const Setup& setup, std::span<std::byte> data);
  Replied register_access(const Setup& setup, std::span<std::byte> data);
  void begin_frame();
  void check_data(uint32_t tag, size_t length);
  void take_payload(ByteSpan data);
  void take_instructions();
  void ask(const Descriptor& d);
  void hold(ByteSpan chunk);
  void run_held(uint64_t control);
  void publish_held();
  bool step_held();
  void take_frame();
  void take_data(ByteSpan data);
  void advance();
  bool deliver(const Descriptor& wanted);
  void interrupt(const Descriptor& d);
  void put_event(const Descriptor& d);
  Replied output_in(std::span<std::byte> data);
  void end_request();
  void forget();
  void get_stuck(StickRule rule, const std::string& place, std::string message);
  std::string waiting_for() const;

  StickOptions options_;
  std::shared_ptr<Compute> compute_;
  StickFindings findings_;
  Chip chip_;
  Dfu dfu_;
  ProgramRunner runner_;
  StickMode mode_;
  bool stuck_ = false;
  uint8_t configuration_ = 1;

  // A program whose scalar core the host has halted: it goes on by single steps or to the break
  // point, both written to registers.
  struct Held {
    Bytes chunk;
    ScalarCore::Place place;
    size_t asked;  // of its transfers, those that were handed over
  };
  std::optional<Held> held_;
  ScalarCore held_core_;

  Frame frame_;
  Request request_;
  bool in_request_ = false;
  std::deque<Descriptor> pending_;  // asked by the program and not yet served
  bool front_begun_ = false;        // part of the first one came
  std::deque<Bytes> outputs_;       // that wait to be read
  size_t output_read_ = 0;          // of the first of them
  bool detached_ = false;           // the next reset leads back to the boot loader
  std::deque<std::array<std::byte, kEventBytes>> events_;
  std::deque<std::array<std::byte, kInterruptBytes>> interrupts_;
  StickTime time_;
  uint64_t inferences_ = 0;
};

}  // namespace edgetwin::edgetpu
