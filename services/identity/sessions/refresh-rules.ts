// A refresh token can be used once. For a short time a repeated use returns the same successor, because the first response may have been
// lost, unless the successor was used. Any other second use means that two parties have the token, and ends the session.

const GRACE_MS = 10_000;

type UsedToken = { rotated_at: Date | null; successor_rotated_at: Date | null };

export function decideRefresh(token: UsedToken, now: Date): 'rotate' | 'repeat' | 'reused' {
  if (!token.rotated_at) return 'rotate';
  const late = now.getTime() - token.rotated_at.getTime() > GRACE_MS;
  return late || token.successor_rotated_at ? 'reused' : 'repeat';
}
