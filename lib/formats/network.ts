// The network of a client's address. The owner of an IPv6 address usually controls its whole /56 network, and may change addresses within it.
import { isIPv6 } from 'node:net';

/** The /56 network of an IPv6 address, for example `2001:db8:1:200::`; any other address unchanged. */
export function networkOf(ip: string): string {
  if (!isIPv6(ip)) return ip;
  const address = new URL(`http://[${ip.replace(/%.*$/, '')}]`).hostname.slice(1, -1);
  const [head = '', tail = ''] = address.split('::');
  const [left, right] = [head, tail].map((part) => part.split(':').filter(Boolean)) as [string[], string[]];
  const groups = [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right].map((group) => Number.parseInt(group, 16));
  const network = [...groups.slice(0, 3), (groups[3] ?? 0) & 0xff00].map((group) => group.toString(16)).join(':');
  return new URL(`http://[${network}::]`).hostname.slice(1, -1);
}
