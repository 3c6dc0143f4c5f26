import { ConfigError } from '../config/config-error.ts'
import { type LoadParts, loadConfig } from '../config/load-config.ts'
import { summarizeConfig } from '../config/summarize-config.ts'

/** Where a command writes, line by line. */
export interface Terminal {
  print(line: string): void
  printError(line: string): void
}

/** `headgate check`: says whether the configuration can be served, or all that is wrong with it. Answers the exit code. */
export async function checkCommand(parts: LoadParts, terminal: Terminal): Promise<number> {
  try {
    const config = await loadConfig(parts)
    const name = config.source.type === 'file' ? config.source.path : 'no configuration file'
    for (const warning of config.warnings) terminal.printError(`${name}: warning: ${warning}`)
    terminal.print(`${name}: ok, ${summarizeConfig(config)}`)
    return 0
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    terminal.printError(error.message)
    return 1
  }
}
