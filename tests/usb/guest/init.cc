// The only program of a small machine: loads the kernel's USB modules, is a stick and its host in
// one, runs inferences through the whole stack, prints PASS or what failed, and switches off.
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "base/rng.h"
#include "targets/edgetpu/driver/session.h"
#include "targets/edgetpu/libusb/usb_transport.h"
#include "targets/edgetpu/virtual_device/reference/reference.h"
#include "unit/targets/edgetpu/virtual_device/pair.h"
#include "usb/guest/gadget.h"
#include "usb/guest/numbered.h"

namespace edgetwin::usb_test {
namespace {

using namespace edgetpu;

constexpr const char* kModules[] = {"usb-common",   "usbcore",  "udc-core", "configfs",
                                    "libcomposite", "usb_f_fs", "dummy_hcd"};
constexpr const char* kGadget = "/sys/kernel/config/usb_gadget/stick";
constexpr int kRuns = 200;

Error failed(const std::string& what) {
  return Error(ErrorCode::device_unavailable, what + ": " + std::strerror(errno));
}

Status mount_at(const char* type, const char* what, const char* where) {
  ::mkdir(where, 0755);
  if (::mount(what, where, type, 0, nullptr) == 0 || errno == EBUSY) return Ok{};
  return failed(std::string("mounting ") + where);
}

Status load_modules() {
  for (const char* name : kModules) {
    const int fd = ::open((std::string("/modules/") + name + ".ko").c_str(), O_RDONLY);
    const bool loaded = fd >= 0 && ::syscall(SYS_finit_module, fd, "", 0) == 0;
    ::close(fd);
    if (!loaded) return failed(std::string("module ") + name);
  }
  return Ok{};
}

Status put(const std::string& file, const std::string& text) {
  std::ofstream to(file);
  to << text;
  to.flush();
  if (to.good()) return Ok{};
  return failed("writing " + file);
}

Status make_gadget(Gadget& gadget) {
  const std::string g = kGadget;
  for (const char* folder : {"", "/configs/c.1", "/functions/ffs.stick"}) {
    if (::mkdir((g + folder).c_str(), 0755) != 0) return failed("making " + g + folder);
  }
  EDGETWIN_TRY(put(g + "/idVendor", "0x18d1"));
  EDGETWIN_TRY(put(g + "/idProduct", "0x9302"));
  EDGETWIN_TRY(put(g + "/bcdDevice", "0x0100"));
  if (::symlink((g + "/functions/ffs.stick").c_str(), (g + "/configs/c.1/ffs.stick").c_str()) != 0)
    return failed("linking the function");
  EDGETWIN_TRY(mount_at("functionfs", "stick", "/stick"));
  const std::string wrong = gadget.prepare();
  if (!wrong.empty()) return failed(wrong);
  gadget.serve();
  return put(g + "/UDC", "dummy_udc.0");
}

Bytes twin(int seed, const Bytes& input) {
  exec::Options options;
  options.numerics = "edgetpu";
  auto s = exec::Session::create(std::make_shared<const Graph>(pair_graph(seed)), options);
  if (!s.ok() || !s->set_input(0, input).ok() || !s->run().ok()) return {};
  return s->output(0).data;
}

Result<std::string> find_stick(Transport& transport) {
  constexpr int kTries = 50;
  for (int i = 0; i < kTries; ++i) {
    ::usleep(100'000);
    EDGETWIN_TRY_ASSIGN(const auto devices, transport.list());
    for (const UsbDevice& d : devices) {
      if (d.vendor == kRuntimeVendor && d.product == kRuntimeProduct) {
        std::printf("guest: %s, %s\n", d.path().c_str(), std::string(name(d.speed)).c_str());
        return d.path();
      }
    }
  }
  return failed("the kernel shows no stick");
}

Status infer(DeviceSession& session, int seed, const Bytes& input) {
  EDGETWIN_TRY_ASSIGN(const auto model, DeviceModel::make(pair_file(seed)));
  DeviceJob job;
  job.model = model;
  EDGETWIN_TRY_ASSIGN(Bytes device, model->to_device(0, input));
  job.inputs.push_back(std::move(device));
  job.outputs.emplace_back(model->outputs()[0].buffer_bytes);
  EDGETWIN_TRY(session.run(job));
  if (model->to_host(0, job.outputs[0]) == twin(seed, input)) return Ok{};
  return Error(ErrorCode::device_answer, "the bytes are not those of the twin");
}

Status run() {
  EDGETWIN_TRY(mount_at("devtmpfs", "dev", "/dev"));
  EDGETWIN_TRY(mount_at("proc", "proc", "/proc"));
  EDGETWIN_TRY(mount_at("sysfs", "sys", "/sys"));
  EDGETWIN_TRY(load_modules());
  EDGETWIN_TRY(mount_at("configfs", "config", "/sys/kernel/config"));
  const auto library = std::make_shared<Library>();
  EDGETWIN_TRY(library->learn(pair_file(), std::make_shared<const Graph>(pair_graph()), "pair"));
  static Stick stick({}, std::make_shared<ReferenceCompute>(library));
  static Gadget gadget(stick, "/stick");
  EDGETWIN_TRY(make_gadget(gadget));
  // Without a udev daemon libusb sees only what is there when it starts.
  ::sleep(2);
  EDGETWIN_TRY_ASSIGN(auto usb, usb_transport());
  NumberedTransport transport(std::move(usb));
  EDGETWIN_TRY_ASSIGN(const std::string path, find_stick(transport));
  DeviceOptions options;
  options.restarts = 0;
  EDGETWIN_TRY_ASSIGN(const auto session, DeviceSession::open(transport, path, options));
  std::printf("guest: brought up\n");
  XorShift32 rng(4);
  int seed = 0;
  for (int i = 0; i < kRuns; ++i) {
    if (rng.next() % 8 == 0) seed = static_cast<int>(rng.next() % 4);
    Bytes input(30);
    for (std::byte& b : input) b = static_cast<std::byte>(rng.byte());
    const Status status = infer(*session, seed, input);
    const std::lock_guard lock(gadget.mutex());
    EDGETWIN_TRY(stick.verdict());
    EDGETWIN_TRY(status);
  }
  std::printf("guest: %d inferences equal the twin's\n", kRuns);
  return Ok{};
}

}  // namespace
}  // namespace edgetwin::usb_test

int main() {
  const edgetwin::Status status = edgetwin::usb_test::run();
  if (status.ok()) {
    std::puts("guest: PASS");
  } else {
    std::printf("guest: FAIL\n%s", edgetwin::to_text(status.error()).c_str());
  }
  std::fflush(stdout);
  ::sync();
  if (::getpid() == 1) ::reboot(RB_POWER_OFF);
  return status.ok() ? 0 : 1;
}
