"""Serves the stand-in provider once for many runs of tofu, which otherwise starts it several times a run.

Prints the socket's path as its first line and ends when its standard input does. Arguments: the stand-in's file.
"""

import pathlib
import sys
import tempfile
from concurrent import futures

import grpc


def main(stand_in):
    """Serves until the input ends."""
    names = {"__file__": stand_in, "__name__": "stand_in"}
    exec(compile(pathlib.Path(stand_in).read_text(encoding="utf-8"), stand_in, "exec"), names)
    made_up = names["fake"]

    def with_addresses(kind, name, *rest):
        """A value that the cloud would give. A port has an address: what needs one is not null."""
        return ["192.0.2.1"] if name == "all_fixed_ips" else made_up(kind, name, *rest)

    names["fake"] = with_addresses

    class Provider(names["P"]):
        """The stand-in, which makes its schema once."""

        schema = None

        def GetProviderSchema(self, request, context):
            if Provider.schema is None:
                Provider.schema = super().GetProviderSchema(request, context)
            return Provider.schema

    size = 64 << 20
    options = [("grpc.max_send_message_length", size), ("grpc.max_receive_message_length", size)]
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=8), options=options)
    names["rpc"].add_ProviderServicer_to_server(Provider(), server)
    names["crpc"].add_GRPCControllerServicer_to_server(names["C"](), server)
    names["srpc"].add_GRPCStdioServicer_to_server(names["S"](), server)
    with tempfile.TemporaryDirectory() as folder:
        socket = f"{folder}/provider.sock"
        server.add_insecure_port(f"unix://{socket}")
        server.start()
        print(socket, flush=True)
        sys.stdin.read()
        server.stop(0)


if __name__ == "__main__":
    main(sys.argv[1])
