// When messages were exchanged with a patient, without their texts.
import { parseTimelineAfter, toTimelineEntry } from '@clinic/lib/formats/timeline.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ListTimelineEntriesRequest } from '@clinic/proto/messaging/v1/timeline_pb.js';
import type { App } from '../app.ts';
import { listTimelineMessages } from './messages.sql.ts';

export async function listTimelineEntries(app: App, request: ListTimelineEntriesRequest, call: Call) {
  const entries = await listTimelineMessages(app.db, clinicOf(call).id, request.phones, parseTimelineAfter(request));
  return { entries: entries.map(toTimelineEntry) };
}
