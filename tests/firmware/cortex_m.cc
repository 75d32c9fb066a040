#include "firmware/cortex_m.h"

#include <unicorn/unicorn.h>

#include "firmware/system_control.h"

namespace edgetwin::firmware {
namespace {

constexpr uint32_t kFlash = 0x10000000U, kRam = 0x20000000U, kMemoryBytes = 16U << 20;
constexpr uint32_t kBus = 0x40000000U, kBusBytes = 0x20000000U;
constexpr uint32_t kExceptionReturn = 0xfffffff9U;  // to the thread, main stack, no floating point
constexpr uint16_t kBranchToItself = 0xe7feU;
// Numbers under which unicorn 2 reports these two for processors of this kind.
constexpr uint32_t kBreakpoint = 7, kReturnFromException = 8;
// A core that spins instead of sleeping gets its interrupt after so many instructions.
constexpr uint64_t kSpin = 2'000'000;
constexpr int kAgain = 100;

}  // namespace

struct CortexM::Impl {
  enum class Reason : uint8_t { none, exited, looping, exception_return, spinning, limit, fault };

  const Image& image;
  Bus& bus;
  CoreOptions options;
  uc_engine* uc = nullptr;
  CoreResult result;
  Reason reason = Reason::none;
  SystemControl system;
  PhaseCounter phases;
  bool in_handler = false;
  uint64_t last_sleep = 0;
  uint32_t last_address = 0;
  int again = 0;

  Impl(const Image& image_in, Bus& bus_in, const CoreOptions& options_in)
      : image(image_in), bus(bus_in), options(options_in) {}

  uint32_t reg(int id) const {
    uint32_t value = 0;
    uc_reg_read(uc, id, &value);
    return value;
  }
  void set(int id, uint32_t value) { uc_reg_write(uc, id, &value); }
  uint32_t word(uint32_t address) const {
    uint32_t value = 0;
    uc_mem_read(uc, address, &value, 4);
    return value;
  }

  void stop(Reason why) {
    reason = why;
    uc_emu_stop(uc);
  }

  void on_code(uint32_t address, uint32_t size) {
    ++result.instructions;
    if (phases.returned(address)) leave();
    if (phases.entered(address)) phases.enter(address, reg(UC_ARM_REG_LR), result.instructions);
    if (address == last_address && size == 2) {
      uint16_t code = 0;
      uc_mem_read(uc, address, &code, 2);
      if (code == kBranchToItself) return stop(Reason::looping);
    }
    last_address = address;
    if (result.instructions >= options.instruction_limit) return stop(Reason::limit);
    if (!in_handler && result.instructions - last_sleep > kSpin) {
      last_sleep = result.instructions;
      stop(Reason::spinning);
    }
  }

  void leave() {
    const Phase& phase = phases.leave(result.instructions);
    if (phase.function == options.keep_after && result.kept.empty()) keep();
  }
  void keep() {
    for (const std::string& variable : options.keep) {
      const auto symbol = image.symbols.find(variable);
      if (symbol == image.symbols.end()) continue;
      result.kept.resize(symbol->second.size);
      uc_mem_read(uc, symbol->second.address, result.kept.data(), result.kept.size());
      return;
    }
  }

  void check_fault() {
    if (reason == Reason::none && !bus.fault().empty()) {
      result.message = bus.fault();
      stop(Reason::fault);
    }
  }

  int pending() const {
    for (int i = 0; i < SystemControl::kInterrupts; ++i) {
      if (system.enabled(i) && bus.interrupt(i)) return i;
    }
    return -1;
  }

