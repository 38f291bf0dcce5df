"""What must not be written down: secrets by the names under which apps send them."""

import json
import re

#: Compared without regard to case, "-" and "_": accessToken, access_token and Access-Token are one name.
NAMES = (
    "credentials", "customData", "token", "accessToken", "refreshToken", "idToken", "authToken", "authorization",
    "auth", "password", "passwd", "secret", "clientSecret", "apiKey", "cookie", "licenseUrl", "signature", "sig",
)
REDACTED = "[redacted]"
_QUERY = re.compile(r"([?&;#])([^=&;#?]+)=([^&;#]*)")
_USER = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]*://)[^/@?#]*@")


def _plain(name):
    return name.lower().replace("-", "").replace("_", "")


class Redaction:
    def __init__(self, more=()):
        self.names = {_plain(name) for name in (*NAMES, *more)}

    def hides(self, name):
        return _plain(name) in self.names

    def clean(self, value):
        """The same value, with what hides under the names replaced; texts that hold JSON or a URL are looked through."""
        if isinstance(value, dict):
            return {
                name: REDACTED if self.hides(name) and member not in (None, "", {}, []) else self.clean(member)
                for name, member in value.items()
            }
        if isinstance(value, list):
            return [self.clean(member) for member in value]
        if isinstance(value, str):
            return self.clean_text(value)
        return value

    def clean_text(self, text):
        if text[:1] in ("{", "["):
            try:
                return json.dumps(self.clean(json.loads(text)), separators=(",", ":"), ensure_ascii=False)
            except (ValueError, RecursionError):
                return text
        if "://" in text:
            text = _USER.sub(r"\1%s@" % REDACTED, text)
        if "=" in text and ("://" in text or text.startswith(("/", "?"))):
            text = _QUERY.sub(self._clean_parameter, text)
        return text

    def _clean_parameter(self, match):
        mark, name, value = match.groups()
        hidden = value and (self.hides(name) or _plain(name) == "key")
        return "%s%s=%s" % (mark, name, REDACTED if hidden else value)
