// The scopes of integration keys: what a key may read and write.

export const SCOPES = [
  'analytics:read',
  'appointments:read',
  'appointments:write',
  'clinic:read',
  'clinical:read',
  'clinical:write',
  'conversations:read',
  'conversations:write',
  'dental:read',
  'dental:write',
  'doctors:read',
  'fhir:read',
  'patients:read',
  'patients:write',
  'payments:read',
  'payments:write',
  'tax_documents:read',
  'tax_documents:write',
  'waitlist:read',
  'waitlist:write',
] as const;

export type Scope = (typeof SCOPES)[number];
/** The part of a scope before the colon. */
export type Resource = Scope extends `${infer Name}:${string}` ? Name : never;

export const isScope = (text: string): text is Scope => (SCOPES as readonly string[]).includes(text);
