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

/** Undefined before it is set. */
export const decryptProvider = (app: App, { clinic_id, provider_sealed }: IssuerRow): Provider | undefined =>
  provider_sealed ? decryptJson<Provider>(app.keys, provider_sealed, issuerContext(clinic_id, 'provider')) : undefined;

/** Undefined before it is set. */
export const decryptSigningKey = (app: App, { clinic_id, signing_sealed }: IssuerRow): SigningKey | undefined =>
  signing_sealed ? decryptJson<SigningKey>(app.keys, signing_sealed, issuerContext(clinic_id, 'signing')) : undefined;

/** Everything that issuing needs. Throws DTE_NOT_CONFIGURED when something is missing. */
export async function getReadyIssuer(app: App, tx: TenantTx): Promise<ReadyIssuer> {
  const [row, points] = await Promise.all([findIssuer(tx), listPoints(tx)]);
  const [first, ...others] = points;
  const [provider, signing] = [row && decryptProvider(app, row), row && decryptSigningKey(app, row)];
  if (!row || !provider || !signing || !first || row.certificate_nit !== row.nit) return fail('DTE_NOT_CONFIGURED');
  return {
    issuer: decryptProfile(app, row),
    points: [first, ...others],
    signing,
    account: { clinicId: row.clinic_id, environment: row.environment, provider },
  };
}

/** Throws DTE_NOT_ALLOWED for a document of an earlier taxpayer: the clinic has the certificate of the present one only. */
export function refuseOtherTaxpayer({ nit }: { nit: string }, { issuer }: ReadyIssuer): void {
  if (nit !== issuer.nit) fail('DTE_NOT_ALLOWED', `The document was issued by another taxpayer, with the NIT ${nit}`);
}

/** The issuer as the API returns it: of its secrets, only whether they are set. Undefined before it is set. */
export async function findPublicIssuer(app: App, tx: TenantTx) {
  const [row, pointsOfSale] = await Promise.all([findIssuer(tx), listPoints(tx)]);
  if (!row) return undefined;
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

/** Throws NOT_FOUND before it is set. */
export const getPublicIssuer = async (app: App, tx: TenantTx) => found(await findPublicIssuer(app, tx), 'Issuer');
