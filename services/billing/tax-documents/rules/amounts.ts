// Decimal arithmetic as the authority asks for it: half up, 8 decimals in the body of a document, 2 in its summary
// (Manual Funcional, section XXI).
import { Decimal as Base } from 'decimal.js';

/** Exact far beyond any amount; the settings of others who use the library do not reach it. */
export const Decimal = Base.clone({ precision: 50, rounding: Base.ROUND_HALF_UP });
export type Amount = InstanceType<typeof Decimal>;

export const ZERO = new Decimal(0);
export const IVA = new Decimal('0.13');
export const WITH_IVA = new Decimal('1.13');

/** For the body. */
export const round8 = (amount: Amount): Amount => amount.toDecimalPlaces(8);
/** For the summary. */
export const round2 = (amount: Amount): Amount => amount.toDecimalPlaces(2);

export const sum = (amounts: Amount[]): Amount => amounts.reduce((total, amount) => total.plus(amount), ZERO);

/** Integer cents of an amount with 2 decimals. */
export const toCents = (amount: Amount): bigint => BigInt(amount.times(100).toFixed(0));

/** An amount with 2 decimals of integer cents. */
export const fromCents = (cents: bigint): Amount => new Decimal(cents.toString()).div(100);

/** At most `places` decimals, as far as a JSON number tells. */
export const hasPlaces = (value: number, places: number): boolean => new Decimal(value).decimalPlaces() <= places;
