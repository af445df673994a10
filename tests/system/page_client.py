"""page_client.py - the requests of a page that is signed in, without a browser."""
import json
import re

from port import OWNER, Http
from talk import check
from server import environment # talk.py extends sys.path
from terminal import at_terminal


class SignedIn:
    """Signed in as a person is: by the link that `stet open` prints."""

    def __init__(self, options, work, port):
        self.program, self.port, self.bearer = options.program, port, None
        self.env = {**environment(work), "STET_TOKEN": OWNER}
        done = at_terminal([self.program, "open", "--print"], self.env)
        check(done.returncode == 0, done)
        key = re.search(r"key=([\w-]+)", done.stdout)[1]
        self.bearer = self.ask("POST", "/api/signin",
                               {"key": key}).json()["session"]

    def ask(self, method, path, body=None):
        http = Http(self.port)
        more = {"authorization": f"Bearer {self.bearer}"} if self.bearer \
            else {}
        answer = http.request(method, path, json.dumps(body).encode()
                              if body is not None else b"", **more)
        http.close()
        return answer
