/** The items of a list, page by page from page 1, at most `maxPages`. `total` is the number that the last page reports. */
export async function loadPages<T>(maxPages: number, load: (page: number) => Promise<{ items: T[]; total: number }>): Promise<{ items: T[]; total: number }> {
  const items: T[] = [];
  let total = 0;
  for (let page = 1; page <= maxPages; page++) {
    const loaded = await load(page);
    items.push(...loaded.items);
    total = loaded.total;
    if (loaded.items.length === 0 || items.length >= total) break;
  }
  return { items, total };
}
