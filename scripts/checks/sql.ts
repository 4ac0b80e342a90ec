// Splits a migration into statements without comments, string literals and function bodies, for checks.

export type SqlStatement = {
  /** In lower case, with one space between words. Literals are replaced by '' and bodies by $$. */
  text: string;
  /** The line of its first word. */
  line: number;
  /** The text between dollar quotes. */
  body: string;
};

const TOKEN = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|\$(\w*)\$([\s\S]*?)\$\1\$|;|[^;'$/-]+|./g;

export function sqlStatements(source: string): SqlStatement[] {
  const statements: SqlStatement[] = [];
  let [text, body, line, at] = ['', '', 0, 1];
  const end = () => {
    const plain = text.replaceAll(/\s+/g, ' ').trim().toLowerCase();
    if (plain) statements.push({ text: plain, line, body });
    [text, body, line] = ['', '', 0];
  };
  for (const [token, , quoted] of source.matchAll(TOKEN)) {
    const comment = token.startsWith('--') || token.startsWith('/*');
    if (!comment && line === 0 && token.trim() && token !== ';') line = at + (/^\s*/.exec(token)?.[0].split('\n').length ?? 1) - 1;
    if (token === ';') end();
    else if (comment) text += ' ';
    else if (quoted !== undefined) [text, body] = [`${text}$$`, body + quoted];
    else text += token.startsWith("'") && token.length > 1 ? "''" : token;
    at += token.split('\n').length - 1;
  }
  end();
  return statements;
}
