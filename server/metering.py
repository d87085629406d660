"""What a tool tells of its costs: a metered budget is owed only once the work that it stands for has begun."""

from server.exchange import current_exchange


def owe_reserved() -> None:
    """The metered budgets that were reserved for the call in progress are owed; nothing where none were."""
    exchange = current_exchange.get()
    if exchange is not None and exchange.ticket is not None:
        exchange.ticket.owe_reserved()
