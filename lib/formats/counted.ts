/** A number with its noun, for example `1 row` or `2 rows`. */
export const counted = (count: number | bigint, noun: string, plural = `${noun}s`): string => `${count} ${Number(count) === 1 ? noun : plural}`;
