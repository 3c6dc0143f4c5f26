import type { Command } from 'commander'

/**
 * Adds `headgate help`, which finds commands of any depth. The one of the library reads only the first word, so that
 * `help keys create` prints the help of `keys`.
 */
export function addHelpCommand(program: Command): void {
  program
    .command('help')
    .description('display help for command')
    .argument('[command...]')
    .usage('[command]')
    .action((words: readonly string[]) => findCommand(program, words).help())
}

/** Finds the command of the words. Fails as the command line itself does if there is no such command. */
function findCommand(program: Command, words: readonly string[]): Command {
  let found = program
  for (const word of words) {
    const next = found.commands.find((each) => each.name() === word || each.aliases().includes(word))
    if (next === undefined)
      return program.error(
        `error: there is no command "${words.join(' ')}"; "headgate --help" lists the commands`,
      )
    found = next
  }
  return found
}
