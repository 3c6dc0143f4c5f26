import { Command } from 'commander'
import type { CommandContext } from '../../src/cli/command-context.ts'
import { testAdminToken } from './start-gateway.ts'

export interface RanCommand {
  readonly out: string
  readonly error: string
  readonly code: number
}

/** Runs commands in this process, on the data folder of a gateway; `register` adds those that are run. */
export function createCommandRunner(
  folder: string,
  ...register: readonly ((program: Command, context: CommandContext) => void)[]
): (...argv: readonly string[]) => Promise<RanCommand> {
  return async (...argv) => {
    const ran = { out: '', error: '', code: 0 }
    const say = (text: string): void => {
      ran.error += text
    }
    const program = new Command('headgate').exitOverride().configureOutput({ writeErr: say, writeOut: say })
    const io = {
      write: (text: string) => {
        ran.out += text
      },
      writeError: say,
      isTerminal: false,
      setExitCode: (code: number) => {
        ran.code = code
      },
    }
    for (const add of register)
      add(program, { dataFolder: () => folder, adminToken: () => testAdminToken, io })
    await program.parseAsync(['node', 'headgate', ...argv]).catch(() => {
      ran.code = 1
    })
    return ran
  }
}
