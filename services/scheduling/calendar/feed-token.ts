// Feed tokens: 64 hexadecimal characters that give access to a calendar without a session. The doctor is found by the hash; the encrypted
// token is stored to show the URLs again.
import { createHash, randomBytes } from 'node:crypto';
import { decrypt, encrypt } from '@clinic/lib/crypto/crypto.ts';
import type { App } from '../app.ts';
import type { FeedRow } from './calendar-feeds.sql.ts';

export const feedTokenContext = (clinicId: string, doctorId: string) => `${clinicId}/doctors/${doctorId}/feed_token`;

export function newFeedToken(app: App, doctor: { clinic_id: string; id: string }): { token: string; hash: Buffer; ciphertext: Buffer } {
  const token = randomBytes(32).toString('hex');
  return { token, hash: hashOf(token), ciphertext: encrypt(app.keys, token, feedTokenContext(doctor.clinic_id, doctor.id)) };
}

export const hashOf = (token: string) => createHash('sha256').update(token).digest();

/** Undefined when the doctor has no token. */
export function decryptFeedToken(app: Pick<App, 'keys'>, doctor: Pick<FeedRow, 'clinic_id' | 'id' | 'feed_token_sealed'>): string | undefined {
  return doctor.feed_token_sealed ? decrypt(app.keys, doctor.feed_token_sealed, feedTokenContext(doctor.clinic_id, doctor.id)) : undefined;
}

/** The URLs of a feed, as users copy them. */
export function feedUrls(app: App, doctor: FeedRow, token: string) {
  const feedUrl = `${app.publicUrl}/api/calendar/feed/${token}.ics`;
  return {
    doctorId: doctor.id,
    doctorName: doctor.full_name,
    openUrl: `${app.publicUrl}/api/calendar/open/${token}`,
    feedUrl,
    webcalUrl: feedUrl.replace(/^https?:/, 'webcal:'),
  };
}
