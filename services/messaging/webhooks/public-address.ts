// The addresses to which webhooks may be sent: those of the public internet.
import ipaddr from 'ipaddr.js';

// IPv6 addresses outside of this range are local, or embed an IPv4 address.
const GLOBAL_UNICAST: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

/** `address` is an IPv4 or IPv6 address. An IPv4-mapped IPv6 address is treated as the IPv4 address. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed.kind() === 'ipv4' || (parsed as ipaddr.IPv6).match(...GLOBAL_UNICAST);
}
