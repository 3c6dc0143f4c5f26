/** The option `--json` of a command. */
export interface JsonChoice {
  readonly json?: true
}

/** For other programs, and yet to be read. */
export function writeJson(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`
}
