// Where the running product is that the tests at the door knock on. The same tests run on both topologies.

export type PublicApi = {
  topology: 'single' | 'distributed';
  /** For example http://localhost:41234, without a slash at the end. */
  baseUrl: string;
  adminUrl: string;
  operatorKey: string;
  /** Sign-in of the demo clinic's admin. */
  demo: { email: string; password: string };
  /** Holds postgres/cluster/postmaster.pid and nats/nats.pid, for tests that break things. */
  dataDir: string;
};

declare const TOPOLOGY: PublicApi['topology'];

export function publicApi(): PublicApi {
  const told = process.env[`CLINIC_DOOR_${TOPOLOGY.toUpperCase()}`];
  if (!told) throw new Error('no running product: put the test into gateway/tests/door');
  return JSON.parse(told) as PublicApi;
}
