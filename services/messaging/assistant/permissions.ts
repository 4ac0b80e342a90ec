// What the person who asks may see, asked live: the plan's features and the kind of clinic may have changed a moment ago.
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import { AccessService, type ResolvedClinic } from '@clinic/proto/identity/v1/access_pb.js';
import { createClient } from '@connectrpc/connect';
import type { App } from '../app.ts';

/** What a tool asks for. */
export type Needs = {
  /** A feature that the plan must allow and the clinic must not have switched off. */
  feature?: string;
  /** Only for clinics of type dental. */
  dental?: true;
  /** Only for admins. */
  admin?: true;
};

export type Permissions = { clinic: ResolvedClinic; may(needs: Needs): boolean };

export async function permissionsOf(app: App, call: Call): Promise<Permissions> {
  const { id } = clinicOf(call);
  const access = createClient(AccessService, app.neighbour('identity'));
  const clinic = await access.resolveClinic({ clinicId: id }, callAs(serviceCaller('messaging', call.caller.requestId)));
  return {
    clinic,
    may: ({ feature, dental, admin }) =>
      (!feature || clinic.features.includes(feature)) && (!dental || clinic.clinicType === 'dental') && (!admin || call.caller.role === 'admin'),
  };
}

/** What the routes of the dental engine ask for. */
export const DENTAL = { feature: 'dental', dental: true } as const satisfies Needs;
