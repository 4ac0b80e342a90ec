// `node scripts/bench/tenancy.ts`: what tenant transactions and row-level security cost (docs/decisions/row-level-security.md).
import { type Db, openDb, readTenant, type Statement } from '@clinic/lib/db.ts';
import { type Stoppable, stopAll } from '@clinic/lib/stop.ts';
import { listAppointments } from '../../services/scheduling/appointments/appointments.sql.ts';
import { localDay } from '../../services/scheduling/clinics/local-day-rules.ts';
import { dayStatement, dayValues } from '../../services/scheduling/slots/day.sql.ts';
import { costsOf, log, roleDb } from './costs.ts';
import { clinicId, describe, doctorId, ZONE } from './dataset.ts';
import { loadDataset } from './load.ts';
import { openStores } from './stores.ts';

type Read = (db: Db, clinic: string, statement: Statement<object>, values: unknown[]) => Promise<unknown>;

const pace = { seconds: Number(process.argv[2] ?? 2), rounds: 5, inFlight: 20 };

/** Each step waits for the one before, as without pipelining. */
const oneByOne: Read = async (db, clinic, statement, values) => {
  const client = await db.pool.connect();
  try {
    await client.query('begin');
    await client.query(`select set_config('app.clinic_id', $1, true)`, [clinic]);
    await client.query({ name: statement.name, text: statement.text, values });
    await client.query('commit');
  } finally {
    client.release();
  }
};

const bare: Read = (db, _clinic, statement, values) => db.pool.query({ name: statement.name, text: statement.text, values });

const running: Stoppable[] = [];
try {
  const stores = await openStores(['tenancy'], running);
  const [store] = stores.values();
  if (!store) throw new Error('there is no store');
  const data = describe({ clinics: 100, appointments: 100_000, today: new Date().toISOString().slice(0, 10) });
  await loadDataset(store.ownerUrl, data);
  const tenant = roleDb(store.ownerUrl, 'scheduling');
  const owner = openDb({ url: store.ownerUrl, schema: 'scheduling', max: 10, log });
  running.push({ stop: () => Promise.all([tenant.pool.end(), owner.pool.end()]) });

  const ways: [string, Db, Read][] = [
    ['request role, one by one', tenant, oneByOne],
    ['request role, as lib/db.ts does', tenant, readTenant],
    ['owner, as lib/db.ts does: no row-level security', owner, readTenant],
    ['owner, the statement alone', owner, bare],
  ];
  const dateOf = (n: number) => data.days[(n * 7) % data.days.length] ?? '';
  const reads = {
    'appointments of a day': (n: number) => listAppointments(clinicId(n % data.clinics), { date: dateOf(n) }, 50, 0),
    'day of a doctor': (n: number) => {
      const clinic = n % data.clinics;
      const values = dayValues(clinicId(clinic), doctorId(clinic, 0), dateOf(n), localDay(ZONE, dateOf(n)), new Date());
      return { statement: dayStatement, values };
    },
  };
  for (const [name, readOf] of Object.entries(reads)) {
    const works = ways.map(([, db, read]) => (n: number) => {
      const { statement, values } = readOf(n);
      return read(db, clinicId(n % data.clinics), statement, values);
    });
    console.log(name);
    for (const [index, { elapsed, cpu }] of (await costsOf(works, pace, store.parts)).entries()) {
      console.log(
        `  ${(ways[index]?.[0] ?? '').padEnd(50)} ${Math.round(1e6 / elapsed)
          .toLocaleString('en')
          .padStart(8)}/s ${cpu.toFixed(0).padStart(5)} µs of processor`,
      );
    }
  }
} finally {
  await stopAll(running);
}
