"""Checkpoints of `train` in PyTorch and back: every key is there, outputs are equal, the optimizer goes on, and
what PyTorch saves is resumed. Skipped (77) without PyTorch.

usage: torch_checkpoints.py PROGRAM"""
import os
import struct
import subprocess
import sys
import tempfile

try:
    import numpy
    import torch
    from torch import nn
    from torch.nn import functional
except ImportError:
    print("PyTorch is not installed")
    sys.exit(77)

PROGRAM = os.path.abspath(sys.argv[1])
NETWORK = """arch: small
dataset: noise
layers:
  - {name: conv1, processors: 0x1, data_format: CHW, op: conv2d, kernel_size: 3x3, pad: 1, activate: ReLU, out_channels: 4, out_offset: 0x2000}
  - {name: conv2, processors: 0xf, op: conv2d, kernel_size: 3x3, pad: 1, max_pool: 2, pool_stride: 2, activate: ReLU, out_channels: 4, out_offset: 0}
  - {name: fc, processors: 0xf, op: linear, flatten: true, out_channels: 4, output_width: 32, out_offset: 0x2000}
"""


class Layer(nn.Module):
    """A module with the parameters that the vendor's modules have."""

    def __init__(self, op, norm, pool, wide):
        super().__init__()
        for name, value in (("output_shift", torch.zeros(1)), ("weight_bits", torch.zeros(1, dtype=torch.int64)),
                            ("bias_bits", torch.zeros(1, dtype=torch.int64)),
                            ("quantize_activation", torch.zeros(1, dtype=torch.bool)),
                            ("adjust_output_shift", torch.zeros(1, dtype=torch.bool)),
                            ("shift_quantile", torch.ones(1))):
            setattr(self, name, nn.Parameter(value, requires_grad=False))
        self.op = op
        self.bn = nn.BatchNorm2d(op.out_channels, eps=1e-5, momentum=0.05) if norm else None
        self.pool, self.wide = pool, wide

    def forward(self, x):
        if self.pool:
            x = functional.max_pool2d(x, 2)
        weight, bias, scale = self.op.weight, self.op.bias, 1.0
        if self.quantize_activation.item():
            units = 2.0 ** (self.weight_bits.item() - 1)
            most = max(weight.abs().max(), bias.abs().max())
            shift = -(1 / most).log2().floor().clamp(-15, 15)
            scale = 2.0 ** shift
            weight = (weight / scale * units + 0.5).floor().clamp(-units, units - 1) / units
            bias = (bias / scale * units + 0.5).floor().clamp(-units, units - 1) / units
        if isinstance(self.op, nn.Linear):
            return functional.linear(x.flatten(1), weight, bias)
        x = functional.conv2d(x, weight, bias, padding=1)
        if self.bn is not None:
            x = self.bn(x) / 4
        x = functional.relu(x * scale)
        if self.quantize_activation.item():
            x = (x * 128 + 0.5).floor() / 128
        return x.clamp(-1, 127 / 128)


class Small(nn.Module):
    def __init__(self, norm):
        super().__init__()
        self.conv1 = Layer(nn.Conv2d(1, 4, 3, padding=1), norm, False, False)
        self.conv2 = Layer(nn.Conv2d(4, 4, 3, padding=1), norm, True, False)
        self.fc = Layer(nn.Linear(64, 4), False, False, True)

    def forward(self, x):
        return self.fc(self.conv2(self.conv1(x)))


def write_part(folder, part, count, seed):
    random = numpy.random.default_rng(seed)
    labels = random.integers(0, 4, count)
    rows = numpy.arange(8) // 2
    lit = (rows[None, :] + labels[:, None]) % 4 == 0
    pictures = numpy.where(lit[:, :, None], 150, 30) + random.integers(0, 80, (count, 8, 8))
    with open(f"{folder}/{part}-images-idx3-ubyte", "wb") as f:
        f.write(struct.pack(">4I", 0x803, count, 8, 8) + pictures.astype(numpy.uint8).tobytes())
    with open(f"{folder}/{part}-labels-idx1-ubyte", "wb") as f:
        f.write(struct.pack(">2I", 0x801, count) + labels.astype(numpy.uint8).tobytes())
    return torch.from_numpy(pictures.astype(numpy.int64) - 128).float().unsqueeze(1) / 128


def run(*arguments):
    done = subprocess.run([PROGRAM, *arguments, "-q"], capture_output=True, text=True)
    assert done.returncode == 0, (arguments, done.stderr)


def train(*arguments):
    run("train", "net.yaml", "--target", "max78000", "--data", ".", "--batch-norm", "affine", "--no-tensorboard",
        "--batch-size", "16", "--lr", "0.05", *arguments)


def outputs_of(checkpoint):
    run("evaluate", "net.yaml", "--target", "max78000", "--data", ".", "--checkpoint", checkpoint, "-o", "out", "--force")
    return numpy.load("out/outputs.npy")


def check(path, test, optimizer_of):
    stored = torch.load(path)
    assert list(stored) == ["epoch", "state_dict", "arch", "optimizer_state_dict", "optimizer_type",
                            "compression_sched", "extras"], list(stored)
    quantized = bool(stored["state_dict"]["conv1.quantize_activation"].item())
    model = Small(not quantized)
    model.load_state_dict(stored["state_dict"], strict=True)
    model.eval()
    with torch.no_grad():
        theirs = model(test).numpy()
    ours = outputs_of(path)
    # QAT: sums are exact; float: other orders of sums.
    assert (theirs == ours).all() if quantized else numpy.abs(theirs - ours).max() < 1e-5, path
    assert stored["optimizer_type"] is (torch.optim.Adam if "exp_avg" in str(stored["optimizer_state_dict"]) else torch.optim.SGD)
    optimizer = optimizer_of(model.parameters())
    optimizer.load_state_dict(stored["optimizer_state_dict"])
    for parameter in model.parameters():
        if parameter.requires_grad:
            assert optimizer.state[parameter], "a trained parameter has no state"
            parameter.grad = torch.zeros_like(parameter)
    optimizer.step()
    assert set(stored["compression_sched"]["masks_dict"]) == {name for name, _ in model.named_parameters()}
    # And back: what PyTorch saves.
    stored["state_dict"] = model.state_dict()
    stored["optimizer_state_dict"] = optimizer.state_dict()
    torch.save(stored, "saved.pth.tar")
    assert numpy.abs(outputs_of("saved.pth.tar") - ours).max() < 1
    train("--optimizer", "adam" if stored["optimizer_type"] is torch.optim.Adam else "sgd", "--epochs",
          str(stored["epoch"] + 2), "--qat-start", "2", "--resume-from", "saved.pth.tar", "-o", "resumed", "--force")


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("net.yaml", "w") as f:
            f.write(NETWORK)
        write_part(".", "train", 160, 1)
        test = write_part(".", "t10k", 40, 2)
        for name, optimizer_of in (("sgd", lambda p: torch.optim.SGD(p, lr=0.05)),
                                   ("adam", lambda p: torch.optim.Adam(p, lr=0.05))):
            train("--optimizer", name, "--epochs", "4", "--qat-start", "2", "-o", name)
            check(f"{name}/checkpoint.pth.tar", test, optimizer_of)
            check(f"{name}/qat_checkpoint.pth.tar", test, optimizer_of)
    print("checkpoints: equal")


main()
