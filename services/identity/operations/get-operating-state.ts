// What the gateways need to know of the operators' settings. They ask every few seconds.
import type { GetOperatingStateRequest } from '@clinic/proto/identity/v1/access_pb.js';
import type { App } from '../app.ts';
import { listLimits, toProto } from './clinic-limits.sql.ts';
import { findMaintenance } from './maintenance.sql.ts';
import { toMaintenance } from './maintenance.ts';

export async function getOperatingState(app: App, _request: GetOperatingStateRequest) {
  const now = app.clock.now();
  const [maintenance, limits] = await Promise.all([findMaintenance(app.db, now), listLimits(app.db)]);
  const isUnderWay = maintenance && maintenance.starts_at <= now;
  return { ...(isUnderWay && { maintenance: toMaintenance(maintenance, now) }), clinics: limits.map(toProto) };
}
