// Converts instants of the database to timestamps of messages, and back.
import { type Timestamp, timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';

/** Undefined without an instant, so that the field is not set. */
export const toTimestamp = (at: Date | null | undefined): Timestamp | undefined => (at ? timestampFromDate(at) : undefined);

/** Null when the field is not set. */
export const toDate = (at: Timestamp | undefined): Date | null => (at ? timestampDate(at) : null);
