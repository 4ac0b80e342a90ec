// The issuer of each clinic, its points of sale and their counters.
import { execute, getRow, row, rows, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import type { PointOfSale } from '../rules/issuer.ts';
import type { Environment } from '../rules/kinds.ts';

export type IssuerRow = {
  clinic_id: string;
  environment: Environment;
  nit: string;
  profile_sealed: Buffer;
  provider_sealed: Buffer | null;
  signing_sealed: Buffer | null;
  certificate_nit: string | null;
  certificate_fingerprint: string | null;
  updated_at: Date;
};

const COLUMNS = 'clinic_id, environment, nit, profile_sealed, provider_sealed, signing_sealed, certificate_nit, certificate_fingerprint, updated_at';

const findStatement = sql<IssuerRow>(`select ${COLUMNS} from dte_issuers where clinic_id = $1`);
const lockStatement = sql<IssuerRow>(`select ${COLUMNS} from dte_issuers where clinic_id = $1 for update`);
const keyShareStatement = sql('select from dte_issuers where clinic_id = $1 for key share');

export const findIssuer = (tx: TenantTx): Promise<IssuerRow | undefined> => row(tx, findStatement, [tx.clinicId]);
/** Changes of an issuer are made, and its contingencies are created, under this lock, one at a time. */
export const lockIssuer = (tx: TenantTx): Promise<IssuerRow | undefined> => row(tx, lockStatement, [tx.clinicId]);

/**
 * Until the transaction ends, the issuer does not change. Otherwise a point of sale that is removed while its first document is being issued would be
 * released, and another clinic of the taxpayer would repeat the number.
 */
export const lockIssuerKey = (tx: TenantTx) => execute(tx, keyShareStatement, [tx.clinicId]);

const putStatement = sql(`
  insert into dte_issuers as known (clinic_id, environment, nit, profile_sealed, provider_sealed, updated_at) values ($1, $2, $3, $4, $5, $6)
  on conflict (clinic_id) do update set environment = excluded.environment, nit = excluded.nit, profile_sealed = excluded.profile_sealed,
    provider_sealed = coalesce(excluded.provider_sealed, known.provider_sealed), updated_at = excluded.updated_at`);

type IssuerValues = { environment: string; nit: string; profile: Buffer; provider: Buffer | null; now: Date };

export const putIssuer = (tx: TenantTx, { environment, nit, profile, provider, now }: IssuerValues) =>
  execute(tx, putStatement, [tx.clinicId, environment, nit, profile, provider, now]);

const putCertificateStatement = sql(`
  update dte_issuers set signing_sealed = $2, certificate_nit = $3, certificate_fingerprint = $4, certificate_added_at = $5, updated_at = $5 where clinic_id = $1`);

export const putCertificate = (tx: TenantTx, signing: Buffer, nit: string, fingerprint: string, now: Date) =>
  execute(tx, putCertificateStatement, [tx.clinicId, signing, nit, fingerprint, now]);

const listPointsStatement = sql<PointOfSale>(
  'select establishment, code from dte_points_of_sale where clinic_id = $1 and position is not null order by position',
);
const deletePointsStatement = sql(`
  delete from dte_points_of_sale point where clinic_id = $1 and not exists (select from dte_counters counter
    where (counter.clinic_id, counter.environment, counter.nit, counter.establishment, counter.point_of_sale)
      = (point.clinic_id, point.environment, point.nit, point.establishment, point.code))`);
const retirePointsStatement = sql('update dte_points_of_sale set position = null where clinic_id = $1');
const addPointsStatement = sql(`
  insert into dte_points_of_sale (clinic_id, environment, nit, establishment, code, position)
  select $1, $2, $3, establishment, code, position from unnest($4::text[], $5::text[]) with ordinality as given (establishment, code, position)
  on conflict (clinic_id, environment, nit, establishment, code) do update set position = excluded.position`);

export const listPoints = (tx: TenantTx): Promise<PointOfSale[]> => rows(tx, listPointsStatement, [tx.clinicId]);

/** Those that have issued documents remain reserved for the clinic. The constraint dte_points_of_sale_once refuses those of another clinic. */
export async function replacePoints(tx: TenantTx, environment: string, nit: string, points: PointOfSale[]): Promise<void> {
  await execute(tx, deletePointsStatement, [tx.clinicId]);
  await execute(tx, retirePointsStatement, [tx.clinicId]);
  await execute(tx, addPointsStatement, [tx.clinicId, environment, nit, points.map(({ establishment }) => establishment), points.map(({ code }) => code)]);
}

const nextStatement = sql<{ last: bigint }>(`
  insert into dte_counters as known (clinic_id, environment, nit, kind, establishment, point_of_sale, year, last) values ($1, $2, $3, $4, $5, $6, $7, 1)
  on conflict (clinic_id, environment, nit, kind, establishment, point_of_sale, year) do update set last = known.last + 1
  returning last`);

type Counter = { environment: string; nit: string; kind: string; pointOfSale: PointOfSale; year: number };

/** The next number. Other transactions wait for this one to end, and get this number when it is rolled back, so there are no gaps. */
export async function takeNumber(tx: TenantTx, { environment, nit, kind, pointOfSale, year }: Counter): Promise<bigint> {
  return (await getRow(tx, nextStatement, [tx.clinicId, environment, nit, kind, pointOfSale.establishment, pointOfSale.code, year])).last;
}