  void take(int number) {
    const uint32_t sp = reg(UC_ARM_REG_SP) - 32;
    const int ids[] = {UC_ARM_REG_R0,  UC_ARM_REG_R1, UC_ARM_REG_R2, UC_ARM_REG_R3,
                       UC_ARM_REG_R12, UC_ARM_REG_LR, UC_ARM_REG_PC, UC_ARM_REG_XPSR};
    for (uint32_t i = 0; i < 8; ++i) {
      const uint32_t value = reg(ids[i]);
      uc_mem_write(uc, sp + 4 * i, &value, 4);
    }
    set(UC_ARM_REG_SP, sp);
    set(UC_ARM_REG_LR, kExceptionReturn);
    set(UC_ARM_REG_PC, word(system.vector_address(number)) | 1U);
    in_handler = true;
  }
  void return_from_exception() {
    if (phases.returned(kExceptionReturn)) leave();
    const uint32_t sp = reg(UC_ARM_REG_SP);
    const int ids[] = {UC_ARM_REG_R0,  UC_ARM_REG_R1, UC_ARM_REG_R2, UC_ARM_REG_R3,
                       UC_ARM_REG_R12, UC_ARM_REG_LR, UC_ARM_REG_PC};
    const uint32_t flags = word(sp + 28);
    for (uint32_t i = 0; i < 7; ++i) set(ids[i], word(sp + 4 * i) | (i == 6 ? 1U : 0U));
    set(UC_ARM_REG_XPSR, flags);
    set(UC_ARM_REG_SP, sp + 32);
    in_handler = false;
  }

  // A line that is still up interrupts again at once; one that stays up is an error of the handler.
  bool interrupt_again() {
    const int number = pending();
    again = number >= 0 ? again + 1 : 0;
    if (number >= 0) take(number);
    if (again < kAgain) return true;
    result.stop = Stop::fault;
    result.message = "interrupt " + std::to_string(number) + " is never acknowledged";
    return false;
  }

