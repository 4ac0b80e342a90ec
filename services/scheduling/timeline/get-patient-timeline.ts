// The timeline of a patient: one page of each service, merged. A service that is unavailable is named instead of failing the request.
import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { fail, invalid } from '@clinic/lib/errors/errors.ts';
import { parseInteger } from '@clinic/lib/formats/numbers.ts';
import { MAX_TIMELINE, toTimelineEntry } from '@clinic/lib/formats/timeline.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { TimelineEntrySchema } from '@clinic/proto/common/v1/timeline_pb.js';
import type { GetPatientTimelineRequest } from '@clinic/proto/scheduling/v1/patient_timeline_pb.js';
import type { App } from '../app.ts';
import { listEntries, listRecords } from './timeline.sql.ts';

type Entry = MessageInitShape<typeof TimelineEntrySchema>;

/** A service that does not answer is left out after this time. */
const WAIT_MS = 2_000;

export async function getPatientTimeline(app: App, request: GetPatientTimelineRequest, call: Call) {
  const { id: clinicId } = clinicOf(call);
  const limit = parseInteger('limit', request.limit || 50, 1, MAX_TIMELINE);
  const position = request.cursor === undefined ? undefined : parseCursor(request.cursor);
  if (!isUuid(request.patientId)) fail('NOT_FOUND', 'Patient not found');
  const records = await listRecords(app.db, clinicId, request.patientId);
  if (records.length === 0) fail('NOT_FOUND', 'Patient not found');
  const patientIds = records.map(({ id }) => id);
  const phones = records.flatMap(({ phone }) => (phone === null ? [] : [phone]));

  const wanted = { ...(position && { before: timestampFromDate(position.before), beforeId: position.beforeId }), limit: limit + 1 };
  const options = { ...callAs(call.caller), timeoutMs: WAIT_MS };
  const partial: string[] = [];
  const from = (name: string, answer: Promise<{ entries: Entry[] }>) =>
    answer.catch((err: unknown) => {
      app.log.warn({ err, dependency: name }, 'timeline: the entries of a service could not be loaded');
      partial.push(name);
      return { entries: [] };
    });
  // A clinic that cannot use the dental part does not see its entries either.
  const listDental = async () => {
    const { features, clinicType } = await app.access.resolveClinic(
      { clinicId },
      { ...callAs(serviceCaller('scheduling', call.caller.requestId)), timeoutMs: WAIT_MS },
    );
    const hasDental = features.includes('dental') && clinicType === 'dental';
    return hasDental ? app.dentalTimeline.listTimelineEntries({ patientIds, ...wanted }, options) : { entries: [] };
  };
  const [own, dental, messaging] = await Promise.all([
    listEntries(app.db, clinicId, patientIds, { before: position?.before ?? null, beforeId: position?.beforeId ?? null, limit: limit + 1 }),
    from('dental', listDental()),
    from('messaging', app.messagingTimeline.listTimelineEntries({ phones, ...wanted }, options)),
  ]);
  const all = [...own.map(toTimelineEntry), ...dental.entries, ...messaging.entries].map((entry) => ({ entry, ...positionOf(entry) }));
  all.sort((a, b) => b.before.getTime() - a.before.getTime() || (a.beforeId < b.beforeId ? 1 : -1));
  const page = all.slice(0, limit);
  const last = page.at(-1);
  return { entries: page.map(({ entry }) => entry), nextCursor: last && all.length > limit ? toCursor(last) : undefined, partial: partial.sort() };
}

type Position = { before: Date; beforeId: string };

const positionOf = ({ at, id = '' }: Entry): Position => ({
  before: at ? timestampDate(at as Parameters<typeof timestampDate>[0]) : new Date(0),
  beforeId: id,
});

const toCursor = ({ before, beforeId }: Position): string => Buffer.from(`${before.toISOString()} ${beforeId}`).toString('base64url');

function parseCursor(cursor: string): Position {
  const [at = '', beforeId = ''] = Buffer.from(cursor, 'base64url').toString().split(' ');
  const before = new Date(at);
  return Number.isNaN(before.getTime()) || !isUuid(beforeId) ? invalid('cursor', 'must be the next_cursor of a page') : { before, beforeId };
}
