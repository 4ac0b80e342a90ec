// Instants of the database as those of messages.
import { type Timestamp, timestampFromDate } from '@bufbuild/protobuf/wkt';

/** Undefined without an instant: the field is not set then. */
export const toTimestamp = (at: Date | null | undefined): Timestamp | undefined => (at ? timestampFromDate(at) : undefined);
