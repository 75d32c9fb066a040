"""The arithmetic of a training step for the MAX78000 on PyTorch, each part as an operation of its own, as
the vendor's modules have it: what bench_train is measured against.

usage: train_peer.py PHASE ITEMS STEPS THREADS SHAPE LAYER..

PHASE is float or qat. SHAPE is CxHxW or CxL. A LAYER is op:in:out:kernel:pad:pool:size, with pool m (largest),
a (mean) or n. Prints items per second of processor and of the clock."""
import sys
import time

import torch
from torch import nn
from torch.nn import functional


class Rounded(torch.autograd.Function):
    """Half up; the gradient passes."""

    @staticmethod
    def forward(_, values):
        return values.add(0.5).floor()

    @staticmethod
    def backward(_, gradient):
        return gradient


class Cut(torch.autograd.Function):
    """Toward zero; the gradient passes."""

    @staticmethod
    def forward(_, values):
        return values.trunc()

    @staticmethod
    def backward(_, gradient):
        return gradient


class Layer(nn.Module):
    def __init__(self, text, last, phase):
        super().__init__()
        op, fan_in, out, kernel, pad, pool, size = text.split(":")
        made = {"conv2d": nn.Conv2d, "conv1d": nn.Conv1d}
        if op == "linear":
            self.op = nn.Linear(int(fan_in), int(out))
        else:
            self.op = made[op](int(fan_in), int(out), int(kernel), padding=int(pad))
        pools = {"conv2d": (nn.MaxPool2d, nn.AvgPool2d), "conv1d": (nn.MaxPool1d, nn.AvgPool1d)}
        self.pool = pools[op][pool == "a"](int(size)) if pool != "n" else None
        self.mean = pool == "a"
        self.flat = op == "linear"
        self.wide = last
        self.quantized = phase == "qat"

    def weights(self, values, scale):
        return Rounded.apply(values * scale * 128).div(128).clamp(-1, 127 / 128)

    def forward(self, x):
        if self.pool is not None:
            x = self.pool(x)
            if self.mean:
                if self.quantized:
                    x = Cut.apply(x * 128) / 128
                x = x.clamp(-1, 127 / 128)
        if self.flat:
            x = x.flatten(1)
        weight, bias, factor = self.op.weight, self.op.bias, 1.0
        if self.quantized:
            with torch.no_grad():
                most = torch.max(weight.abs().max(), bias.abs().max())
                shift = -(1 / most).log2().floor().clamp(-15, 15)
                scale, factor = 2.0 ** -shift, 2.0 ** shift
            weight, bias = self.weights(weight, scale), self.weights(bias, scale)
        if self.flat:
            x = functional.linear(x, weight, bias)
        elif isinstance(self.op, nn.Conv2d):
            x = functional.conv2d(x, weight, bias, padding=self.op.padding)
        else:
            x = functional.conv1d(x, weight, bias, padding=self.op.padding)
        if self.wide:
            if self.quantized:
                x = Rounded.apply(x * 16384) / 16384
            return x.clamp(-32768, 32768)
        if self.quantized:
            x = x * factor
        x = functional.relu(x)
        if self.quantized:
            x = Rounded.apply(x * 128) / 128
        return x.clamp(-1, 127 / 128)


def main():
    phase, items, steps, threads = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    shape = [int(n) for n in sys.argv[5].split("x")]
    texts = sys.argv[6:]
    torch.set_num_threads(threads)
    torch.manual_seed(1)
    layers = [Layer(t, i + 1 == len(texts), phase) for i, t in enumerate(texts)]
    network = nn.Sequential(*layers)
    optimizer = torch.optim.SGD(network.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)
    loss_of = nn.CrossEntropyLoss()
    x = torch.randint(-128, 128, [items] + shape).float() / 128
    y = torch.randint(0, layers[-1].op.out_features, [items])
    for step in range(steps + 1):
        if step == 1:  # the first one warms up
            clock, processor = time.perf_counter(), time.process_time()
        loss = loss_of(network(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    done = items * steps
    print(done / (time.process_time() - processor), done / (time.perf_counter() - clock))


main()
