// The address of the running product for end-to-end tests, which run with both topologies.

export type PublicApi = {
  topology: 'single' | 'distributed';
  /** For example http://localhost:41234, without a trailing slash. */
  baseUrl: string;
  adminUrl: string;
  operatorKey: string;
  /** Credentials of the demo clinic's admin. */
  demo: { email: string; password: string };
  /** Contains postgres/cluster/postmaster.pid and nats/nats.pid, for tests that stop servers. */
  dataDir: string;
};

declare const TOPOLOGY: PublicApi['topology'];

export function publicApi(): PublicApi {
  const variable = `CLINIC_PUBLIC_API_${TOPOLOGY.toUpperCase()}`;
  const api = process.env[variable];
  if (!api) throw new Error(`${variable} is not set: end-to-end tests are in e2e/, where the global setup starts the product`);
  return JSON.parse(api) as PublicApi;
}
