"""Real runs of szlaunch, szworker and mpirun on a tiny English and Chinese text that the tests write themselves.

$SZLAUNCH is the program under test; $SZ_TEST_PLUGINS the folder of the plugins that the tests load.
"""
import json
import os
import pathlib
import random
import shutil
import signal
import struct
import subprocess
import tempfile
import time
import unittest

SZLAUNCH = os.environ["SZLAUNCH"]
TEST_PLUGINS = os.environ.get("SZ_TEST_PLUGINS", "")
LIMIT = 120  # seconds, for what takes a few

ENGLISH = """the a small river mountain bird that who sings walks old young house tree light under over sees finds and
but while morning evening song stone door window garden road slowly quickly never always""".split()
CHINESE = "山 水 鸟 树 月亮 春天 老人 孩子 慢慢地 唱歌 走路 看见 石头 门 花园 早上 晚上 和 但是 从来 总是 在 的 了 房子 小河".split()


def sentence(words, join, end, generator):
    return join.join(generator.choice(words) for _ in range(generator.randint(3, 14))) + end


def documents(count, seed=1):
    """`count` documents of each language, of very different lengths: the same for the same seed."""
    generator = random.Random(seed)
    english = ["\n".join(sentence(ENGLISH, " ", ".", generator) for _ in range(generator.randint(1, 9)))
               for _ in range(count)]
    chinese = ["\n".join(sentence(CHINESE, "", "。", generator) for _ in range(generator.randint(1, 9)))
               for _ in range(count)]
    return english, chinese


def write_corpus(folder, count=60):
    english, chinese = documents(count)
    for name, texts in (("en", english), ("zh", chinese)):
        (folder / name).mkdir(parents=True)
        (folder / name / "text.txt").write_text("\n\n".join(texts) + "\n", encoding="utf-8")


def toml(tables):
    """A configuration of {"table": {key: value}} as TOML text. JSON's spelling of values is TOML's."""
    lines = []
    for table, keys in tables.items():
        lines.append(f"[{table}]")
        lines += [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in keys.items()]
    return "\n".join(lines) + "\n"


def json_lines(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def read_safetensors(path):
    """{name: (dtype, shape, bytes)}"""
    data = pathlib.Path(path).read_bytes()
    (size,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + size])
    start = 8 + size
    tensors = {}
    for name, entry in header.items():
        if name != "__metadata__":
            begin, end = entry["data_offsets"]
            tensors[name] = (entry["dtype"], entry["shape"], data[start + begin:start + end])
    return tensors


def state_of(checkpoint):
    """{"PARAMETER/STATE": flat float32 values}, put together from every rank's file."""
    pieces = {}
    for path in sorted(pathlib.Path(checkpoint).glob("state-*.safetensors")):
        for name, (dtype, _, data) in read_safetensors(path).items():
            assert dtype == "F32", f"{name} is {dtype}"
            key, _, stretch = name.partition("@")
            begin = int(stretch.split(":")[0]) if stretch else 0
            pieces.setdefault(key, []).append((begin, data))
    arrays = {}
    for key, parts in pieces.items():
        data = b"".join(data for _, data in sorted(parts))
        arrays[key] = struct.unpack(f"<{len(data) // 4}f", data)
    return arrays


def relative_difference(a, b):
    """Of all parameters, relative to their norm."""
    difference = own = 0.0
    for name, values in a.items():
        if name.endswith("/master"):
            difference += sum((x - y) ** 2 for x, y in zip(values, b[name], strict=True))
            own += sum(x * x for x in values)
    assert own > 0, "no parameters in the checkpoint"
    return (difference / own) ** 0.5


def alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def descendants(pid):
    """Processes below `pid`: {pid: command line}."""
    found = {}
    try:
        children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except (FileNotFoundError, ProcessLookupError):
        return found
    for child in map(int, children):
        try:
            found[child] = pathlib.Path(f"/proc/{child}/cmdline").read_bytes().decode().split("\0")
        except (FileNotFoundError, ProcessLookupError):
            continue
        found |= descendants(child)
    return found


