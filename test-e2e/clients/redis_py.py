"""The client program of redis-py: what workload.ts does, in Python. One argument: a ClientTask as JSON."""

import json
import os
import sys
import threading
import time

from redis import Redis
from redis.cluster import RedisCluster

READ_AFTER_SECONDS = 1.0
LONGEST_KIND = 80

task = json.loads(sys.argv[1])
lock = threading.Lock()


def nothing():
    now = time.monotonic()
    return {
        "operations": 0, "errors": 0, "kinds": {}, "longestStallMs": 0,
        "reads": 0, "old": 0, "empty": 0, "started": now, "last": now,
    }


counts = nothing()
acknowledged = {}


def connect():
    address = {"host": task["host"], "port": task["port"], "password": task.get("password")}
    if task["mode"] == "plain":
        return Redis(**address)
    if task["settings"] == "default":
        return RedisCluster(**address)
    # docs/operations/connecting.md: the Service is asked again when all members have other addresses.
    return RedisCluster(**address, dynamic_startup_nodes=False)


def counted(operation):
    try:
        operation()
        now = time.monotonic()
        with lock:
            counts["operations"] += 1
            counts["longestStallMs"] = max(counts["longestStallMs"], (now - counts["last"]) * 1000)
            counts["last"] = now
    except Exception as error:  # whatever the library raises is what its user sees
        with lock:
            counts["errors"] += 1
            kind = (str(error) or type(error).__name__)[:LONGEST_KIND]
            counts["kinds"][kind] = counts["kinds"].get(kind, 0) + 1


def write(client, number):
    key = key_at(number)

    def operation():
        client.set(key, number)
        acknowledged[key] = (number, time.monotonic())

    counted(operation)


def read(client, number):
    key = key_at(number + task["keys"] // 2)
    known = acknowledged.get(key)
    if known is None or time.monotonic() - known[1] < READ_AFTER_SECONDS:
        return

    def operation():
        value = client.get(key)
        with lock:
            counts["reads"] += 1
            if value is None:
                counts["empty"] += 1
            elif int(value) < known[0]:
                counts["old"] += 1

    counted(operation)


def key_at(number):
    return f"{task['library']}-{task['mode']}-{task['settings']}:{number % task['keys']}"


def work():
    client = connect()
    number = 0
    while True:
        next_at = time.monotonic() + 1 / task["operationsPerSecond"]
        if number % 2 == 0:
            write(client, number // 2)
        else:
            read(client, (number - 1) // 2)
        number += 1
        time.sleep(max(0.0, next_at - time.monotonic()))


threading.Thread(target=work, daemon=True).start()
for line in sys.stdin:
    if line.strip() != "mark":
        continue
    with lock:
        now = time.monotonic()
        ended, counts = counts, nothing()
    stall = max(ended["longestStallMs"], (now - ended["last"]) * 1000)
    seconds = round(now - ended["started"], 3)
    del ended["started"], ended["last"]
    print(json.dumps({**ended, "longestStallMs": round(stall), "seconds": seconds}), flush=True)
os._exit(0)
