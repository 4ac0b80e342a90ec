// How long the parts of a request may take, in milliseconds.
import { DEADLINE_MS } from '@clinic/lib/rpc/context.ts';

export const HEADERS_MS = 10_000;
/** Completing an upload may take long, because a large file may have to be checked and moved. */
const COMPLETE_MS = 60_000;

export type Times = { bodyMs: number; fileMs: number; completeMs: number; idleMs: number; countMs: number };

export const TIMES: Times = {
  /** A body that is read into memory. */
  bodyMs: 30_000,
  /** A file, from the end of the headers: 32 MiB at 1 Mbit/s. */
  fileMs: 300_000,
  completeMs: COMPLETE_MS,
  /**
   * A connection on which nothing could be sent or received for this long is closed: its client has stopped reading. Live streams send heartbeats.
   * It exceeds the longest time limit of an RPC, so that a request that reaches that limit still receives its 503.
   */
  idleMs: COMPLETE_MS + 10_000,
  /** Counting a request in the database, or connecting to it. After that, the replica counts for itself. */
  countMs: 1_000,
};

/** The time that a request waits while its clinic has too many others. */
export const WAITING_MS = 5_000;
/** How often gateways read from identity which clinics are read-only. */
export const OPERATING_STATE_MS = 5_000;

/**
 * Until then, a change may still be carried out that was sent before the clinic became read-only. It was checked up to OPERATING_STATE_MS later,
 * before its body was read; that of an upload is checked again after its file has arrived.
 */
export const READ_ONLY_AFTER_MS = OPERATING_STATE_MS + Math.max(WAITING_MS + TIMES.bodyMs + DEADLINE_MS, COMPLETE_MS);
