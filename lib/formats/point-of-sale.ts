// Points of sale of an issuer of tax documents.

/** M main office, S branch, B warehouse, P yard; with three digits. */
export const ESTABLISHMENT = /^[MSBP]\d{3}$/;
export const ESTABLISHMENT_RULE = 'must be M, S, B or P and three digits';
export const POINT_OF_SALE = /^P\d{3}$/;
export const POINT_OF_SALE_RULE = 'must be P and three digits';
