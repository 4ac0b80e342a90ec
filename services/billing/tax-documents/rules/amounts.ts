// Decimal arithmetic as the tax authority requires: half up, 8 decimals in the body of a document, 2 in its summary (Manual Funcional,
// section XXI).
import { Decimal as Base } from 'decimal.js';

/** A constructor with settings of its own: 50 digits are exact for any amount. */
export const Decimal = Base.clone({ precision: 50, rounding: Base.ROUND_HALF_UP });
export type Amount = InstanceType<typeof Decimal>;

export const ZERO = new Decimal(0);
export const IVA = new Decimal('0.13');
export const WITH_IVA = new Decimal('1.13');

/** For the body of a document. */
export const round8 = (amount: Amount): Amount => amount.toDecimalPlaces(8);
/** For the summary of a document. */
export const round2 = (amount: Amount): Amount => amount.toDecimalPlaces(2);

export const sum = (amounts: Amount[]): Amount => amounts.reduce((total, amount) => total.plus(amount), ZERO);

/** Cents of an amount with 2 decimals. */
export const toCents = (amount: Amount): bigint => BigInt(amount.times(100).toFixed(0));

/** The amount of integer cents. */
export const fromCents = (cents: bigint): Amount => new Decimal(cents.toString()).div(100);

/** Whether a JSON number has at most `places` decimals. */
export const hasPlaces = (value: number, places: number): boolean => new Decimal(value).decimalPlaces() <= places;
