// Instants of the database as those of messages, and back.
import { type Timestamp, timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';

/** Undefined without an instant: the field is not set then. */
export const toTimestamp = (at: Date | null | undefined): Timestamp | undefined => (at ? timestampFromDate(at) : undefined);

/** Null where the field is not set. */
export const toDate = (at: Timestamp | undefined): Date | null => (at ? timestampDate(at) : null);
