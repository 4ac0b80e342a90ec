// Each dependency away for a while, one after another: what visitors are answered meanwhile, and how long the way back takes.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { SERVICES } from '../schemas.ts';
import { startBalancer } from './balancer.ts';
import { type Ask, booking, type Clinic, chatMessage, makeClinic, reads, send, signIn } from './clinic.ts';
import type { Cluster } from './cluster.ts';
import { isWhole, type Missing, missingEvents } from './events.ts';
import { drive, failed, type Outcome, tally } from './traffic.ts';

/** What can be taken away. */
export const AWAY = ['postgres', 'nats', ...SERVICES, 'provider'];

export type Absence = {
  what: string;
  meanwhile: Outcome[];
  /** Seconds until every kind of request was answered again; undefined when it was not within a minute. */
  backSeconds: number | undefined;
  missing: Missing;
  /** Messages to patients that had not left two minutes later, and how long the last of them took. */
  unsent: number;
  sentSeconds: number;
};

const PER_SECOND = 10;
const PATIENCE_MS = 60_000;
const MESSAGE_PATIENCE_MS = 120_000; // failed deliveries rest for longer and longer

/** Takes away, one after another, what `only` names, everything without it, for so many seconds each. */
export async function sendAway(cluster: Cluster, options: { seconds: number; only?: string[] | undefined; say: (line: string) => void }): Promise<Absence[]> {
  const { seconds, only, say } = options;
  const balancer = await startBalancer(cluster.gateways);
  try {
    const clinic = await makeClinic(balancer.url, cluster.operatorKey);
    const absences: Absence[] = [];
    for (const what of AWAY.filter((name) => !only || only.includes(name))) {
      say(`${what} is away for ${seconds} s`);
      const absence = await oneAway({ cluster, url: balancer.url, clinic, what, seconds });
      for (const line of told(absence)) say(line);
      absences.push(absence);
    }
    return absences;
  } finally {
    await balancer.stop();
  }
}

type One = { cluster: Cluster; url: string; clinic: Clinic; what: string; seconds: number };

async function oneAway({ cluster, url, clinic, what, seconds }: One): Promise<Absence> {
  let messages = 0;
  const kinds: (() => Ask)[] = [
    ...reads(clinic).map((ask) => () => ask),
    () => booking(clinic),
    () => signIn(clinic),
    () => chatMessage(clinic, cluster.appSecret, messages++),
  ];
  const bring = await takeAway(cluster, what);
  const traffic = drive(url, PER_SECOND, (turn) => (kinds[turn % kinds.length] as () => Ask)());
  await sleep(seconds * 1_000);
  await bring();
  const backSeconds = await untilAnswered(url, kinds);
  await traffic.stop();
  const meanwhile = traffic.outcomes.filter(({ at }) => at < seconds * 1_000);
  const ids = traffic.outcomes.filter(({ kind, status }) => kind === 'booking' && status === 201).map(({ body }) => JSON.parse(body).id as string);
  const missing = await missingEvents(cluster.ownerUrl, ids, PATIENCE_MS);
  const sending = performance.now();
  const unsent = await unsentMessages(cluster.ownerUrl);
  return { what, meanwhile, backSeconds, missing, unsent, sentSeconds: (performance.now() - sending) / 1_000 };
}

/** Returns what brings it back. */
async function takeAway(cluster: Cluster, what: string): Promise<() => Promise<unknown>> {
  if (what === 'postgres' || what === 'nats' || what === 'provider') {
    const wire = cluster[what];
    wire.cut();
    return async () => wire.mend();
  }
  const copies = cluster.processes.filter(({ service }) => service === what);
  await Promise.all(copies.map((one) => one.end()));
  return () => Promise.all(copies.map((one) => one.start()));
}

async function untilAnswered(url: string, kinds: (() => Ask)[]): Promise<number | undefined> {
  const started = performance.now();
  while (performance.now() - started < PATIENCE_MS) {
    const answers = await Promise.all(kinds.map((make) => send(url, make())));
    if (answers.every(({ status }) => status > 0 && status < 500)) return (performance.now() - started) / 1_000;
    await sleep(100);
  }
  return undefined;
}

async function unsentMessages(ownerUrl: string): Promise<number> {
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  try {
    const deadline = performance.now() + MESSAGE_PATIENCE_MS;
    for (;;) {
      const unanswered = `select count(*) as n from messaging.messages where (direction = 'in' and handled_at is null) or (direction = 'out' and status = 'queued')`;
      const unsent = Number((await client.query<{ n: string }>(unanswered)).rows[0]?.n ?? 0);
      if (unsent === 0 || performance.now() > deadline) return unsent;
      await sleep(250);
    }
  } finally {
    await client.end();
  }
}

/** What a person reads. */
function told({ what, meanwhile, backSeconds, missing, unsent, sentSeconds }: Absence): string[] {
  return [
    `${what}: back after ${backSeconds?.toFixed(1) ?? 'more than 60'} s; missing events: ${isWhole(missing) ? 'none' : JSON.stringify(missing)}; unsent messages: ${unsent || `none after ${sentSeconds.toFixed(0)} s`}`,
    ...[...Map.groupBy(meanwhile, ({ kind }) => kind)].map(([kind, outcomes]) => {
      const slowest = Math.max(...outcomes.map(({ ms }) => ms));
      const refused = outcomes.find(failed);
      return `  ${kind.padEnd(16)} ${tally(outcomes)}; slowest ${(slowest / 1_000).toFixed(1)} s${refused ? `; ${refused.body.slice(0, 120)}` : ''}`;
    }),
  ];
}

/** Whether everything came back by itself. */
export const cameBack = (absences: Absence[]) =>
  absences.every(({ backSeconds, missing, unsent }) => backSeconds !== undefined && isWhole(missing) && unsent === 0);
