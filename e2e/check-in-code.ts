// Reads the check-in code of a patient from its picture, and selects a time zone in which slots are left today.
import { publicApi } from '@clinic/lib/testing/public-api.ts';
import { expect } from '@jest/globals';
import { DateTime } from 'luxon';
import type { Clinic } from './clinic.ts';
import { linkIn } from './read-code.ts';

const hour = new Date().getUTCHours();

/** A zone in which it is about noon, so that slots are left today. */
export const noonZone = hour === 12 ? 'Etc/GMT' : hour < 12 ? `Etc/GMT-${12 - hour}` : `Etc/GMT+${hour - 12}`;
export const todayAtNoon = () => DateTime.now().setZone(noonZone).toISODate() ?? '';

/** The token in the code of an appointment. */
export async function scan(appointmentId: string, clinic: Clinic): Promise<string> {
  const headers = { Authorization: `Bearer ${clinic.token}` };
  const picture = await fetch(`${publicApi().baseUrl}/api/appointments/${appointmentId}/qr?format=png`, { headers });
  expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png']);
  const link = await linkIn(await picture.arrayBuffer());
  expect(link).toMatch(/^https?:\/\/[^/]+\/check-in\/[\w-]{66}$/);
  return link.split('/').at(-1) ?? '';
}
