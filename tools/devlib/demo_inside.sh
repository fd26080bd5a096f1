# What the demo runs in the sandbox. usage: demo_inside.sh ALLOWED-PORT OTHER-PORT FOLDER PYTHON
allowed=$1 other=$2 folder=$3 python=$4

echo "inside  \$ curl http://127.0.0.1:$allowed/          # a rule allows it"
curl -sS "http://127.0.0.1:$allowed/"
echo "inside  \$ curl http://127.0.0.1:$other/          # no rule does"
curl -sS "http://127.0.0.1:$other/" 2>&1
echo "inside  \$ curl http://192.0.2.1/                # an outside address"
curl -sS http://192.0.2.1/ 2>&1
echo "inside  \$ curl http://example.com/              # a name that no rule mentions"
curl -sS http://example.com/ 2>&1
"$python" - "$other" <<'PYTHON'
import errno, socket, sys, time

for family, address in ((socket.AF_INET, ("127.0.0.1", int(sys.argv[1]))),
                        (socket.AF_INET, ("203.0.113.7", 443)),
                        (socket.AF_INET6, ("2001:db8::7", 443))):
    with socket.socket(family) as client:
        begin = time.perf_counter()
        try:
            client.connect(address)
            result = "connected?!"
        except OSError as error:
            result = errno.errorcode[error.errno]
        print(f"inside    connect {address[0]}:{address[1]}: {result} "
              f"after {(time.perf_counter() - begin) * 1e6:.0f} microseconds")
PYTHON
echo "ready" >"$folder/inside"
read -r _ <"$folder/outside"
