// The doctor whose calendar a token gives access to. While a clinic is suspended, or without the feature, its URLs do not work.
import { randomUUID } from 'node:crypto';
import { asSystem } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import type { App } from '../app.ts';
import { type FeedRow, findFeedByToken } from './calendar-feeds.sql.ts';
import { hashOf } from './feed-token.ts';

/** Throws NOT_FOUND unless the token is valid. */
export async function findFeed(app: App, token: string): Promise<FeedRow> {
  if (!/^[0-9a-f]{64}$/.test(token)) fail('NOT_FOUND', 'Calendar not found');
  // As the system: the token is all that the request contains, so the clinic is unknown.
  const doctor = found(await asSystem(app.db, (tx) => findFeedByToken(tx, hashOf(token))), 'Calendar');
  const { isActive, features } = await app.access.resolveClinic({ clinicId: doctor.clinic_id }, callAs(serviceCaller('scheduling', randomUUID())));
  if (!isActive || !features.includes('calendar_feeds')) fail('NOT_FOUND', 'Calendar not found');
  return doctor;
}
