// Voids an entry by adding an entry that replaces it with nothing.
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail } from '@clinic/lib/errors/errors.ts';
import { parseOptionalText } from '@clinic/lib/formats/text.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { VoidChartEntryRequest } from '@clinic/proto/dental/v1/chart_pb.js';
import type { App } from '../../app.ts';
import { getPatientToChange } from '../../patients/find-patients.ts';
import { appendEntry } from '../append-entry.ts';

export async function voidChartEntry(app: App, request: VoidChartEntryRequest, call: Call) {
  const notes = parseOptionalText('reason', request.reason, 2000);
  const patient = await getPatientToChange(app, call, request.patientId);
  if (!isUuid(request.entryId)) fail('NOT_FOUND', 'Chart entry not found');
  return inTenant(app.db, clinicOf(call).id, (tx) => appendEntry(app, tx, call, patient, { kind: 'void', notes, replaces: request.entryId }));
}
