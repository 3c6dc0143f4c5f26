/** The option `--json` of a command. */
export interface JsonChoice {
  readonly json?: true
}

/** Writes JSON that other programs parse and people can still read. */
export function writeJson(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`
}
