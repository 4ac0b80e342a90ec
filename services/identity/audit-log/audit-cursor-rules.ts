// The cursor of the audit log: for each service, the last entry that the previous pages contained.
import { isUuid } from '@clinic/lib/formats/uuid.ts';

type Position = {
  /** The total number of matches, counted for the first page. */
  total: number;
  /** The number of entries on the previous pages. */
  shown: number;
  /** Id of the last entry, by service. */
  after: Record<string, string>;
  /** The time of the last entry, in milliseconds. Bounds the services without an entry on the previous pages. Cursors of earlier releases lack it. */
  at?: number | undefined;
};

/** The largest total of a response. */
const MAX_COUNT = 2 ** 31 - 1;

const isCount = (value: unknown): value is number => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_COUNT;

/** The last millisecond that a Timestamp can have: of the year 9999. */
const MAX_TIME = 253_402_300_799_999;

const isTime = (value: unknown): value is number | undefined =>
  value === undefined || (Number.isInteger(value) && (value as number) >= 0 && (value as number) < MAX_TIME);

export const toCursor = (position: Position) => Buffer.from(JSON.stringify(position)).toString('base64url');

/** Undefined if the text is not a cursor. */
export function fromCursor(cursor: string): Position | undefined {
  try {
    const { total, shown, after, at } = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as Partial<Position>;
    if (!after) return undefined;
    const ids = Object.entries(after);
    if (!isCount(total) || !isCount(shown) || !isTime(at) || !ids.every(([, id]) => typeof id === 'string' && isUuid(id))) return undefined;
    return { total, shown, after: Object.fromEntries(ids), ...(at !== undefined && { at }) };
  } catch {
    return undefined;
  }
}
