// The cursor of the audit log: for each service, the last entry that the previous pages contained.
import { isUuid } from '@clinic/lib/formats/uuid.ts';

type Position = {
  /** The total number of matches, counted for the first page. */
  total: number;
  /** The number of entries on the previous pages. */
  shown: number;
  /** Id of the last entry, by service. */
  after: Record<string, string>;
};

/** The largest total of a response. */
const MAX_COUNT = 2 ** 31 - 1;

const isCount = (value: unknown): value is number => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_COUNT;

export const toCursor = (position: Position) => Buffer.from(JSON.stringify(position)).toString('base64url');

/** Undefined if the text is not a cursor. */
export function fromCursor(cursor: string): Position | undefined {
  try {
    const { total, shown, after } = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as Partial<Position>;
    const ids = Object.entries(after ?? { '': '' });
    if (!isCount(total) || !isCount(shown) || !ids.every(([, id]) => typeof id === 'string' && isUuid(id))) return undefined;
    return { total, shown, after: Object.fromEntries(ids) };
  } catch {
    return undefined;
  }
}
