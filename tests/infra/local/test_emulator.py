import socket

from infra.local import emulator

FIRST_GIVEN_OUT = 32_768  # on Linux; 49,152 on macOS


def test_a_free_port_is_none_that_the_system_gives_to_others_meanwhile() -> None:
    port = emulator.free_port()

    with socket.create_server(("127.0.0.1", port)):
        assert port < FIRST_GIVEN_OUT
