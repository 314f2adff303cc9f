"""A terminal that can be lost, for the output of a process."""
import os
import select
import threading


class Terminal:
    """A pseudo-terminal whose output is discarded until it is closed. Writing to it then fails."""

    def __init__(self):
        self.reader, self.writer = os.openpty()
        self.closing = threading.Event()
        self.thread = threading.Thread(target=self.discard, daemon=True)
        self.thread.start()

    def discard(self):
        while not self.closing.is_set():
            if select.select([self.reader], [], [], 0.02)[0]:
                try:
                    os.read(self.reader, 65536)
                except OSError:
                    return

    def close(self):
        if not self.closing.is_set():
            self.closing.set()
            self.thread.join()
            os.close(self.writer)
            os.close(self.reader)
