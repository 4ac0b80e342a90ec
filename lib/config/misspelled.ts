// Finds misspelled settings among the environment variables, which would be ignored. A variable counts as misspelled when it differs from a setting
// by one typing error, so that variables of the platform, such as those that Kubernetes adds for each Service, are not reported.

/** A sentence for each misspelled variable. `names`: the settings of the process. */
export function misspelledSettings(names: readonly string[], env: NodeJS.ProcessEnv): string[] {
  const known = new Set(names.flatMap((name) => [name, `${name}_FILE`]));
  return Object.entries(env).flatMap(([variable, value]) => {
    if (!value || known.has(variable)) return [];
    const meant = [...known].find((name) => name.length > SHORTEST && hasTypingError(variable, name));
    return meant ? [`${variable} is not a setting and has no effect: did you mean ${meant}?`] : [];
  });
}

/** Names of up to this length, such as HOST, resemble too many others. */
const SHORTEST = 5;

/** Whether `a` is `b` with one character added, left out or replaced, or with two adjacent ones exchanged. */
export function hasTypingError(a: string, b: string): boolean {
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  const [restA, restB, afterA, afterB] = [a.slice(start), b.slice(start), a.slice(start + 1), b.slice(start + 1)];
  const areExchanged = restA.slice(2) === restB.slice(2) && restA[0] === restB[1] && restA[1] === restB[0];
  return a !== b && (afterA === restB || restA === afterB || afterA === afterB || areExchanged);
}
