"""gdr lsp as an editor sees it: a client that speaks the Language Server Protocol over the program's standard streams."""

import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import cli_test  # noqa: E402

KERNEL = """kernel seen
const axes = 2
bvar long xj elt
bvar short mj elt
var vector long xi hlt
var vector long sum rrn flt72to64 fadd
param scale : short = 2
reg d $lr16v
macro add what to
  fadd what $lti to
end
loop initialization
  uxor $lt $lt $lt
  upassa $lti sum
loop body
  fsub xj xi d                           # d: é and \U0001d4ae
  nop
  fmul d mj $lt
  add sum sum
  repeat k = 0..axes-1
    fmul d scale $lr{8*k+24}v
  end
"""


class Client:
    """Requests with running numbers; notifications that arrive before an answer are kept."""

    def __init__(self, cwd, *arguments):
        self.process = subprocess.Popen([cli_test.GDR, "lsp", *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, cwd=cwd)
        self.number = 0
        self.notices = []

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
        message = json.loads(self.process.stdout.read(int(length)))
        assert message["jsonrpc"] == "2.0", message
        return message

    def answer(self, method, **params):
        self.number += 1
        self.send_text(json.dumps({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}))
        while True:
            message = self.receive()
            if "method" in message:
                self.notices.append(message)
            else:
                assert message["id"] == self.number, message
                return message

    def request(self, method, **params):
        message = self.answer(method, **params)
        if "error" in message:
            raise RuntimeError(message["error"]["message"])
        return message["result"]

    def error(self, method, **params):
        return self.answer(method, **params)["error"]

    def notify(self, method, **params):
        self.send_text(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}))

    def notice(self, method):
        while True:
            for n, message in enumerate(self.notices):
                if message["method"] == method:
                    return self.notices.pop(n)["params"]
            self.notices.append(self.receive())

    def end(self):
        self.process.stdin.close()
        status = self.process.wait(timeout=60)
        out, err = self.process.stdout.read(), self.process.stderr.read().decode()
        self.process.stdout.close()
        self.process.stderr.close()
        return status, out, err


class LspTest(cli_test.CliTest):
    RELATED = {"textDocument": {"publishDiagnostics": {"relatedInformation": True}}}

    def setUp(self):
        super().setUp()
        self.client = self.new_client()

    def new_client(self, *arguments):
        client = Client(self.scratch, *arguments)

        def close():
            if client.process.poll() is None:
                client.process.kill()
                client.end()
        self.addCleanup(close)
        return client

    def begun(self, client=None, **params):
        client = client or self.client
        params = {"rootUri": self.scratch.as_uri(), "capabilities": self.RELATED} | params
        able = client.request("initialize", **params)["capabilities"]
        client.notify("initialized")
        return able

    def opened(self, name, text):
        """Writes a file, opens it and returns the URI and the diagnostics."""
        uri = self.file(name, text).as_uri()
        self.client.notify("textDocument/didOpen", textDocument={"uri": uri, "languageId": "gdr", "version": 1, "text": text})
        return uri, self.diagnostics(uri)

    def diagnostics(self, uri):
        while True:
            params = self.client.notice("textDocument/publishDiagnostics")
            if params["uri"] == uri:
                return params["diagnostics"]

    def changed(self, uri, text, version=2):
        self.client.notify("textDocument/didChange", textDocument={"uri": uri, "version": version}, contentChanges=[{"text": text}])

    @staticmethod
    def place(text, word, nth=0):
        """Position of the nth place of a word, in UTF-16 units."""
        at = -1
        for _ in range(nth + 1):
            at = text.index(word, at + 1)
        before = text[:at]
        last = before.rsplit("\n", 1)[-1]
        return {"line": before.count("\n"), "character": len(last.encode("utf-16-le")) // 2}

    def at(self, uri, text, word, nth=0):
        return {"textDocument": {"uri": uri}, "position": self.place(text, word, nth)}

    @staticmethod
    def lines(found):
        return sorted((each["range"]["start"]["line"], each["range"]["start"]["character"]) for each in found)
