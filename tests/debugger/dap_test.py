#!/usr/bin/env python3
"""gdr debug --dap as an editor sees it: a client that speaks the Debug Adapter Protocol over the program's standard streams.

    dap_test.py GDR PROJECT [TestCase...]
"""

import json
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
import cli_test  # noqa: E402

KERNEL = """kernel seen
bvar long xj elt
bvar short mj elt
var vector long xi[2] hlt
var vector long sum rrn flt72to64 fadd
var vector short w[2] in gpr
param scale : short = 2
reg d $lr16v
loop initialization
  uxor $lt $lt $lt
  upassa $lti sum
loop body
  fsub xj xi[1] d $ok1
  fmul xi[0] mj w[1]
  nop
  fmul d scale $lt
  fadd sum $lti sum
"""


class Client:
    """Requests with running numbers; events that arrive before an answer are kept."""

    def __init__(self, gdr, cwd):
        self.process = subprocess.Popen([gdr, "debug", "--dap"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, cwd=cwd)
        self.seq = 0
        self.server_seq = 0
        self.events = []

    def send_bytes(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send_text(self, text):
        data = text if isinstance(text, bytes) else text.encode("utf-8")
        self.send_bytes(b"Content-Length: %d\r\n\r\n" % len(data) + data)

    def receive(self):
        header = b""
        while not header.endswith(b"\r\n\r\n"):
            byte = self.process.stdout.read(1)
            if not byte:
                raise EOFError(self.process.stderr.read().decode())
            header += byte
        name, length = header.decode("ascii").strip().split(": ")
        assert name == "Content-Length", header
        data = self.process.stdout.read(int(length))
        assert len(data) == int(length)
        message = json.loads(data)
        self.server_seq += 1
        assert message["seq"] == self.server_seq, message
        return message

    def start(self, *commands, **arguments):
        """Sends requests in one piece; returns the number of the last one."""
        data = b""
        for command in commands:
            self.seq += 1
            text = json.dumps({"seq": self.seq, "type": "request", "command": command, "arguments": arguments}).encode()
            data += b"Content-Length: %d\r\n\r\n" % len(text) + text
        self.send_bytes(data)
        return self.seq

    def response(self, seq):
        while True:
            message = self.receive()
            if message["type"] == "event":
                self.events.append(message)
            else:
                assert message["request_seq"] == seq, message
                return message

    def request(self, command, **arguments):
        message = self.response(self.start(command, **arguments))
        if not message["success"]:
            raise RuntimeError(message["message"])
        return message.get("body", {})

    def refused(self, command, **arguments):
        message = self.response(self.start(command, **arguments))
        assert not message["success"], message
        return message["message"]

    def event(self, name):
        while True:
            for n, message in enumerate(self.events):
                if message["event"] == name:
                    return self.events.pop(n)["body"]
            message = self.receive()
            assert message["type"] == "event", message
            self.events.append(message)

    def moves(self, command, **arguments):
        self.request(command, **arguments)
        return self.event("stopped")

    def end(self):
        self.process.stdin.close()
        status = self.process.wait(timeout=60)
        out, err = self.process.stdout.read(), self.process.stderr.read().decode()
        self.process.stdout.close()
        self.process.stderr.close()
        return status, out, err


class DapTest(cli_test.CliTest):
    def setUp(self):
        super().setUp()
        self.kernel = self.file("seen.vsm", KERNEL)
        self.i = self.file("i.csv", "xi[0],xi[1]\n" + "".join(f"{n},{-n}\n" for n in range(200)))
        self.j = self.file("j.csv", "xj,mj\n" + "".join(f"{n},{n % 4}\n" for n in range(300)))
        self.client = Client(cli_test.GDR, self.scratch)
        self.addCleanup(self.close)

    def close(self):
        if self.client.process.poll() is None:
            self.client.process.kill()
            self.client.end()

    def launched(self, kernel=None, **more):
        client = self.client
        client.request("initialize", adapterID="gdr", linesStartAt1=True)
        client.request("launch", program=str(kernel or self.kernel), i=str(self.i), j=str(self.j), **more)
        client.event("initialized")
        return client

    def begun(self, **more):
        client = self.launched(**more)
        client.request("configurationDone")
        self.assertEqual(client.event("stopped")["reason"], "entry")
        return client

    def values(self, scope):
        (reference,) = [each["variablesReference"] for each in self.client.request("scopes", frameId=0)["scopes"] if each["name"] == scope]
        return {each["name"]: each for each in self.client.request("variables", variablesReference=reference)["variables"]}

    def top(self):
        return self.client.request("stackTrace", threadId=1)["stackFrames"][0]


class Dap(DapTest):
    def test_an_editor_s_session(self):
        client = self.client
        able = client.request("initialize", adapterID="gdr")
        for name in ("supportsConfigurationDoneRequest", "supportsConditionalBreakpoints", "supportsStepBack", "supportsEvaluateForHovers",
                     "supportsDataBreakpoints"):
            self.assertIs(able[name], True)
        client.request("launch", program=str(self.kernel), i=str(self.i), j=str(self.j))
        client.event("initialized")
        set_ = client.request("setBreakpoints", source={"path": str(self.kernel)},
                              breakpoints=[{"line": 16, "condition": "$i == 150 && $j == 199 @all"}, {"line": 40}])["breakpoints"]
        self.assertEqual([each["verified"] for each in set_], [True, False])
        self.assertIn("no code stands at", set_[1]["message"])
        client.request("setExceptionBreakpoints", filters=[])
        client.request("configurationDone")
        self.assertEqual(client.event("stopped")["reason"], "entry")
        (thread,) = client.request("threads")["threads"]

        stop = client.moves("continue", threadId=thread["id"])
        self.assertEqual((stop["reason"], stop["hitBreakpointIds"], stop["allThreadsStopped"]), ("breakpoint", [set_[0]["id"]], True))
        self.assertIn("chip 3, block 1, PE 5, element 2", client.request("threads")["threads"][0]["name"])
        frame = self.top()
        self.assertEqual((frame["line"], frame["source"]["path"]), (16, str(self.kernel.resolve())))
        self.assertIn("run 2, loop body, iteration 3, line 3", frame["name"])

        particle = self.values("i-particle")["xi"]
        self.assertEqual(particle["indexedVariables"], 2)
        entries = client.request("variables", variablesReference=particle["variablesReference"])["variables"]
        self.assertEqual([(each["name"], each["value"]) for each in entries], [("xi[0]", "150"), ("xi[1]", "-150")])
        elements = client.request("variables", variablesReference=entries[0]["variablesReference"])["variables"]
        self.assertEqual([(each["name"], each["value"]) for each in elements],
                         [("xi[0][0]", "148"), ("xi[0][1]", "149"), ("xi[0][2]", "150"), ("xi[0][3]", "151")])
        self.assertEqual({name: each["value"] for name, each in self.values("j-record").items()}, {"xj": "199", "mj": "3"})
        own = self.values("registers and variables")
        self.assertEqual((own["d"]["value"], own["d"]["type"]), ("349", "long float"))
        words = client.request("variables", variablesReference=own["w"]["variablesReference"], format={"hex": True})["variables"]
        self.assertEqual([(each["name"], each["value"], each["type"]) for each in words],
                         [("w[0]", "000000000", "short float"), ("w[1]", "407c20000", "short float")])
        self.assertEqual(self.values("parameters")["scale"]["value"], "2")
        self.assertEqual(self.values("T and flags")["$ok1"]["value"], "0")
        self.assertEqual(client.request("variables", variablesReference=entries[0]["variablesReference"], start=1, count=2)["variables"],
                         elements[1:3])

        self.assertEqual(client.request("evaluate", expression="d", context="hover")["result"], "349")
        self.assertEqual(client.request("evaluate", expression="xj - xi[1] == d", context="watch")["result"], "1")
        self.assertIn("unknown name 'nix'", client.refused("evaluate", expression="nix", context="hover"))
        self.assertIn("fsub xj xi[1] d", client.request("evaluate", expression="why d", context="repl")["result"])

        self.assertEqual(client.moves("next", threadId=1)["reason"], "step")
        self.assertEqual(self.top()["line"], 17)
        self.assertEqual(client.request("evaluate", expression="$lt", context="watch")["result"], "698")
        self.assertEqual(client.moves("stepBack", threadId=1)["reason"], "step")
        self.assertEqual(self.top()["line"], 16)
        client.moves("stepOut", threadId=1)
        self.assertIn("iteration 4, line 0", self.top()["name"])
        self.assertEqual(client.moves("reverseContinue", threadId=1)["reason"], "breakpoint")
        self.assertEqual(client.moves("reverseContinue", threadId=1)["description"], "the begin of the run")
        client.request("setBreakpoints", source={"path": str(self.kernel)}, breakpoints=[])
        self.assertEqual(client.moves("continue", threadId=1)["description"], "the end of the run")
        self.assertEqual(self.top()["name"], "the end of the run")

        client.request("disconnect")
        client.event("terminated")
        self.assertEqual(client.end()[:2], (0, b""))

    def test_a_terminated_run_is_gone_and_the_client_disconnects_then(self):
        client = self.launched()
        client.request("terminate")
        client.event("terminated")
        self.assertIn("nothing is launched", client.refused("stackTrace"))
        self.assertIn("nothing is launched", client.refused("restart"))
        self.assertIn("terminated", client.refused("launch", program=str(self.kernel), i=str(self.i), j=str(self.j)))
        client.request("disconnect")
        self.assertEqual(client.end()[:2], (0, b""))  # no second event

    def test_a_breakpoint_moves_to_the_next_line_with_code(self):
        client = self.launched()
        (set_,) = client.request("setBreakpoints", source={"path": str(self.kernel)}, breakpoints=[{"line": 3}])["breakpoints"]
        self.assertEqual((set_["verified"], set_["line"]), (True, 10))
        places = client.request("breakpointLocations", source={"path": str(self.kernel)}, line=1, endLine=14)["breakpoints"]
        self.assertEqual([each["line"] for each in places], [10, 11, 13, 14])

    def test_breakpoints_count_hits_and_log(self):
        client = self.launched()
        set_ = client.request("setBreakpoints", source={"path": str(self.kernel)}, breakpoints=[
            {"line": 14, "hitCondition": "3"}, {"line": 16, "logMessage": "d is {d} at j {$j}"}, {"line": 17, "hitCondition": "often"}])["breakpoints"]
        self.assertEqual([each["verified"] for each in set_], [True, True, False])
        self.assertIn("hits: 'often' is refused", set_[2]["message"])
        client.request("configurationDone")
        client.event("stopped")
        client.moves("continue", threadId=1)
        self.assertEqual(client.request("evaluate", expression="$iteration")["result"], "2")
        told = [message["body"]["output"] for message in client.events
                if message["event"] == "output" and message["body"]["category"] == "console"]
        self.assertEqual(told, ["d is 0 at j 0\n", "d is 64 at j 64\n"])
        client.moves("stepBack", threadId=1)
        client.moves("continue", threadId=1)  # the same execution again
        self.assertEqual(client.request("evaluate", expression="$iteration")["result"], "2")

    def test_a_variable_gets_another_value_that_stays(self):
        client = self.begun()
        client.request("setBreakpoints", source={"path": str(self.kernel)}, breakpoints=[{"line": 16}])
        client.moves("continue", threadId=1)
        scopes = {each["name"]: each["variablesReference"] for each in client.request("scopes", frameId=0)["scopes"]}
        reference = scopes["registers and variables"]
        self.assertEqual(client.request("setVariable", variablesReference=reference, name="d", value="2 * 21.25")["value"], "42.5")
        client.moves("stepIn", threadId=1)
        client.moves("stepIn", threadId=1)
        self.assertEqual(client.request("evaluate", expression="sum")["result"], "85")
        client.moves("stepBack", threadId=1)
        client.moves("stepBack", threadId=1)
        client.moves("stepBack", threadId=1)
        client.moves("continue", threadId=1)
        self.assertEqual(client.request("evaluate", expression="d")["result"], "42.5")
        self.assertIn("only words of registers", client.refused("setVariable", variablesReference=scopes["T and flags"], name="$lt", value="1"))
        self.assertIn("unknown name", client.refused("setVariable", variablesReference=reference, name="nothing", value="1"))

    def test_lines_are_instructions(self):
        client = self.begun()
        here = self.top()["instructionPointerReference"]
        code = client.request("disassemble", memoryReference=here, instructionOffset=-1, instructionCount=9)["instructions"]
        self.assertEqual(len(code), 9)
        self.assertEqual((code[0]["presentationHint"], code[-1]["presentationHint"]), ("invalid", "invalid"))
        self.assertEqual((code[1]["address"], code[1]["symbol"], code[1]["line"]), (here, "loop initialization", 10))
        self.assertIn("fsub", code[3]["instruction"])
        self.assertIn("no line has this address", client.refused("disassemble", memoryReference="0x9", instructionCount=1))

    def test_the_console_completes_commands_and_names(self):
        client = self.begun()

        def completed(text):
            return [each["label"] for each in client.request("completions", text=text, column=len(text) + 1)["targets"]]
        self.assertEqual(completed("bre"), ["break"])
        self.assertEqual(completed("print sc"), ["scale"])
        self.assertIn("$jvalid", completed("print $j"))

    def test_a_restart_reads_the_kernel_again(self):
        client = self.launched()
        client.request("setBreakpoints", source={"path": str(self.kernel)}, breakpoints=[{"line": 17}])
        client.request("configurationDone")
        client.event("stopped")
        client.moves("continue", threadId=1)
        self.kernel.write_text(KERNEL.replace("fmul d scale $lt", "fadd d scale $lt"), encoding="utf-8")
        self.assertEqual(client.moves("restart")["reason"], "entry")
        client.moves("continue", threadId=1)
        self.assertIn("line 4", self.top()["name"])
        self.assertEqual(client.request("evaluate", expression="$lt")["result"], "2")

    def test_breakpoints_keep_their_ids_over_a_restart(self):
        client = self.launched()
        source = {"path": str(self.kernel)}
        client.request("setBreakpoints", source=source, breakpoints=[{"line": 16}])
        set_ = client.request("setBreakpoints", source=source, breakpoints=[{"line": 99, "condition": "nothing"}, {"line": 17}, {"line": 16}])
        ids = {each["line"]: each["id"] for each in set_["breakpoints"] if each["verified"]}
        watch = client.request("setDataBreakpoints", breakpoints=[{"dataId": "sum"}])["breakpoints"][0]["id"]
        client.request("configurationDone")
        client.event("stopped")
        first, again = [], []
        for met in (first, again):
            for _ in range(8):
                ids_met = client.moves("continue", threadId=1)["hitBreakpointIds"]
                met.append((ids_met, self.top()["line"] if ids_met != [watch] else None))
            client.moves("restart")
        self.assertEqual(again, first)
        self.assertEqual({(number, line) for (number,), line in first}, {(ids[16], 16), (ids[17], 17), (watch, None)})

    def test_a_watch_is_a_data_breakpoint(self):
        client = self.begun()
        info = client.request("dataBreakpointInfo", name="sum")
        self.assertEqual((info["dataId"], info["accessTypes"]), ("sum", ["write"]))
        self.assertIsNone(client.request("dataBreakpointInfo", name="nothing")["dataId"])
        set_ = client.request("setDataBreakpoints", breakpoints=[{"dataId": "sum", "condition": "sum > 100"}, {"dataId": "mj"},
                                                                 {"dataId": "sum", "hitCondition": "3"}])["breakpoints"]
        self.assertEqual([each["verified"] for each in set_], [True, False, False])
        self.assertIn("counts no hits", set_[2]["message"])
        stop = client.moves("continue", threadId=1)
        self.assertEqual(stop["reason"], "data breakpoint")
        self.assertEqual(stop["description"], "sum: 0 -> 128")  # twice xj 64 of the second iteration

    def test_the_console_takes_every_command_and_its_motions_are_told(self):
        client = self.begun()
        client.request("evaluate", expression="pair i=130 j=7", context="repl")
        client.event("stopped")
        self.assertIn("chip 3, block 1, PE 0, element 2", client.request("threads")["threads"][0]["name"])
        self.assertIn("continue, reverse", client.request("evaluate", expression="help", context="repl")["result"])
        self.assertIn("unknown command 'frob'", client.refused("evaluate", expression="frob", context="repl"))

    def test_sources_that_are_gone_come_from_the_debugger(self):
        client = self.launched()
        self.kernel.unlink()
        client.request("configurationDone")
        client.event("stopped")
        reference = self.top()["source"]["sourceReference"]
        self.assertEqual(client.request("source", source={"sourceReference": reference}, sourceReference=reference)["content"], KERNEL)
        self.assertIn("sourceReference = 9", client.refused("source", sourceReference=9))

    def test_scheduled_lines_show_all_their_places(self):
        packed = self.scratch / "packed.gdro"
        self.succeeds("as", self.kernel, "--schedule", "-o", packed)
        client = self.launched(kernel=packed)
        answer = client.request("setBreakpoints", source={"path": str(self.kernel)}, breakpoints=[{"line": n} for n in (13, 14, 16, 17)])
        self.assertEqual([each["verified"] for each in answer["breakpoints"]], [True] * 4)
        client.request("configurationDone")
        client.event("stopped")
        seen = set()
        for _ in range(5):
            client.moves("continue", threadId=1)
            seen |= {frame["line"] for frame in client.request("stackTrace", threadId=1)["stackFrames"]}
        self.assertLessEqual({13, 14, 16, 17}, seen)

    def test_folders_may_be_those_of_other_kernels(self):
        kernel = self.file("alone.vsm", KERNEL)
        self.launched(kernel, includePath=[str(self.scratch)])

    def test_a_source_is_assembled_as_the_launch_asks(self):
        kernel = self.file("chosen.vsm", 'include "own.vsm"\n' + KERNEL.replace("fmul d scale", 'fmul d fs"{factor}"'))
        folder = self.scratch / "own"
        folder.mkdir()
        (folder / "own.vsm").write_text("const own = 1\n", encoding="utf-8")
        client = self.client
        client.request("initialize", adapterID="gdr", linesStartAt1=True)
        wanted = {"program": str(kernel), "i": str(self.i), "j": str(self.j), "includePath": [str(folder)], "definitions": {"factor": 3}}
        self.assertIn("not assembled", client.refused("launch", **wanted | {"includePath": []}))
        self.assertIn("not assembled", client.refused("launch", **wanted | {"definitions": {}}))
        self.assertIn("definitions are an object", client.refused("launch", **wanted | {"definitions": ["factor=3"]}))
        self.assertIn("not assembled", client.refused("launch", **wanted | {"warnings": ["error"]}))
        self.assertIn("--schedule: 'best' is refused", client.refused("launch", **wanted | {"schedule": "best"}))
        for names, must_be, wrong in (
            (("program", "i", "j", "schedule", "machine"), "a string", (["x"], 7, None)),
            (("param", "includePath", "warnings"), "a list of strings", ("x", [7], {"x": 1})),
            (("stopOnEntry", "pipeline", "compatIl", "ignoreExtra"), "true or false", ("yes", 1)),
        ):
            for name in names:
                for value in wrong:
                    message = client.refused("launch", **wanted | {name: value})
                    self.assertIn(f"launch: {name} = ", message)
                    self.assertIn(f"is refused: it must be {must_be}", message)
        client.request("launch", **wanted, schedule="full", pipeline=True)
        packed = self.scratch / "packed.gdro"
        self.succeeds("as", self.kernel, "-o", packed)
        other = self.client = Client(cli_test.GDR, self.scratch)
        other.request("initialize", adapterID="gdr")
        self.assertIn("has no effect on", other.refused("launch", program=str(packed), i=str(self.i), j=str(self.j), schedule="list"))
        client.process.kill()
        client.end()

    def test_a_function_is_compiled_as_the_launch_asks(self):
        source = self.file("two.cc", "struct I { float x; };\nstruct J { float m; };\nstruct F { float s; };\n"
                                     "void one(const I& i, const J& j, F& f) { f.s += j.m / i.x; }\n"
                                     "void two(const I& i, const J& j, F& f) { f.s += 3 * j.m / i.x; }\n")
        wanted = {"program": str(source), "i": str(self.file("ci.csv", "x\n2\n")), "j": str(self.file("cj.csv", "m\n1\n"))}
        client = self.client
        client.request("initialize", adapterID="gdr")
        self.assertIn("not compiled", client.refused("launch", **wanted))  # the file has two
        self.assertIn("not compiled", client.refused("launch", **wanted, function="three"))
        self.assertIn("has no effect", client.refused("launch", program=str(self.kernel), i=str(self.i), j=str(self.j), fast=True))
        client.request("launch", **wanted, function="two", effort=1, seed=7, fast=True)
        client.event("initialized")
        client.request("configurationDone")
        client.event("stopped")
        at = client.request("stackTrace", threadId=1)["stackFrames"][0]
        self.assertEqual(at["line"], 5)

    def test_an_experiment_is_chosen_by_the_launch(self):
        kernel = cli_test.PROJECT / "docs/examples/collatz.vsm"
        wanted = {"program": str(kernel), "i": str(self.file("starts.csv", "from\n6\n27\n"))}
        client = self.client
        client.request("initialize", adapterID="gdr")
        self.assertIn("steps is missing", client.refused("launch", **wanted))
        self.assertIn("2 experiments", client.refused("launch", **wanted, steps=200, experiment=2))
        client.request("launch", **wanted, steps=200, experiment=1)
        client.event("initialized")
        client.request("setBreakpoints", source={"path": str(kernel)}, breakpoints=[{"line": 9}])
        client.request("configurationDone")
        client.event("stopped")
        client.moves("continue", threadId=1)
        self.assertIn("27", client.request("evaluate", expression="from", context="hover")["result"])

    def test_the_command_line_takes_nothing_beside(self):
        for option in (("--boards", 2), (self.kernel,), ("--i", self.i), ("-O", 1), ("--script", self.i)):
            outcome = cli_test.gdr("debug", "--dap", *option)
            self.assertEqual(outcome.status, 2, option)
            self.assertIn("has no effect with --dap: kernel, data and options come with the launch request", outcome.err)

    def test_pause_ends_a_long_search(self):
        self.j = self.file("j.csv", "xj,mj\n" + "".join(f"{n},1\n" for n in range(60000)))
        client = self.launched()
        client.request("setBreakpoints", source={"path": str(self.kernel)}, breakpoints=[{"line": 17, "condition": "xj < 0"}])
        client.request("configurationDone")
        client.event("stopped")
        client.start("continue", "pause", threadId=1)
        reasons = []
        while len(reasons) < 2:
            message = client.receive()
            if message["type"] == "event":
                reasons.append(message["body"]["reason"])
            else:
                self.assertTrue(message["success"])
        self.assertEqual(reasons, ["pause", "pause"])  # the search, and the request
        self.assertNotEqual(self.top()["name"], "the end of the run")


class Compiled(DapTest):
    SOURCE = """#include <gdr/kernel.h>
struct I { double x; };
struct J { double y; double m; };
struct F { double f; };
void pull(const I& i, const J& j, F& f) {
  const double d = j.y - i.x;
  if (d > 50) return;
  f.f += j.m * d;
}
"""

    def test_a_function_in_cplusplus_is_debugged_at_its_lines(self):
        source = self.file("pull.cc", self.SOURCE)
        self.i = self.file("ci.csv", "x\n1\n2\n")
        self.j = self.file("cj.csv", "y,m\n3,2\n70,1\n")
        client = self.launched(kernel=source)
        set_ = client.request("setBreakpoints", source={"path": str(source)}, breakpoints=[{"line": 8}, {"line": 2}])["breakpoints"]
        self.assertEqual([(each["verified"], each["line"]) for each in set_], [(True, 8), (True, 5)])
        self.assertTrue({6, 7, 8} <= {each["line"] for each in client.request("breakpointLocations", source={"path": str(source)}, line=1,
                                                                           endLine=9)["breakpoints"]})
        client.request("configurationDone")
        client.event("stopped")
        while True:
            client.moves("continue", threadId=1)
            frames = client.request("stackTrace", threadId=1)["stackFrames"]
            if 8 in [frame["line"] for frame in frames]:
                break
        for frame in frames:
            self.assertEqual(frame["source"]["path"], str(source))
            self.assertNotIn("sourceReference", frame["source"])
        code = client.request("disassemble", memoryReference=frames[0]["instructionPointerReference"], instructionCount=1)["instructions"]
        self.assertEqual(code[0]["location"]["path"], str(source))
        labels = [each["label"] for each in client.request("completions", text="print d", column=8)["targets"]]
        self.assertEqual(labels, ["d"])
        local = self.values("local variables")["d"]
        self.assertEqual(local["value"], "2")
        elements = client.request("variables", variablesReference=local["variablesReference"])["variables"]
        self.assertEqual([(each["name"], each["value"]) for each in elements], [("d[0]", "2"), ("d[1]", "1"), ("d[2]", "1"), ("d[3]", "1")])
        self.assertEqual(client.request("evaluate", expression="d[1]")["result"], "1")

    CALLS = """#include <gdr/kernel.h>
struct I { double x; };
struct J { double y; double m; };
struct F { double f; };
struct Square {
  static double of(double d) { return d * d + 1; }
};
static double weight(double d) {
  return Square::of(d) * 3;
}
void pull(const I& i, const J& j, F& f) {
  const double d = j.y - i.x;
  f.f += j.m * weight(d);
}
"""

    def test_functions_that_are_put_in_are_frames_with_their_names(self):
        source = self.file("calls.cc", self.CALLS)
        self.i = self.file("ci.csv", "x\n1\n2\n")
        self.j = self.file("cj.csv", "y,m\n3,2\n70,1\n")
        client = self.launched(kernel=source)
        (set_,) = client.request("setBreakpoints", source={"path": str(source)}, breakpoints=[{"line": 6}])["breakpoints"]
        self.assertEqual((set_["verified"], set_["line"]), (True, 6))
        client.request("configurationDone")
        client.event("stopped")

        def stack():
            frames = client.request("stackTrace", threadId=1)["stackFrames"]
            return [(each["name"].split(" (")[0], each["line"]) for each in frames if each.get("presentationHint") is None]
        while client.moves("continue", threadId=1)["reason"] == "breakpoint" and len(stack()) < 3:
            pass
        self.assertEqual(stack(), [("Square::of", 6), ("weight", 9), ("pull", 13)])
        before = client.request("evaluate", expression="$iteration")["result"]
        client.moves("stepOut", threadId=1)
        self.assertNotEqual(stack()[0][0], "Square::of")
        self.assertEqual(client.request("evaluate", expression="$iteration")["result"], before)
        shown = client.request("evaluate", expression="where", context="repl")["result"]
        self.assertRegex(shown, r"in weight, called by pull at \S*calls.cc:13: f.f \+= ")

    def test_names_may_be_written_as_in_cplusplus(self):
        source = self.file("two.cc", """#include <gdr/kernel.h>
struct I { double x[2]; };
struct J { double y[2]; double m; };
struct F { double f[2]; };
void two(const I& i, const J& j, F& f) {
  float d[2];
  for (int k = 0; k < 2; ++k) d[k] = j.y[k] - i.x[k];
  const float s = d[0] * d[1];
  for (int k = 0; k < 2; ++k) f.f[k] += j.m * s * d[k];
}
""")
        self.i = self.file("ci.csv", "x[0],x[1]\n1,2\n")
        self.j = self.file("cj.csv", "y[0],y[1],m\n3,7,2\n")
        client = self.begun(kernel=source)
        client.request("setBreakpoints", source={"path": str(source)}, breakpoints=[{"line": 9}])
        client.moves("continue", threadId=1)
        for name, value in (("j.m", 2), ("j.y[1]", 7), ("i.x[0]", 1), ("d[0]", 2), ("d[1]", 5), ("j.m * d[1] - i.x[1]", 8)):
            self.assertEqual(float(client.request("evaluate", expression=name, context="hover")["result"]), value, name)
        self.assertEqual(client.request("setVariable", variablesReference=1, name="d[1]", value="d[0] + 0.5")["value"], "2.5")
        self.assertEqual(client.request("evaluate", expression="d1")["result"], "2.5")
        self.assertIn("unknown name 'none'", client.refused("evaluate", expression="j.none"))

    def test_a_source_that_does_not_compile_is_told_at_its_places(self):
        function = self.file("pull.cc", self.SOURCE.replace("f.f += j.m * d;", "f.f += mass * d;\n  f.g = mass;"))
        assembly = self.file("wrong.vsm", "kernel wrong\nloop body\n  fsbu $r0 $r1 $t\n")
        lsump = self.file("wrong.lsump", "/VARI x;\n/VARJ y;\n/VARF s;\ns += q;\n")
        unloadable = self.file("two.cc", self.SOURCE)
        for source, more, line, said in ((function, {}, 8, "'mass'"), (assembly, {}, 3, "'fsbu'"), (lsump, {}, 4, "'q'"),
                                         (unloadable, {"function": "push"}, None, "push")):
            client = Client(cli_test.GDR, self.scratch)
            client.request("initialize", adapterID="gdr")
            message = client.refused("launch", program=str(source), **more)
            self.assertRegex(message, r"not (compiled|assembled): .*error: .*" + said)
            outputs = [event["body"] for event in client.events if event["event"] == "output"]
            self.assertEqual({output["category"] for output in outputs}, {"stderr"})
            errors = [output for output in outputs if "error: " in output["output"]]
            self.assertIn(said, errors[0]["output"])
            self.assertEqual(errors[0].get("line"), line)
            if line is not None:
                self.assertEqual(errors[0]["source"]["path"], str(source))
            if source == function:
                self.assertEqual(errors[1]["line"], 9)
            status, _, err = client.end()
            self.assertEqual((status, err), (0, ""))

    def test_warnings_of_a_launch_are_output_too(self):
        source = self.file("pull.cc", self.SOURCE.replace("double m; }", "double m; double rest; }"))
        self.i = self.file("ci.csv", "x\n1\n2\n")
        self.j = self.file("cj.csv", "y,m,rest\n3,2,0\n70,1,0\n")
        client = self.launched(kernel=source)
        output = client.event("output")
        self.assertIn("rest", output["output"])
        self.assertEqual((output["category"], output["source"]["path"]), ("stderr", str(source)))
        self.assertEqual(client.end()[2], "")


class FrameMacros(DapTest):
    TEXT = KERNEL.replace("loop initialization", "macro twice a\n  fadd a a a\n  nop\nend\nloop initialization").replace(
        "  fmul d scale $lt\n", "  twice d\n  fmul d scale $lt\n")

    def test_a_use_is_a_frame_and_can_be_stepped_over_into_and_out_of(self):
        kernel = self.file("uses.vsm", self.TEXT)
        use = self.TEXT.split("\n").index("  twice d") + 1
        inside = self.TEXT.split("\n").index("  fadd a a a") + 1
        client = self.launched(kernel)
        (set_,) = client.request("setBreakpoints", source={"path": str(kernel)}, breakpoints=[{"line": use}])["breakpoints"]
        self.assertTrue(set_["verified"])
        client.request("configurationDone")
        client.event("stopped")

        def frames():
            return [(each["line"], each["name"]) for each in client.request("stackTrace", threadId=1)["stackFrames"]]
        self.assertEqual(client.moves("continue", threadId=1)["reason"], "breakpoint")
        self.assertEqual([line for line, _ in frames()], [inside, use])
        self.assertEqual(frames()[1][1], "use of macro 'twice'")
        client.moves("stepIn", threadId=1)
        self.assertEqual([line for line, _ in frames()], [inside + 1, use])
        client.moves("stepOut", threadId=1)
        self.assertEqual([line for line, _ in frames()], [use + 1])
        client.moves("continue", threadId=1)
        client.moves("next", threadId=1)
        self.assertEqual([line for line, _ in frames()], [use + 1])
        client.moves("stepOut", threadId=1)  # outside macros an iteration
        self.assertIn("iteration 2, line 0", frames()[0][1])


class Malformed(DapTest):
    def test_messages_that_are_wrong_are_answered(self):
        client = self.client
        for text, said in ((b"{", "the message is refused: it is no JSON at byte 2"), (b"[]", "a message is an object"), (b"null", "a message is an object"),
                           (b'"x"', "a message is an object"), (b"\xff\xfe{}", "the message is refused"), (b"", "the message is refused"),
                           (b'{"seq": 5}', "has type 'request'"), (b'{"seq": "a", "type": "request", "command": 7}', "the message is refused"),
                           (b"[" * 5000 + b"]" * 5000, "levels deep")):
            client.send_text(text)
            message = client.receive()
            self.assertEqual((message["type"], message["success"]), ("response", False), text)
            self.assertIn(said, message["message"], text)
        client.send_text('{"seq": 77, "type": "request", "command": "nonsense"}')
        message = client.receive()
        self.assertEqual((message["request_seq"], message["command"], message["message"]), (77, "nonsense", "unknown request 'nonsense'"))

    def test_requests_out_of_order_and_wrong_arguments_are_refused(self):
        client = self.client
        for command in ("threads", "stackTrace", "scopes", "next", "continue", "stepBack", "configurationDone"):
            self.assertIn("nothing is launched", client.refused(command), command)
        self.assertIn("program is missing", client.refused("launch"))
        self.assertIn("none.vsm", client.refused("launch", program="none.vsm"))
        self.assertIn("--j is missing", client.refused("launch", program=str(self.kernel)))
        for key, values, limits in (("boards", (0, 65, "two"), "from 1 to 64"), ("effort", (0, 4), "from 1 to 3"),
                                    ("turns", (0, -1, 1.5, -1e19, "many"), "from 1 to 1000000000000"),
                                    ("seed", (-1, "x"), "from 0 to 18446744073709551615"),
                                    ("steps", (0, True), "from 1 to 4503599627370496"), ("experiment", (-1,), "from 0 to 4503599627370496")):
            for value in values:
                self.assertEqual(client.refused("launch", program=str(self.kernel), **{key: value}),
                                 f"launch: {key} = {json.dumps(value)} is refused: it must be a whole number {limits}")
        self.assertIn("refused", client.refused("launch", program=7))
        wrong = self.file("wrong.vsm", "kernel wrong\nloop body\n  fsbu $r0 $r1 $t\n")
        self.assertIn("not assembled", client.refused("launch", program=str(wrong)))
        self.assertIn(".cc, .lsump", client.refused("launch"))
        client = self.begun()
        self.assertIn("launched already", client.refused("launch", program=str(self.kernel)))
        for reference in (0, 7, 999, 1000 + 4096 * 99, 1000 + 4000):
            self.assertIn("variablesReference", client.refused("variables", variablesReference=reference), reference)
        for arguments in ({}, {"variablesReference": "one"}, {"variablesReference": -1}):
            self.assertIn("refused", client.refused("variables", **arguments))
        self.assertIn("refused", client.refused("setBreakpoints", breakpoints=[]))
        self.assertEqual("'expression' is missing: it must be a text", client.refused("evaluate"))
        self.assertEqual("'expression' is refused: it must be a text", client.refused("evaluate", expression=7))

    def test_a_refused_request_changes_nothing(self):
        client = self.begun()
        place = {"path": str(self.kernel)}
        client.request("setBreakpoints", source=place, breakpoints=[{"line": 16}])
        client.request("setDataBreakpoints", breakpoints=[{"dataId": "d"}])
        client.request("setDataBreakpoints", breakpoints=[])
        for bad in ({"line": -5}, {"line": 16.5}, {"line": "16"}, {}, {"line": 16, "condition": 5}, {"line": 16, "logMessage": []},
                    {"line": 16, "hitCondition": 3}, 7):
            client.refused("setBreakpoints", source=place, breakpoints=[{"line": 17}, bad, {"line": 18}])
            self.assertEqual(client.moves("continue", threadId=1)["reason"], "breakpoint", bad)
            self.assertEqual(client.request("stackTrace", threadId=1)["stackFrames"][0]["line"], 16, bad)
            client.request("restart")
            client.event("stopped")
        for wrong in (7, {"line": 17}, "17"):
            client.refused("setBreakpoints", source=place, breakpoints=wrong)
        client.request("setBreakpoints", source=place, breakpoints=[])
        client.request("setDataBreakpoints", breakpoints=[{"dataId": "d[0]"}])
        for bad in ({}, {"dataId": 5}, {"dataId": "d[1]", "condition": 5}, 7):
            client.refused("setDataBreakpoints", breakpoints=[{"dataId": "sum[0]"}, bad])
            self.assertIn("d[0]", client.moves("continue", threadId=1)["description"])
            client.request("restart")
            client.event("stopped")
        value = client.request("evaluate", expression="scale")["result"]
        client.refused("setVariable", variablesReference=1, name="scale", value="3", format={"hex": "yes"})
        self.assertEqual(client.request("evaluate", expression="scale")["result"], value)
        answer = client.request("setFunctionBreakpoints", breakpoints=[{"name": "seen"}, {"name": "other"}])["breakpoints"]
        self.assertEqual([each["verified"] for each in answer], [False, False])
        client.refused("setFunctionBreakpoints", breakpoints=[{"name": 5}])

    def test_a_restart_that_is_refused_leaves_the_run_as_it_was(self):
        client = self.begun()
        client.request("setBreakpoints", source={"path": str(self.kernel)}, breakpoints=[{"line": 16}])
        self.assertIn("none.vsm", client.refused("restart", arguments={"program": "none.vsm", "stopOnEntry": False}))
        self.assertEqual(client.moves("continue", threadId=1)["reason"], "breakpoint")
        self.assertEqual(client.moves("restart")["reason"], "entry")

    def test_streams_that_are_no_protocol_end_with_an_error(self):
        for stream, said in ((b"hello\r\n\r\n", "no Content-Length"), (b"Content-Length: 99999999999\r\n\r\n", "Content-Length"),
                             (b"Content-Length: -1\r\n\r\n", "Content-Length"), (b"x" * 5000, "more than 4096 bytes")):
            client = Client(cli_test.GDR, self.scratch)
            client.send_bytes(stream)
            status, _, err = client.end()
            self.assertEqual(status, 1, stream)
            self.assertIn(said, err)

    def test_messages_come_in_any_pieces_and_a_closed_stream_ends_the_session(self):
        text = json.dumps({"seq": 1, "type": "request", "command": "initialize", "arguments": {}}).encode()
        data = b"X-Other: 1\r\ncontent-length: %d\r\n\r\n" % len(text) + text
        for n in range(len(data)):
            self.client.send_bytes(data[n:n + 1])
        self.assertTrue(self.client.receive()["success"])
        self.client.send_bytes(data + data)
        self.client.receive()
        self.client.receive()
        self.assertEqual(self.client.end(), (0, b"", ""))


if __name__ == "__main__":
    cli_test.GDR, cli_test.PROJECT = sys.argv[1], pathlib.Path(sys.argv[2])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
