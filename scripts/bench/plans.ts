// Execution plans of the statements of the hot paths, stored with the figures to explain a slow run.

import type { Batch, Prepared } from '@clinic/lib/db/batch.ts';
import type { TenantTx } from '@clinic/lib/db/db.ts';
import { databaseUrls } from '@clinic/lib/db/migrate.ts';
import type pg from 'pg';
import { v7 } from 'uuid';
import { findAccessStatement } from '../../services/identity/access/accounts.sql.ts';
import { insertAppointment } from '../../services/scheduling/appointments/appointments.sql.ts';
import { appointmentsPage } from '../../services/scheduling/appointments/list-appointments.sql.ts';
import { localDay } from '../../services/scheduling/clinics/local-day-rules.ts';
import { lockPatientByPhone } from '../../services/scheduling/patients/sql/patients.sql.ts';
import { dayQuery } from '../../services/scheduling/slots/doctor-day.sql.ts';
import { withClient } from '../database.ts';
import { clinicId, type Dataset, doctorId, freeCell, patientId, patientPhone, sessionId, userId, ZONE } from './dataset.ts';

export type Plan = { statement: string; text: string; plan: unknown };
type Hot = { statement: string; schema: string; text: string; values: unknown[] };

const CLINIC = 0;

/** Explains the statements as the request role, with row-level security; writes are rolled back. */
export async function explainAll(ownerUrl: string, data: Dataset): Promise<Plan[]> {
  const plans: Plan[] = [];
  for (const { statement, schema, text, values } of await hotStatements(data)) {
    await withClient(
      databaseUrls(ownerUrl, schema).DATABASE_URL,
      async (client) => {
        await client.query(`begin; set local app.clinic_id='${clinicId(CLINIC)}'`);
        const { rows } = await client.query({ text: `explain (analyze, buffers, format json) ${text}`, values });
        await client.query('rollback');
        plans.push({ statement, text: text.trim(), plan: rows[0]['QUERY PLAN'][0] });
      },
      { options: `-c search_path=${schema} -c timezone=UTC` },
    );
  }
  return plans;
}

async function hotStatements(data: Dataset): Promise<Hot[]> {
  const clinic = clinicId(CLINIC);
  const now = new Date();
  const cell = firstFree(data);
  const list = appointmentsPage(clinic, { date: cell.date }, 50, 0);
  const day = dayQuery(clinic, doctorId(CLINIC, cell.doctor), cell.date, localDay(ZONE, cell.date), now);
  const booking = {
    id: v7(),
    doctor_id: doctorId(CLINIC, cell.doctor),
    patient_id: patientId(CLINIC, 0),
    appointment_date: cell.date,
    start_time: cell.startTime,
    end_time: cell.endTime,
    starts_at: new Date(cell.startsAt),
    busy_until: new Date(cell.endsAt),
    source: 'manual' as const,
    notes: null,
    idempotency_key: `MANUAL_${v7()}`,
  };
  return [
    { statement: 'access check', schema: 'identity', text: findAccessStatement.text, values: [clinic, userId(CLINIC), sessionId(CLINIC)] },
    { statement: 'appointments of a day', schema: 'scheduling', text: list.statement.text, values: list.values },
    { statement: 'day of a doctor', schema: 'scheduling', text: day.statement.text, values: day.values },
    await sentBy('patient of a booking', (tx) => lockPatientByPhone(tx, patientPhone(CLINIC, 0))),
    await sentBy('appointment of a booking', (tx) => insertAppointment(tx, booking, now)),
  ];
}

function firstFree(data: Dataset) {
  for (let n = 0; ; n++) {
    const cell = freeCell(data, CLINIC, n);
    if (cell) return cell;
  }
}

/** Captures the statement that a function of a `.sql.ts` file sends. */
async function sentBy(statement: string, send: (tx: TenantTx) => Promise<unknown>): Promise<Hot> {
  let caught: Prepared | undefined;
  const query = ({ statements: [sent] }: Batch) => {
    caught = sent;
    sent?.done(null, { rows: [{}], rowCount: 1 } as unknown as pg.QueryResult);
  };
  await send({ client: { query }, clinicId: clinicId(CLINIC), wrote: new Set() } as unknown as TenantTx);
  return { statement, schema: 'scheduling', text: caught?.text ?? '', values: caught?.values ?? [] };
}
