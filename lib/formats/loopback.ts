// Loopback addresses, which only this machine can reach.

export const isLoopback = (host: string): boolean => /^(localhost|\[?::1\]?|127(\.\d{1,3}){3}|::ffff:127(\.\d{1,3}){3})$/.test(host);

/** Whether all hosts of a gRPC address are loopback, for example those of `ipv4:127.0.0.1:7000,127.0.0.1:7001`. */
export function isLoopbackAddress(address: string): boolean {
  const hosts = address
    .replace(/^(dns|ipv4|ipv6):(\/\/[^/]*\/)?/, '')
    .split(',')
    .map((host) => host.replace(/:\d+$/, ''));
  return hosts.every(isLoopback);
}
