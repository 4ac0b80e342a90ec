// Currencies by their ISO 4217 codes, as far as this runtime can write amounts in them.

const KNOWN = new Set(Intl.supportedValuesOf('currency'));

export const isCurrency = (code: string) => KNOWN.has(code);
