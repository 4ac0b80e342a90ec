// The maintenance and the limits that gateways enforce. Each gateway requests them every few seconds, so they are read by one statement.
import { readSystem, sql } from '@clinic/lib/db/db.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import type { GetOperatingStateRequest } from '@clinic/proto/identity/v1/access_pb.js';
import type { App } from '../app.ts';
import { isUnderWay } from '../clinics/under-way.sql.ts';
import type { LimitsRow } from './clinic-limits.sql.ts';
import type { MaintenanceRow } from './maintenance.sql.ts';
import { toMaintenance } from './maintenance.ts';

/** The maintenance that is under way, or the limits of a clinic that differ from the defaults. */
type StateRow = { [Column in keyof MaintenanceRow]: MaintenanceRow[Column] | null } & { [Column in keyof LimitsRow]: LimitsRow[Column] | null };

const stateStatement = sql<StateRow>(`
  select * from (select starts_at, ends_at, message from maintenance where ${isUnderWay('$1')}) m
  full join (
    select clinic_id, read_only, requests_per_minute, concurrent_requests from clinic_limits
    where read_only or requests_per_minute is not null or concurrent_requests is not null
  ) l on false`);

export async function getOperatingState(app: App, _request: GetOperatingStateRequest) {
  const now = app.clock.now();
  // As the system: over all clinics.
  const state = await readSystem(app.db, stateStatement, [now]);
  const maintenance = state.find(({ starts_at }) => starts_at !== null) as MaintenanceRow | undefined;
  const limits = state.filter(({ clinic_id }) => clinic_id !== null) as LimitsRow[];
  return { ...(maintenance && { maintenance: toMaintenance(maintenance, now) }), clinics: limits.map(toFields) };
}
