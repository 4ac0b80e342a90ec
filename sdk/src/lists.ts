// Lists as async iterators: by page numbers, or by cursors if the response has one.
import type { paths } from './gen/schema.ts';

type Reply<P extends keyof paths> = paths[P] extends { get: { responses: { 200: { content: { 'application/json': infer R } } } } } ? R : never;
type Paged = { total: number; page: number; limit: number } | { next_cursor: string | null };

/** The paths of lists. */
export type ListPath = { [P in keyof paths]: [Reply<P>] extends [never] ? never : Reply<P> extends Paged ? P : never }[keyof paths];
/** An item of a list: an element of the only array in the response. */
export type Item<P extends ListPath> = { [K in keyof Reply<P>]: Reply<P>[K] extends (infer I extends object)[] ? I : never }[keyof Reply<P>];
export type QueryOf<P extends ListPath> = paths[P] extends { get: { parameters: infer Parameters } } ? Omit<Parameters, 'header' | 'cookie'> : never;

type Init = { params?: { query?: Record<string, unknown> } };
const LIMIT = 100;

export async function* listItems<I>(get: (init: object) => Promise<object>, init: Init = {}): AsyncGenerator<I, void, undefined> {
  const query: Record<string, unknown> = { limit: LIMIT, ...init.params?.query };
  for (;;) {
    const reply = (await get({ ...init, params: { ...init.params, query } })) as { total: number; page: number; limit: number; next_cursor?: string | null };
    const items = (Object.values(reply).find((value) => Array.isArray(value) && (value.length === 0 || typeof value[0] === 'object')) ?? []) as I[];
    yield* items;
    if (reply.next_cursor !== undefined) {
      if (reply.next_cursor === null) return;
      query.cursor = reply.next_cursor;
    } else {
      // The total of a search may be capped: if the page that reaches it is full, another one may follow.
      if (reply.page * reply.limit >= reply.total && items.length < reply.limit) return;
      query.page = reply.page + 1;
    }
  }
}
