// The code with which a patient checks in, read from its picture; and a zone in which there are times left today.
import { publicApi } from '@clinic/lib/testing/public-api.ts';
import { expect } from '@jest/globals';
import { DateTime } from 'luxon';
import type { Clinic } from './clinic.ts';
import { linkIn } from './read-code.ts';

const hour = new Date().getUTCHours();

/** Where it is about noon, so that slots are left in the day. */
export const noonZone = hour === 12 ? 'Etc/GMT' : hour < 12 ? `Etc/GMT-${12 - hour}` : `Etc/GMT+${hour - 12}`;
export const todayAtNoon = () => DateTime.now().setZone(noonZone).toISODate() ?? '';

/** The token of an appointment's code. */
export async function scan(appointmentId: string, clinic: Clinic): Promise<string> {
  const headers = { Authorization: `Bearer ${clinic.token}` };
  const picture = await fetch(`${publicApi().baseUrl}/api/appointments/${appointmentId}/qr?format=png`, { headers });
  expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png']);
  const link = await linkIn(await picture.arrayBuffer());
  expect(link).toMatch(/^https?:\/\/[^/]+\/check-in\/[\w-]{66}$/);
  return link.split('/').at(-1) ?? '';
}
