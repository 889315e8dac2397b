#!/usr/bin/env python3
"""gdr keeps other people's files, and its user's: it replaces no input, and deletes nothing that it has not made.

    own_files_test.py GDR PROJECT [TestCase...]
"""

import os
import pathlib
import resource
import shutil
import stat
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import cli_test  # noqa: E402


class OwnFiles(cli_test.CliTest):
    def setUp(self):
        super().setUp()
        shutil.copy(cli_test.PROJECT / "kernels" / "tutorial.vsm", self.scratch / "k.vsm")
        self.file("i.csv", "xi\n1\n2\n")
        self.file("j.csv", "xj,mj\n1,2\n3,4\n")

    def gdr(self, *arguments, **options):
        return cli_test.gdr(*arguments, cwd=self.scratch, **options)

    def contents(self):
        return {str(path): path.read_bytes() for path in self.scratch.rglob("*") if path.is_file()}

    def test_outputs_replace_no_inputs(self):
        self.succeeds("nbody", "--plummer", "8", "--t-end", "0.01", "--output", "s.txt", "--checkpoint", "c", cwd=self.scratch)
        (self.scratch / "link.vsm").symlink_to("k.vsm")
        run = ["run", "k.vsm", "--i", "i.csv", "--j", "j.csv"]
        before = self.contents()
        for arguments, name, options in [
            (["as", "k.vsm", "-o", "k.vsm"], "k.vsm", "--output and source"),
            (["as", "k.vsm", "-o", "link.vsm"], "link.vsm", "--output and source"),
            (["as", "k.vsm", "-o", "k.gdro", "--listing", "k.vsm"], "k.vsm", "--listing and source"),
            (["analyse", "k.vsm", "--html", "./k.vsm"], "./k.vsm", "--html and kernel"),
            ([*run, "--output", "j.csv"], "j.csv", "--output and --j"),
            ([*run, "--output", "-", "--json", "i.csv"], "i.csv", "--json and --i"),
            (["nbody", "--in", "s.txt", "--t-end", "0.01", "--output", "s.txt"], "s.txt", "--output and --in"),
            (["nbody", "--in", "s.txt", "--t-end", "0.01", "--checkpoint", "s.txt"], "s.txt", "--checkpoint and --in"),
            (["nbody", "--restart", "c", "--t-end", "0.02", "--log", "c"], "c", "--log and --restart"),
        ]:
            with self.subTest(arguments=arguments):
                done = self.gdr(*arguments)
                self.assertEqual(done.status, 2, done.err)
                self.assertIn(f"gdr: {name}: named for an output and for an input, which it would replace: {options}\n", done.err)
                self.assertEqual(self.contents(), before)

    def test_outputs_replace_no_other_outputs(self):
        run = ["run", "k.vsm", "--i", "i.csv", "--j", "j.csv"]
        nbody = ["nbody", "--plummer", "8", "--t-end", "0.01"]
        (self.scratch / "link.json").symlink_to("one.json")
        (self.scratch / "link.csv").symlink_to("one.csv")
        before = sorted(os.listdir(self.scratch))
        pairs = [
            (run, "--profile", "--trace", "json"), (run, "--profile", "--json", "json"), (run, "--trace", "--json", "json"),
            (nbody, "--profile", "--trace", "json"), (nbody, "--json", "--trace", "json"),
            (nbody, "--log", "--output", "csv"), (nbody, "--checkpoint", "--json", "json"),
            (["as", "k.vsm"], "-o", "--listing", "json"),
        ]
        for command, one, other, kind in pairs:
            for spelling in (f"one.{kind}", f"./one.{kind}", f"../{self.scratch.name}/one.{kind}", f"link.{kind}"):
                with self.subTest(command=command[0], one=one, other=other, spelling=spelling):
                    done = self.gdr(*command, one, f"one.{kind}", other, spelling)
                    self.assertEqual((done.status, done.out), (2, ""), done.err)
                    names = [{"-o": "--output"}.get(option, option) for option in (one, other)]
                    both = "|".join(f"{a} and {b}" for a, b in (names, names[::-1]))
                    self.assertRegex(done.err, f": named for two outputs, of which one would replace the other: ({both})\n")
                    self.assertEqual(sorted(os.listdir(self.scratch)), before)

    def test_outputs_are_not_named_like_compressed_files(self):
        self.file("g.csv", "from,to,bytes\n0,1,100\n1,2,100\n")
        self.file("t.conf", "SwitchName=s Nodes=n[1-2]\n")
        nbody = ["nbody", "--plummer", "8", "--t-end", "0.01"]
        run = ["run", "k.vsm", "--i", "i.csv", "--j", "j.csv"]
        graph = ["net", "map", "--graph", "g.csv", "--topology", "torus:2x2"]
        before = self.contents()
        for command, option in [
            *((nbody, option) for option in ("--log", "--checkpoint", "--report", "--json", "--html", "--profile", "--trace")),
            ([*nbody, "--out-format", "csv"], "--output"), ([*nbody, "--timing-only"], "--block-sizes"),
            *((run, option) for option in ("--output", "--json", "--trace", "--profile")),
            (["as", "k.vsm"], "--output"), (["as", "k.vsm", "-o", "k.gdro"], "--listing"), (["analyse", "k.vsm"], "--csv"),
            *((graph, option) for option in ("--save-map", "--save-graph", "--rankfile", "--json")),
            (["net", "import", "t.conf"], "--output"), (["net", "bcast", "--network", "torus-4x4x4", "--bytes", "8"], "--json"),
            (["cluster", "nbody", "-n", "1000", "--nodes", "4"], "--trace"),
        ]:
            for name in ("x.csv.gz", "x.json.XZ"):
                with self.subTest(command=command, option=option, name=name):
                    done = self.gdr(*command, option, name)
                    self.assertEqual((done.status, done.out), (2, ""), done.err)
                    self.assertIn(f"gdr: {option}: {name} is refused: ", done.err)
                    self.assertEqual(self.contents(), before)

    def refuses(self, arguments, file, options, outputs=True):
        before = self.contents()
        with self.subTest(arguments=arguments):
            done = self.gdr(*arguments)
            if done.lacks_a_library():
                return
            self.assertEqual(done.status, 2, done.err)
            why = ("two outputs, of which one would replace the other" if outputs
                   else "an output and for an input, which it would replace")
            self.assertIn(f"{file}: named for {why}: {options}\n", done.err)
            self.assertEqual(self.contents(), before)

    def test_outputs_with_derived_names_replace_no_other_outputs(self):
        nbody = ["nbody", "--plummer", "8", "--t-end", "0.01"]
        (self.scratch / "link.json").symlink_to("c~")
        for option in ("--log", "--output", "--report", "--json", "--profile", "--trace"):
            name = "link.json" if option in ("--profile", "--trace") else "./c~"
            self.refuses([*nbody, "--checkpoint", "c", option, name], name, f"--checkpoint and {option}")
        every = [*nbody, "--out-every", "0.01", "--output"]
        for option in ("--log", "--report", "--json", "--checkpoint"):
            self.refuses([*every, "s.csv", option, "s-0001.csv"], "s-0001.csv", f"--output and {option}")
        # No snapshot has the ending that a profile needs.
        self.refuses([*every, "s.txt", "--trace", "s-0001.txt"], "s-0001.txt", "--output and --trace")
        (self.scratch / "t").mkdir()
        kernel = "tutorial"
        for option, name in (("--output", "_grape.h"), ("--listing", "_grape.c"), ("--json", "_grape.f90")):
            self.refuses(["as", "k.vsm", "--stubs", ".", option, kernel + name], kernel + name, f"--stubs and {option}")
        self.file("k.cc", "struct I { double x; };\nstruct J { double y; };\nstruct F { double r; };\n"
                          "void k(const I& i, const J& j, F& f) { f.r += j.y - i.x; }\n")
        self.refuses(["cc", "k.cc", "--emit", "vsm", "--json", "k.vsm"], "k.vsm", "--emit and --json")
        self.file("t.conf", "SwitchName=s Nodes=n[1-2]\n")
        self.refuses(["net", "import", "t.conf", "-o", "n.toml", "--json", "n.hosts.txt"], "n.hosts.txt", "--output and --json")
        self.file("g.csv", "from,to,bytes\n0,1,100\n1,2,100\n")
        self.refuses(["net", "circuits", "--graph", "g.csv", "--ports", "2", "-o", "n.toml", "--csv", "n.routes.csv"],
                     "n.routes.csv", "--output and --csv")
        self.refuses(["net", "replay", "bruck", "--topology", "torus", "--nodes", "4", "--save-trace", "t", "--json", "t/0.txt"],
                     "t/0.txt", "--save-trace and --json")

    def test_outputs_with_derived_names_replace_no_inputs(self):
        at_rest = "1 1 0 0 0 0 0\n1 -1 0 0 0 0 0\n"
        for name in ("c~", "s-0001.txt"):
            self.file(name, at_rest)
        nbody = ["nbody", "--t-end", "0.01", "--in"]
        self.refuses([*nbody, "c~", "--checkpoint", "c"], "c~", "--checkpoint and --in", outputs=False)
        self.refuses([*nbody, "s-0001.txt", "--output", "s.txt", "--out-every", "0.01"], "s-0001.txt", "--output and --in",
                     outputs=False)
        shutil.copy(self.scratch / "k.vsm", self.scratch / "tutorial_grape.h")
        self.refuses(["as", "tutorial_grape.h", "--stubs", "."], "tutorial_grape.h", "--stubs and source", outputs=False)
        self.file("n.links.csv", "SwitchName=s Nodes=n[1-2]\n")
        self.refuses(["net", "import", "n.links.csv", "--as", "slurm", "-o", "n.toml"], "n.links.csv", "--output and file",
                     outputs=False)
        self.file("n.routes.csv", "from,to,bytes\n0,1,100\n1,2,100\n")
        self.refuses(["net", "circuits", "--graph", "n.routes.csv", "--ports", "2", "-o", "n.toml"], "n.routes.csv",
                     "--output and --graph", outputs=False)

    def test_a_run_goes_on_from_the_checkpoint_before_the_last(self):
        for end in ("0.01", "0.02"):
            self.succeeds("nbody", "--plummer", "8", "--t-end", end, "--checkpoint", "c", "--quiet", cwd=self.scratch)
        self.succeeds("nbody", "--restart", "c~", "--t-end", "0.03", "--checkpoint", "c", "--quiet", cwd=self.scratch)

    def test_no_output_is_the_file_that_stops_the_run(self):
        nbody = ["nbody", "--plummer", "8", "--t-end", "0.01", "--stop-file"]
        for kind in ("json", "csv"):
            (self.scratch / f"link.{kind}").symlink_to(f"stop.{kind}")
        before = self.contents()
        for option in ("--log", "--output", "--report", "--checkpoint", "--json", "--profile", "--trace"):
            kind = "csv" if option in ("--log", "--output") else "json"
            for name in (f"stop.{kind}", f"./stop.{kind}", f"link.{kind}"):
                with self.subTest(option=option, name=name):
                    done = self.gdr(*nbody, name, option, f"stop.{kind}")
                    self.assertEqual((done.status, done.out), (2, ""), done.err)
                    self.assertIn(f"gdr: {name}: named for an output and for a file that another program makes: {option} and "
                                  "--stop-file\n", done.err)
                    self.assertEqual(self.contents(), before)
        for name, option, output in (("c~", "--checkpoint", "c"), ("s-0001.csv", "--output", "s.csv")):
            done = self.gdr(*nbody, name, option, output, "--out-every", "0.01")
            self.assertEqual(done.status, 2, done.err)
            self.assertIn(f"{name}: named for an output and for a file that another program makes: {option} and --stop-file",
                          done.err)

    def test_a_run_whose_checkpoint_would_replace_another_file_does_not_begin(self):
        notes = self.file("c~", "notes\n")
        self.ends(1, ["c~: the checkpoint before the last would replace it, and it is no checkpoint"], "nbody", "--plummer", "8",
                  "--t-end", "0.01", "--checkpoint", "c", "--quiet", cwd=self.scratch)
        self.assertEqual(notes.read_text(encoding="utf-8"), "notes\n")

    def test_a_file_beyond_the_users_limit_is_named_and_the_old_one_stays(self):
        self.file("out.csv", "old\n")
        done = subprocess.run([cli_test.GDR, "run", "k.vsm", "--i", "i.csv", "--j", "j.csv", "--output", "out.csv"], cwd=self.scratch,
                              capture_output=True, text=True, check=False,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1, 1)))
        self.assertEqual((done.returncode, done.stderr), (1, "gdr: out.csv: cannot be written: File too large\n"))
        self.assertEqual((self.scratch / "out.csv").read_text(encoding="utf-8"), "old\n")

    def test_a_file_in_memory_beyond_the_users_limit_is_explained(self):
        done = subprocess.run([cli_test.GDR, "as", "k.vsm", "-o", "-"], cwd=self.scratch, capture_output=True, text=True, check=False,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1, 1)))
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        self.assertIn("File too large (the limit on the size of files, ulimit -f, counts for files in memory, too)", done.stderr)

    def test_outputs_replace_no_file_that_standard_output_goes_to(self):
        run = ["run", "k.vsm", "--i", "i.csv", "--j", "j.csv"]
        nbody = ["nbody", "--plummer", "8", "--t-end", "0.01"]
        for arguments, name, option in [
            ([*run, "--json", "-", "--trace", "one.json"], "one.json", "--trace"),
            ([*nbody, "--checkpoint", "c"], "c~", "--checkpoint"),
            ([*nbody, "--out-every", "0.01", "--output", "s.csv"], "s-0001.csv", "--output"),
        ]:
            with self.subTest(arguments=arguments):
                with open(self.scratch / name, "w", encoding="utf-8") as printed:
                    done = subprocess.run([cli_test.GDR, *arguments], stdout=printed, stderr=subprocess.PIPE, text=True,
                                          cwd=self.scratch, check=False)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(f"{name}: named for an output and for standard output, of which one would replace the other: "
                              f"{option}\n", done.stderr)
                self.assertEqual((self.scratch / name).read_bytes(), b"")

    def test_outputs_replace_no_inputs_that_other_inputs_name(self):
        self.file("part.vsm", (cli_test.PROJECT / "kernels" / "tutorial.vsm").read_text(encoding="utf-8"))
        self.file("whole.vsm", 'include "part.vsm"\n')
        self.file("constant #1.h", "#define FACTOR 2\n")
        self.file("kernel.h", '#include "constant #1.h"\nstruct I { double x; };\nstruct J { double y; };\n')
        self.file("k.cc", '#include "kernel.h"\nstruct F { double r; };\n'
                          "void k(const I& i, const J& j, F& f) { f.r += FACTOR * (j.y - i.x); }\n")
        machines = cli_test.PROJECT / "machines"
        cluster = (machines / "grape-dr-64.toml").read_text(encoding="utf-8")
        self.file("c.toml", cluster.replace('"infiniband-ddr-64"', '"n.toml"'))
        shutil.copy(machines / "infiniband-ddr-64.toml", self.scratch / "n.toml")
        self.file("g.toml", 'name = "g"\ntitle = "two nodes"\nkind = "graph"\n[parameters]\n'
                            'nodes = { value = 2, unit = "1", origin = "O: small" }\n'
                            'bandwidth = { value = 1, unit = "GB/s per node", origin = "O: round" }\n'
                            'latency = { value = 1, unit = "us", origin = "O: round" }\n'
                            'node_speed = { value = 1, unit = "Gflops", origin = "O: round" }\n')
        self.file("g.links.csv", "from,to\n0,hub\n1,hub\n")
        self.file("index", "a.ti\nb.ti\n")
        self.file("a.ti", "0 init\n0 send 1 0 100\n0 finalize\n")
        self.file("b.ti", "1 init\n1 recv 0 0 100\n1 finalize\n")
        before = self.contents()
        for arguments, name in [
            (["as", "whole.vsm", "-o", "part.vsm"], "part.vsm"),
            (["analyse", "whole.vsm", "--json", "part.vsm"], "part.vsm"),
            (["analyse", "k.cc", "--html", "kernel.h"], "kernel.h"),
            (["analyse", "k.cc", "--json", "constant #1.h"], "constant #1.h"),
            (["cluster", "nbody", "--cluster", "c.toml", "--nodes", "4", "--n", "1000", "--json", "n.toml"], "n.toml"),
            (["net", "routes", "--network", "g.toml", "--csv", "g.links.csv"], "g.links.csv"),
            (["net", "replay", "index", "--json", "b.ti"], "b.ti"),
        ]:
            with self.subTest(arguments=arguments):
                done = self.gdr(*arguments)
                if done.lacks_a_library():
                    continue
                self.assertEqual(done.status, 1, done.err)
                self.assertIn(f"{name}: read as an input, and named for an output, which would replace it", done.err)
                self.assertEqual(self.contents(), before)

    def test_a_checkpoint_may_replace_the_one_that_a_run_continues_from(self):
        self.succeeds("nbody", "--plummer", "8", "--t-end", "0.01", "--checkpoint", "c", "--quiet", cwd=self.scratch)
        self.succeeds("nbody", "--restart", "c", "--t-end", "0.02", "--checkpoint", "c", "--quiet", cwd=self.scratch)

    def test_a_users_temporary_file_stays(self):
        notes = self.file("out.csv.2024-01-31.tmp", "notes\n")
        os.utime(notes, (time.time() - 7200,) * 2)
        self.succeeds("run", "k.vsm", "--i", "i.csv", "--j", "j.csv", "--output", "out.csv", cwd=self.scratch)
        self.assertEqual(notes.read_text(encoding="utf-8"), "notes\n")

    def run_with_cache(self, umask):
        environment = {"GDR_CACHE_DIR": str(self.scratch / "cache"), "GDR_JIT": "on"}
        before = os.umask(umask)
        try:
            self.succeeds("force", "-n", "64", "--quiet", cwd=self.scratch, environment=environment)
        finally:
            os.umask(before)
        return {path.name: path.stat() for path in (self.scratch / "cache").glob("*.body")}

    def test_compiled_bodies_are_kept_whatever_the_umask(self):
        first = self.run_with_cache(0o002)
        if not first:
            self.skipTest("gdr compiles no loop bodies here")
        for name, status in first.items():
            self.assertEqual(stat.S_IMODE(status.st_mode), 0o600, name)
        self.assertEqual({name: status.st_ino for name, status in self.run_with_cache(0o002).items()},
                         {name: status.st_ino for name, status in first.items()}, "an entry was made again")

    def test_other_files_in_the_folder_of_the_cache_stay(self):
        (self.scratch / "cache").mkdir(mode=0o700)
        letters = [self.file(f"cache/letter{n}.body", "dear\n") for n in range(70)]
        for letter in letters:
            os.utime(letter, (time.time() - 7200,) * 2)
        if len(self.run_with_cache(0o022)) == len(letters):
            self.skipTest("gdr compiles no loop bodies here")
        self.assertTrue(all(letter.exists() for letter in letters))

    def test_object_files_take_no_other_folder(self):
        self.assertEqual(self.gdr("as", "k.vsm", "-o", "k.gdro", environment={"TMPDIR": "/nowhere"}).status, 0)


if __name__ == "__main__":
    cli_test.GDR, cli_test.PROJECT = sys.argv[1], pathlib.Path(sys.argv[2])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