  static Impl* self(void* user) { return static_cast<Impl*>(user); }
  void map_memory();
  void add_hooks();
  void prepare();
  CoreResult run();
  bool resume(uc_err error);
};

void CortexM::Impl::map_memory() {
  uc_open(UC_ARCH_ARM, static_cast<uc_mode>(UC_MODE_THUMB | UC_MODE_MCLASS), &uc);
  uc_ctl_set_cpu_model(uc, UC_CPU_ARM_CORTEX_M4);
  uc_mem_map(uc, kFlash, kMemoryBytes, UC_PROT_READ | UC_PROT_EXEC);
  uc_mem_map(uc, kRam, kMemoryBytes, UC_PROT_READ | UC_PROT_WRITE);
  uc_mmio_map(
      uc, kBus, kBusBytes,
      [](uc_engine*, uint64_t offset, unsigned size, void* user) -> uint64_t {
        Impl& m = *self(user);
        const uint32_t value =
            m.bus.read(kBus + static_cast<uint32_t>(offset), static_cast<int>(size));
        m.check_fault();
        return value;
      },
      this,
      [](uc_engine*, uint64_t offset, unsigned size, uint64_t value, void* user) {
        Impl& m = *self(user);
        m.bus.write(kBus + static_cast<uint32_t>(offset), static_cast<int>(size),
                    static_cast<uint32_t>(value));
        m.check_fault();
      },
      this);
  uc_mmio_map(
      uc, SystemControl::kBase, SystemControl::kBytes,
      [](uc_engine*, uint64_t offset, unsigned, void* user) -> uint64_t {
        return self(user)->system.read(static_cast<uint32_t>(offset));
      },
      this,
      [](uc_engine*, uint64_t offset, unsigned, uint64_t value, void* user) {
        self(user)->system.write(static_cast<uint32_t>(offset), static_cast<uint32_t>(value));
      },
      this);
  for (const Segment& s : image.segments) {
    uc_mem_write(uc, s.address, s.data.data(), s.data.size());
  }
}

void CortexM::Impl::add_hooks() {
  uc_hook hook{};
  uc_hook_add(uc, &hook, UC_HOOK_CODE,
              reinterpret_cast<void*>(+[](uc_engine*, uint64_t address, uint32_t size, void* user) {
                self(user)->on_code(static_cast<uint32_t>(address), size);
              }),
              this, 1, 0);
  uc_hook_add(uc, &hook, UC_HOOK_INTR,
              reinterpret_cast<void*>(+[](uc_engine*, uint32_t number, void* user) {
                Impl& m = *self(user);
                if (number == kReturnFromException) return m.stop(Reason::exception_return);
                if (number == kBreakpoint) return m.stop(Reason::exited);
                m.result.message = "exception " + std::to_string(number);
                m.stop(Reason::fault);
              }),
              this, 1, 0);
  uc_hook_add(uc, &hook, UC_HOOK_MEM_INVALID,
              reinterpret_cast<void*>(
                  +[](uc_engine*, uc_mem_type, uint64_t address, int size, int64_t, void* user) {
                    char text[64];
                    snprintf(text, sizeof(text), "access of %d bytes to 0x%08x, where nothing is",
                             size, static_cast<unsigned>(address));
                    self(user)->result.message = text;
                    return false;
                  }),
              this, 1, 0);
}

void CortexM::Impl::prepare() {
  map_memory();
  add_hooks();
  for (const std::string& phase : options.phases) {
    const auto symbol = image.symbols.find(phase);
    if (symbol != image.symbols.end()) phases.add(phase, symbol->second.address);
  }
  set(UC_ARM_REG_SP, word(kFlash));
  set(UC_ARM_REG_PC, word(kFlash + 4) | 1U);
}

// After unicorn returned: whether the core goes on.
bool CortexM::Impl::resume(uc_err error) {
  switch (reason) {
    case Reason::exited:
      result.stop = Stop::exited;
      result.exit_code = static_cast<int>(reg(UC_ARM_REG_R0));
      return false;
    case Reason::looping:
      result.stop = Stop::looping;
      return false;
    case Reason::limit:
      result.stop = Stop::step_limit;
      return false;
    case Reason::fault:
      result.stop = Stop::fault;
      return false;
    case Reason::exception_return:
      return_from_exception();
      return interrupt_again();
    case Reason::spinning:
    case Reason::none:
      break;
  }
  if (error != UC_ERR_OK) {
    result.stop = Stop::fault;
    if (result.message.empty()) result.message = uc_strerror(error);
    return false;
  }
  bus.sleep();
  last_sleep = result.instructions;
  if (!bus.fault().empty()) {
    result.stop = Stop::fault;
    result.message = bus.fault();
    return false;
  }
  const int number = in_handler ? -1 : pending();
  if (number >= 0) {
    take(number);
    return true;
  }
  result.stop = Stop::asleep;
  return reason == Reason::spinning;
}

CoreResult CortexM::Impl::run() {
  for (;;) {
    reason = Reason::none;
    const uc_err error = uc_emu_start(uc, reg(UC_ARM_REG_PC) | 1U, 0xfffffffeU, 0, 0);
    if (!resume(error)) break;
  }
  char text[64];
  snprintf(text, sizeof(text), " (at 0x%08x)", reg(UC_ARM_REG_PC));
  if (result.stop != Stop::exited) result.message += text;
  result.phases = phases.finish(result.instructions);
  return result;
}

CortexM::CortexM(const Image& image, Bus& bus, const CoreOptions& options)
    : impl_(std::make_unique<Impl>(image, bus, options)) {
  impl_->prepare();
}
CortexM::~CortexM() {
  if (impl_ && impl_->uc != nullptr) uc_close(impl_->uc);
}
CoreResult CortexM::run() { return impl_->run(); }
uint64_t CortexM::instructions() const { return impl_->result.instructions; }
Bytes CortexM::memory(uint32_t address, uint32_t bytes) const {
  Bytes data(bytes);
  if (uc_mem_read(impl_->uc, address, data.data(), bytes) != UC_ERR_OK) data.clear();
  return data;
}

}  // namespace edgetwin::firmware
