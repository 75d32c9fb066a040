// librtlsdr by its public interface (rtl-sdr.h of Debian's librtlsdr-dev), loaded by name. The
// functions' types are written down here: no header of the library is needed to build.
#include <dlfcn.h>

#include <cmath>

#include "signals/radio/receiver.h"

namespace edgetwin::signals {
namespace {

constexpr const char* kRtlSdrFile = "librtlsdr.so.0";

struct RtlSdrFunctions {
  uint32_t (*get_device_count)() = nullptr;
  const char* (*get_device_name)(uint32_t index) = nullptr;
  int (*open)(void** device, uint32_t index) = nullptr;
  int (*close)(void* device) = nullptr;
  int (*set_sample_rate)(void* device, uint32_t rate) = nullptr;
  uint32_t (*get_sample_rate)(void* device) = nullptr;
  int (*set_center_freq)(void* device, uint32_t frequency) = nullptr;
  int (*set_tuner_gain_mode)(void* device, int manual) = nullptr;
  int (*set_tuner_gain)(void* device, int tenths) = nullptr;
  int (*reset_buffer)(void* device) = nullptr;
  int (*read_sync)(void* device, void* to, int length, int* read) = nullptr;
};

Error rtl_sdr_error(const std::string& what, int code) {
  return Error(ErrorCode::device, "librtlsdr: " + what + " failed with " + std::to_string(code))
      .with_hint(
          "Check that the receiver is attached, that no other program uses it, and that this "
          "user may open it (udev rule of the package rtl-sdr).");
}

Status checked(const std::string& what, int code) {
  if (code < 0) return rtl_sdr_error(what, code);
  return Ok{};
}

class RtlSdrLibrary final : public ReceiverLibrary {
 public:
  explicit RtlSdrLibrary(void* handle) : handle_(handle) {}
  ~RtlSdrLibrary() override { dlclose(handle_); }

  Status find_functions() {
    EDGETWIN_TRY(find("rtlsdr_get_device_count", f_.get_device_count));
    EDGETWIN_TRY(find("rtlsdr_get_device_name", f_.get_device_name));
    EDGETWIN_TRY(find("rtlsdr_open", f_.open));
    EDGETWIN_TRY(find("rtlsdr_close", f_.close));
    EDGETWIN_TRY(find("rtlsdr_set_sample_rate", f_.set_sample_rate));
    EDGETWIN_TRY(find("rtlsdr_get_sample_rate", f_.get_sample_rate));
    EDGETWIN_TRY(find("rtlsdr_set_center_freq", f_.set_center_freq));
    EDGETWIN_TRY(find("rtlsdr_set_tuner_gain_mode", f_.set_tuner_gain_mode));
    EDGETWIN_TRY(find("rtlsdr_set_tuner_gain", f_.set_tuner_gain));
    EDGETWIN_TRY(find("rtlsdr_reset_buffer", f_.reset_buffer));
    return find("rtlsdr_read_sync", f_.read_sync);
  }

  uint32_t count() override { return f_.get_device_count(); }
  std::string device_name(uint32_t index) override {
    const char* name = f_.get_device_name(index);
    return name == nullptr ? "" : name;
  }
  Status open(uint32_t index) override { return checked("open", f_.open(&device_, index)); }
  Result<uint32_t> set_sample_rate(uint32_t hertz) override {
    EDGETWIN_TRY(checked("set_sample_rate", f_.set_sample_rate(device_, hertz)));
    return f_.get_sample_rate(device_);
  }
  Status set_centre(uint32_t hertz) override {
    return checked("set_center_freq", f_.set_center_freq(device_, hertz));
  }
  Status set_gain(std::optional<double> gain) override {
    EDGETWIN_TRY(checked("set_tuner_gain_mode", f_.set_tuner_gain_mode(device_, gain ? 1 : 0)));
    if (!gain) return Ok{};
    const auto tenths = static_cast<int>(std::lround(*gain * 10.0));
    return checked("set_tuner_gain", f_.set_tuner_gain(device_, tenths));
  }
  Status reset() override { return checked("reset_buffer", f_.reset_buffer(device_)); }
  Result<size_t> read(std::span<uint8_t> to) override {
    int count = 0;
    EDGETWIN_TRY(checked("read_sync",
                         f_.read_sync(device_, to.data(), static_cast<int>(to.size()), &count)));
    return static_cast<size_t>(count);
  }
  void close() override {
    if (device_ != nullptr) f_.close(device_);
    device_ = nullptr;
  }

 private:
  template <class Function>
  Status find(const char* name, Function*& function) {
    function = reinterpret_cast<Function*>(dlsym(handle_, name));
    if (function != nullptr) return Ok{};
    return Error(ErrorCode::device, "librtlsdr has no function " + std::string(name))
        .with_hint("Install Debian's package librtlsdr0.");
  }

  void* handle_;
  void* device_ = nullptr;
  RtlSdrFunctions f_;
};

}  // namespace

Result<std::unique_ptr<ReceiverLibrary>> load_rtl_sdr(const std::string& file) {
  const std::string name = file.empty() ? kRtlSdrFile : file;
  void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return Error(ErrorCode::device, "'" + name + "' cannot be loaded: receivers need it")
        .with_hint("Install Debian's package librtlsdr0, or read a recording.");
  }
  auto library = std::make_unique<RtlSdrLibrary>(handle);
  EDGETWIN_TRY(library->find_functions());
  return std::unique_ptr<ReceiverLibrary>(std::move(library));
}

}  // namespace edgetwin::signals
