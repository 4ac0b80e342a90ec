// Decides whether the events of a clinic are sent to its webhook endpoints.
import { ifFound } from '@clinic/lib/rpc/reasons.ts';
import type { App } from '../app.ts';

/** Whether the clinic is neither suspended nor expired and its plan has webhooks. Throws UNAVAILABLE like Clinics.get(). */
export async function sendsWebhooks({ clinics }: Pick<App, 'clinics'>, clinicId: string): Promise<boolean> {
  const clinic = await ifFound(clinics.get(clinicId));
  return clinic?.isActive === true && clinic.features.includes('webhooks');
}
