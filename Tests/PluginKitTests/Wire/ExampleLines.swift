/// One real line of every kind, in the words of the protocol's documentation.
enum ExampleLines {
    static let gateway = [
        #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocol":{"min":1,"max":1},"gateway":{"id":"gw1","name":"Lobby","version":"1.0.0"},"plugin":{"id":"com.example.loyalty","version":"1.4.0"},"instance":"loyalty","features":["defer","kv"],"limits":{"maxInFlight":32,"maxLine":1048576,"deadlineMs":{"filter":250,"handle":1000},"maxDeadlineMs":10000},"grant":{"namespaces":[{"match":"urn:x-cast:com.example.loyalty","phase":"handle"},{"match":"urn:x-cast:com.google.cast.media","phase":"filter","directions":["to_receiver"],"types":["LOAD"],"devices":["lobby"]}],"send":"same_session","events":["loyalty.*"],"network":"none","storage":262144},"config":{"points_per_minute":2,"api_key":"k-…"},"stateDir":"/var/lib/castway/plugins/loyalty"}}"#,
        #"{"jsonrpc":"2.0","id":2,"method":"start","params":{"snapshot":{"devices":[{"name":"lobby","friendlyName":"Lobby TV","target":"living-room"},{"name":"test","friendlyName":"Test"}],"sessions":[{"device":"lobby","id":"s-81","app":"CC1AD845","transport":"web-3","name":"Default Media Receiver","namespaces":["urn:x-cast:com.google.cast.media"]}]}}}"#,
        #"{"jsonrpc":"2.0","id":3,"method":"message","params":{"phase":"handle","deadlineMs":1000,"message":{"id":"m-7001","device":"lobby","direction":"to_receiver","connection":7,"sender":"192.0.2.7","session":"s-81","app":"CC1AD845","source":"sender-4","destination":"web-3","namespace":"urn:x-cast:com.example.loyalty","payload":"{\"type\":\"BALANCE\",\"requestId\":17}","type":"BALANCE","requestId":17}}}"#,
        #"{"jsonrpc":"2.0","id":4,"method":"message","params":{"phase":"filter","deadlineMs":250,"message":{"id":"m-7002","device":"lobby","direction":"to_sender","source":"web-3","destination":"*","namespace":"urn:x-cast:com.google.cast.tp.deviceauth","payloadB64":"AAEC/w=="}}}"#,
        #"{"jsonrpc":"2.0","method":"event","params":{"type":"session.ended","session":"s-81","device":"lobby","dropped":0}}"#,
        #"{"jsonrpc":"2.0","method":"event","params":{"type":"message","message":{"id":"m-7004","device":"lobby","direction":"to_sender","session":"s-81","app":"CC1AD845","source":"web-3","destination":"sender-4","namespace":"urn:x-cast:com.google.cast.media","payload":"[1]"},"dropped":3}}"#,
        #"{"jsonrpc":"2.0","id":"p1","error":{"code":-32001,"message":"not granted: session s-99 is outside 'same_session'"}}"#,
        #"{"jsonrpc":"2.0","id":"p2","result":{"payload":"{\"type\":\"PONG\"}"}}"#,
        #"{"jsonrpc":"2.0","id":6,"method":"reload","params":{"config":{"points_per_minute":"two"}}}"#,
        #"{"jsonrpc":"2.0","id":6,"method":"reload","params":{"config":{},"grant":{"namespaces":[],"send":"none","events":[],"network":"loopback","storage":0}}}"#,
        #"{"jsonrpc":"2.0","id":7,"method":"health","params":{}}"#,
        #"{"jsonrpc":"2.0","method":"cancel","params":{"id":5,"messageId":"m-7003","reason":"flow_closed"}}"#,
        #"{"jsonrpc":"2.0","id":8,"method":"drain","params":{"deadlineMs":5000}}"#,
        #"{"jsonrpc":"2.0","id":9,"method":"shutdown","params":{}}"#,
        #"{"jsonrpc":"2.0","id":10,"method":"clock.advance","params":{"now":1767225600000}}"#,
    ]

    static let plugin = [
        #"{"jsonrpc":"2.0","id":1,"result":{"protocol":1,"plugin":{"id":"com.example.loyalty","version":"1.4.0"},"claims":[{"match":"urn:x-cast:com.example.loyalty","phase":"handle"},{"match":"urn:x-cast:com.google.cast.media","phase":"filter","types":["LOAD"]}],"features":["defer"],"maxInFlight":8}}"#,
        #"{"jsonrpc":"2.0","id":2,"result":{}}"#,
        #"{"jsonrpc":"2.0","id":3,"result":{"disposition":"reply","payload":"{\"type\":\"BALANCE\",\"points\":240}","effects":[{"do":"emit","event":"loyalty.viewed","data":{"points":240},"key":"m-7001"}]}}"#,
        #"{"jsonrpc":"2.0","id":4,"result":{"disposition":"rewrite","payload":"{\"type\":\"LOAD\",\"requestId\":18,\"media\":{\"contentId\":\"https://cdn.example/a.mpd\",\"customData\":{\"tier\":\"gold\"}}}"}}"#,
        #"{"jsonrpc":"2.0","id":5,"result":{"disposition":"defer","maxMs":5000}}"#,
        #"{"jsonrpc":"2.0","method":"message.complete","params":{"messageId":"m-7003","disposition":"reply","payload":"{\"type\":\"REDEEMED\"}","effects":[{"do":"broadcast","namespace":"urn:x-cast:com.example.loyalty","payload":"{\"type\":\"BALANCE\",\"points\":140}"}]}}"#,
        #"{"jsonrpc":"2.0","id":"p1","method":"gateway.send","params":{"device":"lobby","session":"s-99","namespace":"urn:x-cast:com.example.loyalty","payload":"{}","wait":500}}"#,
        #"{"jsonrpc":"2.0","id":"p2","method":"gateway.broadcast","params":{"device":"lobby","namespace":"urn:x-cast:com.example.loyalty","payloadB64":"AAEC"}}"#,
        #"{"jsonrpc":"2.0","id":"p3","method":"gateway.emit","params":{"event":"loyalty.full","data":{"points":9},"key":"k"}}"#,
        #"{"jsonrpc":"2.0","id":"p4","method":"gateway.query","params":{"what":"media","device":"lobby"}}"#,
        #"{"jsonrpc":"2.0","id":"p5","method":"kv.get","params":{"key":"points"}}"#,
        #"{"jsonrpc":"2.0","id":"p6","method":"kv.put","params":{"key":"points","value":{"anna":3}}}"#,
        #"{"jsonrpc":"2.0","id":"p7","method":"kv.delete","params":{"key":"points"}}"#,
        #"{"jsonrpc":"2.0","id":"p8","method":"kv.list","params":{"prefix":"po"}}"#,
        #"{"jsonrpc":"2.0","id":6,"error":{"code":-32010,"message":"invalid configuration","data":{"errors":[{"path":"/points_per_minute","message":"expected a number"}]}}}"#,
        #"{"jsonrpc":"2.0","id":7,"result":{"status":"degraded","message":"points API slow","details":{"p95_ms":740}}}"#,
        #"{"jsonrpc":"2.0","method":"log","params":{"level":"warning","message":"slow","fields":{"ms":740}}}"#,
        #"{"jsonrpc":"2.0","method":"health.changed","params":{"status":"failing","message":"no API"}}"#,
    ]
}
