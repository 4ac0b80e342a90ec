// What a person wants to know once it runs. The last line is what programs wait for.

type Told = {
  url: string;
  adminUrl: string;
  dataDir: string;
  demo: { email: string; password: string } | undefined;
  /** Of the simulated chat provider, when there is one. */
  phoneUrl: string | undefined;
  /** Of the simulated tax authority, when there is one. */
  authorityUrl: string | undefined;
  operatorKeys: string | undefined;
  say: (line: string) => void;
};

export function tell({ url, adminUrl, dataDir, demo, phoneUrl, authorityUrl, operatorKeys, say }: Told): void {
  say('');
  say(`  API           ${url}/api`);
  say(`  Reference     ${url}/docs`);
  say(`  Health        ${adminUrl}/readyz`);
  if (demo) say(`  Demo sign-in  ${demo.email} ${demo.password}`);
  if (phoneUrl) say(`  Phone         ${phoneUrl} (a patient's, to chat with the clinic)`);
  if (authorityUrl) say(`  Tax authority ${authorityUrl} (simulated: its mood, and what it has)`);
  for (const entry of operatorKeys?.split(',') ?? [])
    say(`  Operator key  ${entry.slice(entry.indexOf(':') + 1)} (${entry.slice(0, entry.indexOf(':'))}; send it as X-Admin-Key)`);
  say(`  Data          ${dataDir}`);
  say('');
  say(`ready ${url}`);
}
