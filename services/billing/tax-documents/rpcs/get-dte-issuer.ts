// The issuer of the clinic's tax documents.
import { inTenant } from '@clinic/lib/db/db.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetDteIssuerRequest } from '@clinic/proto/billing/v1/dte_issuer_pb.js';
import type { App } from '../../app.ts';
import { findPublicIssuer } from '../get-issuer.ts';

/** Empty before it is set. */
export const getDteIssuer = (app: App, _request: GetDteIssuerRequest, call: Call) =>
  inTenant(app.db, clinicOf(call).id, async (tx) => (await findPublicIssuer(app, tx)) ?? { environment: 'test' });
