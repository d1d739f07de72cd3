"""`python tools/cloud [--port N] [--polls N] [--fail RULE]... [--api 2.36]`: the cloud until its standard input or the process ends.

Prints `http://127.0.0.1:PORT` when it answers. Under `/cloud/` it is controlled: GET `dump`, `objects`, `journal`; POST `reset`, `mark` (`text`),
`fail` (`rules`), `put` (`objects`: collection, identifier, fields).
"""

import argparse
import pathlib
import signal
import sys

sys.path[0] = str(pathlib.Path(__file__).resolve().parent.parent)

from cloud import Cloud  # noqa: E402


def main():
    """Answers until it is ended."""
    parser = argparse.ArgumentParser(prog="tools/cloud", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=0, help="by default a free one")
    parser.add_argument("--polls", type=int, default=0, help="how often an object is shown before it is ready")
    parser.add_argument("--api", default="2.96", help="the newest microversion of Nova")
    parser.add_argument("--fail", action="append", default=[], metavar="RULE", help="as `create server web-2`, `create port * 409 x1`, `quota server 3`")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with Cloud(options.port, options.polls, options.api) as cloud:
        for rule in options.fail:
            cloud.fail(rule)
        print(cloud.url, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
