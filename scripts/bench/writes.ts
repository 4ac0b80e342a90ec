// `npm run bench -- --writes`: the cost of bookings, status changes, payments and treatment plans with their events, reminders and figures, in
// clinics with a chat number, at a steady rate; and the cost of a product that nobody uses.
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 } from 'uuid';
import { memoryOf } from '../processes.ts';
import type { Topology } from './children.ts';
import { send, startConnectedProduct } from './connected-product.ts';
import { type Cost, costOf, during, type Statement, usePerMs } from './counters.ts';
import { type Dataset, doctorId, freeCell, PATIENTS, patientId, patientName, patientPhone } from './dataset.ts';
import { whileRunning } from './while-running.ts';

export const CLINICS = 20;
/** By then the work caused by the last request is done: events, reminders, figures, the audit chain. */
export const DRAIN_MS = 8_000;
/** Requests of each kind before the measurement, so that V8 has compiled the code as in a process in use. */
const WARM_UP = { rate: 50, pieces: 600 };
const STATUSES = ['completed', 'completed', 'completed', 'no_show', 'cancelled'];
const PAYMENTS_A_PLAN = 5;

export const KINDS = ['booking', 'status change', 'payment', 'treatment plan'] as const;
export type Kind = (typeof KINDS)[number];

/** `share`: of a core. Less than a thousandth cannot be measured in a minute. */
type Idle = { share: number; node: number; postgres: number; nats: number; statementsPerSecond: number; walPerDayMb: number; statements: Statement[] };
type WriteFigures = { date: string; topology: Topology; untouched: Idle; idle: Idle; costs: Record<Kind, Cost>; memoryMb: number };

export function measureWrites(topology: Topology, quick: boolean, log: (line: string) => void): Promise<WriteFigures> {
  return whileRunning(async (running) => {
    log(`starting PostgreSQL, NATS and the product, ${topology}`);
    const { data, product, tokens, counters, connectNumbers } = await startConnectedProduct(topology, CLINICS, running);
    const rest = () => during(counters, () => sleep(quick ? 20_000 : 60_000));
    await sleep(quick ? 20_000 : 120_000); // after a start V8 compiles, and PostgreSQL cleans up what was loaded
    log('untouched');
    const untouched = idleOf(usePerMs(await rest()));
    await connectNumbers();
    const rate = quick ? 10 : 20;
    const pieces = quick ? 150 : 600;
    const requests = openRequests(product.url, tokens, data);
    log('warm-up');
    for (const kind of KINDS) await atRate(WARM_UP.rate, WARM_UP.pieces, await requests[kind](WARM_UP.pieces));
    await sleep(DRAIN_MS);
    log('idle');
    const quiet = usePerMs(await rest());
    const costs = {} as Record<Kind, Cost>;
    for (const kind of KINDS) {
      const send = await requests[kind](pieces);
      await sleep(DRAIN_MS);
      log(`${pieces} × ${kind}, ${rate} a second`);
      const work = await during(counters, async () => {
        await atRate(rate, pieces, send);
        await sleep(DRAIN_MS);
      });
      costs[kind] = costOf(work, quiet, pieces);
    }
    const memoryMb = product.parts.flatMap(({ pids }) => pids()).reduce((total, pid) => total + memoryOf(pid), 0);
    return { date: new Date().toISOString(), topology, untouched, idle: idleOf(quiet), costs, memoryMb };
  });
}

const DAY_MS = 86_400_000;

function idleOf({ node, postgres, nats, statements, wal }: ReturnType<typeof usePerMs>): Idle {
  const some = [...statements.values()].map((one) => ({ ...one, calls: one.calls * 1000, ms: one.ms * 1000, wal: one.wal * 1000 }));
  return {
    share: (node + postgres + nats) * 1000,
    node: node * 1000,
    postgres: postgres * 1000,
    nats: nats * 1000,
    statementsPerSecond: some.reduce((total, { calls }) => total + calls, 0),
    walPerDayMb: (wal * DAY_MS) / 1_000_000,
    statements: some.filter(({ calls }) => calls > 0).toSorted((a, b) => b.ms - a.ms),
  };
}

