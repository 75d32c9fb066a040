// A librtlsdr made of software, by its public interface: receiver 0 gives a tone of a quarter of
// the sample rate, thirty-two blocks of it, then nothing; receiver 1 is there and cannot be opened.
#include <cstdint>

namespace {

struct Device {
  uint32_t rate = 0;
  bool manual = false;
  int blocks = 0;
};

constexpr int kBlocks = 32;
constexpr int kInvalid = -22;  // EINVAL of the real one
constexpr uint8_t kTurn[] = {191, 128, 128, 191, 64, 128, 128, 64};

Device& of(void* device) { return *static_cast<Device*>(device); }

}  // namespace

extern "C" {

uint32_t rtlsdr_get_device_count() { return 2; }
const char* rtlsdr_get_device_name(uint32_t index) {
  return index == 0 ? "made of software" : "broken";
}
int rtlsdr_open(void** device, uint32_t index) {
  if (index != 0) return -3;
  *device = new Device;
  return 0;
}
int rtlsdr_close(void* device) {
  delete static_cast<Device*>(device);
  return 0;
}
int rtlsdr_set_sample_rate(void* device, uint32_t rate) {
  if (rate < 225001 || rate > 3200000) return kInvalid;  // what the chip's divider allows
  of(device).rate = rate;
  return 0;
}
uint32_t rtlsdr_get_sample_rate(void* device) { return of(device).rate; }
int rtlsdr_set_center_freq(void*, uint32_t) { return 0; }
int rtlsdr_set_tuner_gain_mode(void* device, int manual) {
  of(device).manual = manual != 0;
  return 0;
}
int rtlsdr_set_tuner_gain(void* device, int) { return of(device).manual ? 0 : -1; }
int rtlsdr_reset_buffer(void* device) {
  of(device).blocks = 0;
  return 0;
}
int rtlsdr_read_sync(void* device, void* to, int length, int* count) {
  *count = 0;
  if (length % 512 != 0) return kInvalid;
  if (of(device).blocks++ == kBlocks) return 0;
  for (int i = 0; i < length; ++i) static_cast<uint8_t*>(to)[i] = kTurn[i % 8];
  *count = length;
  return 0;
}

}  // extern "C"
