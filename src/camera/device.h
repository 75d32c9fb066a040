// The calls of the system that a camera needs, so that tests can stand in for the camera.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace edgetwin::camera {

class DeviceCalls {
 public:
  virtual ~DeviceCalls() = default;
  // As the functions of the same names: -1 and errno where they fail.
  virtual int open(const std::string& path) = 0;
  virtual void close(int fd) = 0;
  virtual int ioctl(int fd, unsigned long request, void* argument) = 0;  // NOLINT: its own type
  // Null where it fails.
  virtual void* map(int fd, size_t size, int64_t offset) = 0;
  virtual void unmap(void* memory, size_t size) = 0;
  // 1: something can be read, 0: time is over, -1.
  virtual int wait(int fd, int milliseconds) = 0;
};

std::shared_ptr<DeviceCalls> system_calls();

}  // namespace edgetwin::camera