/** Sends `pieces` requests at equal intervals, whether or not earlier ones were answered. */
export async function atRate(rate: number, pieces: number, send: (n: number) => Promise<unknown>): Promise<void> {
  const begun = performance.now();
  const sendInTime = async (n: number) => {
    await sleep(Math.max(0, begun + (n * 1000) / rate - performance.now()));
    await send(n);
  };
  await Promise.all(Array.from({ length: pieces }, (_, n) => sendInTime(n)));
}

/** For each kind, a function that prepares as many requests and returns a function that sends the n-th. */
export function openRequests(url: string, tokens: string[], data: Dataset): Record<Kind, (pieces: number) => Promise<(n: number) => Promise<unknown>>> {
  const booked: { clinic: number; id: string }[] = [];
  const tries = new Map<number, number>();
  const call = async (clinic: number, method: string, path: string, body: object): Promise<{ id: string }> => {
    const headers = { authorization: `Bearer ${tokens[clinic]}`, 'content-type': 'application/json', 'idempotency-key': v7() };
    return (await send(`${url}${path}`, { method, headers, body: JSON.stringify(body) })) as { id: string };
  };
  const nextCell = (clinic: number) => {
    for (let n = tries.get(clinic) ?? 0; ; n++) {
      const cell = freeCell(data, clinic, n);
      tries.set(clinic, n + 1);
      if (cell) return cell;
    }
  };
  return {
    booking: async () => async (n) => {
      const clinic = n % CLINICS;
      const { doctor, date, startTime } = nextCell(clinic);
      const patient = Math.floor(n / CLINICS) % PATIENTS;
      const { id } = await call(clinic, 'POST', '/api/appointments', {
        doctorId: doctorId(clinic, doctor),
        appointmentDate: date,
        startTime,
        patientName: patientName(patient),
        patientPhone: patientPhone(clinic, patient),
      });
      booked.push({ clinic, id });
    },
    'status change': async () => async (n) => {
      const { clinic, id } = booked.shift() as { clinic: number; id: string };
      await call(clinic, 'PATCH', `/api/appointments/${id}/status`, { status: STATUSES[n % STATUSES.length] });
    },
    payment: async (pieces) => {
      const plans = await Promise.all(
        Array.from({ length: pieces / PAYMENTS_A_PLAN }, async (_, n) => {
          const clinic = n % CLINICS;
          const plan = { patient_id: patientId(clinic, Math.floor(n / CLINICS) % PATIENTS), description: 'Ortodoncia', total_amount: 1200, installments: 12 };
          return { clinic, id: (await call(clinic, 'POST', '/api/dental/payment-plans', plan)).id };
        }),
      );
      return async (n) => {
        const { clinic, id } = plans[n % plans.length] as { clinic: number; id: string };
        await call(clinic, 'POST', `/api/dental/payment-plans/${id}/payments`, { amount: 25, payment_method: 'cash' });
      };
    },
    'treatment plan': async () => async (n) => {
      const clinic = n % CLINICS;
      await call(clinic, 'POST', '/api/dental/treatment-plans', {
        patient_id: patientId(clinic, Math.floor(n / CLINICS) % PATIENTS),
        title: 'Rehabilitación',
        estimated_total: 850,
      });
    },
  };
}

export function reportWrites({ topology, untouched, idle, costs, memoryMb }: WriteFigures): string {
  const rest = (name: string, { share, node, postgres, nats, statementsPerSecond, walPerDayMb }: Idle) =>
    `${name.padEnd(16)} ${(share * 100).toFixed(2)} % of a core (Node ${(node * 100).toFixed(2)}, PostgreSQL ${(postgres * 100).toFixed(2)}, NATS ${(nats * 100).toFixed(2)}), ` +
    `${statementsPerSecond.toFixed(1)} statements a second, ${walPerDayMb.toFixed(0)} MB of WAL a day`;
  return [
    `${topology}, ${memoryMb.toFixed(0)} MB`,
    rest('untouched', untouched),
    rest('idle', idle),
    ...KINDS.map((kind) => {
      const { node, postgres, nats, calls, walBytes } = costs[kind];
      const statements = Object.values(calls).reduce((total, some) => total + some, 0);
      return (
        `${kind.padEnd(16)} ${(node + postgres + nats).toFixed(1)} ms of processor (Node ${node.toFixed(1)}, PostgreSQL ${postgres.toFixed(1)}, NATS ${nats.toFixed(1)}), ` +
        `${statements.toFixed(1)} statements, ${(walBytes / 1000).toFixed(1)} kB of WAL`
      );
    }),
  ].join('\n');
}
