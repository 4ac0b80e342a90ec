// What the user may see. Resolved at each request, so that a change of the plan's features or of the clinic's type takes effect immediately.
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ResolvedClinic } from '@clinic/proto/identity/v1/access_pb.js';
import type { App } from '../app.ts';

/** What a tool requires. */
export type Requirements = {
  /** A feature that the plan includes and the clinic has not turned off. */
  feature?: string;
  /** Only in clinics of the type dental. */
  dental?: true;
  /** Only for admins. */
  admin?: true;
  /** Not for receptionists if the clinic hides its revenue from them. */
  revenue?: true;
};

type Permissions = { clinic: ResolvedClinic; currency: string; may(requirements: Requirements): boolean };

const DEFAULT_CURRENCY = 'USD';

export async function findPermissions(app: App, call: Call): Promise<Permissions> {
  const { id } = clinicOf(call);
  const clinic = await app.identity.access.resolveClinic({ clinicId: id }, callAs(serviceCaller('messaging', call.caller.requestId)));
  return {
    clinic,
    currency: clinic.currency || DEFAULT_CURRENCY, // an earlier release of identity does not return it
    may: ({ feature, dental, admin, revenue }) =>
      (!feature || clinic.features.includes(feature)) &&
      (!dental || clinic.clinicType === 'dental') &&
      (!admin || call.caller.role === 'admin') &&
      (!revenue || call.caller.role !== 'receptionist' || !clinic.guards.includes('revenue_hidden_from_receptionists')),
  };
}

/** The requirements of the dental routes. */
export const DENTAL = { feature: 'dental', dental: true } as const satisfies Requirements;
