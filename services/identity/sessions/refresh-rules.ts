// What a refresh token is worth. It is used once; within a grace it may come again, as long as nobody has used its
// successor, since then the answer was lost on the way. Any other second use means that two parties hold it.

const GRACE_MS = 10_000;

export type Presented = { rotated_at: Date | null; successor_rotated_at: Date | null };

export function decideRefresh(token: Presented, now: Date): 'rotate' | 'repeat' | 'reused' {
  if (!token.rotated_at) return 'rotate';
  const late = now.getTime() - token.rotated_at.getTime() > GRACE_MS;
  return late || token.successor_rotated_at ? 'reused' : 'repeat';
}
