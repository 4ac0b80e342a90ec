// Which addresses webhooks may be sent to: those of the public internet.
import ipaddr from 'ipaddr.js';

// IPv6 addresses outside of it are local, or hold an IPv4 address in a form of their own.
const GLOBAL_UNICAST: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

/** `address` is an IPv4 or IPv6 address. An IPv4 address within an IPv6 one counts as itself. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed.kind() === 'ipv4' || (parsed as ipaddr.IPv6).match(...GLOBAL_UNICAST);
}
