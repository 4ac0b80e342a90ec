// Delivers webhooks of both providers, each ten times, concurrently and out of order, while something that their processing needs is unavailable.
// They must be acknowledged in time and have their effect once, in order for each phone. Deliveries that cannot be stored must be refused in time.
import { setTimeout as sleep } from 'node:timers/promises';
import { signal } from '../processes.ts';
import { type Random, seeded } from '../random.ts';
import { percentile } from '../statistics.ts';
import { addChatFault, family } from './campaign/faults.ts';
import { type Installation, startInstallation, type Topology } from './campaign/installation.ts';
import { examine, settle } from './campaign/invariants.ts';
import { emptyLedger, type Ledger, orderOf, setUpClinic, WORDS } from './campaign/load.ts';
import { type Ask, chatMessage, send } from './clinic.ts';

const TIMES = 10;
const PHONES = 15;
const SPREAD_MS = 6_000;
/** The pause after which a provider delivers again. */
const AGAIN_MS = 500;
const GIVE_UP_MS = 60_000;

const P99_MS = 100;
/** The payment provider retries a delivery only three times, so the product waits longer for a slow database. */
const LIMIT_MS: Record<string, number> = { chat: 500, payments: 8_000 };

/** `begin` makes something unavailable and returns a function that makes it available again. */
type Outage = { name: string; begin(installation: Installation): Promise<() => unknown> };

const freeze = (pids: number[]) => {
  signal(pids, 'SIGSTOP');
  return () => signal(pids, 'SIGCONT');
};

/** The services that process deliveries. */
const WORKERS = ['identity', 'scheduling', 'dental', 'platform'];

const OUTAGES: Outage[] = [
  { name: 'none', begin: async () => () => {} },
  { name: 'NATS frozen', begin: async (installation) => freeze(family(installation.store('nats'))) },
  {
    name: 'the chat provider fails',
    async begin(installation) {
      await addChatFault(installation, { status: 500, message: 'Simulated', times: 15 });
      return () => {};
    },
  },
  {
    name: 'the services that process them frozen',
    begin: async (installation) => freeze(installation.processes().flatMap(({ name, pid }) => (WORKERS.includes(name) ? [pid] : []))),
  },
  { name: 'PostgreSQL frozen', begin: async (installation) => freeze(family(installation.store('postgres'))) },
];

export type Row = { outage: string; provider: string; deliveries: number; refused: number; latencies: number[]; refusals: number[]; faults: string[] };

export async function measureWebhooks({ topology, print }: { topology: Topology; print: (line: string) => void }): Promise<Row[]> {
  const installation = await startInstallation(topology);
  const rows: Row[] = [];
  try {
    await measure(installation, OUTAGES[0] as Outage, seeded(OUTAGES.length)); // a warm-up
    for (const [seed, outage] of OUTAGES.entries()) {
      if (topology === 'single' && outage.name.startsWith('the services')) continue;
      print(outage.name);
      rows.push(...(await measure(installation, outage, seeded(seed))));
    }
  } finally {
    await installation.stop();
  }
  return rows;
}

async function measure(installation: Installation, outage: Outage, random: Random): Promise<Row[]> {
  const clinic = await setUpClinic(installation);
  const ledger = emptyLedger(random);
  const rowOf = (provider: string): Row => ({ outage: outage.name, provider, deliveries: 0, refused: 0, latencies: [], refusals: [], faults: [] });
  const rows = { '/webhooks/chat': rowOf('chat'), '/webhooks/payments': rowOf('payments') };
  const end = await outage.begin(installation);
  const ended = sleep(SPREAD_MS).then(end);
  await Promise.all([deliverChats(), deliverTimes(orderOf(installation, clinic, ledger), random)]);
  ledger.order.outcome = 'acknowledged';
  await ended;
  const { left } = await settle(installation);
  rows['/webhooks/chat'].faults.push(...left, ...(await examine(installation, clinic, ledger)));
  return Object.values(rows);

  function deliverChats() {
    return Promise.all(
      Array.from({ length: PHONES }, async (_, index) => {
        const chat: Ledger['chats'][number] = { phone: `+5037${String(1_000_001 + index)}`, words: [] };
        ledger.chats.push(chat);
        const repeats: Promise<void>[] = [];
        await sleep(random.below(SPREAD_MS / 2));
        for (const text of WORDS) {
          chat.words.push(text);
          const delivery = chatMessage(clinic, installation.chatSecret, { from: chat.phone.slice(1), text });
          await untilAcknowledged(delivery); // so that the next text is sent later
          repeats.push(deliverTimes(delivery, random, TIMES - 1));
        }
        await Promise.all(repeats);
      }),
    );
  }

  async function deliverTimes(delivery: Ask, draw: Random, times = TIMES): Promise<void> {
    const pauses = Array.from({ length: times }, () => draw.below(SPREAD_MS / 3));
    await Promise.all(pauses.map((ms) => sleep(ms).then(() => untilAcknowledged(delivery))));
  }

  async function untilAcknowledged(delivery: Ask): Promise<void> {
    const giveUp = performance.now() + GIVE_UP_MS;
    const row = rows[delivery.path as keyof typeof rows];
    for (;;) {
      const sent = performance.now();
      const { status } = await send(installation.url, delivery);
      const ms = performance.now() - sent;
      row.deliveries++;
      if (status === 200) return void row.latencies.push(ms);
      row.refused++;
      row.refusals.push(ms);
      if (status !== 503) row.faults.push(`refused with ${status}`);
      if (performance.now() > giveUp) return void row.faults.push('never acknowledged');
      await sleep(AGAIN_MS);
    }
  }
}

export function reportWebhooks(rows: Row[]): { lines: string[]; passed: boolean } {
  const shown = rows.map(({ outage, provider, deliveries, refused, latencies, refusals, faults }) => {
    const figures = [...[0.5, 0.99, 1].map((share) => percentile(latencies, share)), percentile(refusals, 1)].map((ms) => ms.toFixed(0));
    return `| ${outage} | ${provider} | ${deliveries} | ${refused} | ${figures.join(' | ')} | ${faults.length === 0 ? 'none' : [...new Set(faults)].join('; ')} |`;
  });
  const header = '| unavailable | provider | deliveries | of these 503 | p50 (ms) | p99 (ms) | slowest 200 (ms) | slowest 503 (ms) | violations |';
  return {
    lines: [header, '|---|---|---|---|---|---|---|---|---|', ...shown],
    passed: rows.every(
      ({ outage, provider, latencies, refusals, faults }) =>
        faults.length === 0 &&
        percentile([...latencies, ...refusals], 1) < (LIMIT_MS[provider] ?? 0) &&
        (outage.startsWith('PostgreSQL') || percentile(latencies, 0.99) <= P99_MS),
    ),
  };
}
