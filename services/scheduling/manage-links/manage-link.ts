// The link by which a patient sees, confirms, moves or cancels an appointment.
import { linkToken, parseLinkToken } from '@clinic/lib/crypto/link-token.ts';
import { fail } from '@clinic/lib/errors/errors.ts';
import type { App } from '../app.ts';

/** `id` is that of the appointment. */
export const manageLink = ({ keys, publicUrl }: Pick<App, 'keys' | 'publicUrl'>, clinicId: string, id: string) =>
  `${publicUrl}/manage/${linkToken(keys, 'clinic appointment', { clinicId, id })}`;

/** Throws NOT_FOUND unless a key of the ring has signed the token. */
export const parseManageToken = ({ keys }: Pick<App, 'keys'>, token: string) =>
  parseLinkToken(keys, 'clinic appointment', token) ?? fail('NOT_FOUND', 'Appointment not found');
