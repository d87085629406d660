"""Tiers of shared egress: many people behind few addresses, who share one larger budget (hosting contract 4.1)."""

from collections.abc import Iterator, Mapping, Sequence

from server.peers import Network, Ranges


class EgressTiers:
    """Named address ranges; two equal tables are equal."""

    def __init__(self, tiers: Mapping[str, Sequence[Network]]) -> None:
        self.tiers = {name: tuple(networks) for name, networks in tiers.items()}
        self._ranges = tuple((name, Ranges(networks)) for name, networks in self.tiers.items())

    @property
    def names(self) -> tuple[str, ...]:
        """The tiers' names, in the order given."""
        return tuple(self.tiers)

    def tier_of(self, packed: bytes) -> str | None:
        """The name of the tier that an address lies in, or None."""
        for name, ranges in self._ranges:
            if packed in ranges:
                return name
        return None

    def overlaps(self) -> Iterator[tuple[str, str]]:
        """Pairs of tiers that share an address."""
        names = self.names
        for place, name in enumerate(names):
            for other in names[place + 1 :]:
                if any(overlap(one, two) for one in self.tiers[name] for two in self.tiers[other]):
                    yield name, other

    def overlapping(self, networks: Sequence[Network]) -> Iterator[str]:
        """The tiers that share an address with any of these ranges."""
        for name, own in self.tiers.items():
            if any(overlap(one, two) for one in own for two in networks):
                yield name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, EgressTiers) and self.tiers == other.tiers

    def __hash__(self) -> int:
        return hash(tuple(self.tiers.items()))


def overlap(one: Network, two: Network) -> bool:
    """Whether two ranges share an address."""
    return one.version == two.version and one.overlaps(two)
