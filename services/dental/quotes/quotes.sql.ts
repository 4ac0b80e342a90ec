// Quotes, which never change, and their acceptances. Name and signature are encrypted.
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { NamedKey } from '@clinic/lib/config/config.ts';
import { decrypt, encrypt } from '@clinic/lib/crypto/crypto.ts';
import { execute, row, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import type { QuoteLine } from './quote-rules.ts';

export type QuoteRow = {
  clinic_id: string;
  id: string;
  treatment_plan_id: string;
  option_id: string;
  number: number;
  title: string;
  option_name: string;
  lines: QuoteLine[];
  total_cents: bigint;
  valid_until: string;
  created_at: Date;
  signer_sealed: Buffer | null;
  signature_sealed: Buffer | null;
  signed_on: string | null;
  accepted_at: Date | null;
};

export const acceptanceContext = (clinicId: string, quoteId: string, column: string) => `${clinicId}/quote_acceptances/${quoteId}/${column}`;

/** Name and drawn signature of the person who accepted the quote; null before acceptance. */
export function decryptAcceptance(keys: NamedKey[], quote: QuoteRow): { name: string; signature: string | null } | null {
  if (!quote.signer_sealed) return null;
  const decryptColumn = (ciphertext: Buffer, column: string) => decrypt(keys, ciphertext, acceptanceContext(quote.clinic_id, quote.id, column));
  return { name: decryptColumn(quote.signer_sealed, 'signer'), signature: quote.signature_sealed && decryptColumn(quote.signature_sealed, 'signature') };
}

export function toProto(quote: QuoteRow, keys: NamedKey[], today: string) {
  const acceptance = decryptAcceptance(keys, quote);
  const unaccepted = quote.valid_until < today ? 'expired' : 'open';
  return {
    ...toFields(quote),
    lines: quote.lines.map(({ procedure, tooth, price_cents }, index) => ({
      number: index + 1,
      procedure,
      tooth: tooth ?? undefined,
      price: price_cents === null ? undefined : BigInt(price_cents),
    })),
    total: quote.total_cents,
    status: quote.accepted_at ? 'accepted' : unaccepted,
    acceptance:
      acceptance && quote.accepted_at && quote.signed_on
        ? { name: acceptance.name, signed: acceptance.signature !== null, date: quote.signed_on, acceptedAt: timestampFromDate(quote.accepted_at) }
        : undefined,
  };
}

const insertStatement = sql(`
  insert into quotes (clinic_id, id, treatment_plan_id, option_id, number, title, option_name, lines, total_cents, valid_until, created_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`);

type NewQuote = Pick<
  QuoteRow,
  'id' | 'treatment_plan_id' | 'option_id' | 'number' | 'title' | 'option_name' | 'lines' | 'total_cents' | 'valid_until' | 'created_at'
>;

export async function insertQuote(tx: TenantTx, quote: NewQuote): Promise<void> {
  const { id, treatment_plan_id, option_id, number, title, option_name, lines, total_cents, valid_until, created_at } = quote;
  const values = [id, treatment_plan_id, option_id, number, title, option_name, JSON.stringify(lines), total_cents, valid_until, created_at];
  await execute(tx, insertStatement, [tx.clinicId, ...values]);
}

const findNewestStatement = sql<QuoteRow>(`
  select q.clinic_id, q.id, q.treatment_plan_id, q.option_id, q.number, q.title, q.option_name, q.lines, q.total_cents, q.valid_until, q.created_at,
    a.signer_sealed, a.signature_sealed, a.signed_on, a.accepted_at
  from quotes q left join quote_acceptances a on a.clinic_id = q.clinic_id and a.quote_id = q.id
  where q.clinic_id = $1 and q.treatment_plan_id = $2
  order by q.number desc limit 1`);

/** The newest quote of a treatment plan. */
export const findQuote = (tx: TenantTx, planId: string) => row(tx, findNewestStatement, [tx.clinicId, planId]);

const insertAcceptanceStatement = sql(`
  insert into quote_acceptances (clinic_id, quote_id, signer_sealed, signature_sealed, signed_on, accepted_at) values ($1, $2, $3, $4, $5, $6)`);

type Acceptance = { name: string; signature: string | null; signed_on: string };

/** Violates the constraint quote_acceptances_once when the quote is already accepted. */
export async function insertAcceptance(tx: TenantTx, keys: NamedKey[], quoteId: string, acceptance: Acceptance, now: Date): Promise<void> {
  const encryptColumn = (text: string, column: string) => encrypt(keys, text, acceptanceContext(tx.clinicId, quoteId, column));
  const signature = acceptance.signature === null ? null : encryptColumn(acceptance.signature, 'signature');
  await execute(tx, insertAcceptanceStatement, [tx.clinicId, quoteId, encryptColumn(acceptance.name, 'signer'), signature, acceptance.signed_on, now]);
}
