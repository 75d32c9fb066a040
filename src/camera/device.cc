#include "camera/device.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

namespace edgetwin::camera {
namespace {

class SystemCalls final : public DeviceCalls {
 public:
  int open(const std::string& path) override {
    return ::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
  }
  void close(int fd) override { ::close(fd); }
  int ioctl(int fd, unsigned long request, void* argument) override {  // NOLINT: its own type
    int status = 0;
    do {
      status = ::ioctl(fd, request, argument);
    } while (status == -1 && errno == EINTR);
    return status;
  }
  void* map(int fd, size_t size, int64_t offset) override {
    void* memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);
    return memory == MAP_FAILED ? nullptr : memory;
  }
  void unmap(void* memory, size_t size) override { ::munmap(memory, size); }
  int wait(int fd, int milliseconds) override {
    pollfd p{fd, POLLIN, 0};
    const int status = ::poll(&p, 1, milliseconds);
    return status == -1 && errno == EINTR ? 0 : status;
  }
};

}  // namespace

std::shared_ptr<DeviceCalls> system_calls() { return std::make_shared<SystemCalls>(); }

}  // namespace edgetwin::camera
