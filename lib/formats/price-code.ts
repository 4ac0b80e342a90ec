// Codes of procedures in the price list of a clinic.
export const PRICE_CODE = /^[a-z0-9_-]{1,64}$/;
export const PRICE_CODE_RULE = 'must be 1 to 64 lower case letters, digits, _ or -';
