// Reads the check-in code of a patient from its picture.
import { publicApi } from '@clinic/lib/testing/public-api.ts';
import { expect } from '@jest/globals';
import type { Clinic } from './clinic.ts';
import { linkIn } from './read-code.ts';

/** The token in the code of an appointment. */
export async function scan(appointmentId: string, clinic: Clinic): Promise<string> {
  const headers = { Authorization: `Bearer ${clinic.token}` };
  const picture = await fetch(`${publicApi().baseUrl}/api/appointments/${appointmentId}/qr?format=png`, { headers });
  expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png']);
  const link = await linkIn(await picture.arrayBuffer());
  expect(link).toMatch(/^https?:\/\/[^/]+\/check-in\/[\w-]{66}$/);
  return link.split('/').at(-1) ?? '';
}
