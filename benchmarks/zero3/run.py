#!/usr/bin/env python3
"""zero3_async_io: speed, memory and waits on 1, 2 and 4 ranks, beside the replicated run and its peers.

  python3 benchmarks/zero3/run.py [--configs A B] [--ranks 1 2 4] [--rounds 3] [--no-peers]

Programs come from build/ (-DSZ_BENCHMARKS=ON), peers from .deps/venv: PyTorch's FSDP2 (scripts/peers.sh) and DeepSpeed
ZeRO-3 (pip install deepspeed into it). A peer that is not installed is left out with a word. All start from the same
weights and see the same batches, so that a row whose losses differ by more than 0.002 is marked. JSON lines, then
tables; medians of rounds, systems in turns.
"""
import argparse
import json
import os
import pathlib
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "benchmarks"))
import run as common  # noqa: E402

STAGES = ("replicated", "1", "2", "3")


# What a peer needs to be imported; DeepSpeed's C++ parts are built at first use, which takes minutes.
NEEDS = {"fsdp2": "import torch.distributed.fsdp",
         "deepspeed": "import deepspeed; from deepspeed.ops.op_builder import CPUAdamBuilder as B; B().load()"}
BUILDING = 900  # seconds


def peer_environment(ranks):
    return os.environ | {"OMP_NUM_THREADS": str(max(1, common.THREADS // ranks)), "BENCH_THREADS": str(common.THREADS),
                         "DS_ACCELERATOR": "cpu", "PATH": f"{common.PYTHON.parent}:{os.environ['PATH']}"}


def run_group(command, environment, folder, limit):
    """Runs a command with processes of its own below it, and ends all of them where it takes too long."""
    process = subprocess.Popen(list(map(str, command)), env=environment, cwd=folder, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, start_new_session=True)
    try:
        output, errors = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return None, f"no end within {limit} s"
    return (output, "") if process.returncode == 0 else (None, errors[-2000:])


def run_peer(command, environment, folder):
    output, errors = run_group(command, environment, folder, common.LIMIT)
    if output is None:
        print(f"{command[-1]}: {errors}", file=sys.stderr)
        return []
    return [json.loads(line) for line in output.splitlines() if line.startswith("{")]


def peers_at_hand(options, folder):
    found = []
    for system, code in NEEDS.items():
        if options.no_peers:
            continue
        if not common.PYTHON.exists():
            print(f"{system} is left out: there is no .deps/venv (scripts/peers.sh makes it)", file=sys.stderr)
            continue
        output, errors = run_group([common.PYTHON, "-c", code], peer_environment(1), folder, BUILDING)
        if output is None:
            print(f"{system} is left out: {errors.strip().splitlines()[-1]}", file=sys.stderr)
        else:
            found.append(system)
    return found


def ours(config, ranks, work):
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"} if os.geteuid() == 0 else {}
    mpirun = ["mpirun", "-n", ranks, "--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", 1]
    threads = {"OMP_NUM_THREADS": str(max(1, common.THREADS // ranks)), "OMP_WAIT_POLICY": "passive"}
    for stage in STAGES:
        program = [common.BIN / "bench_zero3", work / f"{config}.json", work / f"{config}.safetensors", stage]
        yield ([*mpirun, *program] if ranks > 1 else program), root | threads


def measure(options, work):
    systems = peers_at_hand(options, work)
    torchrun = [common.PYTHON, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node"]
    for config in options.configs:
        common.write_inputs(config, work)
        for ranks in options.ranks:
            for _ in range(options.rounds):
                for command, environment in ours(config, ranks, work):
                    yield from common.run(command, environment, work)
                for system in systems:
                    command = [*torchrun, ranks, common.PEERS / "torch_sharded.py", config, system]
                    yield from run_peer(command, peer_environment(ranks), work)


def middle(rows, key):
    values = [row[key] for row in rows if key in row]
    return statistics.median(values) if values else None


def cell(value, digits=0):
    return "-" if value is None else f"{value:.{digits}f}"


def table(config, ranks, systems):
    base = middle(systems["ours, replicated"], "tokens_per_s")
    loss = middle(systems["ours, replicated"], "loss_last")
    print(f"\n{config}, {ranks} rank{'s' if ranks > 1 else ''}\n\n| system | tokens/s | of replicated | "
          "peak RSS MB a rank | peak tensors MB a rank | gather waited / hidden ms | reduce waited / hidden ms | "
          "last loss |")
    print("|---|---|---|---|---|---|---|---|")
    for system, rows in systems.items():
        tokens = middle(rows, "tokens_per_s")
        waits = {kind: " / ".join(cell(middle(rows, f"{kind}_{part}_ms"), 1) for part in ("wait", "hidden"))
                 for kind in ("gather", "reduce")}
        last = middle(rows, "loss_last")
        differs = "" if abs(last - loss) <= 0.002 else " (differs)"
        print(f"| {system} | {tokens:.0f} | {tokens / base:.2f} | {cell(middle(rows, 'peak_rss_mb_a_rank'))} | "
              f"{cell(middle(rows, 'peak_tensor_mb_a_rank'))} | {waits['gather']} | {waits['reduce']} | "
              f"{last:.4f}{differs} |")
    sharded = middle(systems["ours, stage 3"], "tokens_per_s")
    if ranks == 2:
        print(f"\nstage 3 of replicated: {sharded / base:.2f} (goal 0.9)")
        for peer in ("DeepSpeed ZeRO-3", "PyTorch FSDP2"):
            if peer in systems:
                print(f"stage 3 of {peer}: {sharded / middle(systems[peer], 'tokens_per_s'):.2f} (goal 2)")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--configs", nargs="+", default=["B", "A"])
    parser.add_argument("--ranks", nargs="+", type=int, default=[1, 2, 4])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--no-peers", action="store_true")
    options = parser.parse_args()
    work = pathlib.Path(tempfile.mkdtemp(prefix="bench-zero3-"))
    groups = {}
    try:
        for row in measure(options, work):
            print(json.dumps(row), flush=True)
            groups.setdefault((row["config"], row["ranks"]), {}).setdefault(row["system"], []).append(row)
    finally:
        shutil.rmtree(work)
    for (config, ranks), systems in groups.items():
        table(config, ranks, systems)


if __name__ == "__main__":
    main()
