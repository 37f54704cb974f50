#!/usr/bin/env python3
"""amp_o2: speed and memory beside PyTorch autocast, and parity with fp32.

  python3 benchmarks/amp/run.py speed  [--configs A B] [--rounds 3] [--slow-peers] [--wait S]
  python3 benchmarks/amp/run.py parity [--seeds 3] [--steps 200] [--ranks 1] [--set KEY=VALUE]... [--out FILE]

Programs come from build/ (-DSZ_BENCHMARKS=ON), peers from .deps/venv (scripts/peers.sh). JSON lines, then tables.
speed: our loop in fp32, O1 and O2 in fp16 and bf16, and PyTorch's in fp32 and under autocast, in turns; medians of
rounds, and the requirements' claims beside what is seen. --slow-peers adds PyTorch in fp16 with its GradScaler, once
and for three steps: its fp16 products are slow on CPUs (half a minute a step at A). --wait as in benchmarks/run.py.
parity: the quickstart's model and batches, warm-up 30, growth_interval 20; validation loss and accuracy, per language,
and peak bytes against fp32's, also with the embedding kept in fp32. With --out a run that was cut short goes on.
"""
import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import run as common  # noqa: E402
import parity  # noqa: E402
import speed  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = parser.add_subparsers(dest="kind", required=True)
    fast = kinds.add_parser("speed")
    fast.add_argument("--configs", nargs="+", default=["A", "B"])
    fast.add_argument("--rounds", type=int, default=3)
    fast.add_argument("--slow-peers", action="store_true")
    fast.add_argument("--wait", type=float, default=0, help="seconds at most to wait for a quiet machine")
    same = kinds.add_parser("parity")
    same.add_argument("--seeds", type=int, default=3)
    same.add_argument("--steps", type=int, default=200)
    same.add_argument("--ranks", type=int, choices=(1, 2), default=1)
    same.add_argument("--set", action="append", default=[])
    same.add_argument("--out", type=pathlib.Path, help="rows are kept there, and what is there is not run again")
    same.add_argument("--show", action="store_true", help="the table of the rows that --out has; nothing is run")
    for kind in (fast, same):
        kind.add_argument("--bin", type=pathlib.Path, default=common.BIN, help="folder of the programs")
    options = parser.parse_args()
    return speed.speed(options) if options.kind == "speed" else parity.parity(options)


if __name__ == "__main__":
    sys.exit(main())
