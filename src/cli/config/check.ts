import { ConfigError } from '../../config/config-error.ts'
import { writeConfigWarning } from '../../config/config-warning.ts'
import { summarizeConfig } from '../../config/layers/summarize-config.ts'
import { type LoadInput, loadConfig } from '../../config/load-config.ts'
import { factOf } from '../../kit/schema/input-fact.ts'

/** The output of a command, line by line. */
export interface Terminal {
  print(line: string): void
  printError(line: string): void
}

export interface CheckOptions {
  /** Whether to print one JSON object on standard output, for programs. */
  readonly isJson?: boolean
}

/**
 * `headgate check`: reports whether the configuration can be served, or lists all its problems. Returns the exit code.
 */
export async function checkCommand(
  input: LoadInput,
  terminal: Terminal,
  { isJson = false }: CheckOptions = {},
): Promise<number> {
  try {
    const config = await loadConfig(input)
    const warnings = config.warnings.map(writeConfigWarning)
    if (isJson) {
      terminal.print(JSON.stringify({ ok: true, summary: summarizeConfig(config), warnings, problems: [] }))
      return 0
    }
    const name = config.source.type === 'file' ? config.source.path : 'no configuration file'
    for (const warning of warnings) terminal.printError(`${name}: warning: ${warning}`)
    terminal.print(`${name}: ok, ${summarizeConfig(config)}`)
    return 0
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const problems = error.problems.map((problem) => ({ ...problem, fact: factOf(problem) }))
    if (isJson) terminal.print(JSON.stringify({ ok: false, warnings: [], problems }))
    else terminal.printError(error.message)
    return 1
  }
}
