#!/usr/bin/env python3
"""zero3_async_io: speed, memory and waits on 1, 2 and 4 ranks, beside the replicated run and its peers.

  python3 benchmarks/zero3/run.py [--configs B A] [--ranks 1 2 4] [--rounds 3] [--wait S] [--no-peers] [--out FOLDER]

Programs come from build/ (-DSZ_BENCHMARKS=ON), peers from .deps/venv (scripts/peers.sh): PyTorch's FSDP2 and DeepSpeed
ZeRO-3. A peer that is not installed is left out with a word. All start from the same weights and see the same batches,
so that a row whose losses differ by more than 0.002 is marked. Systems run in turns, --rounds times on 2 ranks, where the
goals are, and --other-rounds times on other numbers of ranks; medians of the rounds. On 2 cores all takes about
10 minutes. --wait S waits up to S seconds for a quiet machine before each program.

JSON lines go to FOLDER/results.jsonl as they come, tables to FOLDER/results.md at the end (benchmarks/zero3/).
"""
import argparse
import datetime
import json
import os
import pathlib
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import run as common  # noqa: E402

STAGES = ("replicated", "1", "2", "3")
GOAL_RANKS = 2

# What a peer needs to be imported; DeepSpeed's C++ parts are built at first use, which takes minutes.
NEEDS = {"fsdp2": "import torch.distributed.fsdp",
         "deepspeed": "import deepspeed; from deepspeed.ops.op_builder import CPUAdamBuilder as B; B().load()"}
BUILDING = 900  # seconds


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


def used_seconds():
    """CPU seconds of the whole machine, and of the programs that this one has run."""
    with open("/proc/stat") as file:
        times = list(map(int, file.readline().split()[1:9]))
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    machine = (sum(times) - times[3] - times[4]) / os.sysconf("SC_CLK_TCK")
    return machine, children.ru_utime + children.ru_stime


def wait_for_quiet(limit):
    until = time.monotonic() + limit
    while limit and common.busy() > common.QUIET and time.monotonic() < until:
        pass


def rows_of(command, environment, folder, wait):
    """A program's JSON lines, each with the share of the machine that others used meanwhile."""
    wait_for_quiet(wait)
    begun, (machine, own) = time.monotonic(), used_seconds()
    output, errors = run_group(command, environment, folder, common.LIMIT)
    if output is None:
        print(f"{' '.join(map(str, command))}: {errors}", file=sys.stderr)
        return
    (machine_after, own_after), span = used_seconds(), time.monotonic() - begun
    others = max(0.0, (machine_after - machine) - (own_after - own)) / (span * os.cpu_count())
    for line in output.splitlines():
        if line.startswith("{"):
            yield json.loads(line) | {"other_cpu_pct": 100 * others}


