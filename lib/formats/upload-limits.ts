// Limits of uploaded files, enforced by the gateway while they arrive, and by scheduling. Those of pictures are in lib/image/picture-limits.ts.

export const MAX_PATIENT_FILE_BYTES = 25 * 1024 * 1024;
/** A CSV file to import. */
export const MAX_IMPORT_BYTES = 32 * 1024 * 1024;
