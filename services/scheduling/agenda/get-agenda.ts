// The agenda of a day by doctor, with appointments and gaps.

import { inTenant } from '@clinic/lib/db/db.ts';
import { dateIn, parseLocalDate } from '@clinic/lib/formats/local-date.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetAgendaRequest } from '@clinic/proto/scheduling/v1/agenda_pb.js';
import type { App } from '../app.ts';
import { buildAgenda } from './build-agenda.ts';

export async function getAgenda(app: App, request: GetAgendaRequest, call: Call) {
  const { id, timezone } = clinicOf(call);
  const date = request.date === undefined ? dateIn(timezone, app.clock.now()) : parseLocalDate('date', request.date);
  const doctorId = request.doctorId === undefined ? null : parseUuid('doctor_id', request.doctorId);
  return inTenant(app.db, id, (tx) => buildAgenda(tx, timezone, date, doctorId));
}
