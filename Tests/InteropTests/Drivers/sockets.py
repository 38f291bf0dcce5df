"""The WebSocket of the API through the library `websockets`: sockets.py PORT

Says a line for each step that holds, and ends with an error otherwise. A line `happen N` asks the test for N events.
"""
import asyncio
import json
import sys

import websockets
from websockets.asyncio.client import connect

URL = f"ws://127.0.0.1:{sys.argv[1]}/api/v1/socket"


def say(line):
    print(line, flush=True)


async def ask(socket, **frame):
    await socket.send(json.dumps(frame))
    return json.loads(await socket.recv())


async def handshakes():
    try:
        async with connect(URL, additional_headers={"Authorization": "Bearer bad"}):
            raise AssertionError("a bad token was taken")
    except websockets.exceptions.InvalidStatus as error:
        assert error.response.status_code == 401, error.response
        assert json.loads(error.response.body)["code"] == "unauthorized"
    async with connect(URL, subprotocols=["castway.v1", "castway.token.good"], compression="deflate") as socket:
        assert socket.subprotocol == "castway.v1"
        answer = await ask(socket, id=1, call="thing.say", input={"text": "grüße"})
        assert answer == {"id": 1, "result": {"said": "grüße", "caller": "tester"}, "status": 201}, answer
        await (await socket.ping())
    assert socket.close_code == 1000, socket.close_code
    say("handshakes")


async def calls():
    async with connect(URL, additional_headers={"Authorization": "Bearer good"}) as socket:
        for number in range(100):
            await socket.send(json.dumps({"id": number, "call": "thing.say", "input": {"text": str(number)}}))
            if number % 50 == 49:
                answers = [json.loads(await socket.recv()) for _ in range(50)]
                said = {answer["id"]: answer["result"]["said"] for answer in answers}
                assert all(said[key] == str(key) for key in said) and len(said) == 50, said
        # In parts, and long.
        text = "ä" * 20_000
        frame = json.dumps({"id": "long", "call": "thing.say", "input": {"text": text}}, ensure_ascii=False)
        await socket.send([frame[start:start + 777] for start in range(0, len(frame), 777)])
        answer = json.loads(await socket.recv())
        assert answer["id"] == "long" and answer["result"]["said"] == text
        await socket.send(b"bytes")
        assert json.loads(await socket.recv())["problem"]["code"] == "bad_request"
    say("calls")


async def events():
    async with connect(URL, additional_headers={"Authorization": "Bearer good"}) as socket:
        assert (await ask(socket, id=1, subscribe={}))["result"] == {"subscribed": True}
        assert json.loads(await socket.recv())["frame"] == "hello"
        first = json.loads(await socket.recv())["seq"]
        say("happen 1000")
        for number in range(1000):
            assert json.loads(await socket.recv())["seq"] == first + number + 1
    say("events")


async def stops():
    async with connect(URL, additional_headers={"Authorization": "Bearer good"}) as socket:
        await ask(socket, id=1, subscribe={})
        say("revoke")
        try:
            while True:
                await socket.recv()
        except websockets.exceptions.ConnectionClosed as closed:
            assert closed.rcvd.code == 4401, closed
    say("stops")


async def main():
    await handshakes()
    await calls()
    await events()
    await stops()
    say("end")


asyncio.run(main())
