// The cost of single steps of a request, measured in this process on the same database; two variants alternate.
import { audit } from '@clinic/lib/audit/audit.ts';
import { closeDb, type Db, inTenant, openDb, readTenant, row, sql } from '@clinic/lib/db/db.ts';
import { databaseUrls } from '@clinic/lib/db/migrate.ts';
import { createLog } from '@clinic/lib/telemetry/log.ts';
import { v7 } from 'uuid';
import { resolveAccess } from '../../services/identity/access/resolve-access.ts';
import type { App as Identity } from '../../services/identity/app.ts';
import { appointmentsPage } from '../../services/scheduling/appointments/list-appointments.sql.ts';
import { localDay } from '../../services/scheduling/clinics/local-day-rules.ts';
import { dayQuery } from '../../services/scheduling/slots/doctor-day.sql.ts';
import { type Part, spent, usageOf } from '../processes.ts';
import { median } from '../statistics.ts';
import { clinicId, type Dataset, doctorId, sessionId, userId, ZONE } from './dataset.ts';
import type { Pace } from './rounds.ts';

/** Microseconds per call with `inFlight` calls at a time: elapsed time, and processor time of this process and PostgreSQL. */
export type Cost = { elapsed: number; cpu: number };
type Work = (n: number) => Promise<unknown>;

const log = createLog('bench', 'error');

export const roleDb = (ownerUrl: string, schema: string) => openDb(databaseUrls(ownerUrl, schema), { schema, max: 10, log });

/** Runs the works in turn, `rounds` times each for `seconds`. */
async function costsOf(works: Work[], { seconds, rounds, inFlight }: Pace, stores: Part[]): Promise<Cost[]> {
  const measured: Cost[][] = works.map(() => []);
  const parts = [...stores, { name: 'this', pids: () => [process.pid] }];
  for (const work of works) await spin(work, seconds / 2, inFlight);
  for (let round = 0; round < rounds; round++) {
    for (const [index, work] of works.entries()) {
      const before = usageOf(parts);
      const started = performance.now();
      const calls = await spin(work, seconds, inFlight);
      const elapsed = (performance.now() - started) * 1000;
      const used = spent(before, usageOf(parts));
      measured[index]?.push({ elapsed: elapsed / calls, cpu: (((used.postgres ?? 0) + (used.this ?? 0)) * 1e6) / calls });
    }
  }
  return measured.map((costs) => ({ elapsed: median(costs.map(({ elapsed }) => elapsed)), cpu: median(costs.map(({ cpu }) => cpu)) }));
}

/** Calls `work` repeatedly, `inFlight` at a time. Returns the number of calls. */
async function spin(work: Work, seconds: number, inFlight: number): Promise<number> {
  const end = performance.now() + seconds * 1000;
  let calls = 0;
  const lane = async () => {
    while (performance.now() < end) await work(calls++);
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  return calls;
}

export type Costs = {
  accessCheck: Cost;
  /** Of one row, in a transaction that has other work to do. */
  audit: Cost;
  /** As the request role, and as the owner, to whom row-level security does not apply. */
  rowSecurity: { statement: string; withIt: Cost; without: Cost }[];
};

export async function measureCosts(ownerUrl: string, data: Dataset, stores: Part[], pace: Pace): Promise<Costs> {
  const scheduling = roleDb(ownerUrl, 'scheduling');
  const identity = roleDb(ownerUrl, 'identity');
  const owner = openDb({ DATABASE_URL: ownerUrl, DATABASE_SYSTEM_URL: ownerUrl }, { schema: 'scheduling', max: 10, log });
  try {
    const [accessCheck] = (await costsOf([(n) => resolveAccess({ db: identity } as Identity, access(data, n) as never)], pace, stores)) as [Cost];
    const rowSecurity = [];
    for (const { statement, read } of readsOf(data)) {
      const [withIt, without] = (await costsOf([(n) => read(scheduling, n), (n) => read(owner, n)], pace, stores)) as [Cost, Cost];
      rowSecurity.push({ statement, withIt, without });
    }
    const lines = [false, true].map((audited) => (n: number) => line(scheduling, data, n, audited));
    const [bare, audited] = (await costsOf(lines, pace, stores)) as [Cost, Cost];
    return { accessCheck, audit: { elapsed: audited.elapsed - bare.elapsed, cpu: audited.cpu - bare.cpu }, rowSecurity };
  } finally {
    await Promise.all([scheduling, identity, owner].map(closeDb));
  }
}

const access = (data: Dataset, n: number) => ({
  clinicId: clinicId(n % data.clinics),
  userId: userId(n % data.clinics),
  sessionId: sessionId(n % data.clinics),
});

/** The two most frequent reads. */
function readsOf(data: Dataset) {
  const dateOf = (n: number) => data.days[(n * 7) % data.days.length] ?? '';
  return [
    {
      statement: 'appointments of a day',
      read(db: Db, n: number) {
        const clinic = clinicId(n % data.clinics);
        const { statement, values } = appointmentsPage(clinic, { date: dateOf(n) }, 50, 0);
        return readTenant(db, clinic, statement, values);
      },
    },
    {
      statement: 'day of a doctor',
      read(db: Db, n: number) {
        const clinic = n % data.clinics;
        const day = localDay(ZONE, dateOf(n));
        const { statement, values } = dayQuery(clinicId(clinic), doctorId(clinic, 0), dateOf(n), day, new Date());
        return readTenant(db, clinicId(clinic), statement, values);
      },
    },
  ];
}

const nothing = sql<{ one: number }>('select 1 as one');

/** One transaction, with or without a row in the audit log. */
function line(db: Db, data: Dataset, n: number, audited: boolean) {
  const clinic = clinicId(n % data.clinics);
  return inTenant(db, clinic, async (tx) => {
    const caller = { kind: 'user', id: userId(n % data.clinics), requestId: v7(), ip: '127.0.0.1', role: 'admin' } as const;
    await Promise.all([row(tx, nothing), audited && audit(tx, clinic, caller, { action: 'appointment.booked', entityId: v7() })]);
  });
}
