// El Salvador's national id: eight digits, a dash and a check digit.

export type Dui = { text: string; verified: boolean };

/** `########-#`, or undefined when it is no DUI. A wrong check digit is kept and said (Σ dᵢ·(9−i); check = (10 − Σ mod 10) mod 10). */
export function parseDui(text: string): Dui | undefined {
  const [, body = '', check = ''] = /^(\d{8})-?(\d)$/.exec(text.trim()) ?? [];
  if (!body) return undefined;
  const sum = [...body].reduce((total, digit, index) => total + Number(digit) * (9 - index), 0);
  return { text: `${body}-${check}`, verified: (10 - (sum % 10)) % 10 === Number(check) };
}

/** As lists show it: `******78-9`. */
export const maskDui = (text: string) => `******${text.slice(-4)}`;
