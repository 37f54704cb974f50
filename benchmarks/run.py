#!/usr/bin/env python3
"""Runs the benchmarks and their peers one after another, in turns, and prints JSON lines and a table.

  python3 benchmarks/run.py [train_step|start_up|hook_overhead|comm]... [--rounds N] [--wait S] [--minutes M]
                            [--out FILE] [--only REGEX]

The whole table, on a quiet machine of two cores in a quarter of an hour: --rounds 3 --wait 30 --minutes 14. Programs come
from build/ (configured with -DSZ_BENCHMARKS=ON), peers from .deps/venv (scripts/peers.sh); those that are missing are
left out with a word. A row says how much of the machine others used. With --wait a program is started once the machine
is quiet, or after S seconds, and run again (three times at most) where others used more than 5 % meanwhile.
BENCH_THREADS=1 with the CPU time a step compares fairly where a machine never is quiet. No round begins that would not
end within --minutes, going by those before it. BENCH_STEPS="1,2" (steps of warm-up, steps measured) tries all of it out.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BIN = ROOT / "build" / "bin"
PEERS = ROOT / "benchmarks" / "peers"
PYTHON = ROOT / ".deps" / "venv" / "bin" / "python"
LIMIT = 240  # seconds a program
THREADS = int(os.environ.get("BENCH_THREADS", 2))
QUIET = 5  # per cent of the machine that others may use


def tcmalloc():
    listed = subprocess.run(["ldconfig", "-p"], capture_output=True, text=True).stdout
    found = re.search(r"libtcmalloc_minimal\.so\.4 .*=> (\S+)", listed)
    return found[1] if found else None


def build_intel_path(work):
    library = work / "intel_path.so"
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", library, PEERS / "intel_path.c"], check=True)
    return str(library)


def train_cases(name, options, work):
    """(system, command, environment): ours first."""
    program = options.bin / "bench_train_step"
    for precision in ("fp32", "bf16"):
        yield f"ours {precision}", [program, work / f"{name}.json", work / f"{name}.safetensors", precision], {}
    if not PYTHON.exists():
        print("no peers: scripts/peers.sh fetches PyTorch", file=sys.stderr)
        return
    fast = {"LD_PRELOAD": build_intel_path(work)}
    tuned = {"LD_PRELOAD": f"{fast['LD_PRELOAD']} {tcmalloc()}"} if tcmalloc() else fast
    if tuned is fast:
        print("no tcmalloc (Debian: libtcmalloc-minimal4): the tuned rows are without it", file=sys.stderr)
    loop = [PYTHON, "-B", PEERS / "torch_loop.py", name]
    yield "PyTorch", [*loop, "PyTorch"], {}
    yield "PyTorch, fast path", [*loop, "PyTorch, fast path"], fast
    yield "PyTorch, tuned", [*loop, "PyTorch, tuned"], tuned
    yield "PyTorch, tuned, bf16", [*loop, "PyTorch, tuned, bf16", "bf16"], tuned
    yield "torch.compile, tuned", [*loop, "torch.compile, tuned", "compile"], tuned
    yield "torch.compile, tuned, bf16", [*loop, "torch.compile, tuned, bf16", "compile", "bf16"], tuned
    yield "HF Trainer", [PYTHON, "-B", PEERS / "hf_trainer.py", name, "HF Trainer"], {}


def busy(span=1.0):
    """Share of the machine in use, in per cent."""
    def read():
        with open("/proc/stat") as file:
            times = list(map(int, file.readline().split()[1:9]))
        return sum(times), times[3] + times[4]

    total, idle = read()
    time.sleep(span)
    total_after, idle_after = read()
    return 100 * (1 - (idle_after - idle) / max(1, total_after - total))


def run_quietly(command, environment, work, wait):
    """The rows of the least disturbed of up to three runs."""
    best = []
    for _ in range(3 if wait else 1):
        until = time.monotonic() + wait
        while wait and busy() > QUIET and time.monotonic() < until:
            pass
        rows = run(command, environment, work)
        if not best or (rows and rows[0].get("other_cpu_pct", 0) < best[0].get("other_cpu_pct", 0)):
            best = rows
        if not best or best[0].get("other_cpu_pct", 0) <= QUIET:
            break
    return best


def run(command, environment, work):
    full = os.environ | {"OMP_NUM_THREADS": str(THREADS), "BENCH_THREADS": str(THREADS), "BENCH_T0": repr(time.time()),
                         "TORCHINDUCTOR_CACHE_DIR": str(work / "inductor")} | environment
    try:
        result = subprocess.run(list(map(str, command)), env=full, cwd=work, capture_output=True, text=True,
                                timeout=LIMIT)
    except subprocess.TimeoutExpired:
        print(f"no end within {LIMIT} s: {command}", file=sys.stderr)
        return []
    if result.returncode != 0:
        print(f"exit code {result.returncode}: {command}\n{result.stderr[-2000:]}", file=sys.stderr)
        return []
    return [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]


def write_inputs(name, work):
    python = PYTHON if PYTHON.exists() else sys.executable  # either way it needs numpy
    subprocess.run([python, "-B", PEERS / "common.py", name, work], check=True, timeout=LIMIT,
                   env=os.environ | {"BENCH_THREADS": str(THREADS)})


def rounds(options):
    """Counts rounds, as many as were asked for and as end in time."""
    begun = time.monotonic()
    for done in range(options.rounds):
        now = time.monotonic()
        if done and now + (now - begun) / done > options.until:
            print(f"--minutes: {done} of {options.rounds} rounds", file=sys.stderr)
            return
        yield done


def train_step(options, work):
    cases = []
    for name in ("B", "A"):
        write_inputs(name, work)
        cases += [case for case in train_cases(name, options, work) if re.search(options.only, f"{name}/{case[0]}")]
    for _ in rounds(options):
        for _, command, environment in cases:
            for line in run_quietly(command, environment, work, options.wait):
                yield {"benchmark": "train_step"} | line


def start_up(options, work):
    """szlaunch itself on text that is prepared already: seconds from its start to the first attempt's line."""
    text, config = work / "text", work / "start_up.toml"
    text.mkdir()
    for page in (ROOT / "docs").glob("*.md"):
        shutil.copy(page, text / f"{page.stem}.txt")
    config.write_text(f"""
run = {{name = "start_up", out = "{work}/runs"}}
data = {{paths = ["{text}"], cache = "{work}/cache", vocabulary = 1000}}
model = {{layers = 4, width = 128, heads = 4}}
train = {{steps = 1, context = 128, micro_batch = 16}}
eval = {{samples = 1}}
launch = {{threads = {THREADS}}}
""")
    szlaunch, metrics = options.bin / "szlaunch", work / "runs" / "start_up" / "metrics.jsonl"
    subprocess.run([szlaunch, "data", "prepare", config], check=True, capture_output=True, timeout=LIMIT)
    for _ in range(3 * options.rounds):
        shutil.rmtree(work / "runs", ignore_errors=True)
        begun = time.monotonic()
        process = subprocess.Popen([szlaunch, "run", config, "-n", "1"], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        while process.poll() is None and not (metrics.exists() and metrics.read_bytes().endswith(b"\n")):
            time.sleep(0.001)
        took = time.monotonic() - begun
        if process.wait(timeout=LIMIT) != 0:
            print(f"exit code {process.returncode}: szlaunch run {config}", file=sys.stderr)
            return
        yield {"benchmark": "start_up", "system": "szlaunch run -n 1", "startup_s": took}


def hook_overhead(options, work):
    yield from run_quietly([options.bin / "bench_hook_overhead"], {}, work, options.wait)


def comm(options, work):
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"} if os.geteuid() == 0 else {}
    mpirun = ["mpirun", "-n", 2, "--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", 1]
    one = {"OMP_NUM_THREADS": "1"}
    for _ in rounds(options):
        for system in ("ours", "mpi"):
            yield from run_quietly([*mpirun, options.bin / "bench_comm", system], root | one, work, options.wait)
        if PYTHON.exists():
            yield from run_quietly([PYTHON, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", 2,
                                    PEERS / "gloo.py"], one, work, options.wait)


def middle(rows, key):
    return statistics.median(row[key] for row in rows)


def grouped(rows, *keys):
    groups = {}
    for row in rows:
        groups.setdefault(tuple(row[key] for key in keys), []).append(row)
    return groups


def train_table(rows):
    """Ratios are ours, in the row's precision, to the row: above 1 ours is faster, or takes less CPU time."""
    heads = ("system", "tokens/s", "ratio", "step ms", "IQR", "CPU ms a step", "ratio", "peak MB", "start to step 1 s",
             "loss first, last", "others' CPU %")
    text = ("\nOurs is bench_train_step, the loop on the peers' batches: its start to step 1 is without szlaunch, "
            "configuration and text, whose start is under start_up.\n")
    for (name,), of_config in grouped(rows, "config").items():
        systems = {system: lines for (system,), lines in grouped(of_config, "system").items()}
        text += f"\n{name}\n\n| {' | '.join(heads)} |\n|{'---|' * len(heads)}\n"
        for system, lines in systems.items():
            ours = systems.get("ours, bf16" if "bf16" in system else "ours", lines)
            speed, cpu = middle(lines, "tokens_per_s"), middle(lines, "cpu_ms_per_step")
            cells = [system, f"{speed:.0f}", f"{middle(ours, 'tokens_per_s') / speed:.2f}",
                     f"{middle(lines, 'step_ms_median'):.1f}", f"{middle(lines, 'step_ms_iqr'):.1f}", f"{cpu:.1f}",
                     f"{cpu / middle(ours, 'cpu_ms_per_step'):.2f}", f"{middle(lines, 'peak_rss_mb'):.0f}",
                     f"{middle(lines, 'startup_s'):.2f}", f"{lines[0]['loss_first']:.4f}, {lines[0]['loss_last']:.4f}",
                     f"{middle(lines, 'other_cpu_pct'):.0f}"]
            text += f"| {' | '.join(cells)} |\n"
    return text + goals_table(rows)


# Config, ours, the peer, what is compared (more is better for us), the goal.
GOALS = [
    ("A", "ours", "PyTorch, tuned", "tokens_per_s", 1.0),
    ("B", "ours", "PyTorch, tuned", "tokens_per_s", 1.2),
    ("A", "ours, bf16", "torch.compile, tuned, bf16", "tokens_per_s", 1.2),
    ("A", "ours", "PyTorch", "tokens_per_s", 2.0),
    ("B", "ours", "PyTorch", "tokens_per_s", 2.5),
    ("A", "ours", "PyTorch", "peak_rss_mb", 1.0),
    ("B", "ours", "PyTorch", "peak_rss_mb", 1.0),
]


def goals_table(rows):
    of = {(name, system): lines for (name, system), lines in grouped(rows, "config", "system").items()}
    text = "\n| goal | measured | wanted |\n|---|---|---|\n"
    for name, own, peer, key, wanted in GOALS:
        if (name, own) in of and (name, peer) in of:
            ratio = middle(of[name, own], key) / middle(of[name, peer], key)
            what, ratio = ("peak memory, theirs / ours", 1 / ratio) if key == "peak_rss_mb" else ("tokens/s", ratio)
            text += f"| {name}: {own} against {peer}, {what} | {ratio:.2f} | {wanted:.1f} |\n"
    for (name, system), lines in of.items():
        if system.startswith("ours"):
            took = middle(lines, "startup_s")
            text += f"| {name}: {system}, start to step 1 of bench_train_step | {took:.2f} s | under 1 s |\n"
    return text


def comm_table(rows):
    systems = list(dict.fromkeys(row["system"] for row in rows))
    heads = " | ".join(f"{system} GB/s" for system in systems)
    text = f"\n| operation | bytes | {heads} |\n|---|---|" + "---|" * len(systems) + "\n"
    for (operation, size), lines in grouped(rows, "operation", "bytes").items():
        of = {system: lines for (system,), lines in grouped(lines, "system").items()}
        cells = [f"{middle(of[system], 'gb_per_s'):.2f}" if system in of else "-" for system in systems]
        text += f"| {operation} | {size} | " + " | ".join(cells) + " |\n"
    return text


def start_table(rows):
    text = "\n| program | start to the first attempt's line s | wanted |\n|---|---|---|\n"
    for (system,), lines in grouped(rows, "system").items():
        text += f"| {system}, text prepared | {middle(lines, 'startup_s'):.2f} | under 1 |\n"
    return text


def hook_table(rows):
    text = "\n| case | measured | goal |\n|---|---|---|\n"
    for row in rows:
        if "ns_median" in row:
            text += f"| {row['case']} | {row['ns_median']:.1f} ns | {row['goal_ns']} ns |\n"
        else:
            of = f"{row['hooks']:.0f} hooks in {row['step_ms_median']:.1f} ms"
            text += f"| {row['case']} | {row['percent_of_step']:.4f} % ({of}) | {row['goal_percent']} % |\n"
    return text


def losses_that_differ(rows):
    """Systems that have not done the same work as ours: fp32 to 0.002, 16 bits to 0.05."""
    faults = []
    for (name,), lines in grouped(rows, "config").items():
        ours = next((row for row in lines if row["system"] == "ours"), None)
        for row in lines if ours else []:
            limit = 0.05 if "bf16" in row["system"] else 0.002
            if max(abs(row[key] - ours[key]) for key in ("loss_first", "loss_last")) > limit:
                faults.append(f"{name}: {row['system']} has other losses")
    return faults


TABLES = {"train_step": train_table, "start_up": start_table, "comm": comm_table, "hook_overhead": hook_table}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("benchmarks", nargs="*", default=["hook_overhead", "comm", "start_up", "train_step"])
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--wait", type=float, default=0, help="seconds at most to wait for a quiet machine")
    parser.add_argument("--minutes", type=float, default=1e6, help="no round of train_step or comm is to end later")
    parser.add_argument("--bin", type=pathlib.Path, default=BIN, help="folder of the programs")
    parser.add_argument("--only", default="", help="regular expression over CONFIG/SYSTEM of train_step")
    parser.add_argument("--out", type=pathlib.Path)
    options = parser.parse_args()
    options.until = time.monotonic() + 60 * options.minutes
    rows = []
    work = pathlib.Path(tempfile.mkdtemp(prefix="bench-"))
    try:
        for name in options.benchmarks:
            for row in globals()[name](options, work):
                rows.append(row)
                print(json.dumps(row), flush=True)
                if options.out:
                    with options.out.open("a") as file:
                        file.write(json.dumps(row) + "\n")
    finally:
        shutil.rmtree(work, ignore_errors=True)
    for (name,), lines in grouped(rows, "benchmark").items():
        print(f"\n## {name}\n{TABLES[name](lines)}")
    faults = losses_that_differ([row for row in rows if row["benchmark"] == "train_step"])
    print("\n".join(faults), file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
