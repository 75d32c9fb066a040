#include "camera/v4l2.h"

#include <linux/videodev2.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "camera/folder.h"
#include "image/jpeg.h"

namespace edgetwin::camera {
namespace {

constexpr uint32_t kBuffers = 4;
constexpr int kWaitMilliseconds = 2000;
constexpr int kMaxFrameSide = 16384;
constexpr size_t kMaxFrame = size_t{256} << 20;

template <class T>
T of_capture() {
  T t{};
  t.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
  return t;
}

v4l2_buffer buffer_of(uint32_t index) {
  auto b = of_capture<v4l2_buffer>();
  b.memory = V4L2_MEMORY_MMAP;
  b.index = index;
  return b;
}

uint8_t limited(int v) { return static_cast<uint8_t>(std::clamp(v, 0, 255)); }

// Coefficients of ITU-R BT.601 times 256.
void pixel(int luma, int u, int v, uint8_t* rgb) {
  const int y = 298 * (luma - 16) + 128;
  rgb[0] = limited((y + 409 * v) >> 8);
  rgb[1] = limited((y - 100 * u - 208 * v) >> 8);
  rgb[2] = limited((y + 516 * u) >> 8);
}

}  // namespace

Result<Tensor> yuyv_to_rgb(ByteSpan data, int width, int height, size_t row) {
  const size_t needed = static_cast<size_t>((width + 1) / 2) * 4;
  if (row < needed || data.size() < row * static_cast<size_t>(height)) {
    return Error(ErrorCode::camera_device,
                 "a picture of " + std::to_string(data.size()) + " bytes, " +
                     std::to_string(width) + " x " + std::to_string(height) + " needs " +
                     std::to_string(std::max(row, needed) * static_cast<size_t>(height)));
  }
  EDGETWIN_TRY_ASSIGN(Tensor picture, Tensor::zeros(DType::uint8, {height, width, 3}));
  uint8_t* to = picture.as<uint8_t>().data();
  for (int y = 0; y < height; ++y) {
    const auto* from = reinterpret_cast<const uint8_t*>(data.data()) + static_cast<size_t>(y) * row;
    for (int x = 0; x < width; ++x, to += 3) {
      const uint8_t* pair = from + x / 2 * 4;
      pixel(pair[x % 2 * 2], pair[1] - 128, pair[3] - 128, to);
    }
  }
  return picture;
}

Error V4l2Camera::failed(const std::string& what) const {
  const int number = errno;
  Error e(ErrorCode::camera_device, what + ": " + std::strerror(number));
  if (number == EACCES) e.hint = "Add yourself to the group 'video', and log in again.";
  if (number == EBUSY) e.hint = "Another program uses the camera.";
  if (number == ENOENT || number == ENODEV) {
    e.hint = "Look for cameras with `ls /dev/video*`, or take --camera synthetic:NAME.";
  }
  return std::move(e).in_file(device_);
}

Status V4l2Camera::check_capabilities() {
  v4l2_capability c{};
  if (calls_->ioctl(fd_, VIDIOC_QUERYCAP, &c) != 0) return failed("this is no video device");
  const uint32_t flags =
      (c.capabilities & V4L2_CAP_DEVICE_CAPS) != 0 ? c.device_caps : c.capabilities;
  if ((flags & V4L2_CAP_VIDEO_CAPTURE) == 0 || (flags & V4L2_CAP_STREAMING) == 0) {
    return Error(ErrorCode::camera_device, "the device does not stream pictures")
        .in_file(device_)
        .with_hint("A camera has several device files; take another one.");
  }
  return Ok{};
}

Status V4l2Camera::choose_format(const Settings& settings) {
  for (const uint32_t wanted : {V4L2_PIX_FMT_YUYV, V4L2_PIX_FMT_MJPEG}) {
    auto f = of_capture<v4l2_format>();
    f.fmt.pix.width = static_cast<uint32_t>(settings.width);
    f.fmt.pix.height = static_cast<uint32_t>(settings.height);
    f.fmt.pix.pixelformat = wanted;
    f.fmt.pix.field = V4L2_FIELD_ANY;
    if (calls_->ioctl(fd_, VIDIOC_S_FMT, &f) != 0) {
      if (errno == EBUSY) return failed("the format cannot be set");
      continue;
    }
    const v4l2_pix_format& pix = f.fmt.pix;
    const bool known =
        pix.pixelformat == V4L2_PIX_FMT_YUYV || pix.pixelformat == V4L2_PIX_FMT_MJPEG;
    if (!known || pix.width < 1 || pix.height < 1 || pix.width > kMaxFrameSide ||
        pix.height > kMaxFrameSide) {
      continue;
    }
    jpeg_ = pix.pixelformat == V4L2_PIX_FMT_MJPEG;
    width_ = static_cast<int>(pix.width);
    height_ = static_cast<int>(pix.height);
    row_ = std::max<size_t>(pix.bytesperline, static_cast<size_t>((width_ + 1) / 2) * 4);
    auto rate = of_capture<v4l2_streamparm>();
    rate.parm.capture.timeperframe = {1, static_cast<uint32_t>(std::max(settings.fps, 1))};
    calls_->ioctl(fd_, VIDIOC_S_PARM, &rate);  // a wish; not every camera has it
    return Ok{};
  }
  return Error(ErrorCode::camera_device, "the camera gives neither YUYV nor JPEG pictures")
      .in_file(device_);
}

Status V4l2Camera::start() {
  auto request = of_capture<v4l2_requestbuffers>();
  request.count = kBuffers;
  request.memory = V4L2_MEMORY_MMAP;
  if (calls_->ioctl(fd_, VIDIOC_REQBUFS, &request) != 0 || request.count < 1) {
    return failed("there are no buffers");
  }
  for (uint32_t i = 0; i < std::min(request.count, kBuffers); ++i) {
    v4l2_buffer b = buffer_of(i);
    if (calls_->ioctl(fd_, VIDIOC_QUERYBUF, &b) != 0) return failed("a buffer is missing");
    if (b.length == 0 || b.length > kMaxFrame) {
      return Error(ErrorCode::camera_device, "a buffer of " + std::to_string(b.length) + " bytes")
          .in_file(device_);
    }
    void* memory = calls_->map(fd_, b.length, b.m.offset);
    if (memory == nullptr) return failed("a buffer cannot be reached");
    buffers_.push_back({memory, b.length});
    if (calls_->ioctl(fd_, VIDIOC_QBUF, &b) != 0) return failed("a buffer was not taken");
  }
  int type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
  if (calls_->ioctl(fd_, VIDIOC_STREAMON, &type) != 0) return failed("the camera does not start");
  streaming_ = true;
  return Ok{};
}

Result<std::unique_ptr<V4l2Camera>> V4l2Camera::create(const std::string& device,
                                                       const Settings& settings,
                                                       std::shared_ptr<DeviceCalls> calls) {
  std::unique_ptr<V4l2Camera> c(new V4l2Camera(device, std::move(calls)));
  c->fd_ = c->calls_->open(device);
  if (c->fd_ < 0) return c->failed("the camera cannot be opened");
  EDGETWIN_TRY(c->check_capabilities());
  EDGETWIN_TRY(c->choose_format(settings));
  EDGETWIN_TRY(c->start());
  return c;
}

V4l2Camera::~V4l2Camera() {
  if (fd_ < 0) return;
  int type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
  if (streaming_) calls_->ioctl(fd_, VIDIOC_STREAMOFF, &type);
  for (const Buffer& b : buffers_) calls_->unmap(b.memory, b.size);
  calls_->close(fd_);
}

Result<Tensor> V4l2Camera::decode(ByteSpan frame) const {
  if (frame.empty()) {
    return Error(ErrorCode::camera_device, "the camera sent an empty picture").in_file(device_);
  }
  if (!jpeg_) return yuyv_to_rgb(frame, width_, height_, row_);
  EDGETWIN_TRY_ASSIGN(Tensor picture, decode_jpeg(frame, device_));
  return to_rgb(std::move(picture));
}

Result<std::optional<Tensor>> V4l2Camera::read() {
  const int ready = calls_->wait(fd_, kWaitMilliseconds);
  if (ready < 0) return failed("the camera cannot be read");
  if (ready == 0) {
    return Error(ErrorCode::camera_device, "the camera sent nothing for two seconds")
        .in_file(device_);
  }
  v4l2_buffer b = buffer_of(0);
  if (calls_->ioctl(fd_, VIDIOC_DQBUF, &b) != 0) return failed("the camera cannot be read");
  if (b.index >= buffers_.size()) {
    return Error(ErrorCode::camera_device, "the camera names buffer " + std::to_string(b.index) +
                                               " of " + std::to_string(buffers_.size()))
        .in_file(device_);
  }
  const Buffer& from = buffers_[b.index];
  const size_t used = std::min<size_t>(b.bytesused, from.size);
  Result<Tensor> picture = decode({static_cast<const std::byte*>(from.memory), used});
  if (calls_->ioctl(fd_, VIDIOC_QBUF, &b) != 0) return failed("a buffer was not taken");
  if (!picture.ok()) return std::move(picture).error();
  return std::optional<Tensor>(std::move(*picture));
}

std::string V4l2Camera::description() const {
  return device_ + ", " + std::to_string(width_) + " x " + std::to_string(height_) +
         (jpeg_ ? ", JPEG" : ", YUYV");
}

}  // namespace edgetwin::camera
