// Where a page of the audit log ended, as text that a client hands back: the last entry shown of each service.

export type Position = {
  /** How many fit, counted for the first page. */
  total: number;
  /** How many have been shown. */
  shown: number;
  /** Id of the last entry shown, by service. */
  after: Record<string, string>;
};

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const isCount = (value: unknown): value is number => Number.isInteger(value) && (value as number) >= 0;

export const toCursor = (position: Position) => Buffer.from(JSON.stringify(position)).toString('base64url');

/** Undefined when it is not what toCursor() made. */
export function fromCursor(cursor: string): Position | undefined {
  try {
    const { total, shown, after } = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as Partial<Position>;
    const ids = Object.entries(after ?? { '': '' });
    if (!isCount(total) || !isCount(shown) || !ids.every(([, id]) => typeof id === 'string' && UUID.test(id))) return undefined;
    return { total, shown, after: Object.fromEntries(ids) };
  } catch {
    return undefined;
  }
}
