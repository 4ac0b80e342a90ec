/** The free time (HH:MM) that a message names: `8`, `8:30`, `a las 2 pm`. Without am or pm it is the one of both that is free. */
export function parseFreeTime(text: string, free: readonly string[]): string | undefined {
  const found = /(?:^|\D)(\d{1,2})(?:[:.](\d{2})|\s*h)?\s*(a\.?\s?m|p\.?\s?m)?(?:\W|$)/i.exec(text);
  if (!found) return undefined;
  const [hour, minute, half] = [Number(found[1]), found[2] ?? '00', found[3]?.[0]?.toLowerCase()];
  const hours = half === 'p' ? [(hour % 12) + 12] : half === 'a' ? [hour % 12] : [hour, hour + 12];
  return hours.map((one) => `${String(one).padStart(2, '0')}:${minute}`).find((time) => free.includes(time));
}
