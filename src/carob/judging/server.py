"""The judging page's server. It answers only this machine, and only requests that contain the secret of its address.

Each request must pass three checks. Its ``Host`` must be the server's own address, so a web site whose name resolves to
this machine gets nothing (DNS rebinding). Its path must begin with the secret. A request that changes something must
come from the page itself according to its ``Origin``, so no other site can send it (cross-site request forgery).
"""

from __future__ import annotations

import hmac
import json
import logging
import secrets
from dataclasses import field
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from carob._cached import cached_property
from carob._dataclasses import dataclass
from carob.judging.page import judging_page, policy_of
from carob.judging.session import LONG_NOTE
from carob.output.errors import DataError
from carob.output.parsing import json_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from werkzeug import Request, Response

    from carob.judging.session import Session

ADDRESS = "127.0.0.1"
LARGEST = 2**16
"""The maximum size in bytes of a request's header, and of a judgment."""
RECEIVED = 2**24
"""The maximum size in bytes of a request's body. A larger body is refused without being read in full."""
CONNECTIONS = 200
"""The maximum number of connections. Some systems allow a process to open only 256 files."""
PATIENCE = 5
"""The number of seconds after which an idle connection is closed, for example after an incomplete request."""
NO_JUDGMENT = "This is not a judgment."
NEEDED = ("jinja2", "waitress", "werkzeug")
"""The packages required to serve the page."""

HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


def refuse_absent(needed: Iterable[str]) -> None:
    """Checks that the required packages are installed before any work begins.

    Raises:
        DataError: a package is not installed.
    """
    absent = [package for package in needed if find_spec(package) is None]
    if absent:
        are = "is" if len(absent) == 1 else "are"
        raise DataError(
            f"Judging needs {' and '.join(absent)}, which {are} not installed. Run pip install 'carob[judge]'."
        )


@dataclass(eq=False)
class Site:
    """The WSGI application of a session.

    Args:
        session: the session.
        secret: the first part of every path.
        once: the path that opens the page only once. The browser is started with this path, because other users of this
            machine can see the arguments of a program.
        port: the port; 0 until it is known.
    """

    session: Session
    secret: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    once: str | None = field(default_factory=lambda: secrets.token_urlsafe(24))
    port: int = 0

    @cached_property
    def numbers(self) -> frozenset[str]:
        """The numbers of the documents, as written in a path."""
        return frozenset(map(str, range(len(self.session.sheet.order))))

    @property
    def address(self) -> str:
        """The address of the page."""
        return f"http://{ADDRESS}:{self.port}/{self.secret}/"

    @property
    def address_once(self) -> str:
        """The address that opens the page only once."""
        return f"http://{ADDRESS}:{self.port}/{self.once}"

    def __call__(self, environ: Any, start: Callable[..., Any]) -> Iterable[bytes]:
        """Answers a request."""
        from werkzeug import Request

        response = self.answer(Request(environ))
        response.headers.update(HEADERS)
        found: Iterable[bytes] = response(environ, start)
        return found

    def answer(self, request: Request) -> Response:
        """Returns the response to a request."""
        from werkzeug import Response
        from werkzeug.utils import redirect

        hosts = [f"{ADDRESS}:{self.port}", f"localhost:{self.port}"]
        if request.headers.get("Host") not in hosts:
            return refusal(421, "The address is wrong. Open the address that carob judge printed.")
        if self.once is not None and same(request.path, f"/{self.once}") and request.method == "GET":
            self.once = None
            return redirect(f"/{self.secret}/", 303)
        _, secret, *path = request.path.split("/")
        if not same(secret, self.secret) or not path:
            return refusal(404, "Open the address that carob judge printed.")
        if request.method == "POST":
            origin = request.headers.get("Origin")
            if origin not in [f"http://{host}" for host in hosts]:
                return refusal(403, "Only the page itself may send judgments.")
            return self.changed("/".join(path), request)
        if request.method != "GET":
            return refusal(405, "The server does not support this request.")
        if path == [""]:
            html, security = judging_page(self.session.data(), connected=True)
            response = Response(html, content_type="text/html; charset=utf-8")
            response.headers["Content-Security-Policy"] = f"{security}; frame-ancestors 'none'"
            return response
        if len(path) == 2 and path[0] == "documents" and path[1] in self.numbers:
            return as_json(self.session.sheet.document(int(path[1])))
        return refusal(404, "This page does not exist.")

    def changed(self, path: str, request: Request) -> Response:
        """Stores or withdraws a judgment, and responds after the change is written to disk."""
        if request.mimetype != "application/json":
            return refusal(415, "Judgments must be sent as JSON.")
        if (request.content_length or 0) > LARGEST:
            return refusal(413, LONG_NOTE)
        try:
            sent = json_in(request.get_data())
        except ValueError:
            return refusal(400, NO_JUDGMENT)
        try:
            if path == "withdrawals":
                return as_json(self.session.withdraw())
            if path != "judgments":
                return refusal(404, "This page does not exist.")
            number, grade, note = sent["item"], sent["grade"], sent.get("note", "")
            if not (type(number) is int and type(grade) is int and type(note) is str):
                raise TypeError
        except DataError as error:
            return refusal(500, str(error))
        except (KeyError, TypeError, AttributeError):
            return refusal(400, NO_JUDGMENT)
        try:
            return as_json(self.session.judge(number, grade, note))
        except DataError as error:
            return refusal(500, str(error))


def same(given: str, secret: str) -> bool:
    """Compares texts in constant time, so the response time reveals nothing about the secret."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), secret.encode())


def as_json(found: dict[str, Any]) -> Response:
    """Returns a JSON response for the page's script."""
    from werkzeug import Response

    response = Response(json.dumps(found), content_type="application/json")
    response.headers["Content-Security-Policy"] = policy_of()
    return response


def refusal(status: int, sentence: str) -> Response:
    """Returns a response that refuses a request and states the reason."""
    from werkzeug import Response

    response = Response(f"{sentence}\n", status, content_type="text/plain; charset=utf-8")
    response.headers["Content-Security-Policy"] = policy_of()
    return response


def serve(session: Session, port: int, started: Callable[[Site], None]) -> None:
    """Serves a session until Ctrl-C.

    Args:
        session: the session.
        port: the port; 0 chooses a free one.
        started: a function to call when the server is listening.

    Raises:
        DataError: the port cannot be used.
    """
    from waitress import create_server

    # Otherwise the judge would see warnings about requests that wait for the disk.
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    site = Site(session)
    try:
        server = create_server(
            site,
            host=ADDRESS,
            port=port,
            ident=None,
            threads=4,
            connection_limit=CONNECTIONS,
            channel_timeout=PATIENCE,
            cleanup_interval=1,
            max_request_body_size=RECEIVED,
            max_request_header_size=LARGEST,
        )
    except OSError as error:
        raise DataError(
            f"Port {port} cannot be used: {error.strerror or error}. Choose another port with --port, or leave "
            "out --port."
        ) from None
    site.port = server.effective_port
    try:
        started(site)
        server.run()
    finally:
        server.close()
