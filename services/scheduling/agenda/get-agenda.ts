// The agenda of a day by doctor, with appointments and gaps.

import { inTenant } from '@clinic/lib/db/db.ts';
import { dateIn, parseLocalDate } from '@clinic/lib/formats/local-date.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetAgendaRequest } from '@clinic/proto/scheduling/v1/agenda_pb.js';
import type { App } from '../app.ts';
import { findZone } from '../clinics/clinics.sql.ts';
import { buildAgenda } from './build-agenda.ts';

export async function getAgenda(app: App, request: GetAgendaRequest, call: Call) {
  const clinic = clinicOf(call);
  const asked = request.date === undefined ? undefined : parseLocalDate('date', request.date);
  const doctorId = request.doctorId === undefined ? null : parseUuid('doctor_id', request.doctorId);
  return inTenant(app.db, clinic.id, async (tx) => {
    const timezone = await findZone(tx, clinic.id, clinic.timezone);
    return buildAgenda(tx, timezone, asked ?? dateIn(timezone, app.clock.now()), doctorId);
  });
}
