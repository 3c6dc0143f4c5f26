/** A text as one word of a POSIX shell: as it is where the shell reads it so, otherwise in quotes. */
export function shellWord(text: string): string {
  return /^[\w./:@%+,-]+$/.test(text) ? text : `'${insideShellQuotes(text)}'`
}

/** A text between single quotes of a POSIX shell. */
export function insideShellQuotes(text: string): string {
  return text.replaceAll("'", `'\\''`)
}

/** A text as a string in single quotes of TypeScript. */
export function typeScriptString(text: string): string {
  return `'${text.replaceAll(/[\\']/g, '\\$&')}'`
}

/** A text as a string of JSON, which Python and TOML read alike. */
export function jsonString(text: string): string {
  return JSON.stringify(text)
}
