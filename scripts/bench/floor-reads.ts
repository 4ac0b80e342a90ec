// The reads of the floor: the statements of the product, executed by pg as the owner.
import pg from 'pg';
import { findAccessStatement } from '../../services/identity/access/accounts.sql.ts';
import { appointmentsPage } from '../../services/scheduling/appointments/list-appointments.sql.ts';
import { localDay } from '../../services/scheduling/clinics/local-day-rules.ts';
import { dayQuery } from '../../services/scheduling/slots/doctor-day.sql.ts';
import { ZONE } from './dataset.ts';

pg.types.setTypeParser(pg.types.builtins.DATE, (text) => text);

// As many connections as identity and scheduling have, and pipelined like theirs.
export const poolOf = (schema: string) =>
  new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10, pipeline: true, options: `-c search_path=${schema}` } as pg.PoolConfig);

/** The user named by the headers of a request. */
export type Named = { 'x-clinic-id': string; 'x-user-id': string; 'x-session-id': string };

/** Reads user, clinic and session as the access check does. */
export const checkAccess = (identity: pg.Pool, named: Named) =>
  identity.query({ ...findAccessStatement, values: [named['x-clinic-id'], named['x-user-id'], named['x-session-id']] });

export async function listDay(scheduling: pg.Pool, clinic: string, date: string) {
  const { statement, values } = appointmentsPage(clinic, { date }, 50, 0);
  const { rows } = await scheduling.query({ ...statement, values });
  return { appointments: rows, total: rows[0].total };
}

export function dayOf(clinic: string, doctor: string, date: string) {
  const { statement, values } = dayQuery(clinic, doctor, date, localDay(ZONE, date), new Date());
  return { ...statement, values };
}

export const listSlots = async (scheduling: pg.Pool, clinic: string, doctor: string, date: string) =>
  (await scheduling.query(dayOf(clinic, doctor, date))).rows[0];
