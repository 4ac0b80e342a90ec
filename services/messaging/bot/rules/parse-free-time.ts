const PARTS_OF_DAY: Record<string, 'a' | 'p'> = { mañana: 'a', tarde: 'p', noche: 'p' };

/** The times (HH:MM) that a message may mean, such as `8`, `8:30`, `a las 2 pm`, `2 de la tarde`: two, unless it indicates am or pm. */
export function parseTimes(text: string): string[] {
  const found = /(?:^|\D)(\d{1,2})(?:[:.](\d{2})|\s*h)?\s*(a\.?\s?m|p\.?\s?m|(?:de|por|en) la (mañana|tarde|noche))?(?:\W|$)/i.exec(text);
  if (!found) return [];
  const [hour, minute, part] = [Number(found[1]), found[2] ?? '00', found[4]?.toLowerCase()];
  const half = part === undefined ? found[3]?.[0]?.toLowerCase() : PARTS_OF_DAY[part];
  const hours = half === 'p' ? [(hour % 12) + 12] : half === 'a' ? [hour % 12] : [hour, hour + 12];
  return hours.filter((one) => one < 24).map((one) => `${String(one).padStart(2, '0')}:${minute}`);
}

/** The first of these times that is free. */
export const parseFreeTime = (text: string, free: readonly string[]): string | undefined => parseTimes(text).find((time) => free.includes(time));
