import { Argument, type Command } from 'commander'
import type { CommandIo } from '../output/command-io.ts'
import { listCompletions } from './list-completions.ts'
import { type Shell, shells, writeCompletion } from './write-completion.ts'

/** Adds `headgate completion`, which is registered last, so that it knows all commands. */
export function registerCompletionCommand(program: Command, io: Pick<CommandIo, 'write'>): void {
  program
    .command('completion')
    .description('print the script by which a shell completes the words of headgate')
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .action((shell: Shell) => io.write(writeCompletion(shell, listCompletions(program))))
}
