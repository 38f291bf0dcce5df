#!/bin/sh
# What chaos.py is, in a shell, for what a shell can do wrong: chaos.sh WHEN WHAT
when=$1
what=$2
held=0
printf . >>"$CASTWAY_STATE_DIR/lives"
read -r lives <"$CASTWAY_STATE_DIR/lives"

answer() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$1" "$2"; }

reply() { answer "$1" '{"disposition":"reply","payload":{"type":"'"$2"'","pid":'$$',"held":'$held'}}'; }

fault() {
    case $what in
    exit) exit 3 ;;
    kill) kill -KILL $$ ;;
    stop) kill -STOP $$ ;;
    spin) while :; do :; done ;;
    hog)
        text=0123456789abcdef0123456789abcdef
        # Thirty-two bytes doubled so often are a gigabyte.
        for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25; do text=$text$text; done
        exit 9
        ;;
    half-line)
        printf '{"jsonrpc":"2.0","id":%s,"res' "$1"
        exit 3
        ;;
    invalid-verdict) answer "$1" '{"disposition":"perhaps"}' ;;
    endless-line) head -c 16777216 /dev/zero | tr '\0' x ;;
    invalid-json) printf '{"jsonrpc":"2.0","id":%s,"result":{"disposition"]\n' "$1" ;;
    wrong-id) answer 987654321 '{"disposition":"handled"}' ;;
    twice)
        reply "$1" FIRST
        reply "$1" SECOND
        ;;
    flood-stdout)
        yes 'this is no message' | head -n 200000
        reply "$1" AFTER
        ;;
    flood-stderr)
        yes 'something went wrong somewhere' | head -n 30000 >&2
        reply "$1" AFTER
        ;;
    fork)
        for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
            setsid sleep 600 </dev/null >/dev/null 2>&1 &
        done
        wait
        ;;
    stubborn)
        trap '' TERM
        while :; do sleep 600; done
        ;;
    esac
}

# Does wrong, if this is where: a beginning has to be the second.
reach() {
    if [ "$when" = "$1" ]; then
        case $when$lives in
        drain* | shutdown* | *[a-z]..) fault "$2" ;;
        esac
    fi
}

reach spawn
while IFS= read -r line; do
    # The request's own id comes first, those within the message behind it.
    id=${line#*\"id\":}
    id=${id%%[,\}]*}
    case $line in
    *'"method":"initialize"'*)
        reach initialize "$id"
        answer "$id" '{"protocol":1,"plugin":{"id":"'"$CASTWAY_PLUGIN_ID"'","version":"1"}}'
        ;;
    *'"method":"message"'*)
        case $line in
        *'"type":"FAULT"'*) fault "$id" ;;
        *'"type":"EXIT"'*) exit 3 ;;
        *'"type":"HOLD"'*) held=$((held + 1)) ;;
        *) reply "$id" ANSWER ;;
        esac
        ;;
    *'"method":"start"'*)
        reach start "$id"
        answer "$id" '{}'
        reach idle "$id"
        ;;
    *'"method":"health"'*) answer "$id" '{"status":"ok"}' ;;
    *'"method":"reload"'*) answer "$id" '{"outcome":"applied"}' ;;
    *'"method":"drain"'*)
        reach drain "$id"
        answer "$id" '{}'
        ;;
    *'"method":"shutdown"'*)
        reach shutdown "$id"
        answer "$id" '{}'
        exit 0
        ;;
    esac
done
