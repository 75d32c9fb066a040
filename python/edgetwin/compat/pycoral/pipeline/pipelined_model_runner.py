"""Segments of a network in a row, each with an interpreter and a thread of its own."""
import collections
import threading

import numpy as np

_OFF = "Pipeline was turned off before."


class _Queue:
    """A queue with a limit that may change; 0: none."""

    def __init__(self):
        self._items = collections.deque()
        self._changed = threading.Condition()
        self.limit = 0
        self._dead = False

    def set_limit(self, limit):
        with self._changed:
            self.limit = limit
            self._changed.notify_all()

    def put(self, item):
        """False: nobody will take it any more."""
        with self._changed:
            while self.limit and len(self._items) >= self.limit and not self._dead:
                self._changed.wait()
            if self._dead:
                return False
            self._items.append(item)
            self._changed.notify_all()
            return True

    def get(self):
        with self._changed:
            while not self._items and not self._dead:
                self._changed.wait()
            if not self._items:
                return None
            item = self._items.popleft()
            self._changed.notify_all()
            return item

    def abandon(self):
        """Everybody who waits goes on."""
        with self._changed:
            self._dead = True
            self._changed.notify_all()

    def drop_waiting_puts(self):
        with self._changed:
            self._dead = True
            self._items.clear()
            self._changed.notify_all()


class _State:
    """What the threads of the segments share; they do not keep the runner alive."""

    def __init__(self, segments):
        self.queues = [_Queue() for _ in range(segments + 1)]
        # Between segments one request waits at most.
        for queue in self.queues[1:-1]:
            queue.limit = 1
        self.failure = None


def _run_segment(state, index, interpreter, names):
    """Takes requests until the end (None); a request is (tensors of all segments so far)."""
    inputs, outputs = names
    source, target = state.queues[index], state.queues[index + 1]
    while True:
        request = source.get()
        if request is None:
            target.put(None)
            return
        if isinstance(request, BaseException):
            if not target.put(request):
                return
            continue
        try:
            for name, number in inputs:
                interpreter.set_tensor(number, request[name])
            interpreter.invoke()
            for name, number in outputs:
                request[name] = interpreter.get_tensor(number)
        except Exception as error:  # whatever it is, the one who pops hears of it
            text = str(error).split("\n")[0]
            request = RuntimeError("Segment {} runner error: {}".format(index, text))
            state.failure = request
        if not target.put(request):
            return


class PipelinedModelRunner:
    """A pipeline of interpreters whose tensors were allocated."""

    def __init__(self, interpreters):
        self._state = None
        self._interpreters = list(interpreters or [])
        if not self._interpreters:
            raise ValueError("At least one interpreter expected")
        self._names = [self._ports(i) for i in self._interpreters]
        self._check_names()
        self._input_types = {d["name"]: d["dtype"] for d in self._interpreters[0].get_input_details()}
        self._closed = False
        self._ended = False
        self._state = _State(len(self._interpreters))
        self._threads = []
        for i, interpreter in enumerate(self._interpreters):
            thread = threading.Thread(
                target=_run_segment, args=(self._state, i, interpreter, self._names[i]), daemon=True
            )
            thread.start()
            self._threads.append(thread)

    @staticmethod
    def _ports(interpreter):
        inputs = [(d["name"], d["index"]) for d in interpreter.get_input_details()]
        return inputs, [(d["name"], d["index"]) for d in interpreter.get_output_details()]

    def _check_names(self):
        known = {name for name, _ in self._names[0][0]}
        for i, (inputs, outputs) in enumerate(self._names):
            if any(name not in known for name, _ in inputs):
                raise ValueError("Interpreter {} can not get its input tensors".format(i))
            known |= {name for name, _ in outputs}

    def __del__(self):
        state = getattr(self, "_state", None)
        if state is None:
            return
        for queue in state.queues:
            queue.drop_waiting_puts()

    def set_input_queue_size(self, size):
        self._state.queues[0].set_limit(size)

    def set_output_queue_size(self, size):
        self._state.queues[-1].set_limit(size)

    def push(self, input_tensors):
        """Blocks while the queue of inputs is full; {} closes the pipeline."""
        if self._closed:
            raise RuntimeError(_OFF)
        if self._state.failure is not None:
            raise self._state.failure
        if not input_tensors:
            self._closed = True
            self._state.queues[0].put(None)
            return
        if len(input_tensors) != len(self._input_types):
            raise ValueError(
                "Expected input of length {}, but got {}".format(len(self._input_types), len(input_tensors))
            )
        request = {}
        for name, wanted in self._input_types.items():
            tensor = input_tensors.get(name)
            if not isinstance(tensor, np.ndarray) or tensor.dtype != np.dtype(wanted):
                raise ValueError("Input should be a list of numpy array of type {}".format(wanted))
            request[name] = tensor.copy()
        self._state.queues[0].put(request)

    def pop(self):
        """The next result, by name; None at the end."""
        if self._ended:
            return None
        result = self._state.queues[-1].get()
        if result is None:
            self._ended = True
            return None
        if isinstance(result, BaseException):
            raise result
        return {name: result[name] for name, _ in self._names[-1][1]}

    def interpreters(self):
        return self._interpreters
