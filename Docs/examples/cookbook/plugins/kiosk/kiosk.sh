#!/bin/sh
# Starts the app of the kiosk as soon as a sender is there, and again when it has ended.
launch='{\"type\":\"LAUNCH\",\"requestId\":1,\"appId\":\"ABCD1234\"}'
number=0

while IFS= read -r line; do
    case $line in
        *'"type":"sender.connected"'* | *'"type":"session.ended"'*)
            number=$((number + 1))
            printf '{"jsonrpc":"2.0","id":%s,"method":"gateway.send","params":{"device":"kiosk","namespace":"urn:x-cast:com.google.cast.receiver","payload":"%s"}}\n' \
                "$number" "$launch"
            continue
            ;;
        '{'*'"id":'*'"method":"'*) ;;
        *) continue ;; # another notification, or an answer
    esac
    id=${line#*'"id":'}
    id=${id%%,\"method\"*}
    method=${line#*'"method":"'}
    method=${method%%\"*}
    result='{}'
    case $method in
        initialize) result='{"protocol":1,"plugin":{"id":"kiosk","version":"1.0.0"}}' ;;
        health) result='{"status":"ok"}' ;;
        reload) result='{"outcome":"applied"}' ;;
    esac
    printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
    [ "$method" != shutdown ] || exit 0
done
