// Fills the tables of a migrated database directly, as their owner: clinics with a user, doctors with hours,
// patients, and appointments over 180 days before and after today.
import { searchName } from '@clinic/lib/formats/search-name.ts';
import { hash } from '@node-rs/argon2';
import type pg from 'pg';
import { v7 } from 'uuid';
import { withClient } from '../database.ts';
import { copyIn } from './copy.ts';
import {
  cellAt,
  cellOfAppointment,
  clinicId,
  type Dataset,
  doctorId,
  doctorsOf,
  HOURS,
  idOf,
  PATIENTS,
  patientId,
  patientName,
  patientPhone,
  sessionId,
  userId,
  ZONE,
} from './dataset.ts';
import { progress } from './progress.ts';

const PASSWORD = 'Bench-clinics-2026';
const WEEKDAYS = [1, 2, 3, 4, 5, 6];
const NULL = '\\N';

const clinics = (data: Dataset) => Array.from({ length: data.clinics }, (_, clinic) => clinic);
const tabbed = (...values: unknown[]) => values.join('\t');

export async function loadDataset(ownerUrl: string, data: Dataset): Promise<void> {
  await withClient(ownerUrl, async (client) => {
    await loadClinics(client, data);
    await loadDoctors(client, data);
    await loadAppointments(client, data);
    // Otherwise autovacuum would run during a measurement.
    await client.query('vacuum (analyze)');
    await client.query('checkpoint');
  });
}

async function loadClinics(client: pg.Client, data: Dataset): Promise<void> {
  const now = new Date();
  const expires = new Date(now.getTime() + 365 * 24 * 3_600_000).toISOString();
  const createdAt = now.toISOString();
  const passwordHash = await hash(PASSWORD, { memoryCost: 19_456, timeCost: 2, parallelism: 1 });
  await copyIn(
    client,
    'identity.clinics (clinic_id, name, slug, timezone, clinic_type, subscription_plan, subscription_expires_at, invite_code_id, created_at, updated_at)',
    clinics(data).map((n) =>
      tabbed(clinicId(n), `Clínica ${n}`, `clinica-${n}`, ZONE, 'dental', 'clinica', expires, idOf(`invite ${n}`), createdAt, createdAt),
    ),
  );
  await copyIn(
    client,
    'identity.users (clinic_id, id, email, full_name, app_role, password_hash, registered_clinic, created_at, updated_at)',
    clinics(data).map((n) => tabbed(clinicId(n), userId(n), `admin${n}@bench.example`, `Admin ${n}`, 'admin', passwordHash, 't', createdAt, createdAt)),
  );
  await copyIn(
    client,
    'identity.session_families (clinic_id, id, user_id, created_at, expires_at)',
    clinics(data).map((n) => tabbed(clinicId(n), sessionId(n), userId(n), createdAt, expires)),
  );
}

async function loadDoctors(client: pg.Client, data: Dataset): Promise<void> {
  const doctors = clinics(data).flatMap((clinic) => Array.from({ length: doctorsOf(clinic) }, (_, doctor) => ({ clinic, doctor })));
  const week = doctors.flatMap((one) => WEEKDAYS.map((day) => ({ ...one, day })));
  const patients = clinics(data).flatMap((clinic) => Array.from({ length: PATIENTS }, (_, patient) => ({ clinic, patient })));
  await copyIn(
    client,
    'scheduling.doctors (clinic_id, id, full_name, specialty, consultation_duration_minutes, buffer_time_minutes)',
    doctors.map(({ clinic, doctor }) => tabbed(clinicId(clinic), doctorId(clinic, doctor), `Dra. ${doctor} ${clinic}`, 'Odontología', HOURS.minutes, 0)),
  );
  await copyIn(
    client,
    'scheduling.doctor_working_hours (clinic_id, doctor_id, id, day_of_week, start_time, end_time)',
    week.map(({ clinic, doctor, day }) => tabbed(clinicId(clinic), doctorId(clinic, doctor), v7(), day, HOURS.opens, HOURS.closes)),
  );
  await copyIn(
    client,
    'scheduling.doctor_breaks (clinic_id, doctor_id, id, day_of_week, start_time, end_time)',
    week.map(({ clinic, doctor, day }) => tabbed(clinicId(clinic), doctorId(clinic, doctor), v7(), day, HOURS.breakStarts, HOURS.breakEnds)),
  );
  await copyIn(
    client,
    'scheduling.patients (clinic_id, id, full_name, search_name, phone)',
    patients.map(({ clinic, patient }) => {
      const name = patientName(patient);
      return tabbed(clinicId(clinic), patientId(clinic, patient), name, searchName(name), patientPhone(clinic, patient));
    }),
  );
}

