"""Step 9 of hosting contract 3.1 without its HTTP: a credential must be good where one counts, then who is calling."""

from collections.abc import Sequence

from core.clock import Clock
from server.limits.identity import Caller, Identities
from server.limits.key_file import FollowedKeys
from server.limits.keys import KeyRing

_NO_KEYS = KeyRing()


class CredentialRefused(Exception):
    """A credential is missing where one is needed, or is not valid; `caller` is whom that counts against."""

    def __init__(self, caller: Caller) -> None:
        super().__init__("credential refused")
        self.caller = caller


class Callers:
    """Finds the caller of a request; `keys` is None where no key file is configured."""

    def __init__(self, identities: Identities, clock: Clock, *, keys: FollowedKeys | None, anonymous: bool) -> None:
        self._identities = identities
        self._clock = clock
        self._keys = keys
        self._anonymous = anonymous

    async def find(
        self, host: str | None, forwarded: Sequence[str], tag: str | None, authorization: Sequence[bytes]
    ) -> Caller:
        """The caller by key, address or tag. Raises `CredentialRefused`; as long as there is no key none is looked at.

        `host` is None for a Unix socket; `forwarded` and `authorization` are the lines of their fields, in order.
        """
        ring = _NO_KEYS if self._keys is None else await self._keys.current()
        if authorization and len(ring):
            key = ring.holder(authorization, self._clock.now_s())
            if key is None:
                raise CredentialRefused(self._identities.of_peer(host, forwarded, tag))
            return self._identities.of_key(key.key_id, key.limits)
        caller = self._identities.of_peer(host, forwarded, tag)
        if not self._anonymous:
            raise CredentialRefused(caller)
        return caller
