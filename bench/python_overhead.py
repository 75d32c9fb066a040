"""What a call from Python costs beside the call in C: PYTHONPATH=<build>/python python3 bench/python_overhead.py MODEL.tflite"""
import json
import sys
import timeit

import numpy as np

from tflite_runtime.interpreter import Interpreter

REPEATS = 5000


def best(call):
    """The shortest of many calls, one by one: another program's work is in none of them."""
    return min(timeit.repeat(call, number=1, repeat=REPEATS)) * 1e6


def main():
    interpreter = Interpreter(sys.argv[1])
    interpreter.allocate_tensors()
    source, target = interpreter.get_input_details()[0], interpreter.get_output_details()[0]
    value = np.zeros(source["shape"], source["dtype"])
    runner = interpreter._main.runner
    inner = []

    def seconds():
        runner.invoke()
        inner.append(json.loads(runner.statistics().part("json"))["seconds"] * 1e6)

    timeit.timeit(seconds, number=500)

    def whole():
        interpreter.set_tensor(source["index"], value)
        interpreter.invoke()
        interpreter.get_tensor(target["index"])

    c, invoke, all_three = min(inner), best(interpreter.invoke), best(whole)
    print("invoke inside the library %6.1f us" % c)
    print("interpreter.invoke()      %6.1f us, %.1f more" % (invoke, invoke - c))
    print("set, invoke, get          %6.1f us, %.1f more" % (all_three, all_three - c))
    print("details                   %6.1f us" % best(interpreter.get_input_details))
    print("view                      %6.1f us" % best(lambda: interpreter.tensor(target["index"])()))


if __name__ == "__main__":
    main()