async function loadAppointments(client: pg.Client, data: Dataset): Promise<void> {
  const bar = progress(`${(data.each * data.clinics).toLocaleString('en')} appointments`, data.each * data.clinics);
  await withoutIndexes(client, 'scheduling.appointments', () =>
    copyIn(
      client,
      `scheduling.appointments (clinic_id, id, doctor_id, patient_id, appointment_date, start_time, end_time, starts_at, busy, status, source,
        idempotency_key, cancelled_at, completed_at, created_at, updated_at)`,
      appointments(data, bar.to),
    ),
  );
  bar.end();
}

/** Runs `fill` with only the primary key of the table and without triggers, and creates the other indexes afterwards, which is much faster. */
async function withoutIndexes(client: pg.Client, table: string, fill: () => Promise<void>): Promise<void> {
  const { rows } = await client.query<{ drop: string; make: string }>(
    `select coalesce('alter table ' || $1::text || ' drop constraint ' || quote_ident(c.conname), 'drop index ' || i.indexrelid::regclass) as drop,
       coalesce('alter table ' || $1::text || ' add constraint ' || quote_ident(c.conname) || ' ' || pg_get_constraintdef(c.oid), pg_get_indexdef(i.indexrelid)) as make
     from pg_index i left join pg_constraint c on c.conindid = i.indexrelid and c.contype in ('u', 'x') where i.indrelid = $1::regclass and not i.indisprimary`,
    [table],
  );
  await client.query(rows.map(({ drop }) => drop).join(';'));
  await client.query(`set session_replication_role = replica; set maintenance_work_mem = '256MB'`);
  await fill();
  for (const { make } of rows) await client.query(make);
  await client.query('reset session_replication_role; reset maintenance_work_mem');
}

/** In order of time over all clinics, which is the order of rows on disk when many clinics book. */
function* appointments(data: Dataset, done: (count: number) => void): Generator<string> {
  const ids = clinics(data).map((clinic) => ({
    clinic: clinicId(clinic),
    doctors: Array.from({ length: doctorsOf(clinic) }, (_, doctor) => doctorId(clinic, doctor)),
    patients: Array.from({ length: PATIENTS }, (_, patient) => patientId(clinic, patient)),
  }));
  for (let n = 0; n < data.each; n++) {
    for (const [clinic, known] of ids.entries()) {
      const at = cellAt(data, clinic, cellOfAppointment(data, clinic, n));
      const status = statusOf(at.past, n + clinic);
      const id = v7();
      yield tabbed(
        known.clinic,
        id,
        known.doctors[at.doctor],
        known.patients[(n * 7 + clinic) % PATIENTS],
        at.date,
        at.startTime,
        at.endTime,
        at.startsAt,
        `[${at.startsAt},${at.endsAt})`,
        status,
        n % 5 === 0 ? 'chat' : 'manual',
        `MANUAL_${id}`,
        status === 'cancelled' ? at.startsAt : NULL,
        status === 'completed' ? at.endsAt : NULL,
        at.startsAt,
        at.startsAt,
      );
    }
    done((n + 1) * data.clinics);
  }
}

/** One in twelve is cancelled, and one in twelve of those in the past was missed. */
function statusOf(past: boolean, n: number): string {
  if (n % 12 === 0) return 'cancelled';
  if (!past) return 'confirmed';
  return n % 12 === 6 ? 'no_show' : 'completed';
}
