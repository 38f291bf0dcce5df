#!/bin/sh
# Answers every message with its own payload. sh and sed are all it takes, because the gateway keeps two promises: a
# request is one line, and its members stand in the order jsonrpc, id, method, params. A quote within a text is
# escaped, so what looks like "params": or "payload": is just that, and a text that is copied stays what it is.
LC_ALL=C
export LC_ALL

while IFS= read -r line; do
    head=${line%%'"params":'*}
    case $head in
        '{'*'"id":'*'"method":"'*) ;;
        *) continue ;; # a notification, an answer, or nothing that the gateway says
    esac
    id=${head#*'"id":'}
    id=${id%%,\"method\"*}
    method=${head#*'"method":"'}
    method=${method%%\"*}

    result='{}'
    case $method in
        initialize)
            least=${line#*'"protocol":{"min":'}
            if [ "${least%%[!0-9]*}" -gt 1 ]; then
                printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"echo speaks protocol 1"}}\n' "$id"
                continue
            fi
            result='{"protocol":1,"plugin":{"id":"echo","version":"1.0.0"}}'
            ;;
        message)
            result=$(printf '%s\n' "$line" |
                sed -nE 's/.*"(payload|payloadB64)":("([^"\\]|\\.)*").*/{"disposition":"reply","\1":\2}/p')
            ;;
        health) result='{"status":"ok"}' ;;
        reload) result='{"outcome":"applied"}' ;;
        start | drain | shutdown) ;;
        *)
            printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"unknown method"}}\n' "$id"
            continue
            ;;
    esac
    printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "${result:-{\}}"
    [ "$method" != shutdown ] || exit 0
done
