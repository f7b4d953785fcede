"""moto behind a gate that kills a client at one request, in a process that can be branched like a file.

Ready, it says "Running on http://127.0.0.1:PORT". One request is served at a time, each on a connection of its own, in
the order in which they were made. Beside AWS's calls it answers

    POST /gate/copy     a copy of this server with all that is in it, on a port of its own: {"address"}
    POST /gate/push     a copy of it in its place, on the same port, until
    POST /gate/pop      brings back what it was
    POST /gate/arm      {"process", "number", "moment", "late", "delay_s"}: the request `number` from now on, counted
                        from 0, is the process's last: it is killed "before" the request reaches moto, when it was
                        "executed" and nothing answered, or `delay_s` after it was "answered". What it had sent beside
                        that arrives afterwards, if `late`, or never. Without a number nothing is killed.
    POST /gate/log      {"actions": [...], "killed"}: what passed since it was armed
"""

import ctypes
import gc
import io
import json
import os
import select
import signal
import socket
import sys
import time
import urllib.parse

from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app

REQUEST_TIMEOUT_S = 10
BACKLOG = 256
OWN = b"POST /gate/"


class Gate:
    def __init__(self):
        self.application = DomainDispatcherApplication(create_backend_app)
        self.armed = {}
        self.actions = []
        self.killed = False
        self.waiting = []
        # A pipe that only the first server writes to: with it all copies end.
        self.life, self.lifeline = os.pipe()
        self.listen()

    def listen(self):
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=BACKLOG)
        self.address = f"http://127.0.0.1:{self.listener.getsockname()[1]}"

    def serve(self):
        while True:
            ready = [] if self.waiting else select.select([self.listener, self.life], [], [])[0]
            if self.life in ready:
                os._exit(0)
            connection = self.waiting.pop(0) if self.waiting else self.accept()
            with connection:
                try:
                    self.handle(connection)
                except OSError:
                    # A client that was killed hears no answer.
                    pass

    def accept(self):
        connection, _ = self.listener.accept()
        connection.settimeout(REQUEST_TIMEOUT_S)
        return connection

    def handle(self, connection):
        data = b""
        while b"\r\n\r\n" not in data:
            more = connection.recv(65536)
            if not more:
                return
            data += more
        head, _, body = data.partition(b"\r\n\r\n")
        request, *lines = head.decode("latin-1").split("\r\n")
        method, target, _ = request.split(" ", 2)
        headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        while len(body) < int(headers.get("content-length", 0)):
            more = connection.recv(65536)
            if not more:
                return
            body += more
        if target.startswith("/gate/"):
            answer = getattr(self, target.removeprefix("/gate/"))(connection, json.loads(body or b"{}"))
            if answer is not None:
                connection.sendall(self.http("200 OK", [], json.dumps(answer).encode()))
            return
        self.pass_on(connection, method, target, headers, body)

    def pass_on(self, connection, method, target, headers, body):
        number = len(self.actions)
        self.actions.append(dict(urllib.parse.parse_qsl(body.decode())).get("Action", target))
        moment = self.armed.get("moment") if number == self.armed.get("number") else None
        if moment == "before":
            self.kill()
            return
        answer = self.http(*self.call(method, target, headers, body))
        if moment == "executed":
            self.kill()
            return
        connection.sendall(answer)
        if moment == "answered":
            connection.shutdown(socket.SHUT_WR)
            time.sleep(self.armed["delay_s"])
            self.kill()

    def kill(self):
        """Ends the client, which is not our child; what it has sent by then is served, or forgotten."""
        process = os.pidfd_open(self.armed["process"])
        signal.pidfd_send_signal(process, signal.SIGKILL)
        select.select([process], [], [])
        os.close(process)
        late = self.armed["late"]
        self.armed = {}
        self.killed = True
        if not late:
            self.forget_waiting()

    def forget_waiting(self):
        """Loses all calls that were made and not yet answered; who watches over the dead client is heard."""
        while select.select([self.listener], [], [], 0)[0]:
            connection = self.accept()
            if connection.recv(len(OWN), socket.MSG_PEEK) == OWN:
                self.waiting.append(connection)
            else:
                connection.close()

    def call(self, method, target, headers, body):
        path, _, query = target.partition("?")
        environment = {
            "REQUEST_METHOD": method,
            "SCRIPT_NAME": "",
            "PATH_INFO": urllib.parse.unquote(path, "latin-1"),
            "QUERY_STRING": query,
            "SERVER_NAME": "127.0.0.1",
            "SERVER_PORT": self.address.rsplit(":", 1)[1],
            "SERVER_PROTOCOL": "HTTP/1.1",
            "CONTENT_TYPE": headers.get("content-type", ""),
            "CONTENT_LENGTH": str(len(body)),
            "wsgi.version": (1, 0),
            "wsgi.url_scheme": "http",
            "wsgi.input": io.BytesIO(body),
            "wsgi.errors": sys.stderr,
            "wsgi.multithread": False,
            "wsgi.multiprocess": False,
            "wsgi.run_once": False,
        }
        environment.update({"HTTP_" + name.upper().replace("-", "_"): value for name, value in headers.items()})
        told = []
        pieces = self.application(environment, lambda status, fields, error=None: told.extend([status, fields]))
        text = b"".join(pieces)
        return told[0], told[1], text

    def http(self, status, headers, body):
        left_out = ("content-length", "connection", "transfer-encoding")
        lines = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in headers if name.lower() not in left_out)]
        lines += [f"Content-Length: {len(body)}", "Connection: close", "", ""]
        return "\r\n".join(lines).encode("latin-1") + body

    def copy(self, connection, _):
        near, far = os.pipe()
        if os.fork() == 0:
            self.listener.close()
            connection.close()
            os.close(near)
            self.become_copy()
            self.listen()
            os.write(far, self.address.encode())
            os.close(far)
            self.serve()
        os.close(far)
        with open(near, encoding="ascii") as pipe:
            return {"address": pipe.read()}

    def push(self, connection, _):
        copy = os.fork()
        if copy == 0:
            self.become_copy()
            return {}
        connection.close()
        os.waitpid(copy, 0)
        return None

    def become_copy(self):
        if self.lifeline is not None:
            os.close(self.lifeline)
            self.lifeline = None
        self.armed, self.actions, self.killed = {}, [], False

    def pop(self, connection, _):
        self.forget_waiting()
        connection.sendall(self.http("200 OK", [], b"{}"))
        os._exit(0)

    def arm(self, _, wanted):
        self.armed, self.actions, self.killed = wanted, [], False
        return {}

    def log(self, *_):
        return {"actions": self.actions, "killed": self.killed}


if __name__ == "__main__":
    # Ends with whoever started it, however that ends (prctl(2), PR_SET_PDEATHSIG).
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    gate = Gate()
    # What is there by now stays for good: no copy looks through it again, or gets pages of its own for the marks.
    gc.collect()
    gc.freeze()
    print(f"Running on {gate.address}", flush=True)
    gate.serve()
