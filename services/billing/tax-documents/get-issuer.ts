// The issuer of a clinic: with its secrets for issuing, and without them for the API.
import type { TenantTx } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import type { App } from '../app.ts';
import type { Account, Provider } from './authority/authority-client.ts';
import type { SigningKey } from './authority/signer.ts';
import { decryptJson, issuerContext } from './encrypted-columns.ts';
import type { Issuer, PointOfSale } from './rules/issuer.ts';
import { NAME_OF_ENVIRONMENT } from './rules/kinds.ts';
import { findIssuer, type IssuerRow, listPoints } from './sql/issuers.sql.ts';

export type ReadyIssuer = { issuer: Issuer; points: [PointOfSale, ...PointOfSale[]]; signing: SigningKey; account: Account };

export const decryptProfile = (app: App, row: IssuerRow): Issuer => decryptJson<Issuer>(app.keys, row.profile_sealed, issuerContext(row.clinic_id, 'profile'));

/** Everything that issuing needs. Throws DTE_NOT_CONFIGURED when something is missing. */
export async function getReadyIssuer(app: App, tx: TenantTx): Promise<ReadyIssuer> {
  const [row, points] = await Promise.all([findIssuer(tx), listPoints(tx)]);
  const [first, ...others] = points;
  if (!row?.provider_sealed || !row.signing_sealed || !first || row.certificate_nit !== row.nit) return fail('DTE_NOT_CONFIGURED');
  const secret = <T>(ciphertext: Buffer, column: string): T => decryptJson<T>(app.keys, ciphertext, issuerContext(row.clinic_id, column));
  return {
    issuer: decryptProfile(app, row),
    points: [first, ...others],
    signing: secret<SigningKey>(row.signing_sealed, 'signing'),
    account: { clinicId: row.clinic_id, environment: row.environment, provider: secret<Provider>(row.provider_sealed, 'provider') },
  };
}

/** The issuer as the API returns it: of its secrets, only whether they are set. */
export async function getPublicIssuer(app: App, tx: TenantTx) {
  const [maybe, pointsOfSale] = await Promise.all([findIssuer(tx), listPoints(tx)]);
  const row = found(maybe, 'Issuer');
  const { mailsReceivers, ...profile } = decryptProfile(app, row);
  return {
    ...toFields(row),
    ...toFields(profile),
    environment: NAME_OF_ENVIRONMENT[profile.environment],
    mailReceivers: mailsReceivers,
    pointsOfSale,
    hasProvider: row.provider_sealed !== null,
    ready: row.provider_sealed !== null && row.certificate_nit === row.nit,
  };
}