def peer_environment(ranks):
    return os.environ | {"OMP_NUM_THREADS": str(max(1, common.THREADS // ranks)), "BENCH_THREADS": str(common.THREADS),
                         "DS_ACCELERATOR": "cpu", "PATH": f"{common.PYTHON.parent}:{os.environ['PATH']}"}


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


def ours(config, ranks, work, binaries):
    """As szlaunch starts it: mpirun's options, threads a rank and the matrix route are those of a user's run."""
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"} if os.geteuid() == 0 else {}
    mpirun = ["mpirun", "-n", ranks, "--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", 1]
    threads = {"OMP_NUM_THREADS": str(max(1, common.THREADS // ranks))}
    for stage in STAGES:
        program = [binaries / "bench_zero3", work / f"{config}.json", work / f"{config}.safetensors", stage]
        yield ([*mpirun, *program] if ranks > 1 else program), os.environ | root | threads


def cases(config, ranks, systems, work, binaries):
    """(command, environment) of every system, ours first."""
    yield from ours(config, ranks, work, binaries)
    torchrun = [common.PYTHON, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node"]
    for system in systems:
        yield [*torchrun, ranks, common.PEERS / "torch_sharded.py", config, system], peer_environment(ranks)


def measure(options, work):
    systems = peers_at_hand(options, work)
    for config in options.configs:
        common.write_inputs(config, work)
        for ranks in options.ranks:
            for _ in range(options.rounds if ranks == GOAL_RANKS else options.other_rounds):
                for command, environment in cases(config, ranks, systems, work, options.bin):
                    yield from rows_of(command, environment, work, options.wait)


def middle(rows, key):
    values = [row[key] for row in rows if key in row]
    return statistics.median(values) if values else None


def cell(value, digits=0):
    return "-" if value is None else f"{value:.{digits}f}"


def line_of(system, rows, base, loss):
    tokens, last = middle(rows, "tokens_per_s"), middle(rows, "loss_last")
    waits = [" / ".join(cell(middle(rows, f"{kind}_{part}_ms"), 1) for part in ("wait", "hidden"))
             for kind in ("gather", "reduce")]
    marked = "" if abs(last - loss) <= 0.002 else " (differs)"
    cells = [system, cell(tokens), cell(tokens / base, 2), cell(middle(rows, "cpu_ms_per_step")),
             cell(middle(rows, "peak_rss_mb_a_rank")), cell(middle(rows, "peak_tensor_mb_a_rank")), *waits,
             f"{last:.4f}{marked}", str(len(rows)), cell(middle(rows, "other_cpu_pct"))]
    return f"| {' | '.join(cells)} |\n"


def table(config, ranks, systems):
    heads = ("system", "tokens/s", "of replicated", "CPU ms a step, all ranks", "peak RSS MB a rank",
             "peak tensors MB a rank", "gather waited / hidden ms", "reduce waited / hidden ms", "last loss", "rounds",
             "others' CPU %")
    replicated = systems["ours, replicated"]
    route = replicated[0].get("matrix_route", "?")
    threads = max(1, common.THREADS // ranks)
    text = (f"\n**{config}, {ranks} rank{'s' if ranks > 1 else ''}, {threads} thread{'s' if threads > 1 else ''} a rank, "
            f"ours by matrix route {route}**\n\n| {' | '.join(heads)} |\n|{'---|' * len(heads)}\n")
    base, loss = middle(replicated, "tokens_per_s"), middle(replicated, "loss_last")
    for system, rows in systems.items():
        text += line_of(system, rows, base, loss)
    if ranks == GOAL_RANKS and "ours, stage 3" in systems:
        sharded = middle(systems["ours, stage 3"], "tokens_per_s")
        text += f"\n- stage 3 of replicated: {sharded / base:.2f} (goal 0.9)\n"
        for peer in ("DeepSpeed ZeRO-3", "PyTorch FSDP2"):
            if peer in systems:
                text += f"- stage 3 of {peer}: {sharded / middle(systems[peer], 'tokens_per_s'):.2f} (goal 2)\n"
    return text


def tables(rows):
    groups = {}
    for row in rows:
        groups.setdefault((row["config"], row["ranks"]), {}).setdefault(row["system"], []).append(row)
    text = ""
    for (config, ranks), systems in groups.items():
        if "ours, replicated" in systems:
            text += table(config, ranks, systems)
        else:
            print(f"{config} on {ranks} ranks: no replicated row to compare with", file=sys.stderr)
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--configs", nargs="+", default=["B", "A"])
    parser.add_argument("--ranks", nargs="+", type=int, default=[1, 2, 4])
    parser.add_argument("--rounds", type=int, default=3, help=f"on {GOAL_RANKS} ranks")
    parser.add_argument("--other-rounds", type=int, default=1, help="on other numbers of ranks")
    parser.add_argument("--wait", type=float, default=0, help="seconds at most to wait for a quiet machine")
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--bin", type=pathlib.Path, default=common.BIN, help="folder of the programs")
    parser.add_argument("--out", type=pathlib.Path, default=HERE, help="folder of results.jsonl and results.md")
    options = parser.parse_args()
    work = pathlib.Path(tempfile.mkdtemp(prefix="bench-zero3-"))
    rows, begun = [], time.monotonic()
    try:
        with (options.out / "results.jsonl").open("w") as file:
            for row in measure(options, work):
                rows.append(row)
                print(json.dumps(row), flush=True)
                file.write(json.dumps(row) + "\n")
    finally:
        shutil.rmtree(work)
    minutes = (time.monotonic() - begun) / 60
    text = (f"# zero3_async_io, measured\n\n`python3 benchmarks/zero3/run.py` on {datetime.date.today()}, "
            f"{os.cpu_count()} cores, {minutes:.0f} minutes. Medians of the rounds.\n" + tables(rows))
    (options.out / "results.md").write_text(text, encoding="utf-8")
    print("\n" + text)


if __name__ == "__main__":
    main()
