// The cursor of the audit log: the last entry of each service that the pages so far contained.
import { isUuid } from '@clinic/lib/formats/uuid.ts';

export type Position = {
  /** The number of all matches, counted for the first page. */
  total: number;
  /** How many entries the pages so far contained. */
  shown: number;
  /** Id of the last entry, by service. */
  after: Record<string, string>;
};

const isCount = (value: unknown): value is number => Number.isInteger(value) && (value as number) >= 0;

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
