export { type Clinic, type ClinicOptions, createClinic } from './client.ts';
export { ClinicError, type ErrorCode } from './errors.ts';
export type * from './gen/schema.ts';
