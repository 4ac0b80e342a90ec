// The issuer of a clinic with its secrets opened.
import type { TenantTx } from '@clinic/lib/db/db.ts';
import { fail } from '@clinic/lib/errors/errors.ts';
import type { App } from '../app.ts';
import type { Account, Provider } from './authority/authority-client.ts';
import type { Signing } from './authority/signer.ts';
import type { Issuer, PointOfSale } from './rules/issuer.ts';
import { issuerContext, openJson } from './encrypted-columns.ts';
import { findIssuer, type IssuerRow, listPoints } from './sql/issuers.sql.ts';

export type Ready = { issuer: Issuer; points: [PointOfSale, ...PointOfSale[]]; signing: Signing; account: Account };

export const openProfile = (app: App, row: IssuerRow): Issuer => openJson<Issuer>(app.keys, row.profile_sealed, issuerContext(row.clinic_id, 'profile'));

/** All that a checkout needs. Throws DTE_NOT_CONFIGURED when something is not there. */
export async function readyIssuer(app: App, tx: TenantTx): Promise<Ready> {
  const [row, points] = await Promise.all([findIssuer(tx), listPoints(tx)]);
  const [first, ...others] = points;
  if (!row?.provider_sealed || !row.signing_sealed || !first || row.certificate_nit !== row.nit) return fail('DTE_NOT_CONFIGURED');
  const secret = <T>(sealed: Buffer, column: string): T => openJson<T>(app.keys, sealed, issuerContext(row.clinic_id, column));
  return {
    issuer: openProfile(app, row),
    points: [first, ...others],
    signing: secret<Signing>(row.signing_sealed, 'signing'),
    account: { clinicId: row.clinic_id, environment: row.environment, provider: secret<Provider>(row.provider_sealed, 'provider') },
  };
}
