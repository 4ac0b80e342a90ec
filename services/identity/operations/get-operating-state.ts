// What the gateways need to know of the operators' settings. They ask every few seconds, so it is one statement.
import { type Db, readSystem, sql } from '@clinic/lib/db/db.ts';
import type { GetOperatingStateRequest } from '@clinic/proto/identity/v1/access_pb.js';
import type { App } from '../app.ts';
import { DIFFERS, type LimitsRow, toProto } from './clinic-limits.sql.ts';
import { IS_NOT_OVER, type MaintenanceRow } from './maintenance.sql.ts';
import { toMaintenance } from './maintenance.ts';

type StateRow = { clinic_id: null } & MaintenanceRow;

const stateStatement = sql<StateRow | LimitsRow>(`
  select starts_at, ends_at, message, null::uuid as clinic_id, null::boolean as read_only,
    null::integer as requests_per_minute, null::integer as concurrent_requests from maintenance where ${IS_NOT_OVER}
  union all select null, null, null, clinic_id, read_only, requests_per_minute, concurrent_requests from clinic_limits where ${DIFFERS}`);

/** As the system: maintenance belongs to no clinic, and the limits to all clinics that differ from the defaults. */
const readState = (db: Db, now: Date) => readSystem(db, stateStatement, [now]);

const isLimits = (row: StateRow | LimitsRow): row is LimitsRow => row.clinic_id !== null;

export async function getOperatingState(app: App, _request: GetOperatingStateRequest) {
  const now = app.clock.now();
  const rows = await readState(app.db, now);
  const maintenance = rows.find((row): row is StateRow => !isLimits(row));
  const isUnderWay = maintenance && maintenance.starts_at <= now;
  return { ...(isUnderWay && { maintenance: toMaintenance(maintenance, now) }), clinics: rows.filter(isLimits).map(toProto) };
}
