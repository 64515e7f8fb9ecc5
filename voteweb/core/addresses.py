"""Internet addresses and hosts: their forms, and which of them anybody on the internet can reach."""

import re
from ipaddress import IPv4Address, IPv4Network, IPv6Network, ip_address, ip_network

#: Addresses that are handed out to hosts of the internet; all other IPv6 addresses are for special use.
_UNICAST = IPv6Network("2000::/3")
#: Parts of it that reach an IPv4 address by a relay (6to4, Teredo), or are set aside after Python's tables were made.
_NO_HOSTS = tuple(map(IPv6Network, ("2001::/23", "2002::/16", "3fff::/20")))
#: IPv4 addresses that a network without IPv4 reaches by a translator (NAT64): the last 32 bits are the address.
_NAT64 = IPv6Network("64:ff9b::/96")
#: Parts of IPv4 that Python takes for global: reserved for protocols, and the relays of 6to4.
_NO_IPV4_HOSTS = tuple(map(IPv4Network, ("192.0.0.0/24", "192.88.99.0/24")))
#: The last labels of names that are only known inside a network, or to one machine.
_PRIVATE_NAMES = frozenset({
    "corp", "home", "internal", "intranet", "lan", "local", "localdomain", "localhost", "private",
})  # fmt: skip

#: A network of addresses.
Network = IPv4Network | IPv6Network
_HOST = re.compile(r"[^\s:/@?#\[\]]+")


def is_address(text: str) -> bool:
    """Tell whether *text* is an IPv4 or IPv6 address."""
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def networks(text: str) -> tuple[Network, ...]:
    """Return the networks in *text*, separated by commas; raise ValueError, whose message names what is none."""
    return tuple(ip_network(word.strip()) for word in text.split(",") if word.strip())


def is_host(text: str) -> bool:
    """Tell whether *text* is an address or a name, without a port or what else a URL has."""
    return is_address(text) or _HOST.fullmatch(text) is not None


def is_local_host(host: str) -> bool:
    """Tell whether only this machine can reach the address or name *host*."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def is_public_address(address: str) -> bool:
    """Tell whether *address* is that of a host on the internet, and of none in a private network or on this machine."""
    try:
        ip = ip_address(address)
    except ValueError:
        return False
    if isinstance(ip, IPv4Address):
        return _is_public_ipv4(ip)
    if ip in _NAT64:
        return _is_public_ipv4(IPv4Address(int(ip) & 0xFFFFFFFF))
    return ip in _UNICAST and ip.is_global and not any(ip in network for network in _NO_HOSTS)


def _is_public_ipv4(ip: IPv4Address) -> bool:
    if ip.is_multicast or ip.is_reserved:  # Python counts both among the global ones
        return False
    return ip.is_global and not any(ip in network for network in _NO_IPV4_HOSTS)


def is_public_host(host: str) -> bool:
    """Tell whether *host*, as links.py maps it, can be meant for everybody."""
    host = host.removesuffix(".")
    labels = host.split(".")
    if is_address(host):
        return is_public_address(host)
    return len(labels) > 1 and labels[-1] not in _PRIVATE_NAMES and labels[-2:] != ["home", "arpa"]
