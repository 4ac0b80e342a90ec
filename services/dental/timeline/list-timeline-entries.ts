// Plans, payments, chart entries and periodontal exams of a patient.
import { parseTimelineAfter, toTimelineEntry } from '@clinic/lib/formats/timeline.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ListTimelineEntriesRequest } from '@clinic/proto/dental/v1/timeline_pb.js';
import type { App } from '../app.ts';
import { clinicToday } from '../payment-plans/payment-plan-changes.ts';
import { listEntries } from './timeline.sql.ts';

export async function listTimelineEntries(app: App, request: ListTimelineEntriesRequest, call: Call) {
  const after = parseTimelineAfter(request);
  const ids = request.patientIds.map((id) => parseUuid('patientIds', id));
  return { entries: (await listEntries(app.db, clinicOf(call).id, ids, clinicToday(app, call), after)).map(toTimelineEntry) };
}
