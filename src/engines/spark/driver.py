"""Runs SQL statements for mr-minhash in a Spark session. Requests arrive as lines of JSON on a socket; each has one or more answers."""
import json
import os
import socket

from pyspark.sql import SparkSession

ROWS = 1000

spark = SparkSession.builder.getOrCreate()
context = spark.sparkContext
port, token = os.environ["MR_MINHASH_DRIVER"].split(" ")
connection = socket.create_connection(("127.0.0.1", int(port)))
requests = connection.makefile("r", encoding="utf-8", newline="\n")


def send(answer):
    connection.sendall((json.dumps(answer) + "\n").encode())


def path_of(location):
    path = spark._jvm.org.apache.hadoop.fs.Path(location)
    return path, path.getFileSystem(spark._jsc.hadoopConfiguration())


def sql(text):
    """All rows of a small result; NULL is null, all other values are strings."""
    rows = spark.sql(text).collect()
    return {"rows": [[None if cell is None else str(cell) for cell in row] for row in rows]}


def lines(text):
    """The first column of all rows, in pieces: the driver holds one partition at a time."""
    piece = []
    for row in spark.sql(text).toLocalIterator():
        piece.append(row[0])
        if len(piece) == ROWS:
            send({"lines": piece})
            piece = []
    return {"lines": piece, "end": True}


def write(location, text):
    path, files = path_of(location)
    stream = files.create(path)
    stream.write(bytearray(text.encode()))
    stream.close()
    return {}


def read(location):
    path, files = path_of(location)
    if not files.exists(path):
        return {"text": None}
    stream = files.open(path)
    text = spark._jvm.org.apache.hadoop.io.IOUtils.readFullyToByteArray(stream).decode()
    stream.close()
    return {"text": text}


def exists(location):
    path, files = path_of(location)
    return {"exists": files.exists(path)}


def remove(location):
    path, files = path_of(location)
    files.delete(path, True)
    return {}


COMMANDS = {"sql": sql, "lines": lines, "read": read, "write": write, "exists": exists, "remove": remove}

send({"token": token})
send({"version": spark.version, "parallelism": context.defaultParallelism, "partitions": context.getConf().get("spark.sql.shuffle.partitions")})
for request in requests:
    try:
        command, *arguments = json.loads(request)
        answer = COMMANDS[command](*arguments)
    except Exception as error:  # the client reports the message
        answer = {"error": str(error)}
    send(answer)
spark.stop()
