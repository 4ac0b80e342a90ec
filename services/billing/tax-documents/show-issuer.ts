// The issuer as it is shown: what is secret is only said to be there.
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { TenantTx } from '@clinic/lib/db/db.ts';
import { found } from '@clinic/lib/errors/errors.ts';
import type { App } from '../app.ts';
import { openProfile } from './get-issuer.ts';
import { ENVIRONMENTS } from './to-tax-document.ts';
import { findIssuer, listPoints } from './sql/issuers.sql.ts';

export async function showIssuer(app: App, tx: TenantTx) {
  const [maybe, pointsOfSale] = await Promise.all([findIssuer(tx), listPoints(tx)]);
  const row = found(maybe, 'Issuer');
  const { environment, tradeName, mailsReceivers, ...profile } = openProfile(app, row);
  return {
    ...profile,
    environment: ENVIRONMENTS[environment],
    mailReceivers: mailsReceivers,
    ...(tradeName !== null && { tradeName }),
    pointsOfSale,
    hasProvider: row.provider_sealed !== null,
    ...(row.certificate_nit !== null && { certificateNit: row.certificate_nit }),
    ...(row.certificate_fingerprint !== null && { certificateFingerprint: row.certificate_fingerprint }),
    ready: row.provider_sealed !== null && row.certificate_nit === row.nit,
    updatedAt: timestampFromDate(row.updated_at),
  };
}
