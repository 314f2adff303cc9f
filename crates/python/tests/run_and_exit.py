"""Runs a script and leaves without Python's clean-up.

`DistributedDataParallel` keeps the threads of its process group alive after `destroy_process_group`. Before Python 3.14
such a thread can abort the process during the clean-up ("terminate called without an active exception").

usage: python run_and_exit.py SCRIPT   Exits 0 if the script reaches its end. An exception ends Python as usual.
"""

import os
import pathlib
import runpy
import sys

script = sys.argv[1]
sys.path.insert(0, str(pathlib.Path(script).parent))
runpy.run_path(script, run_name="__main__")
sys.stdout.flush()
sys.stderr.flush()
os._exit(0)
