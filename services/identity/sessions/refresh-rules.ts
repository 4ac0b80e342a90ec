// A refresh token is used once. For a short time it may be repeated, because the response may have been lost, unless its successor was
// used. Any other second use means that two parties have the token.

const GRACE_MS = 10_000;

export type UsedToken = { rotated_at: Date | null; successor_rotated_at: Date | null };

export function decideRefresh(token: UsedToken, now: Date): 'rotate' | 'repeat' | 'reused' {
  if (!token.rotated_at) return 'rotate';
  const late = now.getTime() - token.rotated_at.getTime() > GRACE_MS;
  return late || token.successor_rotated_at ? 'reused' : 'repeat';
}
