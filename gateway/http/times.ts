// How long the parts of a request may take, in milliseconds.
import { DEADLINE_MS } from '@clinic/lib/rpc/context.ts';

export const HEADERS_MS = 10_000;
/** A body that is read into memory. */
export const BODY_MS = 30_000;
/** A file, from the end of the headers: 32 MiB at 1 Mbit/s. */
export const FILE_MS = 300_000;
/** Completing an upload may take long, because a large file may have to be checked and moved. */
export const COMPLETE_MS = 60_000;
/** The time that a request waits while its clinic has too many others. */
export const WAITING_MS = 5_000;
/** How often gateways read from identity which clinics are read-only. */
export const OPERATING_STATE_MS = 5_000;

/**
 * Until then, a change may still be carried out that was sent before the clinic became read-only. It was checked up to OPERATING_STATE_MS later,
 * before its body was read; that of an upload is checked again after its file has arrived.
 */
export const READ_ONLY_AFTER_MS = OPERATING_STATE_MS + Math.max(WAITING_MS + BODY_MS + DEADLINE_MS, COMPLETE_MS);
