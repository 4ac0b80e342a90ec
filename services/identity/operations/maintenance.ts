// Maintenance, during which changes of all clinics are refused. Operators set, see and end it.
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { audit } from '@clinic/lib/audit/audit.ts';
import { asSystem } from '@clinic/lib/db/db.ts';
import { found } from '@clinic/lib/errors/errors.ts';
import { parseOptionalText } from '@clinic/lib/formats/text.ts';
import { toTimestamp } from '@clinic/lib/formats/timestamp.ts';
import { NO_CLINIC } from '@clinic/lib/formats/uuid.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { EndMaintenanceRequest, GetMaintenanceRequest, SetMaintenanceRequest } from '@clinic/proto/identity/v1/operations_pb.js';
import { NIL } from 'uuid';
import type { App } from '../app.ts';
import { deleteMaintenance, findMaintenance, type MaintenanceRow, saveMaintenance } from './maintenance.sql.ts';
import { parsePeriod } from './period-rules.ts';

export function toMaintenance({ starts_at, ends_at, message }: MaintenanceRow, now: Date) {
  const active = starts_at <= now && (ends_at === null || ends_at > now);
  return { active, from: timestampFromDate(starts_at), until: toTimestamp(ends_at), message };
}

export async function getMaintenance(app: App, _request: GetMaintenanceRequest) {
  const now = app.clock.now();
  return toMaintenance(found(await findMaintenance(app.db, now), 'Maintenance'), now);
}

export async function setMaintenance(app: App, request: SetMaintenanceRequest, { caller }: Call) {
  const now = app.clock.now();
  const maintenance = { ...parsePeriod(request, now), message: parseOptionalText('message', request.message, 500) ?? '' };
  await asSystem(app.db, async (tx) => {
    await Promise.all([saveMaintenance(tx, maintenance), audit(tx, NO_CLINIC, caller, { action: 'maintenance.set', entityId: NIL, changes: maintenance })]);
  });
  return toMaintenance(maintenance, now);
}

export async function endMaintenance(app: App, _request: EndMaintenanceRequest, { caller }: Call) {
  const now = app.clock.now();
  return asSystem(app.db, async (tx) => {
    const ended = found(await deleteMaintenance(tx, now), 'Maintenance');
    await audit(tx, NO_CLINIC, caller, { action: 'maintenance.ended', entityId: NIL });
    return { ...toMaintenance(ended, now), active: false };
  });
}