class RunCase(unittest.TestCase):
    """Each test has a folder of its own; the corpus and what was prepared from it are shared within a class."""

    @classmethod
    def setUpClass(cls):
        cls.shared = pathlib.Path(tempfile.mkdtemp(prefix="run-test-"))
        cls.addClassCleanup(shutil.rmtree, cls.shared, ignore_errors=True)
        cls.corpus = cls.shared / "corpus"
        write_corpus(cls.corpus)

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="t-", dir=self.shared))
        self.config = self.folder / "tiny.toml"
        self.environment = os.environ | {"OMP_NUM_THREADS": "1"}

    def tables(self, **changes):
        """The tiny configuration; `changes`: table_key=value, or table={...}."""
        tables = {
            "run": {"name": "tiny", "out": str(self.folder / "runs"), "seed": 7, "matrix_route": "mkl"},
            "model": {"layers": 2, "width": 32, "heads": 2, "dropout": 0.1},
            "data": {"paths": [str(self.corpus)], "cache": str(self.shared / "cache"), "vocabulary": 400,
                     "validation": 0.1},
            "train": {"steps": 4, "context": 24, "micro_batch": 3, "accumulation": 1},
            "optimizer": {"lr": 1e-3, "eps": 1e-4},
            "optimizer.schedule": {"decay_type": "constant", "warmup_steps": 0},
            "launch": {"timeout_s": 60},
        }
        for table, keys in changes.items():
            tables.setdefault(table, {}).update(keys)
        return tables

    def write(self, extra="", **changes):
        self.config.write_text(toml(self.tables(**changes)) + extra, encoding="utf-8")

    def launch(self, *arguments, code=0, environment=None):
        """Runs szlaunch to its end and checks its exit code."""
        result = subprocess.run([SZLAUNCH, *map(str, arguments)], env=environment or self.environment, cwd=self.folder,
                                stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", timeout=LIMIT)
        self.assertEqual(result.returncode, code, f"szlaunch {arguments}\n{result.stdout}\n{result.stderr}")
        return result

    def train(self, *options, ranks=1, code=0):
        return self.launch("run", self.config, "-n", ranks, *options, code=code)

    def start(self, *options, ranks=1):
        """Starts a run that the test will disturb."""
        process = subprocess.Popen([SZLAUNCH, "run", str(self.config), "-n", str(ranks), *map(str, options)],
                                   env=self.environment, cwd=self.folder, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
        self.addCleanup(self.stop, process)
        return process

    def stop(self, process):
        if process.poll() is None:
            process.kill()
        process.communicate()

    def wait_until(self, condition, what, process=None):
        until = time.monotonic() + LIMIT
        while not condition():
            if process is not None and process.poll() is not None:
                self.fail(f"the run ended before {what}: {process.communicate()}")
            if time.monotonic() > until:
                self.fail(f"waited {LIMIT} s for {what}")
            time.sleep(0.02)

    def run_folder(self, name="tiny"):
        return self.folder / "runs" / name

    def metrics(self, name="tiny"):
        """The lines of attempts; evaluations apart."""
        return [line for line in json_lines(self.run_folder(name) / "metrics.jsonl") if "loss" in line]

    def evaluations(self, name="tiny"):
        return [line for line in json_lines(self.run_folder(name) / "metrics.jsonl") if "eval_loss" in line]

    def decisions(self, name="tiny"):
        return json_lines(self.run_folder(name) / "decisions.jsonl")

    def checkpoints(self, name="tiny"):
        return sorted(path.name for path in (self.run_folder(name) / "checkpoints").iterdir())

    def state(self, step, name="tiny"):
        return state_of(self.run_folder(name) / "checkpoints" / f"step-{step}")

    def assert_same_state(self, a, b):
        """Bit for bit, optimizer state included."""
        self.assertEqual(a.keys(), b.keys())
        for name, values in a.items():
            self.assertEqual(struct.pack(f"{len(values)}f", *values), struct.pack(f"{len(values)}f", *b[name]), name)
